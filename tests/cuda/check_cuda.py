# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Compiles tests/cuda/*.cu and all public headers together with nvcc for sm_80; runs the host parts."""
import argparse
import pathlib
import tempfile

from r9v_support import HOME, INCLUDE, ROOT, finish, headers, in_parallel, run

HERE = pathlib.Path(__file__).parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--host-compiler", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        everything = pathlib.Path(folder, "all_headers.cu")
        everything.write_text("".join(f"#include <{header.relative_to(INCLUDE)}>\n" for header in headers()
                                      if header.parent == HOME) + "int main() { return 0; }\n")

        def check(source):
            program = pathlib.Path(folder, source.stem)
            code, output = run([arguments.nvcc, "-ccbin", arguments.host_compiler, "-std=c++20",
                                # It takes an assignment to a [[nodiscard]] class for a discarded value.
                                "-diag-suppress", "2810",
                                "-arch=sm_80", "-Werror", "all-warnings", "-cudart", "shared",
                                "-Xcompiler", "-Wall,-Wextra,-Wno-unknown-pragmas", f"-I{INCLUDE}", f"-I{ROOT}", source, "-o", program])
            if code:
                return f"{source.name} does not compile:\n{output[:4000]}"
            code, output = run([program])
            return f"{source.name}: exit {code}\n{output[:2000]}" if code else None

        sources = [everything, *sorted(HERE.glob("*.cu"))]
        finish("nvcc", len(sources), [failure for failure in in_parallel(check, sources) if failure])


main()
