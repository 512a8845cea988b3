#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Compares two JSON files of Google Benchmark and exits with 1 when the second is worse.

    bench/compare.py before.json after.json [--threshold 5] [--metric bytes_loaded ...] [--all]

Without --metric every metric that both files have is compared: times and rates where a device was
measured, counts where the emulator counted (its times are its own and say nothing about a GPU).
A metric is worse when it changes by more than the threshold, in percent, in the wrong direction; rates
(FLOP/s, bytes/s) and wmma_share are better when larger, all else when smaller. Of repetitions the
median counts. A benchmark that is missing from the second file counts as worse.
"""
import argparse
import json
import statistics
import sys

LARGER_IS_BETTER = ("FLOP/s", "bytes/s", "items_per_second", "bytes_per_second", "wmma_share")
TIMES = ("real_time", "cpu_time")
RATES = LARGER_IS_BETTER[:-1]
# What describes the problem or the run, and is neither good nor bad.
NOT_METRICS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
               "threads", "iterations", "operand_bytes", "wmma", "waves"}
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def load(path):
    """{benchmark: {metric: median}}, and whose times they are."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    samples = {}
    for run in data["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        if run.get("error_occurred"):
            raise SystemExit(f"{path}: {run['name']} failed: {run.get('error_message', '')}")
        metrics = samples.setdefault(run["run_name"], {})
        for name, value in run.items():
            if isinstance(value, (int, float)) and name not in NOT_METRICS:
                scale = UNITS[run["time_unit"]] if name in TIMES else 1.0
                metrics.setdefault(name, []).append(value * scale)
    medians = {name: {metric: statistics.median(values) for metric, values in metrics.items()}
               for name, metrics in samples.items()}
    return medians, data["context"].get("times_are_of", "the device")


def is_time(metric):
    return metric in TIMES or metric in RATES or metric.startswith("emulator_")


def chosen_metrics(before, after, wanted, counts_only):
    common = [metric for metric in before if metric in after]
    if wanted:
        return [metric for metric in common if metric in wanted]
    skip_cpu = [metric for metric in common if metric != "cpu_time"]
    return [metric for metric in skip_cpu if not (counts_only and is_time(metric))]


def change(before, after):
    if before == after:
        return 0.0
    return float("inf") if before == 0 else 100.0 * (after - before) / abs(before)


def compare(before, after, arguments, counts_only):
    """Rows of (benchmark, metric, before, after, change in percent, verdict)."""
    for name, old in before.items():
        if name not in after:
            yield name, "-", None, None, None, "missing"
            continue
        for metric in chosen_metrics(old, after[name], arguments.metric, counts_only):
            moved = change(old[metric], after[name][metric])
            loss = -moved if metric.endswith(LARGER_IS_BETTER) else moved
            verdict = ("worse" if loss > arguments.threshold
                       else "better" if loss < -arguments.threshold else "")
            yield name, metric, old[metric], after[name][metric], moved, verdict


def short(value):
    return "" if value is None else f"{value:.6g}"


def print_table(rows):
    head = ("benchmark", "metric", "before", "after", "change")
    lines = [(name, metric, short(old), short(new), "" if moved is None else f"{moved:+.1f} %",
              verdict) for name, metric, old, new, moved, verdict in rows]
    widths = [max(len(line[i]) for line in [(*head, ""), *lines]) for i in range(5)]
    for line in [(*head, ""), *lines]:
        print("  ".join((line[0].ljust(widths[0]), line[1].ljust(widths[1]), line[2].rjust(widths[2]),
                         line[3].rjust(widths[3]), line[4].rjust(widths[4]), line[5])).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--threshold", type=float, default=5.0, help="percent; default 5")
    parser.add_argument("--metric", action="append", help="only this one; may be repeated")
    parser.add_argument("--all", action="store_true", help="show what did not change, too")
    arguments = parser.parse_args()
    (before, whose), (after, whose_after) = load(arguments.before), load(arguments.after)
    if whose != whose_after:
        raise SystemExit(f"times are of {whose} in one file and of {whose_after} in the other")
    rows = list(compare(before, after, arguments, counts_only=whose == "the emulator"))
    if not any(metric != "-" for _, metric, *_ in rows):
        raise SystemExit("the files have no benchmark and metric in common")
    shown = [row for row in rows if arguments.all or row[-1]]
    if shown:
        print_table(shown)
    worse = sum(row[-1] in ("worse", "missing") for row in rows)
    print(f"{len(rows)} values compared, {worse} worse by more than {arguments.threshold:g} %")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
