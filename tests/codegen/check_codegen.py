# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source


@dataclasses.dataclass
class Limits:
    """Of one kernel; None where nothing is asked."""
    vgprs: int
    share: float | None = None          # of vector cycles in the main loop that multiply
    matrix_a_slab: int | None = None    # matrix instructions of a wave between two barriers
    scalar_a_slab: int | None = None
    loads: tuple = ("global_load_b128",)    # the only ones in the main loop
    stores: int | None = None           # of 16 bytes in the whole epilogue, and no others
    vector: int | None = None           # in the whole epilogue
    transcendental: int | None = None


B128, TR = "global_load_b128", "global_load_tr_b128"
LARGE = dict(vgprs=256, share=0.98, matrix_a_slab=32, scalar_a_slab=12)
KERNELS = {
    "large_f16_nk": Limits(**LARGE, stores=16, vector=200, transcendental=0),
    "large_f16_kn": Limits(**LARGE, loads=(B128, TR), stores=16),
    "large_bf16_nk": Limits(**LARGE, stores=16, vector=650),
    "large_bf16_kn": Limits(**LARGE, loads=(B128, TR), stores=16),
    "large_f16_transposed_x": Limits(**LARGE, loads=(B128, TR), stores=16),
    "large_f16_fused": Limits(**LARGE, stores=16, vector=520, transcendental=256),
    "large_f16_both": Limits(**LARGE, stores=8),
    "large_f16_prologue": Limits(vgprs=192),
    "large_f16_long_chain": Limits(**LARGE),
    "medium_f16_nk": Limits(vgprs=120, share=0.98, matrix_a_slab=8, scalar_a_slab=12, stores=4),
    "medium_bf16_kn": Limits(vgprs=120, share=0.98, loads=(B128, TR), stores=4),
    "medium_f16_strided": Limits(vgprs=144, share=0.85, loads=("global_load_u16",)),
    "skinny_f16_nk": Limits(vgprs=96, share=0.98),
    "skinny_bf16_kn": Limits(vgprs=144, share=0.98, loads=(B128, TR), stores=4),
    "skinny_f16_both": Limits(vgprs=120, share=0.98),
}


def check_loop(counts, limits):
    if counts.matrix_share < limits.share:
        yield f"the main loop multiplies in {counts.matrix_share:.1%} of its vector cycles"
    other = sorted(set(counts.loads) - set(limits.loads))
    if other:
        yield f"the main loop loads by {', '.join(other)}"
    missing = sorted(set(limits.loads) - set(counts.loads))
    if missing:
        yield f"the main loop has no {', '.join(missing)}"
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


def check_epilogue(counts, limits):
    wide = sum(n == "global_store_b128" for n in counts.stores)
    if limits.stores is not None and (wide != limits.stores or wide != len(counts.stores)):
        yield f"the epilogue stores {wide} times 16 bytes of {len(counts.stores)} stores"
    if limits.vector is not None and counts.vector > limits.vector:
        yield f"the epilogue has {counts.vector} vector instructions"
    if limits.transcendental is not None and counts.transcendental > limits.transcendental:
        yield f"the epilogue has {counts.transcendental} transcendental instructions"


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits, ("flat_", "buffer_"))
    loop = kernel.main_loop()
    if not loop.matrix:
        yield "has no loop with a matrix instruction"
    elif limits.share is not None:
        yield from check_loop(loop, limits)
    yield from check_epilogue(kernel.whole_epilogue(), limits)


def describe(kernel, _):
    loop, epilogue = kernel.main_loop(), kernel.whole_epilogue()
    return (f"{kernel.vgprs} VGPRs; loop: {loop.matrix} matrix, {loop.vector} vector, "
            f"{loop.transcendental} transcendental, {loop.scalar} scalar, share "
            f"{loop.matrix_share:.1%}; whole epilogue: {epilogue.vector} vector, "
            f"{epilogue.transcendental} transcendental, {len(epilogue.stores)} stores")


check_source("codegen", "kernels.cpp", KERNELS, check_kernel, describe)
