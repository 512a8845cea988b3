# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of attention in float64 and without any code of r9v.

    pip install numpy && python3 tests/golden/make_attention_golden.py

Writes attention.txt beside itself. The definitions are PyTorch's (scaled_dot_product_attention with a boolean or
additive mask, top-left is_causal) and FlashAttention's (bottom-right causal, window, alibi, soft cap). Where
PyTorch is installed, what it can compute is computed by it too and must agree.
"""
import pathlib

import numpy as np

try:
    import torch
except ImportError:
    torch = None

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(20250707)
BATCHES, HEADS, KEY_HEADS, QUERIES, KEYS, DIM, VALUE_DIM = 2, 4, 2, 3, 7, 16, 8


def on_grid(shape, span=2, unit=32):
    """Multiples of 1/unit between -span and span: exact in half and bf16."""
    return RANDOM.integers(-span * unit, span * unit + 1, shape) / unit


def positions(queries, keys):
    return np.arange(queries)[:, None], np.arange(keys)[None, :]


def causal(queries, keys, bottom_right):
    i, j = positions(queries, keys)
    return j <= i + (keys - queries if bottom_right else 0)


def window(queries, keys, left, right):
    """Bottom-right, both ends included; None is no bound."""
    i, j = positions(queries, keys)
    at = i + keys - queries
    keep = np.ones((queries, keys), bool)
    if left is not None:
        keep &= j >= at - left
    if right is not None:
        keep &= j <= at + right
    return keep


def distance(queries, keys):
    i, j = positions(queries, keys)
    return np.abs(i + keys - queries - j)


def against_torch(q, k, v, scale, bias, keep, o):
    """What PyTorch says, for rows that keep something."""
    repeat = q.shape[1] // k.shape[1]
    tensor = lambda a: torch.from_numpy(np.ascontiguousarray(a))
    mask = np.where(keep, bias, -np.inf) + np.zeros(q.shape[:3] + (k.shape[2],))
    found = torch.nn.functional.scaled_dot_product_attention(
        tensor(q), tensor(np.repeat(k, repeat, 1)), tensor(np.repeat(v, repeat, 1)),
        attn_mask=tensor(mask), scale=scale).numpy()
    alive = np.isfinite(mask).any(axis=-1)
    np.testing.assert_allclose(found[alive], o[alive], rtol=1e-9, atol=1e-12)


def attention(q, k, v, scale=0.25, keep=True, bias=0.0, cap=None, sink=None):
    """o and log-sum-exp; `keep` and `bias` broadcast to [batch, head, query, key]."""
    repeat = q.shape[1] // k.shape[1]
    s = np.einsum("bhqd,bhkd->bhqk", q, np.repeat(k, repeat, 1)) * scale
    if cap is not None:
        s = cap * np.tanh(s / cap)
    s = s + bias
    keep = np.broadcast_to(keep, s.shape) & ~np.isneginf(s)
    most = np.max(np.where(keep, s, -np.inf), axis=-1, initial=-np.inf)
    logit = np.full(most.shape, -np.inf) if sink is None else np.broadcast_to(sink, most.shape)
    most = np.maximum(most, logit)
    base = np.where(np.isneginf(most), 0, most)
    p = np.exp(np.where(keep, s - base[..., None], -np.inf))
    total = p.sum(axis=-1) + np.exp(logit - base)
    with np.errstate(divide="ignore"):
        lse = np.where(total > 0, base + np.log(total), -np.inf)
    p = p / np.where(total > 0, total, 1)[..., None]
    o = np.einsum("bhqk,bhkd->bhqd", p, np.repeat(v, repeat, 1))
    if torch is not None and cap is None and sink is None and k.shape[2] > 0:
        against_torch(q, k, v, scale, bias, np.broadcast_to(keep, s.shape), o)
    return o, lse


def main():
    q = on_grid((BATCHES, HEADS, QUERIES, DIM))
    k, v = on_grid((BATCHES, KEY_HEADS, KEYS, DIM)), on_grid((BATCHES, KEY_HEADS, KEYS, VALUE_DIM))
    bias = on_grid((BATCHES, HEADS, QUERIES, KEYS))
    bias[RANDOM.random(bias.shape) < 0.3] = -np.inf
    where = RANDOM.random((QUERIES, KEYS)) < 0.6
    where[1] = False
    slopes = np.array([0.5, 0.25, 0.125, 1.0])
    sinks = np.array([0.5, -1.0, 2.0, -np.inf])
    lengths = np.array([5, 0])
    arrays = {"q": q, "k": k, "v": v, "bias": bias, "where": where, "slopes": slopes, "sinks": sinks}

    def add(name, *arguments, **options):
        arrays[name + ".o"], arrays[name + ".lse"] = attention(*arguments, **options)

    size = (QUERIES, KEYS)
    i, j = positions(*size)
    prefix = j < lengths[:, None, None, None]
    linear = -slopes[:, None, None] * distance(*size)
    add("plain", q, k, v)
    add("top_left", q, k, v, keep=causal(*size, False))
    add("bottom_right", q, k, v, keep=causal(*size, True))
    add("window", q, k, v, keep=window(*size, 2, 1))
    add("sliding", q, k, v, keep=window(*size, 2, 0))
    add("prefix", q, k, v, keep=prefix)
    add("add_mask", q, k, v, bias=bias)
    add("where", q, k, v, keep=where)
    add("alibi", q, k, v, bias=linear)
    add("keep_if", q, k, v, keep=(i + 2 * j) % 3 != 1)
    add("soft_cap", q, k, v, cap=1.5)
    add("sink", q, k, v, keep=where, sink=sinks[None, :, None])
    add("all", q, k, v, cap=4.0, bias=linear + bias,
        keep=causal(*size, True) & window(*size, 4, None) & prefix & where, sink=sinks[None, :, None])
    add("negative_scale", q, k, v, scale=-0.5, keep=causal(*size, True))
    add("large", q * 16, k * 32, v, scale=30.0, keep=causal(*size, False))
    # 2 queries of 5 keys, and 5 of 2: some rows keep nothing.
    for queries, keys in (2, 5), (5, 2):
        few_q, few_k, few_v = (np.tile(a, (1, 1, 2, 1))[:, :, :n] for a, n in ((q, queries), (k, keys), (v, keys)))
        for side in False, True:
            name = f"{queries}_of_{keys}." + ("bottom_right" if side else "top_left")
            add(name, few_q, few_k, few_v, keep=causal(queries, keys, side))
    # Sequences of their own lengths: 3 queries with 5 keys, 1 with 7.
    for batch, (queries, keys) in enumerate(((3, 5), (1, 7))):
        rows = [a[batch:batch + 1, :, :n] for a, n in ((q, queries), (k, keys), (v, keys))]
        add(f"sequence{batch}", *rows, keep=causal(queries, keys, True))

    with open(HERE / "attention.txt", "w") as out:
        for key, values in arrays.items():
            flat = np.asarray(values, dtype=np.float64).ravel()
            texts = ["%g" % x if float("%g" % x) == x else "%.10g" % x for x in flat]
            out.write(f"{key} {flat.size}\n")
            for start in range(0, len(texts), 12):
                out.write(" ".join(texts[start:start + 12]) + "\n")


main()
