// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The k largest results of each row, with their places: what a mixture of experts routes by. It
// ends a program in place of store(), and needs whole rows: only row programs have them.
#pragma once

#include <r9v/numeric/bits.hpp>
#include <r9v/ops/check.hpp>
#include <r9v/ops/mask_range.hpp>
#include <r9v/ops/operand.hpp>
#include <r9v/ops/quantize.hpp>

namespace r9v::inline R9V_ABI {

/// What top_k() stores beside the places.
enum class top_k_weights {
    as_is,       ///< the values
    renormalize, ///< divided by their sum; zeros where that is zero
    softmax,     ///< exp of each over the sum of exp of the k; -inf gives 0
};

template<any_tensor Values, any_tensor Indices>
struct top_k_op {
    static constexpr auto role = r9v::role::store;
    static constexpr space memory = Values::memory;
    static constexpr bool needs_whole_row = true;
    static constexpr int most = 64;
    int k;
    top_k_weights weights;
    operand<span::matrix, Values> values;
    operand<span::matrix, Indices> indices;

    /// What a kept value adds to the sum that divides the weights; `largest` is the row's.
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real weight(Math math, Real value, Real largest) const {
        if (weights != top_k_weights::softmax) return value;
        return is_kept(value) ? math.exp(value - largest) : Real{0};
    }
    /// The stored value, from weight() and the sum of all of them.
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real share(Math math, Real weight, Real sum) const {
        if (weights == top_k_weights::as_is || sum == Real{0}) return weight;
        return detail::quotient(math, weight, sum);
    }
    /// Stores place number `at.column()` of a row.
    template<class Math>
    R9V_HD void store(Math math, const coordinate& at, typename Math::real value,
                      index_t place) const {
        values.template store<1>(math, at, run<typename Math::real, 1>{{value}});
        indices.base(at)[indices.lane_offset(math, at)] = static_cast<std::int32_t>(place);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("top_k values", values, access::write);
        visit("top_k indices", indices, access::write);
    }
};

namespace detail {

enum class top_k_rule { kept, not_a_tensor, constant, element, indices, rank, memory };

template<class Values, class Indices>
consteval top_k_rule broken_top_k_rule() {
    if constexpr (!any_tensor<Values> || !any_tensor<Indices>) {
        return top_k_rule::not_a_tensor;
    } else if constexpr (std::is_const_v<typename Values::element_type> ||
                         std::is_const_v<typename Indices::element_type>) {
        return top_k_rule::constant;
    } else if constexpr (!is_element<typename Values::value_type>) {
        return top_k_rule::element;
    } else if constexpr (!std::is_same_v<typename Indices::value_type, std::int32_t>) {
        return top_k_rule::indices;
    } else if constexpr (Values::rank < 2 || Values::rank > 4 || Indices::rank < 2 ||
                         Indices::rank > 4) {
        return top_k_rule::rank;
    } else if constexpr (!same_memory(Values::memory, Indices::memory)) {
        return top_k_rule::memory;
    } else {
        return top_k_rule::kept;
    }
}

template<top_k_rule Broken>
constexpr bool report_top_k() {
    static_assert(Broken != top_k_rule::not_a_tensor,
                  "r9v: top_k() has nowhere to write. Write top_k(k, values, indices) with tensors "
                  "[rows, k], the indices of std::int32_t.");
    static_assert(Broken != top_k_rule::constant,
                  "r9v: top_k() writes its tensors and one has const elements. Pass tensors of "
                  "mutable elements.");
    static_assert(Broken != top_k_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(Broken != top_k_rule::indices,
                  "r9v: the indices of top_k() are std::int32_t. Pass a tensor of those.");
    static_assert(Broken != top_k_rule::rank,
                  "r9v: top_k() writes [rows, k]. Pass tensors of rank 2, 3 with batches in front, "
                  "or 4 with batches and heads in front.");
    static_assert(Broken != top_k_rule::memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    return Broken == top_k_rule::kept;
}

} // namespace detail

/// `softmax(logits) | top_k(k, values, indices)`: the k (1 to 64) largest of each row, descending,
/// into values [.., rows, k], and their columns into indices [.., rows, k] (std::int32_t). Equal
/// values come in the order of their columns, NaN comes first. For a softmax over the kept alone
/// write `log_softmax(logits) | top_k(k, values, indices, top_k_weights::softmax)`.
template<class Values = int, class Indices = int>
[[nodiscard]] constexpr auto top_k(int k, const Values& values = {}, const Indices& indices = {},
                                   top_k_weights weights = top_k_weights::as_is) {
    constexpr auto broken = detail::broken_top_k_rule<Values, Indices>();
    if constexpr (detail::report_top_k<broken>()) {
        return top_k_op<Values, Indices>{k, weights, {values}, {indices}};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
