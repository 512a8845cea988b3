# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Headers stand alone, bear being included twice, and bear hostile macros.

alone    each header, by itself and twice, as host code and as HIP
hostile  all headers behind macros that other people's headers are known to define

HIP is compiled as nvcc would have it: a constexpr function is not a device function by itself.
"""
import argparse
import pathlib

from r9v_support import HOME, INCLUDE, finish, headers, in_parallel, includes_of, needs_hip, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
FLAGS = ["-std=c++20", f"-I{INCLUDE}", *WARNINGS]
NVCC_RULE = ["-Xclang", "-fno-cuda-host-device-constexpr"]
# T and U are not among them: that is what everyone calls a template parameter. Nor are min and max:
# the standard library undefines those.
HOSTILE = ["small", "near", "far", "interface", "major", "minor", "signals", "slots", "emit",
           "ERROR", "OK", "LOG", "CHECK", "None", "Status", "Bool", "Success",
           *"ABCDEFGHIJKLMNOPQRSVWXYZ"]


def name_of(header):
    return header.relative_to(INCLUDE).as_posix()


class Compilers:
    """The command lines to compile with: name -> command."""

    def __init__(self, arguments):
        self.host = {pathlib.Path(path).name: [path, *FLAGS] for path in arguments.compiler}
        self.hip = [*arguments.hip, *FLAGS, *NVCC_RULE] if arguments.hip else None

    def all(self):
        found = dict(self.host)
        if self.hip:
            found["HIP"] = self.hip
        return found


def check_text(job):
    what, command, source, *more = job
    language = [] if "hip" in command else ["-x", "c++"]
    code, output = run([*command, *more, *language, "-fsyntax-only", "-"], input=source)
    return f"{what}:\n{output[:3000]}" if code else None


def alone(compilers):
    jobs = []
    for header in headers():
        name = name_of(header)
        source = f"#include <{name}>\n#include <{name}>\nint main() {{ return 0; }}\n"
        public = header.parent == HOME
        for number, (compiler, command) in enumerate(compilers.all().items()):
            # One host compiler reads everything; the others what users include.
            if compiler != "HIP" and (needs_hip(header) or (number > 0 and not public)):
                continue
            # What the host sees of an inner header is compiled by the host compilers already.
            inner = compiler == "HIP" and not public
            jobs.append((f"{name} alone with {compiler}", command, source,
                         *(["--cuda-device-only"] if inner else [])))
    finish("headers alone", len(jobs), list(filter(None, in_parallel(check_text, jobs))))


def hostile(compilers):
    """What r9v includes from elsewhere comes first: those headers need not bear the macros."""
    elsewhere = sorted({name for header in headers() for _, name in includes_of(header)
                        if not name.startswith("<r9v/")})
    gpu = [name for name in elsewhere if name.startswith(("<hip", "<cuda", "<rocprim"))]
    macros = [f"#define {name} hostile macro" for name in HOSTILE]
    jobs = []
    for compiler, command in compilers.all().items():
        first = [name for name in elsewhere if name not in gpu]
        if compiler == "HIP":
            first += [name for name in gpu if name.startswith("<hip")]
        lines = [f"#include {name}" for name in first] + macros
        lines += [f"#include <{name_of(header)}>" for header in headers()
                  if compiler == "HIP" or not needs_hip(header)]
        jobs.append((f"hostile macros with {compiler}", command, "\n".join(lines) + "\n"))
    finish("hostile macros", len(jobs), list(filter(None, in_parallel(check_text, jobs))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=["alone", "hostile"])
    parser.add_argument("--compiler", action="append", required=True)
    parser.add_argument("--hip", action="append", help="one argument of the HIP command line")
    arguments = parser.parse_args()
    {"alone": alone, "hostile": hostile}[arguments.check](Compilers(arguments))


main()
