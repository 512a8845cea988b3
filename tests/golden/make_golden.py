# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values: what every op and the GEMM give, in float64 and without any code of r9v.

    pip install numpy scipy && python3 tests/golden/make_golden.py

Writes ops.txt, gemm.txt and mask.txt beside itself: named arrays, each `name count` and then the values, with as many
digits as float64 needs. The definitions are PyTorch's (torch.nn.functional) and NumPy's. Numbers that the ops
hold as float are rounded to float32 first.
"""
import pathlib

import numpy as np
from scipy.special import erfc, expit

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(20250301)


def f32(value):
    return np.float64(np.float32(value))


def write(name, arrays):
    with open(HERE / name, "w") as out:
        for key, values in arrays.items():
            flat = np.asarray(values, dtype=np.float64).ravel()
            # %.17g is exact; the shorter %g where it is exact too.
            texts = ["%g" % v if float("%g" % v) == v or np.isnan(v) else "%.17g" % v for v in flat]
            out.write(f"{key} {flat.size}\n")
            for start in range(0, len(texts), 12):
                out.write(" ".join(texts[start:start + 12]) + "\n")


def on_grid(shape, span=2, unit=32):
    """Multiples of 1/unit between -span and span: exact in half and bf16."""
    return RANDOM.integers(-span * unit, span * unit + 1, shape) / unit


def round_to_codes(x, values, codes):
    """The nearest of `values`, ties to the even code, saturating; NaN stays NaN."""
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    x = np.asarray(x, dtype=np.float64)
    result = np.empty_like(x)
    for at, value in np.ndenumerate(x):
        if np.isnan(value):
            result[at] = np.nan
            continue
        distance = np.abs(values - np.clip(value, values[0], values[-1]))
        nearest = np.flatnonzero(distance == distance.min())
        even = [i for i in nearest if codes[i] % 2 == 0]
        result[at] = values[even[0] if even else nearest[0]]
    return result


def fp8(x, exponent_bits, mantissa_bits, has_infinity):
    """OCP 8-bit floating point (OFP8 1.0): all finite codes, decoded by definition."""
    bias = 2 ** (exponent_bits - 1) - 1
    values, codes = [], []
    for code in range(256):
        exponent = (code & 0x7f) >> mantissa_bits
        mantissa = code & (2 ** mantissa_bits - 1)
        top = exponent == 2 ** exponent_bits - 1
        if top and (has_infinity or mantissa == 2 ** mantissa_bits - 1):
            continue
        fraction = mantissa / 2 ** mantissa_bits
        magnitude = (1 + fraction) * 2.0 ** (exponent - bias) if exponent else fraction * 2.0 ** (1 - bias)
        if code == 0x80:
            continue  # minus zero, equal to zero
        values.append(-magnitude if code & 0x80 else magnitude)
        codes.append(code)
    return round_to_codes(x, np.array(values), np.array(codes))


def e4m3(x):
    return fp8(x, 4, 3, False)


def e5m2(x):
    return fp8(x, 5, 2, True)


def int8(x):
    return np.clip(np.rint(x), -128, 127)


# --- one value at a time

def softplus(x, beta=1.0, threshold=20.0):
    return np.where(beta * x > threshold, x, np.logaddexp(0, beta * x) / beta)


def gelu(x):
    return x * erfc(-x / np.sqrt(2)) / 2


def gelu_tanh(x):
    return x * expit(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))


def hard_sigmoid(x):
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


CURVES = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.minimum(np.maximum(x, 0), 6),
    "leaky_relu": lambda x: np.where(x > 0, x, f32(0.01) * x),
    "leaky_relu_0.2": lambda x: np.where(x > 0, x, f32(0.2) * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "elu_1.5": lambda x: np.where(x > 0, x, 1.5 * np.expm1(x)),
    "silu": lambda x: x * expit(x),
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "quick_gelu": lambda x: x * expit(1.702 * x),
    "sigmoid": expit,
    "tanh": np.tanh,
    "hard_swish": lambda x: x * hard_sigmoid(x),
    "hard_sigmoid": hard_sigmoid,
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "softplus": softplus,
    "softplus_2_8": lambda x: softplus(x, 2.0, 8.0),
    "abs": np.abs,
    "square": np.square,
    "exp": np.exp,
    "soft_cap_30": lambda x: 30 * np.tanh(x / 30),
    "clamp_-1_2.5": lambda x: np.minimum(np.maximum(x, -1), 2.5),
    "scale_0.3": lambda x: f32(0.3) * x,
    "scale_shift_0.3_-2": lambda x: f32(0.3) * x - 2,
    "prelu_0.2": lambda x: np.where(x > 0, x, f32(0.2) * x),
    "add_1.5": lambda x: x + 1.5,
    "mul_-3": lambda x: x * -3,
    "map_cube": lambda x: x ** 3,
    "quantize_0.1": lambda x: x / f32(0.1),
    "quantize_0.1_3": lambda x: x / f32(0.1) + 3,
    "quantize_int8_0.1_3": lambda x: int8(x / f32(0.1) + 3),
    "quantize_e4m3_0.05": lambda x: e4m3(x / f32(0.05)),
    "quantize_e5m2_0.05": lambda x: e5m2(x / f32(0.05)),
    "dequantize_0.1": lambda x: x * f32(0.1),
    "dequantize_0.1_3": lambda x: (x - 3) * f32(0.1),
}

GATES = {
    "glu": expit,
    "reglu": lambda x: np.maximum(x, 0),
    "geglu": gelu,
    "geglu_tanh": gelu_tanh,
    "swiglu": lambda x: x * expit(x),
}


def curves():
    edges = [0.0, 1e-6, 0.5, 1.0, 3.0, 5.9, 6.1, 9.0, 20.0, 20.5, 88.0, 1e4]
    x = np.concatenate([RANDOM.normal(0, 3, 36), edges, np.negative(edges)])
    arrays = {"x": x}
    with np.errstate(all="ignore"):
        for name, curve in CURVES.items():
            arrays[name] = curve(x)
    # The ends of the number line, where definitions are limits: float64 of x * gate(x) at minus infinity
    # is NaN, as in PyTorch.
    ends = np.array([np.inf, -np.inf, np.nan])
    arrays["ends"] = ends
    with np.errstate(all="ignore"):
        for name, curve in CURVES.items():
            if not name.startswith("quantize_int8"):  # integers have no NaN
                arrays[name + ".ends"] = curve(ends)
    arrays["gelu_tanh.ends"] = [np.inf, np.nan, np.nan]
    arrays["exp.ends"] = [np.inf, 0, np.nan]
    return arrays


def spans():
    """Ops on [2, 3, 16] with parameters along every span, operands and gates."""
    x = on_grid((2, 3, 16), span=5)
    first, second = x, on_grid(x.shape, span=5)
    tensor, row, batch_row = on_grid(1), on_grid(3), on_grid((2, 3))
    column, batch_column, group = on_grid(16), on_grid((2, 16)), on_grid((3, 2))
    matrix, batch_matrix = on_grid((3, 16)), on_grid((2, 3, 16))
    spread = {
        "per_tensor": (tensor, tensor),
        "per_row": (row, row[None, :, None]),
        "per_batch_row": (batch_row, batch_row[:, :, None]),
        "per_column": (column, column[None, None, :]),
        "per_batch_column": (batch_column, batch_column[:, None, :]),
        "per_group": (group, np.repeat(group, 8, axis=1)[None]),
        "matrix": (matrix, matrix[None]),
        "batch_matrix": (batch_matrix, batch_matrix),
    }
    arrays = {"grid.x": x, "grid.second": second}
    for name, (values, _) in spread.items():
        arrays["grid." + name] = values
    for name, (_, p) in spread.items():
        arrays["add." + name] = x + p
        arrays["mul." + name] = x * p
        if "matrix" in name:
            continue
        arrays["prelu." + name] = np.where(x > 0, x, p * x)
        arrays["scale_shift." + name] = x * p + (p if name == "per_column" else 0.25)
        arrays["dequantize." + name] = (x - 7) * p
        step = np.abs(p) + 0.5
        arrays["quantize." + name] = x / step + 7
    for name, curve in GATES.items():
        arrays[name] = curve(first) * second
    arrays["absmax"] = np.abs(x).max()
    arrays["absmax_rows"] = np.abs(x).max(axis=2)
    arrays["sum_rows"] = x.sum(axis=2)
    arrays["sum_squares_rows"] = (x * x).sum(axis=2)
    return arrays


# --- GEMM programs

def gemm():
    m, n, k, b = 9, 20, 40, 2
    x, w, v = on_grid((b, m, k)), on_grid((b, n, k)), on_grid((b, n, k))
    bias, second_bias, row = on_grid(n), on_grid(n), np.abs(on_grid(m)) + 0.25
    columns, residual = on_grid(k), on_grid((m, n))
    arrays = {"x": x, "w": w, "v": v, "bias": bias, "second_bias": second_bias, "row": row,
              "columns": columns, "residual": residual}
    silu = CURVES["silu"]
    y = np.einsum("mk,nk->mn", x[0], w[0])
    up = np.einsum("mk,nk->mn", x[0], v[0])
    arrays["plain"] = y
    arrays["batched"] = np.einsum("bmk,bnk->bmn", x, w)
    arrays["shared_weights"] = np.einsum("bmk,nk->bmn", x, w[0])
    arrays["shared_rows"] = np.einsum("mk,bnk->bmn", x[0], w)
    # Read as [k, m] and [k, n]: the same memory the other way round.
    xt, wt = x.ravel()[:m * k].reshape(k, m).T, w.ravel()[:n * k].reshape(k, n).T
    arrays["weights_kn"] = x[0] @ wt.T
    arrays["rows_km"] = xt @ w[0].T
    arrays["fused"] = silu(y + bias + residual)
    arrays["ordered"] = silu(y) + bias + residual
    arrays["swiglu"] = silu(y) * up
    arrays["swiglu_biases"] = silu(y + bias) * (up + second_bias)
    arrays["prologue"] = silu(x[0] * row[:, None] + columns) @ w[0].T
    arrays["prologue_exp"] = np.exp(x[0]) @ w[0].T
    chain = CURVES["tanh"](y / 16) * row[:, None] + bias
    chain = np.minimum(np.maximum(gelu(chain * 2 - 0.5) + residual, -1.5), 2)
    arrays["chain"] = CURVES["hard_swish"](chain) * residual
    step = f32(0.37)
    arrays["int8"] = int8(y / step + 4)
    arrays["int8_rows"] = int8(y / row[:, None])
    arrays["e4m3"] = e4m3(y / step)
    arrays["e5m2"] = e5m2(y / step)
    arrays["absmax"] = np.abs(y).max()
    arrays["absmax_rows"] = np.abs(y).max(axis=1)
    arrays["sum_rows"] = y.sum(axis=1)
    arrays["sum_squares_rows"] = (y * y).sum(axis=1)
    return arrays


# --- Masks and rotary embeddings; a random stream of their own, so that the others stay as they are

def masks():
    random = np.random.default_rng(20250401)
    arrays = {}
    for queries, keys in [(2, 5), (5, 2), (4, 7)]:
        name, all_kept, apart = f"{queries}x{keys}", np.ones((queries, keys)), keys - queries
        arrays[f"causal_top_left.{name}"] = np.tril(all_kept)
        arrays[f"causal_bottom_right.{name}"] = np.tril(all_kept, apart)
        arrays[f"window_2_1.{name}"] = np.tril(all_kept, apart + 1) * np.triu(all_kept, apart - 2)
        arrays[f"window_2_1_top_left.{name}"] = np.tril(all_kept, 1) * np.triu(all_kept, -2)
        arrays[f"sliding_3.{name}"] = np.tril(all_kept, apart) * np.triu(all_kept, apart - 2)
        scores = random.integers(-64, 65, (2, 3, queries, keys)) / 32
        slopes = 2.0 ** (-8 * np.arange(1, 4) / 3)  # of three heads, as in the paper
        slopes = slopes.astype(np.float32).astype(np.float64)
        distance = np.abs(np.arange(queries)[:, None] + apart - np.arange(keys)[None, :])
        arrays[f"scores.{name}"], arrays["slopes"] = scores, slopes
        arrays[f"alibi.{name}"] = scores - slopes[None, :, None, None] * distance
        bias = np.where(random.random((2, 1, queries, keys)) < 0.3, -np.inf,
                        random.integers(-64, 65, (2, 1, queries, keys)) / 32)
        arrays[f"bias.{name}"] = bias
        arrays[f"add_mask.{name}"] = scores + bias
    return arrays


def rotary():
    random = np.random.default_rng(20250402)
    positions, dim, theta = np.array([0, 1, 7, 1000, 123456]), 12, 10000.0
    x = random.integers(-64, 65, (2, positions.size, dim)) / 32
    arrays = {"rotary.x": x, "rotary.positions": positions}
    for turned in (12, 8):
        angles = positions[:, None] * theta ** (-np.arange(0, turned, 2) / turned)
        rest = x[..., turned:]
        pairs = x[..., 0:turned:2] + 1j * x[..., 1:turned:2]
        pairs = pairs * np.exp(1j * angles)
        interleaved = np.stack([pairs.real, pairs.imag], -1).reshape(*x.shape[:2], turned)
        arrays[f"rotary.interleaved_{turned}"] = np.concatenate([interleaved, rest], -1)
        # The formula of the Transformers library: x cos + rotate_half(x) sin.
        cos, sin = np.tile(np.cos(angles), 2), np.tile(np.sin(angles), 2)
        front = x[..., :turned]
        half = np.concatenate([-front[..., turned // 2:], front[..., :turned // 2]], -1)
        arrays[f"rotary.halves_{turned}"] = np.concatenate([front * cos + half * sin, rest], -1)
    return arrays


if __name__ == "__main__":
    write("ops.txt", curves() | spans())
    write("gemm.txt", gemm())
    write("mask.txt", masks() | rotary())
