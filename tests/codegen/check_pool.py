# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of pool_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses

from codegen_test import check_resources, check_source
from machine_code import Counts


@dataclasses.dataclass
class Limits:
    """Of one kernel. Loads and stores of 16 bytes: the least that it must have."""
    vgprs: int
    loads: int
    stores: int
    from_lds: int = 0   # loads of 16 bytes from LDS
    maxima: int = 0     # instructions that take the maxima of two halves each


KERNELS = {
    # Four loads of the map are under way together, and three taps.
    "staged_f16": Limits(vgprs=64, loads=4, stores=1, from_lds=3, maxima=12),
    "staged_bf16": Limits(vgprs=96, loads=4, stores=1, from_lds=3),
    "staged_average_f32": Limits(vgprs=96, loads=8, stores=2, from_lds=2),
    "direct_f16": Limits(vgprs=48, loads=1, stores=1),
    "direct_first": Limits(vgprs=64, loads=0, stores=0),
    "direct_statistics": Limits(vgprs=64, loads=1, stores=4),
    "global_f16": Limits(vgprs=64, loads=1, stores=1),
    "chained_f16": Limits(vgprs=96, loads=4, stores=2, from_lds=10, maxima=40),
    "chained_bf16": Limits(vgprs=96, loads=4, stores=2, from_lds=10),
    "copy_f16": Limits(vgprs=32, loads=1, stores=1),
    # Eight columns of eight rows.
    "turned_to_last": Limits(vgprs=128, loads=8, stores=8),
    "turned_to_front": Limits(vgprs=128, loads=8, stores=8),
    "upsampled_f16": Limits(vgprs=48, loads=1, stores=4),
}


def counts_of(kernel):
    counts = Counts(kernel.code)
    return {"loads": sum(load.endswith("load_b128") and not load.startswith("ds_") for load in counts.loads),
            "stores": counts.stores.count("global_store_b128"),
            "from_lds": sum(line.startswith("ds_load_b128") for line in kernel.code),
            "maxima": sum(line.startswith("v_pk_maximum_f16") for line in kernel.code)}


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits)
    for what, found in counts_of(kernel).items():
        if found < getattr(limits, what):
            yield f"has {found} {what} of {getattr(limits, what)}"


def describe(kernel, limits):
    found = ", ".join(f"{count} {what}" for what, count in counts_of(kernel).items() if count)
    return f"{kernel.vgprs} VGPRs, {found}"


if __name__ == "__main__":
    check_source("codegen.pool", "pool_kernels.cpp", KERNELS, check_kernel, describe)
