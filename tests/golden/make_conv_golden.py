# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of convolutions with PyTorch, in float64.

    pip install torch numpy scipy && python3 tests/golden/make_conv_golden.py

Writes conv.txt beside itself: for each case its geometry, the map [n, h, w, c], the filter [k, r, s, c / groups] and
the result [n, p, q, k]. Values are multiples of 1/16, exact in half.
"""
import torch
import torch.nn.functional as F
from make_golden import HERE, write

CASES = {  # n, h, w, c, k, r, s, strides, dilations, pads (top, bottom, left, right), groups
    "pointwise": (2, 5, 4, 16, 8, 1, 1, (1, 1), (1, 1), (0, 0, 0, 0), 1),
    "same": (1, 6, 7, 8, 4, 3, 3, (1, 1), (1, 1), (1, 1, 1, 1), 1),
    "stem": (1, 13, 12, 3, 8, 7, 7, (2, 2), (1, 1), (3, 3, 3, 3), 1),
    "dilated": (1, 9, 9, 8, 4, 3, 3, (1, 1), (2, 2), (0, 0, 0, 0), 1),
    "uneven": (1, 8, 11, 4, 5, 2, 5, (3, 2), (2, 1), (0, 3, 4, 1), 1),
    "grouped": (1, 5, 5, 24, 12, 3, 3, (2, 1), (1, 1), (1, 1, 1, 1), 3),
    "depthwise": (2, 7, 6, 8, 8, 3, 3, (1, 1), (1, 1), (1, 1, 1, 1), 8),
}


def main():
    generator = torch.Generator().manual_seed(20250302)
    arrays = {}
    for name, (n, h, w, c, k, r, s, stride, dilation, pad, groups) in CASES.items():
        x = torch.randint(-32, 33, (n, c, h, w), generator=generator).double() / 16
        f = torch.randint(-32, 33, (k, c // groups, r, s), generator=generator).double() / 16
        top, bottom, left, right = pad
        y = F.conv2d(F.pad(x, (left, right, top, bottom)), f, stride=stride, dilation=dilation, groups=groups)
        arrays[f"{name}.geometry"] = [n, h, w, c, k, r, s, *stride, *dilation, *pad, groups]
        arrays[f"{name}.x"] = x.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.f"] = f.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.y"] = y.permute(0, 2, 3, 1).numpy()
    write("conv.txt", arrays)


if __name__ == "__main__":
    main()
