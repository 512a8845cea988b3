# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Every ```cpp block of README.md, CHANGELOG.md and docs/*.md is code that compiles, as HIP.

A page is one unit, behind tests/docs/preamble.hpp, which declares the names that pages use freely
(x, w, b, y, s, ...). What a block is, its first line tells:

    ```cpp           statements: the body of a function of its own
    ```cpp scope     declarations: at namespace scope, seen by the later blocks of the page
    #include ...     a block whose first line is an #include is a file of its own

A block behind a line `<!-- snippet: examples/01_linear.cpp#name -->` is instead compared with the lines
between `// snippet: name` and `// end snippet` of that file, which is compiled elsewhere; without
`#name`, with the whole file below its licence header. Links to files of the repository must lead somewhere.
"""
import argparse
import pathlib
import re
import textwrap

from r9v_support import INCLUDE, ROOT, finish, in_parallel, run

HERE = pathlib.Path(__file__).parent
FLAGS = ["-std=c++20", f"-I{INCLUDE}", f"-I{ROOT}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-function"]
SNIPPET = re.compile(r"<!--\s*snippet:\s*([^#\s]+)(?:#(\w+))?\s*-->")
DISGUISED = {"c++", "hip", "cuda", "c", "cc", "cxx", ""}


class Block:
    """A fenced block: where it starts, what it says, and the line above it."""

    def __init__(self, page, line, info, above):
        self.page, self.line, self.info, self.above = page, line, info.split(), above
        self.lines = []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def where(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page):
    block, above = None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"\s*```(.*)$", line)
        if fence and block is None:
            block = Block(page, number, fence.group(1), above)
        elif fence:
            yield block
            block, above = None, ""
        elif block is not None:
            block.lines.append(line)
        elif line.strip():
            above = line
    if block is not None:
        raise SystemExit(f"{block.where}: the fence is never closed")


def quoted(block, match):
    """None when the block says what the named source says, else why not."""
    path = ROOT / match.group(1)
    if not path.is_file():
        return f"{block.where}: {match.group(1)} does not exist"
    lines = path.read_text().splitlines()
    if match.group(2):
        marks = [n for n, line in enumerate(lines) if line.strip() == f"// snippet: {match.group(2)}"]
        if len(marks) != 1:
            return f"{block.where}: {match.group(1)} has {len(marks)} snippets {match.group(2)}"
        ends = [n for n in range(marks[0], len(lines)) if lines[n].strip() == "// end snippet"]
        if not ends:
            return f"{block.where}: snippet {match.group(2)} never ends"
        lines = lines[marks[0] + 1:ends[0]]
    else:
        lines = [line for line in lines[2:]]
    if textwrap.dedent("\n".join(lines)).strip() != textwrap.dedent(block.text).strip():
        return f"{block.where}: differs from {match.group(0)}"
    return None


def placed(block, text):
    return f'#line {block.line + 1} "{block.page.relative_to(ROOT)}"\n{text}'


def units_of(page, blocks):
    """The sources to compile: one for all fragments, one for each whole file."""
    fragments = []
    for block in blocks:
        if block.text.lstrip().startswith("#include"):
            yield f"{block.where} (a file)", placed(block, block.text)
        elif "scope" in block.info:
            fragments.append(placed(block, block.text))
        else:
            name = f"block_at_line_{block.line}"
            fragments.append(f"inline void {name}() {{\n" + placed(block, block.text)
                             + f"}}\n[[maybe_unused]] auto* const use_{name} = &{name};\n")
    if fragments:
        preamble = (HERE / "preamble.hpp").as_posix()
        yield f"{page.relative_to(ROOT)}", f'#include "{preamble}"\n' + "\n".join(fragments)


def check_links(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if path and "://" not in path and not (page.parent / path).exists():
            yield f"{page.relative_to(ROOT)}: the link {target} leads nowhere"


def check_page(page, failures):
    """Appends what text alone shows; returns the blocks to compile."""
    to_compile, checked = [], 0
    for block in blocks_of(page):
        language = block.info[0].lower() if block.info else ""
        if language in DISGUISED:
            failures.append(f"{block.where}: the fence says `{language}`. Write cpp, or what it is.")
        if language != "cpp":
            continue
        checked += 1
        snippet = SNIPPET.search(block.above)
        if snippet:
            failures.append(quoted(block, snippet))
        else:
            to_compile.append(block)
    failures.extend(check_links(page))
    return to_compile, checked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hip", action="append", required=True, help="one argument of the command line")
    arguments = parser.parse_args()
    command = [*arguments.hip, *FLAGS]
    failures, units, checked = [], [], 0
    pages = [path for path in (ROOT / "README.md", ROOT / "CHANGELOG.md") if path.is_file()]
    for page in pages + sorted((ROOT / "docs").rglob("*.md")):
        blocks, count = check_page(page, failures)
        checked += count
        units += units_of(page, blocks)

    def check(unit):
        code, output = run([*command, "-"], input=unit[1])
        return f"{unit[0]}:\n{output[:3000]}" if code else None

    failures += in_parallel(check, units)
    finish("blocks of code in the docs", checked, [failure for failure in failures if failure])


main()
