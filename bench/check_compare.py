# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""compare.py finds what got worse, in the right direction, and only that."""
import json
import pathlib
import subprocess
import sys
import tempfile

COMPARE = pathlib.Path(__file__).with_name("compare.py")


def document(whose, *runs):
    return {"context": {"times_are_of": whose},
            "benchmarks": [{"run_type": "iteration", "time_unit": "us", "iterations": 3, **run}
                           for run in runs]}


def result(before, after, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in (("before", before), ("after", after)):
            paths.append(pathlib.Path(folder) / f"{name}.json")
            paths[-1].write_text(json.dumps(content))
        done = subprocess.run([sys.executable, COMPARE, *paths, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def expect(what, outcome, code, *texts):
    if outcome[0] != code or not all(text in outcome[1] for text in texts):
        raise SystemExit(f"{what}: exit {outcome[0]}, expected {code} and {texts}, in:\n{outcome[1]}")


def main():
    def gpu(time, rate=1e12):
        return document("the device", {"run_name": "a", "name": "a", "real_time": time,
                                       "cpu_time": 1.0, "FLOP/s": rate})

    def counts(valu, share=0.9, time=1.0):
        return document("the emulator", {"run_name": "a", "name": "a", "real_time": time,
                                         "valu": valu, "wmma_share": share})

    expect("equal", result(gpu(10), gpu(10)), 0, "0 worse")
    expect("slower", result(gpu(10), gpu(11)), 1, "real_time", "+10.0 %", "worse")
    expect("slower, within the threshold", result(gpu(10), gpu(11), "--threshold", "20"), 0)
    expect("faster", result(gpu(10), gpu(5)), 0, "better")
    expect("lower rate", result(gpu(10), gpu(10, 5e11)), 1, "FLOP/s", "worse")
    expect("higher rate", result(gpu(10), gpu(10, 2e12)), 0, "better")
    expect("one metric", result(gpu(10), gpu(11), "--metric", "FLOP/s"), 0)
    expect("more instructions", result(counts(100), counts(120)), 1, "valu", "+20.0 %")
    expect("more from none", result(counts(0), counts(1)), 1, "valu")
    expect("smaller share", result(counts(1, 0.9), counts(1, 0.5)), 1, "wmma_share")
    expect("a slower emulator", result(counts(1), counts(1, time=9.0)), 0)
    expect("missing", result(gpu(10), document("the device")), 1, "in common")
    expect("different devices", result(gpu(10), counts(1)), 1, "times are of")

    slow = document("the device", *({"run_name": "a", "name": "a", "real_time": time}
                                    for time in (10, 11, 90)))
    expect("the median of repetitions", result(gpu(11), slow), 0)
    two = document("the device", *({"run_name": name, "name": name, "real_time": 1.0} for name in "ab"))
    one = document("the device", {"run_name": "a", "name": "a", "real_time": 1.0})
    expect("one of two is missing", result(two, one), 1, "missing", "1 worse")
    expect("units", result(document("the device", {"run_name": "a", "name": "a", "real_time": 1.0}),
                           document("the device", {"run_name": "a", "name": "a", "time_unit": "ns",
                                                   "real_time": 1000.0})), 0)
    print("compare.py: 16 cases right")


main()
