# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""What the script tests share: running compilers in parallel, reading C++ sources, reporting."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HOME = INCLUDE / "r9v"
JOBS = min(2, os.cpu_count() or 1)

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def without_comments(text, keep_strings=True):
    """`text` with comments (and string literals, unless kept) blanked; line numbers stay."""

    def blank(match):
        piece = match.group(0)
        if keep_strings and not piece.startswith(("//", "/*")):
            return piece
        return re.sub(r"[^\n]", " ", piece)

    return _TOKEN.sub(blank, text)


def includes_of(path):
    """(line, name) of every #include <...> or "..." of a file."""
    text = without_comments(path.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"][^>"]+[>"])', line)
        if match:
            yield number, match.group(1)


def headers():
    return sorted(HOME.rglob("*.hpp"))


def table(first):
    """The rows, as lists of cells, of the table in include/r9v/README.md whose first header is `first`."""
    inside = False
    for line in (HOME / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == first:
            inside = True
        elif inside and not cells[0].startswith("-"):
            yield cells


def needs_hip(header):
    """Whether the README lists this header, or its folder, as one that only HIP compiles."""
    name = header.relative_to(HOME).as_posix()
    return any(name == entry or (entry.endswith("/") and name.startswith(entry))
               for entry in (cells[0].strip("`") for cells in table("needs HIP")))


def run(command, **options):
    """Runs a command given as a list; returns (exit code, stdout + stderr)."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False, **options)
    return done.returncode, done.stdout


def in_parallel(function, items):
    """[function(item)], in order, JOBS at a time."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(function, items))


def finish(what, checked, failures):
    """Prints the failures and ends the script: checking nothing is a failure too."""
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{what}: {checked} checked, {len(failures)} failed")
    if not checked:
        print(f"{what}: nothing was checked. Look at what the test is given.")
    sys.exit(1 if failures or not checked else 0)
