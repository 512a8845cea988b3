# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Every tests/misuse/*.cpp must not compile: exactly one error, with the text of its first line.

The first line is `// expect: r9v: <text>`, as it stands in the static_assert. Each file is compiled as
host code by every compiler. What the file does right is checked too: with the lines that end in
`// misuse` taken out, or replaced by the text of `// instead: ...`, it must compile.
"""
import argparse
import pathlib
import re
import tempfile

from r9v_support import INCLUDE, ROOT, finish, in_parallel, run

FLAGS = ["-std=c++20", f"-I{INCLUDE}", f"-I{ROOT}"]
ERROR = re.compile(r"(?:^|: )(?:fatal )?error: ")


def precompiled(compiler, folder):
    """The options that bring in all of r9v, read once: most of a file's time is its headers'."""
    header = pathlib.Path(folder, f"{pathlib.Path(compiler).name}.hpp")
    header.write_text("#include <r9v/r9v.hpp>\n")
    binary = f"{header}.gch"
    code, output = run([compiler, *FLAGS, "-x", "c++-header", header, "-o", binary])
    if code:
        raise SystemExit(f"{compiler} does not compile r9v/r9v.hpp:\n{output[:3000]}")
    is_clang = "clang" in run([compiler, "--version"])[1]
    return ["-include-pch", binary] if is_clang else ["-include", str(header)]


def compile_text(compiler, options, source):
    return run([compiler, *FLAGS, *options, "-fsyntax-only", "-x", "c++", "-"], input=source)


def repaired(source):
    """The source without its mistake, or None when it does not say where the mistake is."""
    lines, found = [], False
    for line in source.splitlines():
        instead = re.search(r"// instead: (.*)$", line)
        if instead:
            lines.append(instead.group(1))
        elif not line.rstrip().endswith("// misuse"):
            lines.append(line)
            continue
        found = True
    return "\n".join(lines) + "\n" if found else None


def check(job):
    compiler, options, path = job
    what = f"{path.name} with {pathlib.Path(compiler).name}"
    source = path.read_text()
    expected = re.match(r"// expect: (r9v: .+)\n", source)
    if not expected:
        return f"{what}: the first line is not `// expect: r9v: ...`"
    code, output = compile_text(compiler, options, source)
    errors = [line for line in output.splitlines() if ERROR.search(line)]
    if code == 0:
        return f"{what}: compiles"
    if len(errors) != 1:
        return f"{what}: {len(errors)} errors instead of one:\n" + "\n".join(errors[:6])
    if expected.group(1).strip() not in errors[0]:
        return f"{what}: expected\n  {expected.group(1)}\nbut got\n  {errors[0]}"
    correct = repaired(source)
    if correct is not None:
        code, output = compile_text(compiler, options, correct)
        if code:
            return f"{what}: without the mistake it should compile:\n{output[:2000]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", action="append", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted(pathlib.Path(__file__).parent.glob("*.cpp"))
    with tempfile.TemporaryDirectory() as folder:
        options = in_parallel(lambda compiler: precompiled(compiler, folder), arguments.compiler)
        jobs = [(compiler, option, path) for path in files
                for compiler, option in zip(arguments.compiler, options)]
        failures = [failure for failure in in_parallel(check, jobs) if failure]
    finish("misuse", len(jobs), failures)


main()
