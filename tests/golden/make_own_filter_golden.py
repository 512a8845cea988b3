# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of transposed convolutions and of those over volumes with PyTorch, in float64.

    pip install torch numpy scipy && python3 tests/golden/make_own_filter_golden.py

Writes own_filter.txt beside itself. Transposed: for each case its geometry, the map [n, h, w, c], the filter
[c, k / groups, r, s] and the result [n, p, q, k]. Volumes: the volume [n, d, h, w, c], the filter [k, c / groups, t, r, s]
and the result [n, d', p, q, k]. Filters lie as PyTorch has them. Values are multiples of 1/16, exact in half.
"""
import torch
import torch.nn.functional as F
from make_golden import write

TRANSPOSED = {  # n, h, w, c, k, r, s, strides, dilations, pads (height, width), output pads, groups
    "doubled": (1, 5, 4, 8, 6, 2, 2, (2, 2), (1, 1), (0, 0), (0, 0), 1),
    "generator": (1, 4, 5, 8, 4, 4, 4, (2, 2), (1, 1), (1, 1), (0, 0), 1),
    "odd": (2, 3, 4, 4, 5, 3, 3, (2, 2), (1, 1), (1, 1), (1, 1), 1),
    "grouped": (1, 4, 3, 12, 9, 3, 2, (3, 2), (1, 1), (0, 1), (2, 0), 3),
    "dilated": (1, 4, 4, 4, 3, 3, 2, (2, 3), (2, 2), (1, 2), (1, 2), 1),
    "sparse": (1, 3, 3, 4, 3, 1, 1, (3, 2), (1, 1), (0, 0), (1, 1), 1),
    "dense": (1, 5, 6, 4, 3, 3, 3, (1, 1), (1, 1), (2, 0), (0, 0), 1),
}
VOLUMES = {  # n, d, h, w, c, k, t, r, s, strides, dilations, pads (depth, height, width), groups
    "same": (1, 4, 5, 4, 8, 4, 3, 3, 3, (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    "temporal": (2, 5, 3, 3, 4, 5, 3, 1, 1, (2, 1, 1), (1, 1, 1), (1, 0, 0), 1),
    "uneven": (1, 6, 7, 5, 4, 3, 2, 3, 2, (1, 2, 2), (2, 1, 2), (0, 2, 1), 1),
    "grouped": (1, 3, 4, 4, 12, 6, 2, 2, 2, (1, 1, 1), (1, 1, 1), (1, 1, 1), 3),
}


def random(generator, *shape):
    return torch.randint(-32, 33, shape, generator=generator).double() / 16


def main():
    generator = torch.Generator().manual_seed(20261130)
    arrays = {}
    for name, (n, h, w, c, k, r, s, stride, dilation, pad, output_pad, groups) in TRANSPOSED.items():
        x = random(generator, n, c, h, w)
        f = random(generator, c, k // groups, r, s)
        y = F.conv_transpose2d(x, f, stride=stride, dilation=dilation, padding=pad, output_padding=output_pad,
                               groups=groups)
        name = f"transposed.{name}"
        arrays[f"{name}.geometry"] = [n, h, w, c, k, r, s, *stride, *dilation, *pad, *output_pad, groups]
        arrays[f"{name}.x"] = x.permute(0, 2, 3, 1).numpy()
        arrays[f"{name}.f"] = f.numpy()
        arrays[f"{name}.y"] = y.permute(0, 2, 3, 1).numpy()
    for name, (n, d, h, w, c, k, t, r, s, stride, dilation, pad, groups) in VOLUMES.items():
        x = random(generator, n, c, d, h, w)
        f = random(generator, k, c // groups, t, r, s)
        y = F.conv3d(x, f, stride=stride, dilation=dilation, padding=pad, groups=groups)
        name = f"volume.{name}"
        arrays[f"{name}.geometry"] = [n, d, h, w, c, k, t, r, s, *stride, *dilation, *pad, groups]
        arrays[f"{name}.x"] = x.permute(0, 2, 3, 4, 1).numpy()
        arrays[f"{name}.f"] = f.numpy()
        arrays[f"{name}.y"] = y.permute(0, 2, 3, 4, 1).numpy()
    write("own_filter.txt", arrays)


if __name__ == "__main__":
    main()
