# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of pools, upsampling and batch norms with PyTorch, in float64.

    pip install torch numpy scipy && python3 tests/golden/make_pool_golden.py

Writes pool.txt beside itself: for each case its geometry, the map [n, h, w, c] and the result [n, p, q, c]. Values of
maps are multiples of 1/16, exact in half; those of maxima are negative, one of them is NaN.
"""
import torch
import torch.nn.functional as F
from make_golden import write

WINDOWS = {  # n, h, w, c, window, stride, dilation, pad
    "stem": (1, 9, 10, 5, (3, 3), (2, 2), (1, 1), (1, 1)),
    "halves": (2, 6, 4, 3, (2, 2), (2, 2), (1, 1), (0, 0)),
    "same": (1, 5, 6, 2, (5, 5), (1, 1), (1, 1), (2, 2)),
    "uneven": (1, 8, 7, 2, (2, 7), (3, 1), (1, 1), (1, 3)),
    "dilated": (1, 9, 11, 2, (3, 2), (1, 2), (2, 3), (1, 1)),
    "only_padding": (1, 2, 2, 2, (2, 2), (1, 1), (3, 3), (1, 1)),
}


def pixels(generator, n, h, w, c, low=-32, high=33):
    return torch.randint(low, high, (n, c, h, w), generator=generator).double() / 16


def last(x):
    return x.permute(0, 2, 3, 1).numpy()


def main():
    generator = torch.Generator().manual_seed(20250304)
    arrays = {}

    def keep(name, geometry, x, y):
        arrays[f"{name}.geometry"] = geometry
        arrays[f"{name}.x"] = last(x)
        arrays[f"{name}.y"] = last(y)

    for name, (n, h, w, c, window, stride, dilation, pad) in WINDOWS.items():
        geometry = [n, h, w, c, *window, *stride, *dilation, *pad]
        x = pixels(generator, n, h, w, c, -64, -1)
        x[0, 1, h // 2, w // 2] = float("nan")
        keep(f"max.{name}", geometry, x, F.max_pool2d(x, window, stride, pad, dilation))
        if dilation == (1, 1):
            x = pixels(generator, n, h, w, c)
            for count, with_padding in (("with_padding", True), ("of_map", False)):
                keep(f"average.{count}.{name}", geometry, x,
                     F.avg_pool2d(x, window, stride, pad, count_include_pad=with_padding))

    x = pixels(generator, 2, 7, 5, 9)
    keep("global", [2, 7, 5, 9], x, F.adaptive_avg_pool2d(x, 1))

    x = pixels(generator, 1, 12, 9, 3, -64, -1)
    results = [x]
    for _ in range(3):
        results.append(F.max_pool2d(results[-1], 5, 1, 2))
    keep("chain", [1, 12, 9, 3], x, torch.cat(results, dim=1))

    x = pixels(generator, 1, 3, 4, 5)
    keep("upsampled", [1, 3, 4, 5], x, F.interpolate(x, scale_factor=2, mode="nearest"))

    # A convolution with a bias, and the batch norm behind it.
    f = pixels(generator, 4, 2, 3, 6)
    x = pixels(generator, 1, 5, 6, 6)
    bias, gamma, beta, mean = (torch.randint(-32, 33, (4,), generator=generator).double() / 16 for _ in range(4))
    variance = torch.randint(1, 64, (4,), generator=generator).double() / 16
    y = F.batch_norm(F.conv2d(x, f, bias), mean, variance, gamma, beta, eps=1e-3)
    keep("normalized", [1, 5, 6, 6, 4, 2, 3], x, y)
    arrays["normalized.f"] = last(f)
    for name, values in (("bias", bias), ("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance)):
        arrays[f"normalized.{name}"] = values.numpy()
    write("pool.txt", arrays)


if __name__ == "__main__":
    main()
