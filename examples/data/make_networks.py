# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes what 11_resnet50 and 12_yolov8s must give without a file of weights, by PyTorch in float64.

    pip install torch torchvision ultralytics && python3 examples/data/make_networks.py [--weights folder]

The networks are torchvision's resnet50 and Ultralytics' yolov8s themselves, with seeded weights, which
examples/weights.hpp makes too. Writes beside itself, as f32, little endian:

    resnet50.bin   1000 logits
    yolov8s.bin    for every 120th of the 8400 anchors the four sides of its box, then its 80 scores

With --weights the seeded weights are also written to `folder`, as convert_weights.py would: with such a file the
examples must give the same.
"""
import pathlib
import sys

import numpy as np
import torch

from convert_weights import write_weights

HERE = pathlib.Path(__file__).parent
DEVIATION = 73.6  # of the noise, about


def noise(name, count):
    """n from -127 to 127 by a hash (MurmurHash3's finalizer) of a position behind that of the name (FNV-1a)."""
    start = 0x811C9DC5
    for letter in name.encode():
        start = (start ^ letter) * 0x01000193 & 0xFFFFFFFF
    mask = np.uint64(0xFFFFFFFF)
    bits = (np.arange(count, dtype=np.uint64) + np.uint64(start)) & mask
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = ((bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)) & mask
    bits ^= bits >> np.uint64(16)
    return (bits % np.uint64(255)).astype(np.int64) - 127


def seeded(name, shape, gain, last_gamma, head_bias):
    """One tensor of a state dict; see `parameters` in examples/weights.hpp."""
    numbers = noise(name, int(np.prod(shape)))
    head = name.startswith("fc.") or ".2.weight" in name or ".2.bias" in name and "model.22" in name
    if len(shape) > 1:
        of = 1.0 if head else gain
        values = numbers * (np.sqrt(of * of / np.prod(shape[1:])) / DEVIATION)
    else:
        around, step = 0.0, 1.0 / 512
        if name.endswith(".bias") or name.endswith("running_mean"):
            step = 1.0 / 4096
        if name.endswith("running_var"):
            around = 1.0
        elif name.endswith(".weight"):
            around = last_gamma if name.endswith("bn3.weight") else 1.0
        elif "model.22.cv3" in name and name.endswith(".2.bias"):
            around = head_bias
        values = around + numbers * step
    return torch.from_numpy(values.astype(np.float32).reshape(shape))


def seed(model, kept=(), **how):
    """The model with seeded weights, in float64; names in `kept` stay as they are."""
    tensors = model.state_dict()
    for name, tensor in tensors.items():
        if name not in kept and not name.endswith("num_batches_tracked"):
            tensors[name] = seeded(name, tuple(tensor.shape), **how)
    model.load_state_dict(tensors)
    if "--weights" in sys.argv:
        folder = pathlib.Path(sys.argv[sys.argv.index("--weights") + 1])
        write_weights(tensors, folder / f"{type(model).__name__}.weights")
    return model.double().eval()


def image(size, middle, spread):
    """Coloured squares with noise, [1, 3, size, size]."""
    row, column, channel = np.meshgrid(*(np.arange(n) for n in (size, size, 3)), indexing="ij")
    squares = noise("squares", 64 * 64 * 3)[(row // 32 * 64 + column // 32) * 3 + channel]
    grain = noise("grain", size * size * 3).reshape(size, size, 3)
    values = middle + spread * (2 * squares + grain) / 512
    return torch.from_numpy(values.transpose(2, 0, 1)[None].copy())


def write(name, values):
    path = HERE / name
    path.write_bytes(values.detach().numpy().astype("<f4").tobytes())
    print(f"{name}: {tuple(values.shape)}, {path.stat().st_size} bytes, spread {values.std():.3f}")


def resnet50():
    import torchvision
    model = seed(torchvision.models.resnet50(), gain=np.sqrt(2.0), last_gamma=0.25, head_bias=0.0)
    scores = model(image(224, 0, 4.0))[0]
    print("top 5:", scores.topk(5))
    write("resnet50.bin", scores)


def yolov8s():
    from ultralytics.nn.tasks import DetectionModel
    model = DetectionModel("yolov8s.yaml", verbose=False)
    model = seed(model, kept=("model.22.dfl.conv.weight",), gain=1.5, last_gamma=1.0, head_bias=-9.75)
    results = model(image(640, 0.0, 2.0))
    results = (results[0] if isinstance(results, (tuple, list)) else results)[0].T  # [8400, middle, size, scores]
    middle, size = results[:, :2], results[:, 2:4]
    sides = torch.cat([middle - size / 2, middle + size / 2, results[:, 4:]], dim=1)
    scores = results[:, 4:]
    print("scores: largest", scores.max(), "over 0.25:", (scores > 0.25).sum(), "mean", scores.mean())
    write("yolov8s.bin", sides[::120])


if __name__ == "__main__":
    with torch.no_grad():
        resnet50()
        yolov8s()
