# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of depthwise_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source
from machine_code import Counts

RUN = 7     # pixels of a lane, 8 channels each


@dataclasses.dataclass
class Limits:
    """Of one kernel."""
    vgprs: int
    product: str            # one product and its sum
    vector: float           # vector instructions of a row of taps, to a product
    stores: int             # of 16 bytes: one for each pixel where the chain is repeated
    windows: bool = True    # whether it has code of its own for 3, 5 and 7 columns at strides 1 and 2


KERNELS = {
    "staged_f16": Limits(192, "v_fma_mix_f32", 1.15, RUN),
    # Two instructions convert two bf16; two products may be one instruction.
    "staged_bf16": Limits(192, "v_fmac_f32", 1.65, RUN),
    "staged_long_chain": Limits(192, "v_fma_mix_f32", 1.15, 1),
    "staged_prologue": Limits(192, "v_fma_mix_f32", 1.15, RUN),
    "direct_f16": Limits(96, "v_fma_mix_f32", 0, 1, windows=False),
}


def products(code, name):
    """Products of a loop: a dual instruction has two where both of its halves are."""
    dual = name.replace("v_", "v_dual_")
    return sum(line.count(name) + line.count(dual) for line in code)


def rows_of_taps(kernel, limits):
    """The code of a row of taps by its products and its loads from LDS. It stands in a loop, behind a branch that
    skips rows in the padding."""
    found = {}
    for code in kernel.straight_parts():
        row = products(code, limits.product)
        reads = sum(line.startswith("ds_load_b128") for line in code)
        found[row, reads] = Counts(code)
    return found


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits)
    counts = Counts(kernel.code)
    if counts.stores.count("global_store_b128") != limits.stores:
        yield f"stores {counts.stores.count('global_store_b128')} times by 16 bytes"
    if not limits.windows:
        return
    if counts.loads.count("buffer_load_b128") < 4:
        yield "has fewer than 4 loads of the map in flight"
    found = rows_of_taps(kernel, limits)
    for columns in 3, 5, 7:
        for stride in 1, 2:
            wanted = RUN * columns * 8, (RUN - 1) * stride + 2 * columns
            if wanted not in found:
                yield f"has no code for {columns} columns at stride {stride} that reads each pixel once"
                continue
            if found[wanted].vector > limits.vector * wanted[0]:
                yield (f"has {found[wanted].vector} vector instructions for {wanted[0]} products at {columns} "
                       f"columns, stride {stride}")


def describe(kernel, limits):
    rows = ", ".join(f"{found.vector} for {row} products" for (row, _), found in sorted(rows_of_taps(kernel, limits).items())
                     if row >= RUN * 3 * 8)
    return f"{kernel.vgprs} VGPRs, {len(Counts(kernel.code).stores)} stores; vector instructions of a row of taps: {rows}"


check_source("codegen.depthwise", "depthwise_kernels.cpp", KERNELS, check_kernel, describe)
