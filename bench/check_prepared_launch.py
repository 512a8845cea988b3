# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Holds a prepared launch to its budget of host time over the bare runtime call.

check_prepared_launch.py PROGRAM [--budget 2.0]: PROGRAM is bench_prepared_launch. The least of several
repetitions counts, since whatever else the machine does only adds time.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def least_times(program):
    """Microseconds by benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "times.json"
        subprocess.run([program, f"--benchmark_out={out}", "--benchmark_out_format=json",
                        "--benchmark_repetitions=7", "--benchmark_min_time=0.05"],
                       check=True, stdout=subprocess.DEVNULL)
        runs = json.loads(out.read_text())["benchmarks"]
    least = {}
    for run in runs:
        if run["run_type"] == "iteration":
            time = 1e6 * run["seconds_per_launch"]
            name = run["run_name"].split("/")[0]
            least[name] = min(time, least.get(name, time))
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--budget", type=float, default=2.0)
    arguments = parser.parse_args()
    times = least_times(arguments.program)
    over = times["prepared"] - times["bare"]
    print(f"bare {times['bare']:.2f} us, prepared {times['prepared']:.2f} us, checked "
          f"{times['checked']:.2f} us: prepared - bare = {over:+.2f} us, "
          f"budget {arguments.budget:.2f} us")
    sys.exit(over > arguments.budget)


main()
