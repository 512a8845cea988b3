# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Writes the weights of a PyTorch network to the flat file that 11_resnet50 and 12_yolov8s read (README.md here).

    pip install torch torchvision ultralytics
    python3 examples/data/convert_weights.py resnet50 resnet50.weights
    python3 examples/data/convert_weights.py yolov8s yolov8s.weights [yolov8s.pt]
    python3 examples/data/convert_weights.py state_dict.pt any.weights

The first two take torchvision's and Ultralytics' pretrained weights, or those of the file that is named. The last
form takes any file of a state dict whose names are the network's.
"""
import sys

import numpy as np


def state_dict(source, path=None):
    """Tensors by name."""
    import torch
    if source == "resnet50":
        import torchvision
        if path is None:
            return torchvision.models.resnet50(weights="IMAGENET1K_V2").state_dict()
    elif source == "yolov8s":
        import ultralytics
        return ultralytics.YOLO(path or "yolov8s.pt").model.float().state_dict()
    loaded = torch.load(path or source, map_location="cpu", weights_only=True)
    return loaded.get("state_dict", loaded)


def write_weights(tensors, path):
    """Names and extents as lines of text, an empty line, then all values as f32, little endian."""
    tensors = {name: t for name, t in tensors.items() if not name.endswith("num_batches_tracked")}
    with open(path, "wb") as file:
        file.write(b"r9v weights 1\n")
        for name, tensor in tensors.items():
            file.write(" ".join([name, *map(str, tensor.shape)]).encode() + b"\n")
        file.write(b"\n")
        for tensor in tensors.values():
            file.write(tensor.detach().cpu().numpy().astype("<f4").tobytes())
    count = sum(int(np.prod(t.shape)) for t in tensors.values())
    print(f"{path}: {len(tensors)} tensors, {count} values")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    write_weights(state_dict(sys.argv[1], *sys.argv[3:]), sys.argv[2])
