# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Checks include/r9v against the table in its README.md, and a few habits that text can show."""
import re
import sys

from r9v_support import HOME, INCLUDE, finish, headers, includes_of, table, without_comments

ARCH_ONLY = re.compile(r"__gfx\w*|__GFX\w*|__builtin_amdgcn\w*|__AMDGCN\w*|__AMDGPU\w*|\b_?_?asm_?_?\b"
                       r"|__CUDA_ARCH__|_Float16|__bf16|\bext_vector_type\b|\bvector_size\b|__builtin_nontemporal\w*")
NEVER = {
    r"\bstd\s*::\s*tuple\b|#\s*include\s*<tuple>": "std::tuple, 10 to 17 times slower to compile than core/pack.hpp",
    r"\bstd\s*::\s*function\b|#\s*include\s*<functional>": "std::function",
    r"no_unique_address": "[[no_unique_address]], which crashes older clangs",
    r"#\s*include\s*<iostream>": "<iostream>, which costs every user a static initialiser",
}
MAX_LINES = 400


def read_table():
    allowed = {}
    for folder, _, may in table("folder"):
        names = [] if may == "-" else [name.strip() for name in may.split(",")]
        allowed[folder.strip("`/")] = set(names)
    exceptions = {file.strip("`"): set(re.findall(r"`([^`]+)`", tokens))
                  for file, tokens, _ in table("file")}
    return allowed, exceptions


def check_order(allowed):
    """A layer may only include layers that stand above it, so that the table has no cycle."""
    above = set()
    for folder, may in allowed.items():
        for name in sorted(may - above):
            yield f"README.md: {folder}/ may include {name}/, which does not stand above it"
        above.add(folder)


def check_includes(path, layer, allowed):
    for number, name in includes_of(path):
        where = f"{path.relative_to(HOME)}:{number}"
        if name.startswith('"'):
            yield f"{where}: {name} is relative. Write <r9v/...>."
            continue
        target = name.strip("<>")
        if not target.startswith("r9v/"):
            continue
        parts = target.split("/")
        if not (INCLUDE / target).is_file():
            yield f"{where}: {name} does not exist"
        elif layer is None or target == "r9v/version.hpp":
            continue
        elif len(parts) == 2:
            yield f"{where}: layer {layer}/ includes the public header {name}"
        elif parts[1] != layer and parts[1] not in allowed[layer]:
            yield f"{where}: layer {layer}/ includes {name}; it may include {sorted(allowed[layer])}"


def check_text(path, layer, exceptions):
    name = str(path.relative_to(HOME))
    raw = path.read_text()
    text = without_comments(raw, keep_strings=False)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if layer != "arch":
            for token in ARCH_ONLY.findall(line):
                if token not in exceptions.get(name, ()):
                    yield f"{name}:{number}: `{token}` belongs in arch/"
        for pattern, what in NEVER.items():
            if re.search(pattern, line):
                yield f"{name}:{number}: {what}"
        macro = re.match(r"\s*#\s*define\s+(\w+)", line)
        if macro and not macro.group(1).startswith("R9V_"):
            yield f"{name}:{number}: macro {macro.group(1)} does not start with R9V_"
    if len(lines) > MAX_LINES:
        yield f"{name}: {len(lines)} lines; split by subject at {MAX_LINES}"
    if not raw.startswith("// SPDX-License-Identifier: MIT\n// Copyright (c) the r9v authors\n"):
        yield f"{name}: no licence header"
    if "#pragma once" not in text:
        yield f"{name}: no #pragma once"
    for number, line in enumerate(lines, 1):
        opened = re.match(r"\s*namespace\s+([\w:]+)", line)
        if opened and opened.group(1).startswith("r9v") and not re.match(
                r"\s*namespace\s+r9v\s*::\s*inline\s+R9V_ABI\b", line):
            yield f"{name}:{number}: outside the inline namespace. Write namespace r9v::inline R9V_ABI."


def main():
    allowed, exceptions = read_table()
    if not allowed:
        sys.exit("README.md: no table of layers found")
    failures = list(check_order(allowed))
    files = headers()
    for path in files:
        parts = path.relative_to(HOME).parts
        layer = parts[0] if len(parts) > 1 else None
        if layer is not None and layer not in allowed:
            failures.append(f"{'/'.join(parts)}: folder {layer}/ is not in README.md's table")
            continue
        failures += check_includes(path, layer, allowed)
        failures += check_text(path, layer, exceptions)
    for name in exceptions:
        if not (HOME / name).is_file():
            failures.append(f"README.md: {name} does not exist")
    finish("layers", len(files), failures)


main()
