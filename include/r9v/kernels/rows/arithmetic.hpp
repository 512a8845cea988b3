// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What kernels compute of a row: states that gather runs of values and merge, in any grouping, to
// the totals of the row, and what becomes of each value. The reference does not use them: it
// follows the definitions (reference.hpp).
//
// `pass` values are gathered while a row streams by once; `held` ones while all of it stays in
// registers, where values can be looked at twice.
#pragma once

#include <r9v/kernels/rows/problem.hpp>
#include <r9v/ops/mask_range.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// -infinity, whatever the flags.
template<class Real>
[[nodiscard]] R9V_HD constexpr Real minus_infinity() {
    if constexpr (std::is_same_v<Real, float>) {
        return numeric::from_opaque_bits<float>(numeric::float_infinity | 0x8000'0000u);
    } else {
        return numeric::from_opaque_bits<double>(numeric::double_infinity | 1ull << 63);
    }
}

/// a - b; out of sight of -ffast-math, which would take it apart: sums of differences from one
/// value, and multiples of a difference between numbers of the largest size.
[[nodiscard]] R9V_HD constexpr float difference(float a, float b) {
    return numeric::from_opaque_bits<float>(numeric::opaque_bits(a - b));
}

} // namespace detail

/// Largest value and sum of exp(x - largest). Values that do not count are `not_kept`, as -inf is:
/// they add nothing once a value that counts is there, and `largest` tells whether one is.
struct softmax_arithmetic {
    struct state {
        float largest = not_kept;
        float sum = 0;
    };
    struct totals {
        float top;     ///< the largest value that counts
        float largest; ///< the same, or the sink
        float factor;  ///< 1 / sum; 0 where nothing counts
        float log_sum;
    };
    using held = softmax_arithmetic;
    static constexpr bool is_shifted = false;
    static constexpr float padding = not_kept;

    /// Values as they enter: -inf does not count, NaN stays.
    template<class Math, int Width>
    R9V_HD static run<float, Width> entering(Math math, run<float, Width> x) {
        R9V_UNROLL
        for (float& value : x)
            value = math.max(value, not_kept);
        return x;
    }
    template<class Math, int Width>
    R9V_HD static state add(Math math, const state& before, const run<float, Width>& x, float) {
        float largest = before.largest;
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            largest = math.max(largest, x[i]);
        float sum = before.sum * math.exp(detail::difference(before.largest, largest));
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            sum += math.exp(detail::difference(x[i], largest));
        return {largest, sum};
    }
    template<class Math>
    R9V_HD static state merge(Math math, const state& a, const state& b) {
        const float largest = math.max(a.largest, b.largest);
        return {largest, a.sum * math.exp(detail::difference(a.largest, largest)) +
                             b.sum * math.exp(detail::difference(b.largest, largest))};
    }
    /// `sink`: a logit that joins the sum; `not_kept` where there is none.
    template<class Math, class Kind>
    R9V_HD static totals finish(Math math, const Kind&, const state& row, float sink, index_t,
                                float) {
        const state all = merge(math, row, {sink, is_kept(sink) ? 1.0f : 0.0f});
        return {row.largest, all.largest,
                math.select(is_kept(row.largest), math.reciprocal(all.sum), 0.0f),
                math.log(all.sum)};
    }
    template<class Math, class Kind, int Width>
    R9V_HD static run<float, Width> apply(Math math, const Kind&, const totals& row,
                                          run<float, Width> x) {
        R9V_UNROLL
        for (float& value : x) {
            if constexpr (std::is_same_v<Kind, row_log_softmax>) {
                value = math.select(is_kept(value),
                                    detail::difference(value, row.largest) - row.log_sum,
                                    detail::minus_infinity<float>());
            } else {
                value = math.exp(detail::difference(value, row.largest)) * row.factor;
            }
        }
        return x;
    }
    template<class Kind>
    R9V_HD static float statistic(const Kind&, const totals& row, row_statistic s) {
        const float value = s == row_statistic::maximum ? row.top : row.largest + row.log_sum;
        const float bound = s == row_statistic::maximum ? row.top : row.largest;
        return is_kept(bound) ? (is_inf(bound) ? bound : value) : detail::minus_infinity<float>();
    }
};

/// Sum of squares.
struct rms_arithmetic {
    struct state {
        float squares = 0;
    };
    struct totals {
        float inverse;
    };
    using held = rms_arithmetic;
    static constexpr bool is_shifted = false;
    static constexpr float padding = 0;

    template<class Math, int Width>
    R9V_HD static run<float, Width> entering(Math, const run<float, Width>& x) {
        return x;
    }
    template<class Math, int Width>
    R9V_HD static state add(Math math, state sum, const run<float, Width>& x, float) {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            sum.squares = math.fma(x[i], x[i], sum.squares);
        return sum;
    }
    template<class Math>
    R9V_HD static state merge(Math, const state& a, const state& b) {
        return {a.squares + b.squares};
    }
    template<class Math>
    R9V_HD static totals finish(Math math, const row_rms_norm& kind, const state& row, float,
                                index_t columns, float) {
        const float mean = row.squares * math.reciprocal(static_cast<float>(columns));
        return {math.rsqrt(mean + kind.epsilon)};
    }
    template<class Math, int Width>
    R9V_HD static run<float, Width> apply(Math, const row_rms_norm&, const totals& row,
                                          run<float, Width> x) {
        R9V_UNROLL
        for (float& value : x)
            value *= row.inverse;
        return x;
    }
    R9V_HD static float statistic(const row_rms_norm&, const totals& row, row_statistic) {
        return row.inverse;
    }
};

/// What both ways to a mean and a variance have in common. Values are taken relative to a `shift`
/// near the mean, the same for the whole row: their distances from it are exact where the values
/// are close, so an offset of the data costs no precision.
struct layer_norm_totals {
    float shift;
    float mean; ///< of x - shift
    float inverse;
    float offset; ///< -mean * inverse
};

struct layer_norm_base {
    using totals = layer_norm_totals;
    static constexpr bool is_shifted = true;
    static constexpr float padding = 0;

    template<class Math, int Width>
    R9V_HD static run<float, Width> entering(Math, const run<float, Width>& x) {
        return x;
    }
    template<class Math, int Width>
    R9V_HD static run<float, Width> apply(Math math, const row_layer_norm&, const totals& row,
                                          run<float, Width> x) {
        R9V_UNROLL
        for (float& value : x)
            value = math.fma(detail::difference(value, row.shift), row.inverse, row.offset);
        return x;
    }
    template<class Math>
    R9V_HD static totals totals_of(Math math, const row_layer_norm& kind, float shift, float mean,
                                   float variance) {
        const float inverse = math.rsqrt(math.max(variance, 0.0f) + kind.epsilon);
        return {shift, mean, inverse, -mean * inverse};
    }
    R9V_HD static float statistic(const row_layer_norm&, const totals& row, row_statistic s) {
        return s == row_statistic::mean ? row.shift + row.mean : row.inverse;
    }
};

/// All values in registers: the shift is their mean up to rounding, so plain sums do.
struct layer_norm_held : layer_norm_base {
    struct state {
        float sum = 0;
        float squares = 0;
    };

    template<class Math, int Width>
    R9V_HD static state add(Math math, state sum, const run<float, Width>& x, float shift) {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            const float away = detail::difference(x[i], shift);
            sum.sum += away;
            sum.squares = math.fma(away, away, sum.squares);
        }
        return sum;
    }
    template<class Math>
    R9V_HD static state merge(Math, const state& a, const state& b) {
        return {a.sum + b.sum, a.squares + b.squares};
    }
    template<class Math>
    R9V_HD static totals finish(Math math, const row_layer_norm& kind, const state& row, float,
                                index_t columns, float shift) {
        const float one = math.reciprocal(static_cast<float>(columns));
        const float mean = row.sum * one;
        const float variance = math.fma(-mean, mean, row.squares * one);
        return totals_of(math, kind, shift, mean, variance);
    }
};

/// One pass: the shift is the row's first value, which may be an outlier, so runs are merged by
/// their means (Chan, Golub, LeVeque: "Algorithms for computing the sample variance", 1983).
struct layer_norm_arithmetic : layer_norm_base {
    struct state {
        float count = 0;
        float mean = 0;    ///< of x - shift
        float squares = 0; ///< sum of squared distances from the mean
    };
    using held = layer_norm_held;

    template<class Math, int Width>
    R9V_HD static state add(Math math, const state& before, const run<float, Width>& x,
                            float shift) {
        float sum = 0;
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            sum += detail::difference(x[i], shift);
        state here{static_cast<float>(Width), sum / static_cast<float>(Width), 0};
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            const float away = detail::difference(x[i], shift) - here.mean;
            here.squares = math.fma(away, away, here.squares);
        }
        return merge(math, before, here);
    }
    template<class Math>
    R9V_HD static state merge(Math math, const state& a, const state& b) {
        const float count = a.count + b.count;
        const float share = b.count * math.reciprocal(math.max(count, 1.0f));
        const float away = b.mean - a.mean;
        return {count, math.fma(away, share, a.mean),
                a.squares + b.squares + away * away * a.count * share};
    }
    template<class Math>
    R9V_HD static totals finish(Math math, const row_layer_norm& kind, const state& row, float,
                                index_t columns, float shift) {
        const float variance = row.squares * math.reciprocal(static_cast<float>(columns));
        return totals_of(math, kind, shift, row.mean, variance);
    }
};

namespace detail {

template<class Kind>
struct arithmetic_of {
    using type = softmax_arithmetic;
};
template<>
struct arithmetic_of<row_rms_norm> {
    using type = rms_arithmetic;
};
template<>
struct arithmetic_of<row_layer_norm> {
    using type = layer_norm_arithmetic;
};

} // namespace detail

/// The arithmetic of a kind of row program.
template<class Kind>
using row_arithmetic = typename detail::arithmetic_of<Kind>::type;

/// Floats that a part of a row leaves for the others: its state, and the shift it is relative to.
template<class Kind>
inline constexpr int row_part_floats =
    static_cast<int>(sizeof(typename row_arithmetic<Kind>::state) / sizeof(float)) +
    (row_arithmetic<Kind>::is_shifted ? 1 : 0);

} // namespace r9v::inline R9V_ABI
