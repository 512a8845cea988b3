// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The head that computes nothing: copy(x) carries a tensor through a chain of ops, from any strides
// and type to any others.
#pragma once

#include <r9v/kernels/rows/problem.hpp>
#include <r9v/ops/store.hpp>

namespace r9v::inline R9V_ABI {

/// `Source` is a source<View, prologue> with a view of rank 2 to 4.
template<class Source>
struct copy_head {
    using source_type = Source;
    using view_type = std::remove_cvref_t<decltype(std::declval<Source>().view)>;
    using prologue_type = std::remove_cvref_t<decltype(std::declval<Source>().prologue)>;
    using element = typename view_type::value_type;
    static constexpr int results = 1;
    static constexpr space memory = Source::memory;

    Source x;

    /// [batch, head, row, column], of which the first two may be missing.
    [[nodiscard]] constexpr extents result() const {
        const view_type& v = x.view;
        return {detail::extent_or_one(v, view_type::rank == 4 ? 3 : 2), detail::extent_or_one(v, 1),
                detail::extent_or_one(v, 0), view_type::rank == 4 ? v.extents[1] : 1};
    }
};

template<class T>
inline constexpr bool is_copy_head = false;
template<class Source>
inline constexpr bool is_copy_head<copy_head<Source>> = true;

namespace detail {

enum class copy_rule { kept, refused_before, not_a_tensor, element, rank, mask, tap };

template<class Input>
consteval copy_rule broken_copy_rule() {
    using view = typename view_of<Input>::type;
    if constexpr (is_rejected<Input>) {
        return copy_rule::refused_before;
    } else if constexpr (!any_tensor<view>) {
        return copy_rule::not_a_tensor;
    } else if constexpr (!is_element<typename view::value_type>) {
        return copy_rule::element;
    } else if constexpr (view::rank > 4) {
        return copy_rule::rank;
    } else if constexpr (is_source<Input>) {
        using prologue = decltype(Input::prologue);
        if constexpr (prologue::has_rejected) {
            return copy_rule::refused_before;
        } else if constexpr (prologue::has_mask || prologue::has_sink) {
            return copy_rule::mask;
        } else if constexpr (prologue::has_tap) {
            return copy_rule::tap;
        } else {
            return copy_rule::kept;
        }
    } else {
        return copy_rule::kept;
    }
}

template<copy_rule Broken>
constexpr bool report_copy() {
    static_assert(Broken != copy_rule::not_a_tensor,
                  "r9v: copy() takes a tensor, or a tensor with ops. Write copy(x) | store(y).");
    static_assert(Broken != copy_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(Broken != copy_rule::rank,
                  "r9v: copy() takes a tensor of rank 1 to 4. Fold the other axes first.");
    static_assert(Broken != copy_rule::mask,
                  "r9v: a copy has no scores to mask. Masks belong to softmax(x | mask) and "
                  "attention(q, k, v, mask).");
    static_assert(Broken != copy_rule::tap,
                  "r9v: a tap stands in front of copy(). Write it behind: copy(x) | tee(t) | "
                  "store(y).");
    return Broken == copy_rule::kept;
}

/// The last op of a chain, where it stores into a tensor of its own layout.
template<class Op>
inline constexpr bool is_plain_store = false;
template<class View>
inline constexpr bool is_plain_store<store_op<View>> = true;
template<class Chain>
struct last_of;
template<class... Ops>
struct last_of<chain<Ops...>> {
    using type =
        std::remove_cvref_t<decltype(get<sizeof...(Ops) - 1>(std::declval<const pack<Ops...>&>()))>;
};
template<>
struct last_of<chain<>> {
    using type = rejected;
};

/// Whether results go to a tensor whose columns are not neighbours.
template<class Chain>
constexpr bool stores_turned() {
    using last = typename last_of<Chain>::type;
    if constexpr (is_plain_store<last>) {
        return decltype(last::to)::view_type::element_layout != layout::row_major;
    } else {
        return false;
    }
}
template<class Head>
inline constexpr bool loads_turned = Head::view_type::element_layout != layout::row_major;

} // namespace detail

/// `copy(x) | ops ... | store(y)`: x has rank 1 [columns], 2 [rows, columns], 3 [batch, rows,
/// columns] or 4 [batch, head, row, column], where a map's [batch, height, width, channels] is one
/// of the last; any strides and element types on both sides, each value rounded once. Changes of
/// layout are views: copy(channels_last(nchw)) | store(nhwc), copy(nhwc) |
/// store(channels_last(nchw)), copy(transposed(x)) | store(y).
template<class Input>
[[nodiscard]] constexpr auto copy(const Input& x) {
    if constexpr (detail::report_copy<detail::broken_copy_rule<Input>()>()) {
        const auto from = detail::to_source(x);
        const auto view = detail::as_matrix(from.view);
        using prologue = std::remove_const_t<decltype(from.prologue)>;
        using from_type = source<std::remove_const_t<decltype(view)>, prologue>;
        return program<copy_head<from_type>, chain<>>{{{view, from.prologue}}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
