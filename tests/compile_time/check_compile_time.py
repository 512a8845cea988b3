# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Compile times, in processor seconds, against budgets that grow with how slow this machine is.

The yardstick is a unit that only includes the HIP header: where it takes longer than YARDSTICK, the
budgets grow in proportion. They never shrink. A figure is the best of up to RUNS runs; measuring
stops at the first run within its budget, since the best cannot be worse.
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


def cheapest(command, enough):
    """The least time of up to RUNS runs; stops early once `enough(time so far)`."""
    found = float("inf")
    for _ in range(RUNS):
        found = min(found, seconds(command))
        if enough(found):
            break
    return found


class Yardstick:
    """The time of the HIP header alone, measured again whenever a budget is missed: other work on
    the machine slows both, though not at the same moment."""

    def __init__(self, command):
        self.command = command
        self.time = cheapest(command, lambda _: False)

    @property
    def slowness(self):
        return NOISE * max(1.0, self.time / YARDSTICK)

    def again(self):
        self.time = min(self.time, seconds(self.command))


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
        print(f"the HIP header alone: {hip.time:.2f} s; budgets times {hip.slowness:.2f}")
        for header in headers():
            if header.parent != HOME:
                continue
            unit = pathlib.Path(folder, f"{header.stem}.cpp")
            unit.write_text(f"{HIP_ONLY}#include <r9v/{header.name}>\n")

            each = OTHER_BUDGETS.get(header.name, HEADER_BUDGET)

            def fits(time, each=each):
                if time - hip.time <= each * hip.slowness:
                    return True
                hip.again()
                return False

            cost = cheapest([*command, "-fsyntax-only", str(unit)], fits)
            report.add(header.name, cost - hip.time, each * hip.slowness)
    for program in sorted(HERE.glob("*.cpp")):
        compile_device = [*command, "-O3", "--cuda-device-only", "-c", str(program), "-o", os.devnull]
        budget = PROGRAM_BUDGET * hip.slowness
        cost = cheapest(compile_device, lambda time: time <= budget)
        report.add(f"{program.name} for gfx1201", cost, budget)
    finish("compile times", report.checked, report.failures)


main()
