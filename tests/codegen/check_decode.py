# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of decode_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses
import heapq
import re

from codegen_test import check_resources, check_source
from machine_code import Counts
LOADS = 8           # of 16 bytes, four each of keys and values, in one round of the loop
BYTES = LOADS * 512


@dataclasses.dataclass
class Limits:
    vgprs: int = 128
    a_byte: float = 0.072   # vector instructions of a usual round to a byte of keys and values
    local: tuple = ()       # the only LDS instructions in the loop
    extra_loads: int = 0    # of table entries


KERNELS = {
    "decode_f16": Limits(),
    "decode_bf16": Limits(),
    "decode_short_rows": Limits(),
    "decode_long_rows": Limits(),
    "decode_pages": Limits(local=("ds_bpermute_b32",), extra_loads=2),
    "decode_eight": Limits(vgprs=168, a_byte=0.13),
    "decode_causal": Limits(a_byte=0.078),
    "decode_capped": Limits(a_byte=0.084),
}


def products(code):
    return sum(line.startswith("v_dot2") for line in code)


def main_loop(kernel):
    """From where to where the loop with products is: there may be several branches back, and code
    that runs rarely may stand in front or behind."""
    spans = []
    for at, line in enumerate(kernel.code):
        branch = re.match(r"s_c?branch\w* (\.LBB\w+)", line)
        if branch and kernel.labels.get(branch.group(1), at + 1) <= at:
            spans.append((kernel.labels[branch.group(1)], at + 1))
    looping = [span for span in spans if products(kernel.code[slice(*span)])]
    return min((b for b, _ in looping), default=0), max((e for _, e in looping), default=0)


def is_vector(line):
    return line.startswith("v_")


def shortest_round(kernel, begin, end):
    """The fewest vector instructions from one product back to it: what rounds execute that find no
    larger score, at dims without a rest, where no mask is tested."""
    pivot = next(at for at in range(begin, end) if kernel.code[at].startswith("v_dot2"))
    queue, best = [(0, pivot)], {}
    while queue:
        count, at = heapq.heappop(queue)
        if best.get(at, count + 1) <= count:
            continue
        if at == pivot and count:
            return count
        if count:
            best[at] = count
        line = kernel.code[at]
        branch = re.match(r"s_(c?)branch\w* (\.LBB\w+)", line)
        following = [] if branch and not branch.group(1) else [at + 1]
        if branch:
            following.append(kernel.labels[branch.group(2)])
        for to in following:
            if begin <= to < end:
                heapq.heappush(queue, (count + is_vector(line), to))
    return 0


def most_in_flight(loop):
    """Loads of 16 bytes that are on their way at once, and the fewest when it waits."""
    flying, most, least = [], 0, LOADS
    for line in loop * 3:
        name = line.split()[0]
        if name.startswith("global_load"):
            flying.append(name)
            most = max(most, flying.count("global_load_b128"))
        wait = re.match(r"s_wait_loadcnt(?:_dscnt)? (0x[0-9a-f]+)", line)
        if wait:
            count = int(wait.group(1), 16)
            least = min(least, count)
            flying = flying[max(len(flying) - count, 0):]
    return most, least


def check_kernel(kernel, limits):
    span = main_loop(kernel)
    loop = kernel.code[slice(*span)]
    yield from check_resources(kernel, limits, ("flat_", "buffer_"))
    if not loop:
        yield "has no loop with products"
        return
    counts = Counts(loop)
    vector = shortest_round(kernel, *span)
    if not 0.04 * BYTES < vector <= limits.a_byte * BYTES:
        yield f"executes {vector / BYTES:.3f} vector instructions a byte"
    if counts.vector + counts.transcendental > 1.5 * limits.a_byte * BYTES:
        yield f"has {counts.vector} vector instructions in its loop"
    wide = counts.loads.count("global_load_b128")
    if wide != LOADS or len(counts.loads) > LOADS + limits.extra_loads:
        yield f"loads {wide} times 16 bytes in its loop, of {len(counts.loads)} loads"
    most, least = most_in_flight(loop)
    if most < LOADS:
        yield f"has only {most} loads in flight"
    if least < LOADS // 2 - limits.extra_loads // 2:
        yield f"waits until {least} loads are in flight"
    if counts.stores or set(counts.local) - set(limits.local):
        yield "stores or uses LDS in its loop"


def describe(kernel, _):
    span = main_loop(kernel)
    loop = kernel.code[slice(*span)]
    counts = Counts(loop)
    return (f"{kernel.vgprs} VGPRs; loop: {counts.vector} vector, "
            f"{counts.transcendental} transcendental, {counts.scalar} scalar; a usual round: "
            f"{shortest_round(kernel, *span) / BYTES:.3f} vector a byte, "
            f"{most_in_flight(loop)[0]} loads in flight")


check_source("codegen.decode", "decode_kernels.cpp", KERNELS, check_kernel, describe)
