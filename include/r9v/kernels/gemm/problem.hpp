// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The GEMM head: y[b, m, n] = sum over k of x[b, m, k] * w[b, n, k], accumulated in f32, and what
// can be read off it: sizes, batches, element types.
#pragma once

#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI {

/// Two weight matrices of one size: `gemm(x, both(w1, w2))` gives two results, which a gate such as
/// `swiglu()` makes one.
template<any_tensor First, any_tensor Second>
struct weight_pair {
    static constexpr space memory = First::memory;
    First first;
    Second second;
};

namespace detail {

template<class T>
inline constexpr bool is_weight_pair = false;
template<class Left, class Right>
inline constexpr bool is_weight_pair<weight_pair<Left, Right>> = true;

template<class Weights>
struct weight_view {
    using type = Weights;
};
template<class Left, class Right>
struct weight_view<weight_pair<Left, Right>> {
    using type = Left;
};

template<class T>
inline constexpr bool is_gemm_element = std::is_same_v<T, half> || std::is_same_v<T, bf16>;

/// The index of axis `axis` counted from the last: 0 is the last.
template<class View>
constexpr index_t extent_from_last(const View& v, int axis) {
    return v.extents[View::rank - 1 - axis];
}

template<class View>
constexpr index_t batch_extent(const View& v) {
    if constexpr (View::rank == 3) {
        return v.extents[0];
    } else {
        return 1;
    }
}

} // namespace detail

/// `Source` is a source<View, prologue>, `Weights` a view or a weight_pair.
template<class Source, class Weights>
struct gemm_head {
    using source_type = Source;
    using weights_type = Weights;
    static constexpr int results = detail::is_weight_pair<Weights> ? 2 : 1;
    static constexpr space memory = joined_memory(Source::memory, Weights::memory);

    Source x;
    Weights w;

    [[nodiscard]] R9V_HD constexpr const auto& first_weights() const {
        if constexpr (results == 2) {
            return w.first;
        } else {
            return w;
        }
    }
    [[nodiscard]] R9V_HD constexpr const auto& second_weights() const {
        if constexpr (results == 2) {
            return w.second;
        } else {
            return w;
        }
    }

    using x_view = std::remove_cvref_t<decltype(std::declval<Source>().view)>;
    using w_view = typename detail::weight_view<Weights>::type;
    using element = typename x_view::value_type;

    /// Length of the inner axis.
    [[nodiscard]] R9V_HD constexpr index_t inner() const {
        return x.view.extents[x_view::rank - 1];
    }
    /// Batches, rows (m) and columns (n) of the result. An operand of rank 2 serves every batch.
    [[nodiscard]] constexpr extents result() const {
        const index_t x_batches = detail::batch_extent(x.view);
        const index_t w_batches = detail::batch_extent(first_weights());
        return {x_batches == 1 ? w_batches : x_batches, detail::extent_from_last(x.view, 1),
                detail::extent_from_last(first_weights(), 1)};
    }
};

template<class T>
inline constexpr bool is_gemm_head = false;
template<class Source, class Weights>
inline constexpr bool is_gemm_head<gemm_head<Source, Weights>> = true;

namespace detail {

enum class gemm_rule {
    kept,
    refused_before,
    not_a_tensor,
    element,
    same_element,
    rank,
    mixed_memory,
    mask_in_source,
    tap_in_source,
};

template<class View>
constexpr bool is_matrix = View::rank == 2 || View::rank == 3;

template<class Input, class... Ws>
consteval gemm_rule broken_gemm_rule() {
    if constexpr (is_rejected<Input> || (is_rejected<Ws> || ...)) {
        return gemm_rule::refused_before;
    } else if constexpr (!(any_tensor<Input> && ... && any_tensor<Ws>)) {
        return gemm_rule::not_a_tensor;
    } else if constexpr (!(is_gemm_element<typename Input::value_type> && ... &&
                           is_gemm_element<typename Ws::value_type>)) {
        return gemm_rule::element;
    } else if constexpr (!(std::is_same_v<typename Input::value_type, typename Ws::value_type> &&
                           ...)) {
        return gemm_rule::same_element;
    } else if constexpr (!(is_matrix<Input> && ... && is_matrix<Ws>)) {
        return gemm_rule::rank;
    } else if constexpr (!(same_memory(Input::memory, Ws::memory) && ...)) {
        return gemm_rule::mixed_memory;
    } else {
        return gemm_rule::kept;
    }
}

/// The same for the ops in front of x.
template<class Input>
consteval gemm_rule broken_gemm_source_rule() {
    if constexpr (is_source<Input>) {
        using prologue = decltype(Input::prologue);
        if constexpr (prologue::has_mask || prologue::has_sink) {
            return gemm_rule::mask_in_source;
        } else if constexpr (prologue::has_tap) {
            return gemm_rule::tap_in_source;
        }
    }
    return gemm_rule::kept;
}

template<gemm_rule Broken>
constexpr bool report_gemm() {
    static_assert(Broken != gemm_rule::not_a_tensor,
                  "r9v: gemm() multiplies tensors. Write gemm(tensor, tensor) or gemm(tensor | op, "
                  "both(tensor, tensor)).");
    static_assert(Broken != gemm_rule::element,
                  "r9v: gemm() has no kernel for this element type. Use half (_Float16, __half) or "
                  "bf16 for x and the weights.");
    static_assert(
        Broken != gemm_rule::same_element,
        "r9v: x and the weights have different element types. Convert one of them first.");
    static_assert(Broken != gemm_rule::rank,
                  "r9v: gemm() takes matrices. Use rank 2 [m, k] and [n, k], or rank 3 with a "
                  "batch axis in front.");
    static_assert(Broken != gemm_rule::mixed_memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    static_assert(Broken != gemm_rule::mask_in_source,
                  "r9v: gemm() has no scores to mask. Masks belong to softmax(x | mask) and "
                  "attention(q, k, v, mask).");
    static_assert(Broken != gemm_rule::tap_in_source,
                  "r9v: gemm() loads x more than once, so nothing can be written on the way. Move "
                  "the tap behind the program that makes x.");
    return Broken == gemm_rule::kept;
}

/// The same view of constant elements.
template<any_tensor View>
using constant_view = std::conditional_t<
    View::memory == space::device,
    tensor<const typename View::value_type, View::rank, View::element_layout>,
    host_tensor<const typename View::value_type, View::rank, View::element_layout>>;

enum class both_rule { kept, not_a_tensor, types };

template<class First, class Second>
consteval both_rule broken_both_rule() {
    if constexpr (!any_tensor<First> || !any_tensor<Second>) {
        return both_rule::not_a_tensor;
    } else if constexpr (!std::is_same_v<constant_view<First>, constant_view<Second>>) {
        return both_rule::types;
    } else {
        return both_rule::kept;
    }
}

} // namespace detail

/// Two weight matrices for a gated layer; both [n, k] (or [b, n, k]) with equal extents.
template<class First, class Second>
[[nodiscard]] constexpr auto both(const First& first, const Second& second) {
    constexpr auto broken = detail::broken_both_rule<First, Second>();
    static_assert(broken != detail::both_rule::not_a_tensor,
                  "r9v: both() takes two tensors. Write gemm(x, both(w1, w2)).");
    static_assert(broken != detail::both_rule::types,
                  "r9v: both() takes two weights of one type and layout. Use as_strided() on the "
                  "odd one.");
    if constexpr (broken != detail::both_rule::kept) {
        return rejected{};
    } else if constexpr (std::is_same_v<First, Second>) {
        return weight_pair<First, First>{first, second};
    } else {
        using view = detail::constant_view<First>; // one of the two is constant already
        return weight_pair<view, view>{first, second};
    }
}

/// x times the transpose of w: x is [m, k], w is [n, k] as layers store it; a weight in memory as
/// [k, n] is `transposed(w)`. Rank 3 adds a batch axis in front; rank 2 beside rank 3 is shared by
/// all batches. `x` may be `tensor | op | op`: those ops run while x is loaded (rows are m, columns
/// k), and their result is rounded to x's element type. half and bf16; f32 accumulation.
template<class Input, class Weights>
[[nodiscard]] constexpr auto gemm(const Input& x, const Weights& w) {
    using x_view = typename detail::view_of<Input>::type;
    constexpr auto broken = [] {
        constexpr auto of_source = detail::broken_gemm_source_rule<Input>();
        if constexpr (of_source != detail::gemm_rule::kept) {
            return of_source;
        } else if constexpr (detail::is_weight_pair<Weights>) {
            return detail::broken_gemm_rule<x_view, decltype(w.first), decltype(w.second)>();
        } else {
            return detail::broken_gemm_rule<x_view, Weights>();
        }
    }();
    if constexpr (detail::report_gemm<broken>() && broken == detail::gemm_rule::kept) {
        const auto from = detail::to_source(x);
        using head = gemm_head<std::remove_const_t<decltype(from)>, Weights>;
        return program<head, chain<>>{{from, w}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
