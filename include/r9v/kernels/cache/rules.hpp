// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What rotate() and append_key_value() must fulfil at run time, checked before anything is launched
// or written. What slots, lengths and positions hold is not checked: it stays on the device.
#pragma once

#include <r9v/kernels/cache/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

[[nodiscard]] inline status check_equal(const char* name, const char* what, index_t found,
                                        index_t wanted) noexcept {
    if (found == wanted) return {};
    return error{"r9v: %s has %" PRId64 " %s where %" PRId64 " are needed. Pass a tensor with "
                 "%" PRId64 ".",
                 name,
                 found,
                 what,
                 wanted,
                 wanted};
}

template<class Rotary>
void check_rotary(tensor_checks& checks, const Rotary& rotary, index_t batches, index_t rows,
                  index_t columns) {
    if constexpr (is_rotary<Rotary>) {
        if (rotary.dim % 2 != 0 || rotary.dim < 0 || rotary.dim > columns)
            checks.fail(error{"r9v: the rotary embedding turns %" PRId64 " of %" PRId64 " columns. "
                              "Name an even number of columns that the rows have.",
                              rotary.dim, columns});
        if constexpr (std::is_same_v<decltype(rotary.angles), computed_angles>) {
            if (rotary.dim > 2 * computed_angles::most_pairs)
                checks.fail(error{"r9v: the rotary embedding turns %" PRId64 " columns, and "
                                  "kernels compute angles for up to %" PRId64 ". Pass tables of "
                                  "cosines and sines for more.",
                                  rotary.dim, 2 * computed_angles::most_pairs});
        } else {
            const auto& cosines = rotary.angles.cosines_of;
            const auto& sines = rotary.angles.sines_of;
            checks.input("cosines", cosines);
            checks.input("sines", sines);
            checks.fail(check_equal("sines", "positions", sines.extents[0], cosines.extents[0]));
            checks.fail(check_equal("sines", "columns", sines.extents[1], cosines.extents[1]));
            if (cosines.extents[0] == 0 && batches * rows != 0)
                checks.fail(error{"r9v: the tables of cosines and sines have no positions. Pass at "
                                  "least one row."});
        }
        if constexpr (!std::is_same_v<decltype(rotary.positions), row_positions>) {
            const auto& positions = rotary.positions.view;
            checks.input("positions", positions);
            checks.fail(check_equal("positions", "tokens", positions.extents[1], rows));
            if (positions.extents[0] != 1)
                checks.fail(check_equal("positions", "batches", positions.extents[0], batches));
        }
    }
}

/// Threads and rows are counted in 31 bits.
[[nodiscard]] inline status check_count(index_t batches, index_t heads, index_t rows,
                                        index_t columns) noexcept {
    constexpr index_t most = index_t{1} << 31;
    const index_t items = ceil_div<index_t>(columns, 8) + 1;
    const bool empty = batches == 0 || heads == 0 || rows == 0;
    if (empty || (batches < most && heads < most && rows < most && items < most &&
                  batches * heads < most && batches * heads < most / items / rows))
        return {};
    return error{"r9v: %" PRId64 " x %" PRId64 " x %" PRId64 " rows are too many for one launch. "
                 "Split them over several launches.",
                 batches, heads, rows};
}

/// The cache has the heads and dims of what is appended.
template<class Head, class Cache>
[[nodiscard]] status check_cache(const Head& head, const Cache& cache) noexcept {
    const auto& [keys, values, rows] = cache;
    for (int axis = 0; axis < 3; axis += 2)
        if (keys.extents[axis] != values.extents[axis])
            return error{"r9v: the caches of keys and values have %" PRId64 " and %" PRId64 " %s. "
                         "Give both the same.",
                         keys.extents[axis], values.extents[axis],
                         axis == 0 ? "pages" : "rows in a page"};
    if (status fits = check_equal("the cache of keys", "heads", keys.extents[1], head.heads());
        !fits)
        return fits;
    if (status fits = check_equal("the cache of values", "heads", values.extents[1], head.heads());
        !fits)
        return fits;
    if (status fits =
            check_equal("the cache of keys", "columns", keys.extents[3], head.k.extents[3]);
        !fits)
        return fits;
    if (status fits =
            check_equal("the cache of values", "columns", values.extents[3], head.v.extents[3]);
        !fits)
        return fits;
    constexpr index_t most = index_t{1} << 31;
    if (keys.extents[2] >= most ||
        (keys.extents[2] > 0 && keys.extents[0] > most / keys.extents[2]))
        return error{"r9v: a cache of %" PRId64 " x %" PRId64 " rows has slots beyond 2^31. Split "
                     "it.",
                     keys.extents[0], keys.extents[2]};
    return {};
}

/// The whole numbers that lead into the cache.
template<class Head, class Cache>
void check_rows(tensor_checks& checks, const Head& head, const Cache& cache) {
    const auto& rows = cache.rows;
    if constexpr (requires { rows.numbers; }) {
        checks.input("slots", rows.numbers);
        checks.fail(check_equal("slots", "batches", rows.numbers.extents[0], head.batches()));
        checks.fail(check_equal("slots", "tokens", rows.numbers.extents[1], head.tokens()));
    } else {
        checks.input("lengths", rows.lengths);
        checks.fail(check_equal("lengths", "sequences", rows.lengths.extents[0], head.batches()));
        if constexpr (requires { rows.table; }) {
            checks.input("block_table", rows.table);
            checks.fail(
                check_equal("block_table", "sequences", rows.table.extents[0], head.batches()));
        } else {
            checks.fail(check_equal("the cache of keys", "sequences", cache.keys.extents[0],
                                    head.batches()));
        }
    }
}

} // namespace detail

/// Whether a rotate() program may run. It may store into its source: every lane reads what it turns
/// before it writes it.
template<class Head, class Chain>
    requires is_rotate_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const auto& x = p.head.x;
    const extents size = p.head.result();
    detail::tensor_checks checks{size};
    checks("x", operand<span::matrix, typename Head::view_type>{x}, access::read);
    detail::check_rotary(checks, p.head.rotary, size.batches, size.rows, size.columns);
    visit_operands(p.chain, checks);
    checks.fail(detail::check_count(size.batches, size.heads, size.rows, size.columns));
    checks.check_overlap();
    return checks.outcome();
}

/// Whether an append_key_value() program may run.
template<class Head, class Chain>
    requires is_append_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const auto& head = p.head;
    const auto& cache = get<0>(p.chain.ops).cache;
    const extents size = head.result();
    detail::tensor_checks checks{size};
    checks.input("k", head.k);
    checks.input("v", head.v);
    for (int axis = 0; axis < 3; ++axis)
        if (head.k.extents[axis] != head.v.extents[axis])
            checks.fail(error{"r9v: k and v have %" PRId64 " and %" PRId64 " %s. Give both the "
                              "same.",
                              head.k.extents[axis], head.v.extents[axis],
                              axis == 0   ? "batches"
                              : axis == 1 ? "heads"
                                          : "tokens"});
    checks.fail(detail::check_cache(head, cache));
    detail::check_rotary(checks, head.rotary, size.batches, size.rows, size.columns);
    detail::check_rows(checks, head, cache);
    checks.fail(detail::check_count(size.batches, size.heads, size.rows,
                                    head.k.extents[3] + head.v.extents[3]));
    checks.output("the cache of keys", cache.keys);
    checks.output("the cache of values", cache.values);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
