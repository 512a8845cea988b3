# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Compile times, in processor seconds of a machine on which the HIP header alone takes YARDSTICK.

Other work slows a shared machine for a while, so each run stands beside a run of the HIP header alone and
is divided by how much slower than YARDSTICK that was (never multiplied). A figure is the best of up to RUNS
such pairs; measuring stops at the first within its budget, since the best cannot be worse.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from r9v_support import HOME, INCLUDE, ROOT, finish, headers

HERE = pathlib.Path(__file__).parent
RUNS = 5
YARDSTICK = 1.1
NOISE = 1.1  # what the best of several runs still differs by on a shared machine
HEADER_BUDGET = 0.6
# r9v.hpp includes every other one; tools are for tests and start-up; attention has two kernel families.
OTHER_BUDGETS = {"r9v.hpp": 2.4, "memory_tools.hpp": 1.2, "attention.hpp": 0.7}
PROGRAM_BUDGET = 4.0
HIP_ONLY = "#include <hip/hip_runtime.h>\n"


def seconds(command):
    """User and system time of one run, children included."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(output.read().decode(errors="replace")[:3000])
    return usage.ru_utime + usage.ru_stime


class Yardstick:
    """Runs of the HIP header alone."""

    def __init__(self, command):
        self.command = command

    def cost(self, command, budget, beyond=False):
        """The normalised cost of `command`, or what it takes beyond the HIP header."""
        found = float("inf")
        for _ in range(RUNS):
            alone = seconds(self.command)
            time = seconds(command) - (alone if beyond else 0)
            found = min(found, time / max(1.0, alone / YARDSTICK))
            if found <= budget:
                break
        return found


class Report:
    """Prints each figure beside its budget and keeps the failures."""

    def __init__(self):
        self.checked = 0
        self.failures = []

    def add(self, what, cost, budget):
        self.checked += 1
        line = f"{what}: {cost:.2f} s, budget {budget:.2f} s"
        print(line)
        if cost > budget:
            self.failures.append(line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hip", action="append", required=True)
    command = [*parser.parse_args().hip, "-std=c++20", f"-I{INCLUDE}", f"-I{ROOT}"]
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        only_hip = pathlib.Path(folder, "only_hip.cpp")
        only_hip.write_text(HIP_ONLY)
        hip = Yardstick([*command, "-fsyntax-only", str(only_hip)])
        for header in headers():
            if header.parent != HOME:
                continue
            unit = pathlib.Path(folder, f"{header.stem}.cpp")
            unit.write_text(f"{HIP_ONLY}#include <r9v/{header.name}>\n")
            budget = NOISE * OTHER_BUDGETS.get(header.name, HEADER_BUDGET)
            cost = hip.cost([*command, "-fsyntax-only", str(unit)], budget, beyond=True)
            report.add(header.name, cost, budget)
        for program in sorted(HERE.glob("*.cpp")):
            compile_device = [*command, "-O3", "--cuda-device-only", "-c", str(program), "-o", os.devnull]
            budget = NOISE * PROGRAM_BUDGET
            report.add(f"{program.name} for gfx1201", hip.cost(compile_device, budget), budget)
    finish("compile times", report.checked, report.failures)


main()
