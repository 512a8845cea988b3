// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rotate() and append_key_value() in plain loops and double: the truth of every test. Angles are
// computed from their definition, not from the kernels' integers.
#pragma once

#include <r9v/kernels/cache/problem.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Shows every value of a row, turned, to `store(column, value)`.
template<class Rotary, class View, class Store>
void reference_row(const Rotary& rotary, const View& x, const coordinate& at, index_t position,
                   Store store) {
    constexpr reference_math math{};
    const auto* row = &x.data[x.offset(at.batch(), at.head(), at.row(), 0)];
    const auto load = [&](index_t column) {
        return math.template load<1>(row, column);
    };
    index_t column = 0;
    if constexpr (is_rotary<Rotary>) {
        for (index_t pair = 0; pair < rotary.dim / 2; ++pair)
            turn_pairs<1>(math, rotary, position, pair, load, store);
        column = rotary.dim;
    }
    for (; column < x.extents[3]; ++column)
        store(column, load(column));
}

} // namespace detail

/// Runs a checked and bound rotate() program on host views.
template<class Head, class Chain>
    requires is_rotate_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const extents size = p.head.result();
    typename states_of<reference_math, Chain>::type states{}; // of no taps: check() refuses them
    const auto one_row = [&](coordinate at) {
        const index_t position = p.head.rotary.positions.of(at.batch(), at.row(), at.row());
        detail::reference_row(p.head.rotary, p.head.x, at, position,
                              [&](index_t column, const run<double, 1>& value) {
                                  at.column_base = column;
                                  evaluate(reference_math{}, p.chain, states, at, value);
                              });
    };
    for (index_t batch = 0; batch < size.batches; ++batch)
        for (index_t head = 0; head < size.heads; ++head)
            for (index_t row = 0; row < size.rows; ++row)
                one_row({.batch_base = batch, .row_base = row, .head_base = head});
}

namespace detail {

/// One token's row into its place of the cache.
template<class Rotary, class View, class Cache>
void reference_append(const Rotary& rotary, const View& x, const coordinate& at, index_t position,
                      const Cache& cache, const cache_place& to, float inverse) {
    auto* row = &cache.data[cache.offset(to.page, at.head(), to.row, 0)];
    reference_row(rotary, x, at, position, [&](index_t column, const run<double, 1>& value) {
        const double scaled = value[0] * static_cast<double>(inverse);
        reference_math::store<1>(row, column, run<double, 1>{{scaled}});
    });
}

} // namespace detail

/// Runs a checked and bound append_key_value() program on host views.
template<class Head, class Chain>
    requires is_append_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const auto& head = p.head;
    const auto& [cache, inverse] = get<0>(p.chain.ops);
    for (index_t batch = 0; batch < head.batches(); ++batch)
        for (index_t token = 0; token < head.tokens(); ++token) {
            const cache_place to = cache.rows.of(batch, token, head.tokens());
            if (!to.exists) continue;
            index_t position = 0;
            if constexpr (detail::is_rotary<decltype(head.rotary)>)
                position = head.rotary.positions.of(batch, token, to.position);
            for (index_t h = 0; h < head.heads(); ++h) {
                const coordinate at{.batch_base = batch, .row_base = token, .head_base = h};
                detail::reference_append(head.rotary, head.k, at, position, cache.keys, to,
                                         inverse.key);
                detail::reference_append(no_rotary{}, head.v, at, position, cache.values, to,
                                         inverse.value);
            }
        }
}

} // namespace r9v::inline R9V_ABI
