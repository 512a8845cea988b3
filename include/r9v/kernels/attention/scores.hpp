// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The chain between Q K^T and the softmax, split into what kernels treat differently: the scales in
// front, which are the same for a whole tile and fold into the exponential; other ops on values;
// masks, which come last; sinks, which see no values.
#pragma once

#include <r9v/ops/arithmetic.hpp>
#include <r9v/ops/chain.hpp>

namespace r9v::inline R9V_ABI {

/// What the scores of a program need beyond the product.
struct scores_traits {
    int leading_scales = 0;   ///< scales at the front that are uniform over a head
    bool has_general = false; ///< ops on values behind those
    bool has_masks = false;
    bool has_sink = false;

    /// Scaling is all that happens to scores before the softmax: the interior loop needs no more.
    [[nodiscard]] R9V_HD constexpr bool scaled_only() const { return !has_general && !has_masks; }
    friend constexpr bool operator==(const scores_traits&, const scores_traits&) = default;
};

namespace detail {

template<class Op>
inline constexpr bool is_uniform_scale = false;
template<>
inline constexpr bool is_uniform_scale<mul_op<constant>> = true;
template<class View>
inline constexpr bool is_uniform_scale<mul_op<operand<span::scalar, View>>> = true;
template<class View>
inline constexpr bool is_uniform_scale<mul_op<operand<span::head, View>>> = true;

template<class Chain>
struct scores_split;
template<class... Ops>
struct scores_split<chain<Ops...>> {
    static constexpr int size = static_cast<int>(sizeof...(Ops));
    static constexpr int leading = [] {
        int count = 0;
        bool front = true;
        ((front = front && is_uniform_scale<Ops>, count += front), ...);
        return count;
    }();
    static constexpr int first_mask = [] {
        int at = 0;
        int found = size;
        ((found = Ops::role == role::mask && found == size ? at : found, ++at), ...);
        return found;
    }();
    static constexpr bool has_general = [] {
        int at = 0;
        bool found = false;
        ((found = found || (at >= leading && Ops::role != role::mask && Ops::role != role::sink),
          ++at),
         ...);
        return found;
    }();
    static constexpr scores_traits traits = {leading, has_general, chain<Ops...>::has_mask,
                                             chain<Ops...>::has_sink};
};

} // namespace detail

template<class Chain>
inline constexpr scores_traits scores_traits_of = detail::scores_split<Chain>::traits;

/// Product of the scales in front; `at` names batch and head.
template<class Math, class... Ops>
[[nodiscard]] R9V_HD typename Math::real leading_scale(Math math, const chain<Ops...>& scores,
                                                       const coordinate& at) {
    using real = typename Math::real;
    constexpr int leading = detail::scores_split<chain<Ops...>>::leading;
    real product = 1;
    [&]<int... Is>(std::integer_sequence<int, Is...>) {
        ((product *=
          get<static_cast<std::size_t>(Is)>(scores.ops).factor.template load<1>(math, at)[0]),
         ...);
    }(std::make_integer_sequence<int, leading>{});
    return product;
}

/// The ops on values behind the scales in front: what must run on every score.
template<class Math, class... Ops, int Width>
[[nodiscard]] R9V_HD run<typename Math::real, Width>
general_scores(Math math, const chain<Ops...>& scores, const coordinate& at,
               run<typename Math::real, Width> x) {
    using split = detail::scores_split<chain<Ops...>>;
    pack<> none;
    detail::steps(math, scores, none, x, at, detail::interval<split::leading, split::first_mask>{});
    return x;
}

/// The masks: scores that are not kept become `not_kept`.
template<class Math, class... Ops, int Width>
[[nodiscard]] R9V_HD run<typename Math::real, Width>
masked_scores(Math math, const chain<Ops...>& scores, const coordinate& at,
              run<typename Math::real, Width> x) {
    using split = detail::scores_split<chain<Ops...>>;
    pack<> none;
    detail::steps(math, scores, none, x, at, detail::interval<split::first_mask, split::size>{});
    return x;
}

} // namespace r9v::inline R9V_ABI
