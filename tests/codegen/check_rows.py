# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of rows_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses
import re

from codegen_test import check_resources, check_source
from machine_code import Counts


@dataclasses.dataclass
class Limits:
    """Of one kernel."""
    vgprs: int
    flying: int             # loads of 16 bytes on their way before one is waited for
    stores: int             # of `width`: one for each run and 16 bytes
    width: str = "global_store_b128"
    narrow: int = 2         # other loads: single values at the end of a row, and their operands
    vector: int | None = None
    load: str = "global_load_b128"


# A lane holds 8 runs of 8 values, or passes over 4 of them at a time, twice.
KERNELS = {
    "held_f16": Limits(vgprs=120, flying=8, stores=8, vector=1250),
    "held_f32": Limits(vgprs=120, flying=16, stores=16),
    "held_bf16_fp8": Limits(vgprs=120, flying=8, stores=8, width="global_store_b64"),
    # A mask whose columns may share one entry is loaded singly then.
    "held_masked": Limits(vgprs=120, flying=8, stores=8, narrow=80),
    "held_across": Limits(vgprs=144, flying=64, stores=8, load="global_load_(d16_b16|d16_hi_b16|u16)",
                          narrow=8),
    "held_rms_norm": Limits(vgprs=120, flying=8, stores=16, narrow=4),
    "held_layer_norm": Limits(vgprs=120, flying=8, stores=8, narrow=4),
    # A chain of this length is compiled once, in a loop over runs.
    "held_long_chain": Limits(vgprs=144, flying=8, stores=1, narrow=8),
    "streaming_f16": Limits(vgprs=72, flying=4, stores=4, narrow=4),
    "streaming_f32": Limits(vgprs=96, flying=6, stores=8, narrow=4),
    "streaming_layer_norm": Limits(vgprs=96, flying=4, stores=4, narrow=8),
}


def most_in_flight(code, load):
    """The longest row of loads of the source without a wait for one of them."""
    flying, most = 0, 0
    for line in code:
        if re.match(load + r"\b", line):
            flying += 1
            most = max(most, flying)
        elif line.startswith("s_wait_loadcnt"):
            flying = 0
    return most


def check_kernel(kernel, limits):
    counts = Counts(kernel.code)
    yield from check_resources(kernel, limits, ("flat_", "buffer_"))
    flying = most_in_flight(kernel.code, limits.load)
    if flying < limits.flying:
        yield f"has only {flying} loads in flight"
    narrow = [n for n in counts.loads
              if not re.fullmatch(limits.load, n) and not n.endswith(("_b128", "_b64"))]
    if len(narrow) > limits.narrow:
        yield f"has {len(narrow)} narrow loads: {', '.join(narrow)}"
    if counts.stores.count(limits.width) != limits.stores:
        yield f"stores {counts.stores.count(limits.width)} times by {limits.width}"
    if limits.vector is not None and counts.vector > limits.vector:
        yield f"has {counts.vector} vector instructions"


def describe(kernel, limits):
    counts = Counts(kernel.code)
    return (f"{kernel.vgprs} VGPRs, {counts.vector} vector, "
            f"{counts.transcendental} transcendental, {counts.scalar} scalar, "
            f"{most_in_flight(kernel.code, limits.load)} loads in flight, "
            f"{len(counts.stores)} stores")


check_source("codegen.rows", "rows_kernels.cpp", KERNELS, check_kernel, describe)
