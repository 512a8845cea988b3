# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Trains the 64-128-10 network of 05_digits.cpp and writes digits.bin beside this script.

Needs NumPy, and scikit-learn for the data: 1797 images of 8x8 pixels, 0 to 16, from "Optical
Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak (1998), UCI Machine Learning
Repository, https://doi.org/10.24432/C50P49, licensed CC BY 4.0. Seeded: the split is always the same,
and on one machine so is the file.

digits.bin, little endian, no padding:

    char  magic[8]            "r9vdigit"
    int32 inputs, hidden, outputs, images
    f16   w1[hidden][inputs]
    f32   b1[hidden]
    f16   w2[outputs][hidden]
    f32   b2[outputs]
    f16   pixels[images][inputs]    0 to 16, exact; images that training has not seen
    u8    labels[images]
"""
import pathlib

import numpy as np
from sklearn.datasets import load_digits

SEED, TRAINED, HIDDEN, EPOCHS, BATCH = 1, 1400, 128, 60, 50


def relu(x):
    return np.maximum(x, 0)


def shifted(images, random):
    """Each image moved by at most one pixel along one axis, or not at all: more hands than 1400."""
    moved = images.reshape(-1, 8, 8).copy()
    steps = [(0, 0), (0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)]
    for image, choice in zip(moved, random.integers(len(steps), size=len(moved))):
        down, right = steps[choice]
        source = np.pad(image.copy(), 1)
        image[:] = source[1 - down:9 - down, 1 - right:9 - right]
    return moved.reshape(-1, 64)


def gradients(weights, x, labels):
    """Of the mean cross entropy of softmax(relu(x w1' + b1) w2' + b2)."""
    w1, b1, w2, b2 = weights
    hidden = relu(x @ w1.T + b1)
    scores = hidden @ w2.T + b2
    error = np.exp(scores - scores.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ w2) * (hidden > 0)
    return back.T @ x, back.sum(axis=0), error.T @ hidden, error.sum(axis=0)


def train(pixels, labels, random):
    weights = [random.normal(0, np.sqrt(2 / 64) / 8, (HIDDEN, 64)), np.zeros(HIDDEN),
               random.normal(0, np.sqrt(2 / HIDDEN), (10, HIDDEN)), np.zeros(10)]
    mean, spread, step = [0 * w for w in weights], [0 * w for w in weights], 0
    for epoch in range(EPOCHS):
        rate = 2e-3 * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        x, order = shifted(pixels, random), random.permutation(len(labels))
        for batch in np.split(order, len(order) // BATCH):
            step += 1
            for i, slope in enumerate(gradients(weights, x[batch], labels[batch])):  # Adam
                mean[i] = 0.9 * mean[i] + 0.1 * slope
                spread[i] = 0.999 * spread[i] + 0.001 * slope**2
                update = mean[i] / (1 - 0.9**step)
                weights[i] -= rate * update / (np.sqrt(spread[i] / (1 - 0.999**step)) + 1e-8)
    return weights


def main():
    random = np.random.default_rng(SEED)
    pixels, labels = load_digits(return_X_y=True)
    order = random.permutation(len(labels))
    seen, held = order[:TRAINED], order[TRAINED:]
    w1, b1, w2, b2 = train(pixels[seen], labels[seen], random)
    w1, w2 = w1.astype("<f2"), w2.astype("<f2")
    b1, b2 = b1.astype("<f4"), b2.astype("<f4")

    hidden = relu(pixels[held] @ w1.T.astype(float) + b1)
    right = ((hidden @ w2.T.astype(float) + b2).argmax(axis=1) == labels[held]).mean()
    path = pathlib.Path(__file__).with_name("digits.bin")
    path.write_bytes(b"r9vdigit" + np.array([64, HIDDEN, 10, len(held)], "<i4").tobytes()
                     + b"".join(part.tobytes() for part in (w1, b1, w2, b2))
                     + pixels[held].astype("<f2").tobytes() + labels[held].astype("u1").tobytes())
    print(f"{right:.2%} of {len(held)} held images right; {path.stat().st_size} bytes written")


main()
