// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops that want to know how large the result is: `R9V_HD constexpr void bind(const extents&)`. The
// executor calls it on its own copy of the chain, once, before anything runs; kernels call it again
// where only the device knows the extents (sequences of different lengths).
#pragma once

#include <r9v/ops/chain.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Op>
concept binds_extents = requires(Op& op, const extents& result) { op.bind(result); };

} // namespace detail

/// Tells every op of the chain that asks for them the extents of the result.
template<class... Ops>
R9V_HD constexpr void bind(chain<Ops...>& ops, const extents& result) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (
            [&] {
                if constexpr (detail::binds_extents<Ops>) get<Is>(ops.ops).bind(result);
            }(),
            ...);
    }(std::index_sequence_for<Ops...>{});
}

} // namespace r9v::inline R9V_ABI
