# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the codegen checks share: compiling a source to assembly for each GPU, and holding its kernels to limits."""
import argparse
import pathlib

from machine_code import kernels
from r9v_support import INCLUDE, finish, in_parallel, run

HERE = pathlib.Path(__file__).parent


def command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--architecture", action="append", required=True)
    return parser.parse_args()


def assembly(compiler, architecture, source, *flags):
    code, text = run([compiler, "-x", "hip", f"--offload-arch={architecture}", "--cuda-device-only",
                      "-nogpulib", "-nogpuinc", "-std=c++20", "-O3", f"-I{INCLUDE}", *flags,
                      HERE / source, "-S", "-o", "-"])
    if code:
        raise SystemExit(f"{source} does not compile for {architecture}:\n{text[:4000]}")
    return text


def check_resources(kernel, limits, never=("flat_",)):
    """What every kernel keeps to; it has no instructions that begin with one of `never`."""
    if kernel.uses_scratch():
        yield f"uses {kernel.scratch} bytes of scratch"
    if kernel.vgprs > limits.vgprs:
        yield f"uses {kernel.vgprs} VGPRs instead of {limits.vgprs}"
    if any(line.startswith(never) for line in kernel.code):
        yield f"accesses memory through {' or '.join(name.rstrip('_') for name in never)} instructions"
    if kernel.resources["workgroup_processor_mode"] != 0:
        yield "is not in CU mode"


def check_source(title, source, limits_of, check_kernel, describe):
    """Holds each kernel that `limits_of` names to its limits: check_kernel(kernel, limits) yields what is wrong,
    describe(kernel, limits) says what it is."""
    arguments = command_line()
    texts = in_parallel(lambda a: assembly(arguments.compiler, a, source), arguments.architecture)
    failures, checked = [], 0
    for architecture, text in zip(arguments.architecture, texts):
        found = list(kernels(text))
        for name, limits in limits_of.items():
            checked += 1
            what = f"{architecture} {name}"
            matching = [k for k in found if f"{len(name)}{name}" in k.name]
            if len(matching) != 1:
                failures.append(f"{what}: {len(matching)} kernels of that name")
                continue
            print(f"{what}: {describe(matching[0], limits)}")
            failures += [f"{what}: {reason}" for reason in check_kernel(matching[0], limits)]
    finish(title, checked, failures)
