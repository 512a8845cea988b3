# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of depthwise convolutions with PyTorch, in float64.

    pip install torch numpy scipy && python3 tests/golden/make_depthwise_golden.py

Writes depthwise.txt beside itself: for each case its geometry, the map [n, h, w, c], the filter [k, 1, r, s] and the
result [n, p, q, k]. Values are multiples of 1/16, exact in half.
"""
import torch
import torch.nn.functional as F
from make_golden import HERE, write

CASES = {  # n, h, w, c, k, r, s, strides, dilations, pads (top, bottom, left, right)
    "same": (2, 7, 7, 8, 8, 3, 3, (1, 1), (1, 1), (1, 1, 1, 1)),
    "halving": (1, 14, 9, 8, 8, 5, 5, (2, 2), (1, 1), (2, 2, 2, 2)),
    "large": (1, 8, 10, 3, 3, 7, 7, (1, 1), (1, 1), (3, 3, 3, 3)),
    "dilated": (1, 9, 11, 5, 5, 3, 3, (1, 2), (2, 3), (2, 0, 1, 4)),
    "multiplied": (1, 6, 5, 4, 12, 3, 2, (1, 1), (1, 1), (0, 1, 1, 0)),
    "along_a_row": (1, 3, 20, 4, 4, 1, 5, (1, 3), (1, 1), (0, 0, 2, 2)),
    "along_a_column": (1, 12, 4, 4, 8, 4, 1, (2, 1), (1, 1), (5, 1, 0, 0)),
    "smaller_than_the_filter": (1, 2, 3, 4, 4, 5, 5, (1, 1), (1, 1), (2, 2, 2, 2)),
}


def main():
    generator = torch.Generator().manual_seed(20250307)
    arrays = {}
    for name, (n, h, w, c, k, r, s, stride, dilation, pad) in CASES.items():
        x = torch.randint(-32, 33, (n, c, h, w), generator=generator).double() / 16
        f = torch.randint(-32, 33, (k, 1, r, s), generator=generator).double() / 16
        top, bottom, left, right = pad
        y = F.conv2d(F.pad(x, (left, right, top, bottom)), f, stride=stride, dilation=dilation, groups=c)
        arrays[f"{name}.geometry"] = [n, h, w, c, k, r, s, *stride, *dilation, *pad]
        arrays[f"{name}.x"] = x.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.f"] = f.numpy()
        arrays[f"{name}.y"] = y.permute(0, 2, 3, 1).numpy()
    write("depthwise.txt", arrays)


if __name__ == "__main__":
    main()
