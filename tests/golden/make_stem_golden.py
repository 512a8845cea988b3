# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of stem convolutions, with and without a pool behind them, with PyTorch, in float64.

    pip install torch numpy scipy && python3 tests/golden/make_stem_golden.py

Writes stem.txt beside itself: for each case its geometry, the map [n, h, w, c], the filter [k, c, r, s], scales and
shifts of the channels, the result of convolution, scale and shift, [n, p, q, k], and what max_pool2d makes of it.
Values are multiples of 1/16, exact in half; one of each map is NaN and one infinite.
"""
import torch
import torch.nn.functional as F
from make_golden import HERE, write

CASES = {  # n, h, w, c, k, r, s, strides, dilations, pads (top, bottom, left, right), window, its stride, pad, dilation
    "resnet50": (1, 23, 20, 3, 9, 7, 7, (2, 2), (1, 1), (3, 3, 3, 3), (3, 3), (2, 2), (1, 1), (1, 1)),
    "yolov8": (2, 9, 12, 3, 8, 3, 3, (2, 2), (1, 1), (1, 1, 1, 1), (2, 2), (2, 2), (0, 0), (1, 1)),
    "four_channels": (1, 7, 8, 4, 20, 3, 3, (1, 1), (1, 1), (1, 1, 1, 1), (3, 2), (1, 2), (1, 0), (1, 1)),
    "gray": (1, 11, 10, 1, 6, 3, 3, (1, 1), (1, 1), (0, 0, 0, 0), (3, 3), (3, 3), (1, 1), (2, 2)),
    "uneven": (1, 14, 13, 2, 5, 4, 5, (3, 1), (2, 2), (0, 3, 4, 1), (2, 3), (1, 2), (1, 1), (1, 2)),
}


def main():
    generator = torch.Generator().manual_seed(20250309)
    arrays = {}

    def random(*shape):
        return torch.randint(-32, 33, shape, generator=generator).double() / 16

    for name, (n, h, w, c, k, r, s, stride, dilation, pad, window, step, around, apart) in CASES.items():
        x, f, scale, shift = random(n, c, h, w), random(k, c, r, s), random(k), random(k)
        x[0, c - 1, h // 2, w - 2] = float("nan")
        x[n - 1, 0, 1, 1] = float("inf")
        top, bottom, left, right = pad
        y = F.conv2d(F.pad(x, (left, right, top, bottom)), f, stride=stride, dilation=dilation)
        y = y * scale[:, None, None] + shift[:, None, None]
        pooled = F.max_pool2d(y, window, step, around, apart)
        arrays[f"{name}.geometry"] = [n, h, w, c, k, r, s, *stride, *dilation, *pad]
        arrays[f"{name}.pool"] = [*window, *step, *around, *apart]
        arrays[f"{name}.x"] = x.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.f"] = f.numpy()
        arrays[f"{name}.scale"] = scale.numpy()
        arrays[f"{name}.shift"] = shift.numpy()
        arrays[f"{name}.y"] = y.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.pooled"] = pooled.permute(0, 2, 3, 1).numpy()
    write("stem.txt", arrays)


if __name__ == "__main__":
    main()
