# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes what 09_encoder_layer.cpp and 10_decoder_layer.cpp must give, by PyTorch in float64.

    pip install torch && python3 examples/data/make_layers.py

Writes encoder_layer.bin and decoder_layer.bin beside itself: the results as f16, little endian, row by row.
Weights and inputs are not stored: `pattern` makes them, here and in examples/transformer.hpp, from the same
integers, all exact in f16. The sizes stand in examples/encoder_layer.hpp and decoder_layer.hpp too.

The encoder layer is torch.nn.TransformerEncoderLayer itself. PyTorch has no LLaMA layer, so the decoder layer is
written down here from torch.nn.functional, as in "LLaMA: Open and Efficient Foundation Language Models" (Touvron
et al., 2023) with rotary embeddings of "RoFormer" (Su et al., 2021) on the two halves of each head.
"""
import pathlib

import numpy as np
import torch
from torch.nn import functional

HERE = pathlib.Path(__file__).parent


def pattern(shape, exponent, seed, around=0.0):
    """around + n / 2^exponent with n from -127 to 127 by a hash of the position."""
    bits = np.arange(np.prod(shape), dtype=np.uint64) + np.uint64(seed << 24)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = ((bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    bits ^= bits >> np.uint64(16)
    numbers = (bits % np.uint64(255)).astype(np.int64) - 127
    return torch.tensor(around + numbers / 2.0**exponent, dtype=torch.float64).reshape(shape)


def write(name, values):
    path = HERE / name
    path.write_bytes(values.numpy().astype("<f2").tobytes())
    print(f"{name}: {tuple(values.shape)}, {path.stat().st_size} bytes, spread {values.std():.3f}")


def encoder():
    """BERT's: norms behind the residuals, GELU with erf, keys behind a sequence's length not seen."""
    batch, tokens, width, heads, inner, lengths = 2, 40, 256, 4, 1024, (40, 27)
    layer = torch.nn.TransformerEncoderLayer(width, heads, inner, dropout=0.0, activation="gelu", batch_first=True,
                                             layer_norm_eps=1e-12, dtype=torch.float64)
    weights = {
        "self_attn.in_proj_weight": pattern((3 * width, width), 10, 1),
        "self_attn.in_proj_bias": pattern((3 * width,), 9, 2),
        "self_attn.out_proj.weight": pattern((width, width), 10, 3),
        "self_attn.out_proj.bias": pattern((width,), 9, 4),
        "norm1.weight": pattern((width,), 9, 5, around=1.0),
        "norm1.bias": pattern((width,), 9, 6),
        "linear1.weight": pattern((inner, width), 10, 7),
        "linear1.bias": pattern((inner,), 9, 8),
        "linear2.weight": pattern((width, inner), 11, 9),
        "linear2.bias": pattern((width,), 9, 10),
        "norm2.weight": pattern((width,), 9, 11, around=1.0),
        "norm2.bias": pattern((width,), 9, 12),
    }
    layer.load_state_dict(weights)
    x = pattern((batch, tokens, width), 6, 13)
    padding = torch.arange(tokens)[None, :] >= torch.tensor(lengths)[:, None]
    with torch.no_grad():  # in training mode: the fast path would zero the padding
        write("encoder_layer.bin", layer(x, src_key_padding_mask=padding))


def rotated(x, positions, base):
    """x is [heads, tokens, dim]: pairs (i, i + dim / 2) turn by position * base^(-2 i / dim)."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-torch.arange(half, dtype=torch.float64) / half)
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()), -1)


def decoder():
    """One sequence after another, each at once: what prefill and decoding steps must add up to."""
    lengths, width, heads, key_heads, dim, inner, base, epsilon = (40, 33), 256, 8, 2, 32, 640, 10000.0, 1e-5
    norm1, norm2 = pattern((width,), 9, 21, around=1.0), pattern((width,), 9, 22, around=1.0)
    qkv = pattern(((heads + 2 * key_heads) * dim, width), 10, 23)
    out = pattern((width, heads * dim), 10, 24)
    gate, up = pattern((inner, width), 10, 25), pattern((inner, width), 10, 26)
    down = pattern((width, inner), 11, 27)

    def layer(x):
        positions = torch.arange(len(x), dtype=torch.float64)
        normed = functional.rms_norm(x, (width,), norm1, epsilon)
        q, k, v = ((normed @ qkv.T).unflatten(1, (-1, dim)).transpose(0, 1)
                   .split((heads, key_heads, key_heads)))
        attended = functional.scaled_dot_product_attention(
            rotated(q, positions, base)[None], rotated(k, positions, base)[None], v[None], is_causal=True,
            enable_gqa=True)[0]
        x = x + attended.transpose(0, 1).flatten(1) @ out.T
        normed = functional.rms_norm(x, (width,), norm2, epsilon)
        return x + (functional.silu(normed @ gate.T) * (normed @ up.T)) @ down.T

    prompts = pattern((sum(lengths), width), 6, 28).split(lengths)
    steps = pattern((len(lengths), width), 6, 29)
    results = [layer(torch.cat((prompt, step[None]))) for prompt, step in zip(prompts, steps)]
    # All prompts first, then the one token that each sequence is continued with.
    write("decoder_layer.bin", torch.cat([r[:-1] for r in results] + [r[-1:] for r in results]))


encoder()
decoder()
