// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Masks that keep one interval of columns in every row: causal, window, prefix. A run of values
// costs one comparison and one selection a value.
#pragma once

#include <r9v/ops/check.hpp>
#include <r9v/ops/mask_range.hpp>

namespace r9v::inline R9V_ABI {

/// Where the diagonal lies when queries and keys differ in number: which query meets which key.
enum class corner {
    top_left,    ///< query i stands at key i: both sequences begin together
    bottom_right ///< the last query stands at the last key: both sequences end together
};
inline constexpr corner top_left = corner::top_left;
inline constexpr corner bottom_right = corner::bottom_right;

/// The columns of one row that are kept, counted from where a run begins: [begin, end). Both are
/// within ±2^31, and exact where they are near the run.
struct lane_interval {
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

namespace detail {

/// Bounds saturate at this distance from a run. With offsets of lanes below 2^29 nothing overflows
/// and nothing lands on the wrong side.
inline constexpr std::int32_t reach = std::int32_t{1} << 30;

/// `value` as 32 bits, saturated to ±reach. Two comparisons on the vector unit (the scalar unit has
/// none of 64 bits for less), the rest stays on the scalar unit; the same for all runs of a tile.
[[nodiscard]] R9V_HD constexpr std::int32_t saturated(index_t value) {
    const index_t bounded = value > reach ? reach : value;
    return static_cast<std::int32_t>(bounded < -reach ? -reach : bounded);
}

/// Row r keeps columns r + low up to and without r + high.
struct band {
    index_t low = 0;
    index_t high = 0;
};

[[nodiscard]] R9V_HD constexpr column_range columns_of_band(const band& b, const row_range& rows) {
    if (rows.begin >= rows.end || b.low >= b.high) return {};
    const index_t last = rows.end - 1;
    return ordered({larger(0, rows.begin + b.low), larger(0, last + b.high),
                    larger(0, last + b.low), larger(0, rows.begin + b.high)});
}

/// Where column `row + bound` of the lane's row stands, counted from the run at `at`.
[[nodiscard]] R9V_HD constexpr std::int32_t from_diagonal(index_t bound, const coordinate& at) {
    return saturated(at.row_base + bound - at.column_base) + (at.row_offset - at.column_offset);
}
/// Where column `bound` stands, counted from the run at `at`.
[[nodiscard]] R9V_HD constexpr std::int32_t from_run(index_t bound, const coordinate& at) {
    return saturated(bound - at.column_base) - at.column_offset;
}

/// How far row i of a result stands from key i.
[[nodiscard]] R9V_HD constexpr index_t diagonal_shift(corner side, const extents& result) {
    return side == corner::bottom_right ? result.columns - result.rows : 0;
}

} // namespace detail

/// The values of a run that lie inside the interval; `not_kept` elsewhere.
template<class Math, class Real, int Width>
[[nodiscard]] R9V_HD run<Real, Width> keep_interval(Math math, run<Real, Width> x,
                                                    const lane_interval& kept) {
    R9V_UNROLL
    for (int i = 0; i < Width; ++i)
        x[i] = math.select((i >= kept.begin) & (i < kept.end), x[i], Real{not_kept});
    return x;
}

/// Keeps the keys up to and including the one that the query stands at.
struct causal_op {
    static constexpr auto role = r9v::role::mask;
    corner side = corner::bottom_right;
    index_t shift = 0;

    R9V_HD constexpr void bind(const extents& result) {
        shift = detail::diagonal_shift(side, result);
    }
    [[nodiscard]] R9V_HD constexpr column_range columns_of(const row_range& rows) const {
        return detail::columns_of_band({-detail::far_away, shift + 1}, rows);
    }
    [[nodiscard]] R9V_HD constexpr lane_interval interval_of(const coordinate& at) const {
        return {-detail::reach, detail::from_diagonal(shift + 1, at)};
    }
    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD run<Real, Width> operator()(Math math, const run<Real, Width>& x,
                                                     const coordinate& at) const {
        return keep_interval(math, x, interval_of(at));
    }
};

/// Keeps the keys from `left` before to `right` after the one that the query stands at.
struct window_op {
    static constexpr auto role = r9v::role::mask;
    index_t left = 0;
    index_t right = 0;
    corner side = corner::bottom_right;
    index_t shift = 0;

    R9V_HD constexpr void bind(const extents& result) {
        shift = detail::diagonal_shift(side, result);
    }
    [[nodiscard]] R9V_HD constexpr column_range columns_of(const row_range& rows) const {
        return detail::columns_of_band({shift - left, shift + right + 1}, rows);
    }
    [[nodiscard]] R9V_HD constexpr lane_interval interval_of(const coordinate& at) const {
        return {detail::from_diagonal(shift - left, at),
                detail::from_diagonal(shift + right + 1, at)};
    }
    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD run<Real, Width> operator()(Math math, const run<Real, Width>& x,
                                                     const coordinate& at) const {
        return keep_interval(math, x, interval_of(at));
    }
};

namespace detail {

/// A length that the host knows.
struct known_length {
    static constexpr space memory = space::none;
    index_t value = 0;
    [[nodiscard]] R9V_HD constexpr index_t of(index_t) const { return value; }
};

/// One length for each batch, in memory.
template<class View>
struct length_of_batch : operand<span::scalar, View> {
    [[nodiscard]] R9V_HD constexpr index_t of(index_t batch) const {
        return this->view.data[batch * this->view.strides[0]];
    }
};

} // namespace detail

/// Keeps the first keys of every row, as many as the batch's length says.
template<class Length>
struct prefix_op {
    static constexpr auto role = r9v::role::mask;
    static constexpr space memory = Length::memory;
    Length length;

    [[nodiscard]] R9V_HD constexpr column_range columns_of(const row_range& rows) const {
        if (rows.begin >= rows.end) return {};
        const index_t end = detail::larger(0, length.of(rows.batch));
        return {0, end, 0, end};
    }
    [[nodiscard]] R9V_HD constexpr lane_interval interval_of(const coordinate& at) const {
        return {-detail::reach, detail::from_run(length.of(at.batch()), at)};
    }
    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD run<Real, Width> operator()(Math math, const run<Real, Width>& x,
                                                     const coordinate& at) const {
        return keep_interval(math, x, interval_of(at));
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        if constexpr (Length::memory != space::none) visit("prefix", length, access::read);
    }
};

/// Keeps, for query i, the keys up to and including the one it stands at: key i with `top_left`,
/// key i + keys - queries with `bottom_right`.
[[nodiscard]] constexpr causal_op causal(corner side) {
    return {side};
}
template<class... Nothing>
[[nodiscard]] constexpr rejected causal(const Nothing&...) {
    static_assert(sizeof...(Nothing) < 0,
                  "r9v: causal() does not say where the diagonal lies when queries and keys differ "
                  "in number. Write causal(bottom_right), as decoders mean it, or "
                  "causal(top_left).");
    return {};
}

/// Keeps the keys from `left` before to `right` after the one that the query stands at, both
/// included. A negative number means no bound on that side, as in FlashAttention.
[[nodiscard]] constexpr window_op window(index_t left, index_t right, corner side = bottom_right) {
    const auto bound = [](index_t steps) {
        return steps < 0 ? detail::far_away : detail::smaller(steps, detail::far_away);
    };
    return {bound(left), bound(right), side};
}

/// The sliding window of decoders: the `size` most recent keys, the one that the query stands at
/// among them and nothing after it. That is window(size - 1, 0); window(0) keeps nothing, and a
/// negative size means no bound, as causal(bottom_right).
[[nodiscard]] constexpr window_op window(index_t size) {
    return size == 0 ? window_op{-1, 0} : window(size < 0 ? size : size - 1, 0);
}

namespace detail {

template<class T>
consteval bool is_lengths() {
    if constexpr (any_tensor<T>) {
        return T::rank == 1 && std::is_same_v<typename T::value_type, std::int32_t>;
    } else {
        return std::is_integral_v<T>;
    }
}

/// [batches] seen as one value for each batch.
template<class View>
[[nodiscard]] constexpr auto length_operand(const View& lengths) {
    if constexpr (View::memory == space::host) {
        using batched = host_tensor<typename View::element_type, 2, layout::strided>;
        return length_of_batch<batched>{
            {batched{lengths.data, {lengths.extents[0], 1}, {lengths.strides[0], 0}}}};
    } else {
        using batched = tensor<typename View::element_type, 2, layout::strided>;
        return length_of_batch<batched>{
            {batched{lengths.data, {lengths.extents[0], 1}, {lengths.strides[0], 0}}}};
    }
}

} // namespace detail

/// Keeps the keys in front of a length: a number, or a tensor of int32 with one for each batch
/// (padding). Lengths beyond the row keep all of it, negative ones nothing.
template<class T>
[[nodiscard]] constexpr auto prefix(const T& lengths) {
    constexpr bool right = detail::is_lengths<T>();
    static_assert(right, "r9v: prefix() takes a length. Write a whole number, or a tensor of int32 "
                         "of rank 1 with one length for each batch.");
    if constexpr (!right) {
        return rejected{};
    } else if constexpr (any_tensor<T>) {
        return prefix_op{detail::length_operand(lengths)};
    } else {
        return prefix_op{detail::known_length{static_cast<index_t>(lengths) > detail::far_away
                                                  ? detail::far_away
                                                  : static_cast<index_t>(lengths)}};
    }
}

namespace detail {

template<class Op>
concept keeps_interval = requires(const Op& op, const coordinate& at) { op.interval_of(at); };

template<class Op>
[[nodiscard]] R9V_HD constexpr lane_interval narrowed(const lane_interval& kept, const Op& op,
                                                      const coordinate& at) {
    if constexpr (keeps_interval<Op>) {
        const lane_interval other = op.interval_of(at);
        return {kept.begin < other.begin ? other.begin : kept.begin,
                kept.end < other.end ? kept.end : other.end};
    } else {
        return kept;
    }
}

} // namespace detail

/// The interval that all interval masks of a chain keep together at a run; its other masks, if any,
/// still have to run (see `has_only_intervals`).
template<class... Ops>
[[nodiscard]] R9V_HD constexpr lane_interval interval_of(const chain<Ops...>& ops,
                                                         const coordinate& at) {
    lane_interval kept{-detail::reach, detail::reach};
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        ((kept = detail::narrowed(kept, get<Is>(ops.ops), at)), ...);
    }(std::index_sequence_for<Ops...>{});
    return kept;
}

/// Whether every mask of a chain keeps an interval, so that interval_of() says all.
template<class Chain>
inline constexpr bool has_only_intervals = false;
template<class... Ops>
inline constexpr bool has_only_intervals<chain<Ops...>> =
    ((Ops::role != role::mask || detail::keeps_interval<Ops>) && ...);

} // namespace r9v::inline R9V_ABI
