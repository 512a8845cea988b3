# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Draws the picture of docs/convolution.md: where a block of the implicit GEMM finds its operands in the map.

    python3 docs/convolution/draw.py

The map, the taps and the matrix are those of a small convolution; which elements are padding is computed as
tile/patch.hpp does it.
"""
import pathlib

HERE = pathlib.Path(__file__).parent
SIDE, FILTER, PAD = 5, 3, 1
CELL, GAP = 22, 8
SLABS = 2
COLORS = ["#cfe8cf", "#fde3b8", "#cfe0f3"]
PADDING, LINE = "#f2f2f2", "#999"
TEXT = 'font-family="sans-serif" font-size="11" fill="#222"'


def inside(pixel, tap):
    """Where tap `tap` of pixel `pixel` lies in the map; None in the padding."""
    h, w = pixel[0] + tap[0] - PAD, pixel[1] + tap[1] - PAD
    return (h, w) if 0 <= h < SIDE and 0 <= w < SIDE else None


def rect(x, y, width, height, fill, stroke=LINE, thick=1):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{thick}"/>')


def text(x, y, content, anchor="start"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {TEXT}>{content}</text>'


PIXELS = [(0, 0), (0, 1), (2, 3)]   # of the result, one colour each
TAPS = [(r, s) for r in range(FILTER) for s in range(FILTER)]


def draw_map(x, y):
    """The padded map, with the patches of the pixels as frames."""
    parts = [text(x, y - 10, "map [h, w], every cell C channels")]
    for h in range(-PAD, SIDE + PAD):
        for w in range(-PAD, SIDE + PAD):
            real = 0 <= h < SIDE and 0 <= w < SIDE
            parts.append(rect(x + (w + PAD) * CELL, y + (h + PAD) * CELL, CELL, CELL,
                              "#fff" if real else PADDING, "#ccc"))
    for (p, q), color in zip(PIXELS, ["#2d7d32", "#c76b00", "#1f5fa8"]):
        parts.append(rect(x + q * CELL + 2, y + p * CELL + 2, FILTER * CELL - 4, FILTER * CELL - 4, "none", color, 2.5))
    parts.append(text(x, y + (SIDE + 2 * PAD) * CELL + 16, "grey: padding, never read"))
    return parts


def draw_matrix(x, y):
    """The left operand: a row for each pixel, a column for each tap and slab of channels."""
    parts = [text(x, y - 26, "left operand, never made: pixels x (taps x slabs of 32 channels)")]
    half = CELL * 0.8
    for column, tap in enumerate(TAPS):
        at = x + column * (SLABS * half + 3)
        parts.append(text(at + SLABS * half / 2, y - 8, f"{tap[0]},{tap[1]}", "middle"))
        for row, pixel in enumerate(PIXELS):
            fill = COLORS[row] if inside(pixel, tap) else PADDING
            for slab in range(SLABS):
                parts.append(rect(at + slab * half, y + row * (CELL + GAP), half, CELL, fill))
    for row, pixel in enumerate(PIXELS):
        parts.append(text(x - 8, y + row * (CELL + GAP) + 15, f"pixel {pixel[0]},{pixel[1]}", "end"))
    width = len(TAPS) * (SLABS * half + 3)
    below = y + len(PIXELS) * (CELL + GAP)
    parts += [
        text(x, below + 12, "a lane knows where its pixel begins, and which rows and columns of taps"),
        text(x, below + 27, "lie inside the map; how far a tap and a slab are is the same for all lanes"),
        rect(x, below + 40, width - 3, CELL, "#e7ddf2"),
        text(x + 6, below + 55, "filter: an output channel, in the same order"),
    ]
    return parts


def main():
    width, height = 690, 220
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}">', rect(0, 0, width, height, "#fff", "none")]
    parts += draw_map(12, 34) + draw_matrix(256, 46) + ["</svg>"]
    (HERE / "mapping.svg").write_text("\n".join(parts) + "\n")


main()
