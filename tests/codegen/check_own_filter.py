# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of own_filter_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source


@dataclasses.dataclass
class Limits:
    """Of one kernel; None where nothing is asked."""
    vgprs: int
    share: float | None = None   # of vector cycles in the main loop, as if each slab began a tap
    vector: int | None = None    # instructions of the main loop that are not matrix instructions
    stores: int | None = None    # of 16 bytes in the whole epilogue, and no others


LARGE = dict(vgprs=216, share=0.965, vector=16)
SMALL = dict(vgprs=168, share=0.935, vector=16)
KERNELS = {
    "transposed_large_f16": Limits(**LARGE, stores=8),
    "transposed_large_bf16": Limits(**LARGE, stores=8),
    "transposed_small_f16": Limits(**SMALL, stores=4),
    "transposed_scattered_f16": Limits(vgprs=192),
    "transposed_large_rich": Limits(**LARGE, stores=16),
    "transposed_small_rich": Limits(**SMALL, stores=8),
    "transposed_large_treated": Limits(vgprs=256),
    "volume_large_f16": Limits(**LARGE, stores=8),
    "volume_large_bf16": Limits(**LARGE, stores=8),
    "volume_small_f16": Limits(**SMALL, stores=4),
    "volume_scattered_f16": Limits(vgprs=192),
    "volume_large_rich": Limits(**LARGE, stores=16),
    "volume_small_rich": Limits(**SMALL, stores=8),
    "volume_large_treated": Limits(vgprs=256),
}


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits)
    loop = kernel.main_loop()
    if not loop.matrix:
        yield "has no loop with a matrix instruction"
    elif limits.share is not None:
        if loop.matrix_share < limits.share:
            yield f"the main loop multiplies in {loop.matrix_share:.1%} of its vector cycles"
        if loop.vector > limits.vector:
            yield f"the main loop has {loop.vector} other vector instructions"
        if loop.full_load_waits:
            yield "the main loop waits for all loads"
    stores = kernel.whole_epilogue().stores
    wide = sum(n == "global_store_b128" for n in stores)
    if limits.stores is not None and (wide != limits.stores or wide != len(stores)):
        yield f"the epilogue stores {wide} times 16 bytes of {len(stores)} stores"


def describe(kernel, _):
    loop, epilogue = kernel.main_loop(), kernel.whole_epilogue()
    return (f"{kernel.vgprs} VGPRs; loop: {loop.matrix} matrix, {loop.vector} vector, {loop.scalar} scalar, "
            f"share {loop.matrix_share:.1%}; whole epilogue: {epilogue.vector} vector, "
            f"{len(epilogue.stores)} stores")


check_source("codegen.own_filter", "own_filter_kernels.cpp", KERNELS, check_kernel, describe)
