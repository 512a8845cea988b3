# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of stem_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source
from machine_code import Counts

PRODUCTS = 16   # of the main loop: two steps of 8


@dataclasses.dataclass
class Limits:
    """Of one kernel."""
    vgprs: int
    weights: int            # loads of 16 bytes in the main loop
    pixels: int             # reads of 16 bytes from LDS
    vector: int             # others: addresses, masks in the last step of a row, what changes for the last row
    stores: int             # of 16 bytes: one a run where the chain is repeated, one where parts may be missing,
                            # by lines of pixels and by fragments; one where a pool is behind it


KERNELS = {
    "wide_f16": Limits(168, weights=8, pixels=4, vector=44, stores=10),
    "wide_prologue": Limits(168, weights=8, pixels=4, vector=44, stores=10),
    "narrow_f16": Limits(168, weights=4, pixels=8, vector=64, stores=10),
    "narrow_bf16": Limits(168, weights=4, pixels=8, vector=64, stores=10),
    "pooled_f16": Limits(168, weights=8, pixels=4, vector=44, stores=1),
    "pooled_bf16": Limits(168, weights=8, pixels=4, vector=44, stores=1),
    "long_chain": Limits(168, weights=8, pixels=4, vector=44, stores=2),
}


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits)
    counts, loop = Counts(kernel.code), kernel.main_loop()
    if counts.stores.count("global_store_b128") != limits.stores:
        yield f"stores {counts.stores.count('global_store_b128')} times by 16 bytes"
    if counts.loads.count("buffer_load_b128") != 4:
        yield "has not 4 loads of the map in flight"
    if loop.matrix != PRODUCTS:
        yield f"has {loop.matrix} matrix instructions in its main loop"
    if loop.vector > limits.vector:
        yield f"has {loop.vector} other vector instructions there"
    if loop.loads != ["global_load_b128"] * limits.weights:
        yield f"loads {', '.join(loop.loads)} there"
    if loop.local != ["ds_load_b128"] * limits.pixels:
        yield f"reads {', '.join(loop.local)} there"
    if loop.barriers:
        yield "has a barrier there"


def describe(kernel, limits):
    loop = kernel.main_loop()
    return (f"{kernel.vgprs} VGPRs; main loop: {loop.matrix} matrix, {loop.vector} vector, {loop.scalar} scalar, "
            f"{100 * loop.matrix_share:.1f} % of vector cycles")


check_source("codegen.stem", "stem_kernels.cpp", KERNELS, check_kernel, describe)
