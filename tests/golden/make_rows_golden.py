# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Computes the golden values of row programs in float64, without any code of r9v.

    pip install numpy scipy && python3 tests/golden/make_rows_golden.py

Writes rows.txt beside itself, in the form of make_golden.py. Definitions: scipy.special's softmax,
log_softmax and logsumexp; PyTorch's rms_norm and layer_norm (biased variance). A value of -inf does not
count: rows without any that does give zeros, and log_sum_exp -inf.
"""
import numpy as np
from scipy.special import log_softmax, logsumexp, softmax

from make_golden import f32, on_grid, write

ROWS, COLUMNS, PLACES = 6, 23, 5
INF = np.inf


def rows_of(function, x):
    """function of the values that count of each row; `none` of rows without any."""
    return np.array([function(row) for row in x])


def softmax_of(row, sink=-INF):
    kept = row > -INF
    if np.isnan(row).any() or (row == INF).any():
        return np.full(row.shape, np.nan)
    result = np.zeros(row.shape)
    if kept.any():
        result[kept] = softmax(np.append(row[kept], sink))[:-1]
    return result


def log_softmax_of(row):
    kept = row > -INF
    result = np.full(row.shape, -INF)
    if np.isnan(row).any() or (row == INF).any():
        return np.where(kept | np.isnan(row), np.nan, -INF)
    if kept.any():
        result[kept] = log_softmax(row[kept])
    return result


def log_sum_exp_of(row, sink=-INF):
    if np.isnan(row).any():
        return np.nan
    values = np.append(row, sink)
    return logsumexp(values) if (values > -INF).any() else -INF


def top_k(row, k):
    order = sorted(range(row.size), key=lambda i: (-row[i], i))[:k]
    return row[order], np.array(order)


def special_rows():
    """Large, equal and infinite logits, NaN, nothing that counts."""
    x = on_grid((ROWS, COLUMNS), span=4, unit=8)
    x[0, ::2], x[0, 1::2] = 60000, -60000
    x[1] = -60000
    x[2, 3:] = -INF
    x[3] = -INF
    x[4, 7] = INF
    x[5, 11] = np.nan
    return x


def main():
    x = on_grid((ROWS, COLUMNS), span=4, unit=8)
    edge = special_rows()
    temperatures = f32(np.linspace(0.5, 3, ROWS))
    weights, shifts = on_grid(COLUMNS), on_grid(COLUMNS)
    far = f32(10000 + x / 8)
    kept = np.tril(np.ones((ROWS, COLUMNS)), COLUMNS - ROWS) > 0
    masked = np.where(kept, x, -INF)
    epsilon = f32(1e-5)

    def rms(values, e):
        return values / np.sqrt(np.mean(values ** 2, axis=-1, keepdims=True) + e)

    def layer(values, e):
        centred = values - values.mean(axis=-1, keepdims=True)
        return centred / np.sqrt(np.mean(centred ** 2, axis=-1, keepdims=True) + e)

    probabilities = rows_of(softmax_of, x)
    best = [top_k(row, PLACES) for row in probabilities]
    values = np.array([v for v, _ in best])
    write("rows.txt", {
        "x": x, "edge": edge, "far": far, "temperatures": temperatures, "weights": weights,
        "shifts": shifts,
        "softmax": probabilities,
        "softmax_edge": rows_of(softmax_of, edge),
        "softmax_transposed": rows_of(softmax_of, x.T),
        "softmax_causal": rows_of(softmax_of, masked),
        "softmax_sink": rows_of(lambda row: softmax_of(row, f32(1.5)), x),
        "softmax_sink_edge": rows_of(lambda row: softmax_of(row, f32(1.5)), edge),
        "softmax_temperature": rows_of(softmax_of, x / temperatures[:, None]),
        "log_softmax": rows_of(log_softmax_of, x),
        "log_softmax_edge": rows_of(log_softmax_of, edge),
        "log_sum_exp": rows_of(log_sum_exp_of, x),
        "log_sum_exp_edge": rows_of(log_sum_exp_of, edge),
        "log_sum_exp_sink_edge": rows_of(lambda row: log_sum_exp_of(row, f32(1.5)), edge),
        "rms_norm": rms(x, epsilon) * weights,
        "rms_norm_inverse": 1 / np.sqrt(np.mean(x ** 2, axis=-1) + epsilon),
        "layer_norm": layer(x, epsilon) * weights + shifts,
        "layer_norm_far": layer(far, epsilon),
        "layer_norm_mean": x.mean(axis=-1),
        "layer_norm_inverse": 1 / np.sqrt(x.var(axis=-1) + epsilon),
        "norm_of_equal_values": layer(np.full((1, COLUMNS), 3.0), epsilon),
        "top_k_values": values,
        "top_k_indices": np.array([i for _, i in best]),
        "top_k_renormalized": values / values.sum(axis=-1, keepdims=True),
        "top_k_softmax": softmax(np.log(values), axis=-1),
    })


if __name__ == "__main__":
    main()
