# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Draws the pictures of docs/masks.md: which scores a mask keeps, and what becomes of each tile.

    python3 docs/masks/draw.py

Every mask is a rule for rows, `columns(row)` -> [first, last + 1), as in ops/mask_interval.hpp; tiles are
classified from the rules of their rows as in ops/mask_range.hpp, and each class is checked against the
single scores.
"""
import pathlib

HERE = pathlib.Path(__file__).parent
CELL, TILE, FAR = 11, 4, 10 ** 9
TEXT = 'font-family="sans-serif" font-size="11" fill="#222"'
FILLS = {"skipped": "#f2f2f2", "tested": "#fde3b8", "whole": "#cfe8cf"}
DOTS = {"skipped": "#dadada", "tested": "#c76b00", "whole": "#2d7d32"}


def causal(side):
    return lambda row, queries, keys: (0, row + (keys - queries if side == "bottom_right" else 0) + 1)


def window(left, right):
    return lambda row, queries, keys: (row + keys - queries - left, row + keys - queries + right + 1)


def prefix(length):
    return lambda row, queries, keys: (0, length)


def documents(ends):
    """A functor that answers for tiles: everything up to the end of the row's document."""
    def columns(row, queries, keys):
        at = row + keys - queries
        begin = max([0] + [end for end in ends if end <= at])
        return begin, min([end for end in ends if end > at] + [keys])
    return columns


def both(first, second):
    def columns(row, queries, keys):
        a, b = first(row, queries, keys), second(row, queries, keys)
        return max(a[0], b[0]), min(a[1], b[1])
    return columns


def classify(rule, rows, columns, queries, keys):
    intervals = [rule(row, queries, keys) for row in rows]
    begin, end = min(i[0] for i in intervals), max(i[1] for i in intervals)
    all_begin, all_end = max(i[0] for i in intervals), min(i[1] for i in intervals)
    if columns[-1] + 1 <= begin or columns[0] >= end:
        return "skipped"
    return "whole" if all_begin <= columns[0] and columns[-1] + 1 <= all_end else "tested"


def panel(x, y, title, rule, queries, keys):
    """One mask over one shape, as SVG, with its width and height."""
    parts = [f'<text x="{x}" y="{y + 11}" {TEXT}>{title}</text>']
    y += 18
    for top in range(0, queries, TILE):
        for left in range(0, keys, TILE):
            rows = range(top, min(top + TILE, queries))
            columns = range(left, min(left + TILE, keys))
            kind = classify(rule, rows, columns, queries, keys)
            kept = [(row, column) for row in rows for column in columns
                    if rule(row, queries, keys)[0] <= column < rule(row, queries, keys)[1]]
            assert kind != "skipped" or not kept, title
            assert kind != "whole" or len(kept) == len(rows) * len(columns), title
            parts.append(f'<rect x="{x + left * CELL}" y="{y + top * CELL}" width="{len(columns) * CELL}" '
                         f'height="{len(rows) * CELL}" fill="{FILLS[kind]}" stroke="#999"/>')
            dots = "".join(f"M{x + c * CELL + 2} {y + r * CELL + 2}h{CELL - 4}v{CELL - 4}h-{CELL - 4}z"
                           for r, c in kept)
            if dots:
                parts.append(f'<path d="{dots}" fill="{DOTS[kind]}"/>')
    return "\n".join(parts), keys * CELL, queries * CELL + 18


def draw(name, description, panels, columns):
    """Panels side by side, `columns` in a line, with the legend below."""
    gap, x, y, line, width, body = 26, 10, 8, 0, 0, []
    for number, (title, rule, queries, keys) in enumerate(panels):
        svg, wide, high = panel(x, y, title, rule, queries, keys)
        body.append(svg)
        x, line = x + max(wide, 150) + gap, max(line, high)
        width = max(width, x - gap + 10)
        if number % columns == columns - 1 or number == len(panels) - 1:
            x, y, line = 10, y + line + 16, 0
    for kind, words in [("whole", "whole tile kept: no test"), ("tested", "tested score by score"),
                        ("skipped", "skipped: never loaded")]:
        body.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{FILLS[kind]}" stroke="#999"/>'
                    f'<path d="M{x + 3} {y + 3}h6v6h-6z" fill="{DOTS[kind]}"/>'
                    f'<text x="{x + 18}" y="{y + 10}" {TEXT}>{words}</text>')
        x += 175
    width, height = max(width, x), y + 22
    (HERE / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">\n<title>{description}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n")


draw("diagonals", "causal masks of unequal numbers of queries and keys", [
    ("causal(top_left), 2 x 5", causal("top_left"), 2, 5),
    ("causal(bottom_right), 2 x 5", causal("bottom_right"), 2, 5),
    ("causal(top_left), 5 x 2", causal("top_left"), 5, 2),
    ("causal(bottom_right), 5 x 2", causal("bottom_right"), 5, 2),
], 4)
draw("tiles", "masks over 12 queries and 16 keys in tiles of 4 x 4", [
    ("causal(bottom_right)", causal("bottom_right"), 12, 16),
    ("window(6)", both(causal("bottom_right"), window(5, 0)), 12, 16),
    ("window(3, 2)", window(3, 2), 12, 16),
    ("prefix(10)", prefix(10), 12, 16),
    ("keep_if(same_document)", documents([6, 11]), 12, 16),
    ("causal | same_document", both(causal("bottom_right"), documents([6, 11])), 12, 16),
], 3)
