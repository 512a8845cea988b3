# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Reads clang's AMDGPU assembly: kernels, their resources, their loops, and counts of instructions."""
import re

TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")
NO_ISSUE = re.compile(r"s_(wait|delay|barrier|clause|nop)")


class Counts:
    """Instructions by kind. A dual instruction is one; vector cycles are those of its SIMD: 16 a
    matrix instruction, 4 a transcendental, 1 anything else."""

    def __init__(self, code):
        names = [line.split()[0] for line in code]
        self.matrix = sum(n.startswith("v_wmma") for n in names)
        self.transcendental = sum(bool(TRANSCENDENTAL.match(n)) for n in names)
        self.vector = sum(n.startswith("v_") for n in names) - self.matrix - self.transcendental
        self.scalar = sum(n.startswith("s_") and not NO_ISSUE.match(n) for n in names)
        self.barriers = sum(n == "s_barrier_wait" for n in names)
        self.full_load_waits = sum(bool(re.match(r"s_wait_loadcnt(_dscnt)? 0x0", line)) or
                                   line == "s_wait_idle" for line in code)
        self.loads = [n for n in names if re.match(r"(global|flat|buffer)_load", n)]
        self.stores = [n for n in names if re.match(r"(global|flat|buffer)_store", n)]
        self.local = [n for n in names if n.startswith("ds_")]

    @property
    def matrix_share(self):
        cycles = 16 * self.matrix + self.vector + 4 * self.transcendental
        return 16 * self.matrix / cycles if cycles else 0


class Kernel:
    """One kernel: `resources` (directives without .amdhsa_), `code`, `labels` (name to index)."""

    def __init__(self, name, text):
        self.name = name
        self.resources = {key: int(value) for key, value in
                          re.findall(r"\.amdhsa_(\w+) (\d+)", text)}
        self.code, self.labels = [], {}
        for line in text.split(".Lfunc_end")[0].splitlines():
            line = line.split(";")[0].strip()
            label = re.match(r"(\.LBB\w+):", line)
            if label:
                self.labels[label.group(1)] = len(self.code)
            elif line and not line.startswith(".") and not line.endswith(":"):
                self.code.append(line)

    @property
    def vgprs(self):
        return self.resources["next_free_vgpr"]

    @property
    def scratch(self):
        return self.resources["private_segment_fixed_size"]

    def uses_scratch(self):
        return self.scratch != 0 or any("scratch_" in line for line in self.code)

    def innermost_loops(self):
        """The code of every loop without another one inside, from its label to the branch back."""
        spans = []
        for at, line in enumerate(self.code):
            branch = re.match(r"s_c?branch\w* (\.LBB\w+)", line)
            if branch and self.labels.get(branch.group(1), at + 1) <= at:
                spans.append((self.labels[branch.group(1)], at + 1))
        for begin, end in spans:
            if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in spans):
                yield self.code[begin:end]

    def main_loop(self):
        """The loop that multiplies most, and does the least besides. A backward branch to code that
        was moved behind the loop looks like a loop too, but does less or has more besides."""
        loops = [Counts(loop) for loop in self.innermost_loops()]
        return max(loops, key=lambda c: (c.matrix, c.matrix_share), default=Counts([]))

    def straight_parts(self):
        """Maximal runs of code without labels and branches."""
        starts = set(self.labels.values())
        part = []
        for at, line in enumerate(self.code):
            if at in starts and part:
                yield part
                part = []
            part.append(line)
            if re.match(r"s_c?branch", line):
                yield part
                part = []
        yield part

    def whole_epilogue(self):
        """The part with the most global stores: the epilogue of a tile that exists completely."""
        return max(map(Counts, self.straight_parts()), key=lambda counts: len(counts.stores))


def kernels(assembly):
    for text in re.split(r"\n\t\.globl\t", assembly)[1:]:
        if ".amdhsa_kernel" in text:
            yield Kernel(text.split()[0], text)
