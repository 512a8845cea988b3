// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The two parts of a chain with a pool in it.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/pool.hpp>

namespace r9v::inline R9V_ABI::detail {

/// Runs the ops in front of the pool, or those behind it.
template<bool Behind, class Math, class Chain, class Run>
R9V_HD void run_beside_pool(Math math, const Chain& ops, Run& x, const coordinate& at) {
    constexpr int pool = Chain::pool_position;
    pack<> none;
    if constexpr (Behind) {
        detail::steps(math, ops, none, x, at, interval<pool + 1, Chain::size>{});
    } else {
        detail::steps(math, ops, none, x, at, interval<0, pool>{});
    }
}

} // namespace r9v::inline R9V_ABI::detail
