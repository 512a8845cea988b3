# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the kernels of prefill_kernels.cpp must be in machine code, for gfx1200 and gfx1201."""
import dataclasses
import re

from codegen_test import assembly, check_resources, command_line
from machine_code import Counts, kernels
from r9v_support import finish, in_parallel
PARTS = 4
RARE = 20   # instructions that a branch skips at least to be one for a new largest score


@dataclasses.dataclass
class Limits:
    """Of one kernel; None where nothing is asked."""
    share: float | None = None  # of vector cycles in the interior loop that multiply
    vgprs: int = 256
    lds: int = 65536
    barriers: int = 2           # tiles of keys in a round of the interior loop
    loads: tuple = ("global_load_b128", "global_load_tr_b128")
    interior: bool = True       # whether any tile may be kept completely


MAIN = dict(vgprs=192, lds=32768)
KERNELS = {
    "prefill_f16_128": Limits(share=0.82, **MAIN),
    "prefill_f16_128_causal": Limits(share=0.82, **MAIN),
    "prefill_bf16_128": Limits(share=0.82, **MAIN),
    "prefill_f16_64": Limits(share=0.71, **MAIN),
    "prefill_f16_64_causal": Limits(share=0.71, **MAIN),
    "prefill_bf16_64": Limits(share=0.71, **MAIN),
    "prefill_f16_192_128": Limits(share=0.85),
    "prefill_pages": Limits(share=0.82, **MAIN),
    "prefill_capped": Limits(share=0.62, vgprs=192, lds=32768),
    "prefill_biased": Limits(interior=False, **MAIN),
    "prefill_wide_masks": Limits(interior=False),
    # The share of a dim follows from its exponentials, one for dim / 16 matrix cycles.
    "prefill_dim_16": Limits(share=0.38),
    "prefill_dim_32": Limits(share=0.55),
    "prefill_dim_48": Limits(share=0.64),
    "prefill_dim_80": Limits(share=0.75),
    "prefill_dim_96": Limits(share=0.78),
    "prefill_dim_112": Limits(share=0.80),
    "prefill_dim_144": Limits(share=0.84),
    "prefill_dim_160": Limits(share=0.85),
    "prefill_dim_176": Limits(share=0.86),
    "prefill_dim_192": Limits(share=0.87),
    "prefill_dim_208": Limits(share=0.86),
    "prefill_dim_224": Limits(share=0.87),
    "prefill_dim_240": Limits(share=0.87),
    "prefill_dim_256": Limits(share=0.88),
}
SAME_LOOP = [("prefill_f16_128", "prefill_f16_128_causal"),
             ("prefill_f16_64", "prefill_f16_64_causal")]


def without_rare(kernel, begin, end):
    """The code of a loop but for what is run when a score exceeds all before it by far."""
    code, at = [], begin
    while at < end:
        code.append(kernel.code[at])
        branch = re.match(r"s_cbranch_vccz (\.LBB\w+)", kernel.code[at])
        target = kernel.labels[branch.group(1)] if branch else at
        at = target if at + RARE < target <= end else at + 1
    return code


def interior_loop(kernel):
    """The innermost loop that multiplies most."""
    found = []
    for code in kernel.innermost_loops():
        begin = next(at for at in range(len(kernel.code))
                     if kernel.code[at:at + len(code)] == code)
        found.append(without_rare(kernel, begin, begin + len(code)))
    return max(found, key=lambda code: (Counts(code).matrix, Counts(code).matrix_share), default=[])


def check_loop(code, limits):
    counts = Counts(code)
    if counts.barriers != limits.barriers:
        yield f"a round of the loop has {counts.barriers} barriers"
    if limits.share is not None and counts.matrix_share < limits.share:
        yield f"the loop multiplies in {counts.matrix_share:.1%} of its vector cycles"
    if set(counts.loads) != set(limits.loads):
        yield f"the loop loads by {', '.join(sorted(set(counts.loads)))}"
    narrow = sorted({n for n in counts.local if not n.endswith("_b128")})
    if narrow:
        yield f"the loop accesses LDS by {', '.join(narrow)}"
    # What LDS holds are keys and values: weights go from registers to registers.
    stores = sum(n.startswith("ds_store") for n in counts.local)
    if stores != len(counts.loads):
        yield f"the loop stores {stores} times to LDS and loads {len(counts.loads)} times"
    tests = [line for line in code if line.startswith(("v_cmp", "v_cndmask"))]
    if len(tests) != limits.barriers:   # one for the running maximum of each tile
        yield f"the loop has {len(tests)} comparisons and selections"


def check_kernel(kernel, limits):
    yield from check_resources(kernel, limits, ("flat_", "buffer_"))
    lds = kernel.resources["group_segment_fixed_size"]
    if lds > limits.lds:
        yield f"uses {lds} bytes of LDS instead of {limits.lds}"
    if not limits.interior:
        return
    loop = interior_loop(kernel)
    if not Counts(loop).matrix:
        yield "has no loop with a matrix instruction"
    else:
        yield from check_loop(loop, limits)


def describe(kernel, limits):
    resources = (f"{kernel.vgprs} VGPRs, "
                 f"{kernel.resources['group_segment_fixed_size']} bytes of LDS")
    if not limits.interior:
        return resources
    loop = Counts(interior_loop(kernel))
    return (f"{resources}; interior loop: {loop.matrix} matrix, {loop.vector} vector, {loop.transcendental} "
            f"transcendental, {loop.scalar} scalar, share {loop.matrix_share:.1%}")


def opcodes(code):
    return [line.split()[0] for line in code]


def main():
    arguments = command_line()
    jobs = [(a, part) for a in arguments.architecture for part in range(PARTS)]
    texts = in_parallel(lambda job: assembly(arguments.compiler, job[0], "prefill_kernels.cpp",
                                             f"-DPART={job[1]}"), jobs)
    failures, checked = [], 0
    for architecture in arguments.architecture:
        found = [k for (a, _), text in zip(jobs, texts) if a == architecture for k in kernels(text)]
        named = {}
        for name, limits in KERNELS.items():
            checked += 1
            what = f"{architecture} {name}"
            matching = [k for k in found if f"{len(name)}{name}E" in k.name]
            if len(matching) != 1:
                failures.append(f"{what}: {len(matching)} kernels of that name")
                continue
            named[name] = matching[0]
            print(f"{what}: {describe(matching[0], limits)}")
            failures += [f"{what}: {reason}" for reason in check_kernel(matching[0], limits)]
        for first, second in SAME_LOOP:
            checked += 1
            loops = [opcodes(interior_loop(named[n])) for n in (first, second) if n in named]
            if len(loops) == 2 and loops[0] != loops[1]:
                failures.append(f"{architecture}: the loops of {first} and {second} differ")
    finish("codegen.prefill", checked, failures)


main()
