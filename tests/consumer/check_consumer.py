# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""A project elsewhere builds with r9v and runs; two versions of r9v live in one process.

r9v is installed into a prefix with a space. The project is configured by find_package against that
prefix and by add_subdirectory against the sources; as host code by a compiler that knows no HIP, and as
HIP where the build has a HIP runtime. The second version is a copy of the headers with another number.
"""
import argparse
import pathlib
import re
import shutil
import tempfile

from r9v_support import INCLUDE, ROOT, finish, run

HERE = pathlib.Path(__file__).parent


def check_run(command, failures, what):
    code, output = run(command)
    if code:
        failures.append(f"{what}: exit {code} from {command}\n{output[-4000:]}")
    return output if not code else None


def other_version(folder):
    """A copy of the headers with another version; returns its include folder."""
    shutil.copytree(INCLUDE / "r9v", folder / "r9v")
    path = folder / "r9v" / "version.hpp"
    text = path.read_text()
    for name, value in (("R9V_VERSION_MINOR", "99"), ("R9V_ABI", "v0_99_0")):
        text, count = re.subn(rf"(?m)^#define {name} \w+$", f"#define {name} {value}", text)
        if count != 1:
            raise SystemExit(f"version.hpp: {name} was found {count} times")
    path.write_text(text)
    return folder


def shared_symbols(libraries):
    """r9v's symbols that both libraries define: the loader would make one out of two."""
    found = []
    for library in libraries:
        _, output = run(["nm", "-D", "-C", "--defined-only", library])
        found.append({line.split(maxsplit=2)[2] for line in output.splitlines() if "r9v::" in line})
    return found


def build_project(arguments, failures, what, folder, options):
    """Configures, builds and runs the project in a folder of its own; returns the build folder."""
    source = folder / "a project"
    if not source.exists():
        shutil.copytree(HERE / "project", source)
    build = folder / what
    for command in ([arguments.cmake, "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                     "-DR9V_GPU_TARGETS=gfx1201", *options],
                    [arguments.cmake, "--build", build, "-j", "2"]):
        if check_run(command, failures, what) is None:
            return None
    for program in sorted(build.glob("run_*")):
        check_run([program], failures, f"{what}: {program.name}")
    return build


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "build", "backend", "hip-compiler", "host-compiler"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    failures, checked = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, "with a space")
        prefix = folder / "the prefix"
        folder.mkdir()
        check_run([arguments.cmake, "--install", arguments.build, "--prefix", prefix], failures, "install")
        other = other_version(folder / "other version")
        found = [f"-DCMAKE_PREFIX_PATH={prefix}"]
        jobs = {"host, find_package": [f"-DCMAKE_CXX_COMPILER={arguments.host_compiler}", *found],
                "host, add_subdirectory": [f"-DCMAKE_CXX_COMPILER={arguments.host_compiler}",
                                           f"-DR9V_SOURCE={ROOT}"]}
        if arguments.backend in ("rocm", "emulator"):
            hip = [f"-DCMAKE_CXX_COMPILER={arguments.hip_compiler}", "-DWITH_HIP=ON", *found]
            jobs["HIP, find_package"] = [*hip, f"-DOTHER_VERSION={other}"]
            jobs["HIP, add_subdirectory"] = [*hip, f"-DR9V_SOURCE={ROOT}"]
        else:
            jobs["host, find_package"].append(f"-DOTHER_VERSION={other}")
        for what, options in jobs.items():
            checked += 1
            build = build_project(arguments, failures, what, folder, options)
            if build and any("OTHER_VERSION" in option for option in options):
                one, two = shared_symbols([build / "libone.so", build / "libtwo.so"])
                if not one or not two:
                    failures.append(f"{what}: a library defines nothing of r9v, so nothing was compared")
                for symbol in sorted(one & two)[:5]:
                    failures.append(f"{what}: both versions define {symbol}")
    finish("consumer projects", checked, failures)


main()
