# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of conv_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source

FILTER, MAP = "global_load_b128", "buffer_load_b128"


@dataclasses.dataclass
class Limits:
    """Of one kernel; None where nothing is asked."""
    vgprs: int
    share: float | None = None          # of vector cycles in the main loop, as if each slab began a tap
    vector: int | None = None           # instructions of the main loop that are not matrix instructions
    scalar_a_slab: int | None = None
    matrix_a_slab: int | None = None    # matrix instructions of a wave between two barriers
    stores: int | None = None           # of 16 bytes in the whole epilogue, and no others


LARGE = dict(vgprs=216, share=0.98, vector=8, scalar_a_slab=40, matrix_a_slab=16)
SMALL = dict(vgprs=168, share=0.965, vector=8, scalar_a_slab=40, matrix_a_slab=8)
STREAMED = dict(vgprs=192, share=0.92, vector=20)
KERNELS = {
    "conv_large_f16": Limits(**LARGE, stores=8),
    "conv_large_bf16": Limits(**LARGE, stores=8),
    "conv_small_f16": Limits(**SMALL, stores=4),
    "conv_streamed_f16": Limits(**STREAMED),
    "conv_streamed_bf16": Limits(**STREAMED),
    "conv_scattered_f16": Limits(vgprs=192),
    "conv_large_rich": Limits(**LARGE, stores=16),
    "conv_small_rich": Limits(**SMALL, stores=8),
    "conv_streamed_rich": Limits(**STREAMED),
    "conv_scattered_rich": Limits(vgprs=192),
    "conv_large_treated": Limits(vgprs=256),
    "conv_small_treated": Limits(vgprs=256),
    "conv_streamed_treated": Limits(vgprs=256),
    "conv_scattered_treated": Limits(vgprs=256),
    "conv_scattered_strided": Limits(vgprs=192),
}


def check_loop(counts, limits):
    if counts.matrix_share < limits.share:
        yield f"the main loop multiplies in {counts.matrix_share:.1%} of its vector cycles"
    if counts.vector > limits.vector:
        yield f"the main loop has {counts.vector} other vector instructions"
    if counts.transcendental:
        yield "the main loop has transcendental instructions"
    if set(counts.loads) != {FILTER, MAP}:
        yield f"the main loop loads by {', '.join(sorted(set(counts.loads)))}"
    if counts.stores:
        yield "the main loop stores to memory"
    narrow = sorted({n for n in counts.local if not n.endswith("_b128")})
    if narrow:
        yield f"the main loop accesses LDS by {', '.join(narrow)}"
    if counts.full_load_waits:
        yield "the main loop waits for all loads"
    if limits.matrix_a_slab:
        slabs = counts.barriers
        if slabs == 0 or counts.matrix != slabs * limits.matrix_a_slab:
            yield f"{counts.matrix} matrix instructions to {slabs} barriers"
        elif counts.scalar > slabs * limits.scalar_a_slab:
            yield f"{counts.scalar / slabs} scalar instructions a slab"


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits)
    loop = kernel.main_loop()
    if not loop.matrix:
        yield "has no loop with a matrix instruction"
    elif limits.share is not None:
        yield from check_loop(loop, limits)
    if not any(line.startswith("global_store_b128") for line in kernel.code):
        yield "never stores 16 bytes"
    stores = kernel.whole_epilogue().stores
    wide = sum(n == "global_store_b128" for n in stores)
    if limits.stores is not None and (wide != limits.stores or wide != len(stores)):
        yield f"the epilogue stores {wide} times 16 bytes of {len(stores)} stores"


def describe(kernel, _):
    loop, epilogue = kernel.main_loop(), kernel.whole_epilogue()
    return (f"{kernel.vgprs} VGPRs, {kernel.resources['group_segment_fixed_size']} bytes of LDS; loop: "
            f"{loop.matrix} matrix, {loop.vector} vector, {loop.scalar} scalar, share "
            f"{loop.matrix_share:.1%}; whole epilogue: {epilogue.vector} vector, "
            f"{epilogue.transcendental} transcendental, {len(epilogue.stores)} stores")


check_source("codegen.conv", "conv_kernels.cpp", KERNELS, check_kernel, describe)
