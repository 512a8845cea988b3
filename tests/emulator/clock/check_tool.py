# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""r9v-emulator on a code object of its own: what it prints, refuses and writes."""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--tool", required=True)
parser.add_argument("--hip", action="append", default=[])
options = parser.parse_args()
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def tool(*words):
    return subprocess.run([options.tool, *map(str, words)], capture_output=True, text=True)


with tempfile.TemporaryDirectory(prefix="r9v clock ") as folder:
    folder = pathlib.Path(folder)
    code = folder / "kernels.hsaco"
    source = pathlib.Path(__file__).with_name("kernels_for_tool.hip")
    subprocess.run([*options.hip, "-std=c++20", "-O3", "--cuda-device-only", "-c", source, "-o", code], check=True)

    listed = tool("kernels", code)
    expect(listed.returncode == 0 and "axpy" in listed.stdout and "8 8 4 4" in listed.stdout, "lists kernels")

    count = 1 << 18
    axpy = ["run", code, "axpy", "--grid", count // 256, "--block", 256]
    arguments = ["--args", "buffer:1M:index", "buffer:1M:zero", "f32:2", f"u32:{count}"]
    text = tool(*axpy, "--print", 0, *arguments)
    expect(text.returncode == 0, "runs")
    expect("(0x00000001)" in text.stdout, "prints a buffer")
    for part in ("bound by", "roofline", "VGPRs", "levels", "global_load_b32"):
        expect(part in text.stderr, f"the text report has {part}")

    out = folder / "report.json"
    expect(tool(*axpy, "--report", "json", "--output", out, *arguments).returncode == 0, "writes JSON")
    report = json.loads(out.read_text())
    kernel = report["kernels"][0]
    time = kernel["microseconds"]
    expect(0 < time["low"] <= time["mid"] <= time["high"], "low, mid and high are in order")
    expect(kernel["counts"]["bytes_loaded"] == 2 * 4 * count, "counts bytes")
    expect(any(e["cat"] == "kernel" and e["dur"] == time["mid"] for e in report["traceEvents"]), "has a timeline")

    chain = ["run", code, "chain", "--grid", 64, "--block", 128]
    expect(tool(*chain, "--report", "json", "--output", out, "--args", "buffer:32K", "i32:200").returncode == 0, "loops")
    loop = json.loads(out.read_text())["kernels"][0]["main_loop"]
    share = sum(line["share"] for line in loop)
    expect(share > 0.5 and any("v_" in line["text"] for line in loop), "finds the main loop")
    expect(any("branch" in line["text"] for line in loop), "the main loop ends in a branch")

    page = folder / "report.html"
    expect(tool(*axpy, "--report", "html", "--output", page, *arguments).returncode == 0, "writes HTML")
    html = page.read_text()
    expect(not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//|@import|url\(""", html), "the page needs no network")
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.S)
    expect(data and json.loads(data.group(1))["kernels"][0]["name"] == "axpy", "the page holds its data")

    for words, why in [
        (axpy + ["--args", "buffer:1M"], "takes 4 arguments"),
        (axpy + ["--args", "buffer:1M", "buffer:1M", "f64:2", "u32:1"], "has 4 bytes"),
        (["run", code, "nothing"], "0 kernels are called"),
        (["run", code, "axpy", "--args", "7"], "has no type"),
        (["run", code, "axpy", "--grid", "0"], "at least one"),
        (["walk"], "is no command"),
        (["run", folder / "missing", "axpy"], "cannot be read"),
    ]:
        refused = tool(*words)
        expect(refused.returncode == 64 and why in refused.stderr, f"refuses with: {why}")

raise SystemExit(1 if failures else 0)
