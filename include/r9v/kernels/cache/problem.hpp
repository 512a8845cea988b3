// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Programs on rows of heads: rotate() turns them, append_key_value() writes new keys and values
// into a cache, keys turned on the way.
#pragma once

#include <r9v/kernels/cache/destination.hpp>
#include <r9v/kernels/cache/rotary.hpp>
#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI {

/// Rows of a tensor [batch, head, row, dim], turned.
template<class View, class Rotary>
struct rotate_head {
    using view_type = View;
    static constexpr int results = 1;
    static constexpr space memory = joined_memory(View::memory, Rotary::memory);
    View x;
    Rotary rotary;

    [[nodiscard]] R9V_HD constexpr extents result() const {
        return {x.extents[0], x.extents[2], x.extents[3], x.extents[1]};
    }
};

/// New keys and values [batch, head, token, dim] on their way into a cache.
template<class Keys, class Values, class Rotary>
struct append_head {
    using keys_type = Keys;
    using values_type = Values;
    static constexpr int results = 1;
    static constexpr space memory =
        joined_memory(Keys::memory, joined_memory(Values::memory, Rotary::memory));
    Keys k;
    Values v;
    Rotary rotary;

    [[nodiscard]] R9V_HD constexpr index_t batches() const { return k.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return k.extents[1]; }
    [[nodiscard]] R9V_HD constexpr index_t tokens() const { return k.extents[2]; }
    [[nodiscard]] R9V_HD constexpr extents result() const {
        return {k.extents[0], k.extents[2], k.extents[3], k.extents[1]};
    }
};

/// append_key_value(...) before its store(cache).
template<class Head>
struct appending {
    Head head;
};

namespace detail {

template<class T>
inline constexpr bool is_rotary = false;
template<class Positions, class Angles>
inline constexpr bool is_rotary<rotary_embedding<Positions, Angles>> = true;

/// Rows to read, of any rank, as [batch, head, row, dim]. `HeadsOnly`: rank 3 has heads in front
/// instead of batches.
template<bool HeadsOnly, class View>
[[nodiscard]] constexpr auto four_axes(const View& from) {
    using element = const typename View::value_type;
    using whole = std::conditional_t<View::memory == space::device, tensor<element, 4>,
                                     host_tensor<element, 4>>;
    constexpr int rank = View::rank;
    whole to;
    to.data = from.data;
    for (int axis = 0; axis < 2; ++axis) { // rows and columns
        to.extents[2 + axis] = from.extents[rank - 2 + axis];
        to.strides[2 + axis] = from.strides[rank - 2 + axis];
        to.extents[axis] = 1;
    }
    if constexpr (rank == 3) {
        to.extents[HeadsOnly ? 1 : 0] = from.extents[0];
        to.strides[HeadsOnly ? 1 : 0] = from.strides[0];
    } else if constexpr (rank == 4) {
        for (int axis = 0; axis < 2; ++axis) {
            to.extents[axis] = from.extents[axis];
            to.strides[axis] = from.strides[axis];
        }
    }
    return to;
}

enum class rows_rule { kept, not_a_tensor, element, rank, layout };

template<int Lowest, class View>
consteval rows_rule broken_rows_rule() {
    if constexpr (!any_tensor<View>) {
        return rows_rule::not_a_tensor;
    } else if constexpr (!is_floating_element<typename View::value_type>) {
        return rows_rule::element;
    } else if constexpr (View::rank < Lowest || View::rank > 4) {
        return rows_rule::rank;
    } else if constexpr (View::element_layout != layout::row_major) {
        return rows_rule::layout;
    } else {
        return rows_rule::kept;
    }
}

template<rows_rule Broken>
constexpr bool report_rows() {
    static_assert(
        Broken != rows_rule::not_a_tensor,
        "r9v: rows of heads stand in tensors. Pass tensors without ops; what comes behind "
        "rotate() may have them.");
    static_assert(Broken != rows_rule::element,
                  "r9v: rows of heads hold floating-point numbers. Pass tensors of half, bf16 or "
                  "float.");
    static_assert(Broken != rows_rule::layout,
                  "r9v: rows of heads are contiguous. Pass tensors of layout::row_major; "
                  "heads_first(t) moves the heads.");
    return Broken == rows_rule::kept;
}

template<class Rotary>
constexpr bool report_rotary() {
    constexpr bool right = is_rotary<Rotary> || std::is_same_v<Rotary, no_rotary>;
    static_assert(right, "r9v: this is not a rotary embedding. Write rotary({.theta = 10000}), "
                         "rotary(positions, {...}) or rotary(positions, cosines, sines, pairs).");
    return right;
}

template<class... Parts>
constexpr bool report_one_memory() {
    constexpr bool device = ((Parts::memory == space::device) || ...);
    constexpr bool host = ((Parts::memory == space::host) || ...);
    static_assert(!device || !host,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    return !device || !host;
}

} // namespace detail

/// `rotate(q, rotary(positions, {...})) | store(y)`: rows with position embedding. q has rank 2
/// [rows, dim], 3 [batch, row, dim] or 4 [batch, head, row, dim]; positions are those of rows.
/// store(q) itself is allowed.
template<class View, class Rotary>
[[nodiscard]] constexpr auto rotate(const View& x, const Rotary& by) {
    constexpr auto broken = detail::broken_rows_rule<2, View>();
    static_assert(broken != detail::rows_rule::rank,
                  "r9v: rotate() takes a tensor of rank 2 [rows, dim], 3 [batch, row, dim] or 4 "
                  "[batch, head, row, dim]. Fold the other axes first.");
    if constexpr (!detail::report_rows<broken>() || broken != detail::rows_rule::kept) {
        return detail::rejected_program{};
    } else if constexpr (!detail::report_rotary<Rotary>() || !detail::is_rotary<Rotary>) {
        return detail::rejected_program{};
    } else if constexpr (!detail::report_one_memory<View, Rotary>()) {
        return detail::rejected_program{};
    } else {
        const auto rows = detail::four_axes<false>(x);
        const auto settled = detail::settled(by, rows.extents[3]);
        using head = rotate_head<std::remove_const_t<decltype(rows)>,
                                 std::remove_const_t<decltype(settled)>>;
        return program<head, chain<>>{{rows, settled}, {}};
    }
}
/// rotate() does not guess by what.
template<class View>
[[nodiscard]] constexpr auto rotate(const View&) {
    static_assert(!std::is_same_v<View, View>,
                  "r9v: rotate() does not say by which angles. Write rotate(x, rotary({.theta = "
                  "10000})) or rotate(x, rotary(positions, {...})).");
    return detail::rejected_program{};
}

/// `append_key_value(k, v, rotary) | store(cache)`: writes the keys and values of new tokens into a
/// cache, keys turned by their position. k and v have rank 4 [batch, head, token, dim], or rank 3
/// [head, token, dim] for tokens of any sequences behind one another (with cache_slots()).
template<class Keys, class Values, class Rotary>
[[nodiscard]] constexpr auto append_key_value(const Keys& k, const Values& v, const Rotary& by) {
    constexpr auto keys_rule = detail::broken_rows_rule<3, Keys>();
    constexpr auto values_rule = detail::broken_rows_rule<3, Values>();
    constexpr auto broken = keys_rule != detail::rows_rule::kept ? keys_rule : values_rule;
    static_assert(broken != detail::rows_rule::rank,
                  "r9v: append_key_value() takes tensors of rank 4 [batch, head, token, dim], or 3 "
                  "[head, token, dim]. heads_first(t) moves the heads.");
    if constexpr (!detail::report_rows<broken>() || broken != detail::rows_rule::kept) {
        return appending<rejected>{};
    } else if constexpr (!detail::report_rotary<Rotary>()) {
        return appending<rejected>{};
    } else if constexpr (!detail::report_one_memory<Keys, Values, Rotary>()) {
        return appending<rejected>{};
    } else {
        const auto keys = detail::four_axes<true>(k);
        const auto values = detail::four_axes<true>(v);
        const auto settled = detail::settled(by, keys.extents[3]);
        using head =
            append_head<std::remove_const_t<decltype(keys)>, std::remove_const_t<decltype(values)>,
                        std::remove_const_t<decltype(settled)>>;
        return appending<head>{{keys, values, settled}};
    }
}

/// The same without position embedding.
template<class Keys, class Values>
[[nodiscard]] constexpr auto append_key_value(const Keys& k, const Values& v) {
    return append_key_value(k, v, no_rotary{});
}

namespace detail {

enum class append_rule { kept, refused_before, not_a_cache, positions };

template<class Head, class Op>
consteval append_rule broken_append_rule() {
    if constexpr (is_rejected<Head> || is_rejected<Op>) {
        return append_rule::refused_before;
    } else if constexpr (!is_cache_store<Op>) {
        return append_rule::not_a_cache;
    } else if constexpr (!Op::counts_rows && !decltype(Head::rotary)::has_positions) {
        return append_rule::positions;
    } else {
        return append_rule::kept;
    }
}

} // namespace detail

/// append_key_value(...) | store(cache).
template<class Head, class Op>
[[nodiscard]] constexpr auto operator|(const appending<Head>& left, const Op& op) {
    constexpr auto broken = detail::broken_append_rule<Head, Op>();
    static_assert(
        broken != detail::append_rule::not_a_cache,
        "r9v: append_key_value() goes straight into a cache. Write | store(cache_slots(k, "
        "v, slots)), store(cache_rows(k, v, lengths)) or store(cache_pages(k, v, table, "
        "lengths)).");
    static_assert(broken != detail::append_rule::positions,
                  "r9v: slots do not say which positions tokens have. Write rotary(positions, "
                  "{...}) with one position for each token.");
    if constexpr (broken != detail::append_rule::kept) {
        return detail::rejected_program{};
    } else if constexpr (!detail::report_one_memory<Head, Op>()) {
        return detail::rejected_program{};
    } else {
        return program<Head, chain<Op>>{left.head, append(chain<>{}, op)};
    }
}

template<class T>
inline constexpr bool is_rotate_head = false;
template<class View, class Rotary>
inline constexpr bool is_rotate_head<rotate_head<View, Rotary>> = true;
template<class T>
inline constexpr bool is_append_head = false;
template<class Keys, class Values, class Rotary>
inline constexpr bool is_append_head<append_head<Keys, Values, Rotary>> = true;

} // namespace r9v::inline R9V_ABI
