// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Caches of keys and values, and which of their rows new tokens go to. What says so stays on the
// device: slots, lengths and block tables are read there, and what they hold is limited to the
// cache, so that nothing outside it is ever written.
#pragma once

#include <r9v/ops/store.hpp>
#include <r9v/tensor/transform.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// Where a token goes: row `row` of page (or sequence) `page`; `position` counts it in its
/// sequence, where that is known.
struct cache_place {
    bool exists = false;
    index_t page = 0;
    index_t row = 0;
    index_t position = 0;
};

namespace detail {

template<space Memory, class Index, int Rank>
using index_view =
    std::conditional_t<Memory == space::device, tensor<const Index, Rank, layout::strided>,
                       host_tensor<const Index, Rank, layout::strided>>;

} // namespace detail

/// Slot s is row s % rows of page s / rows, of pages or of sequences; negative slots are skipped.
template<any_tensor View>
struct slot_rows {
    static constexpr space memory = View::memory;
    static constexpr bool counts_rows = false;
    View numbers; ///< [batches, tokens]
    tile::divisor page_rows;
    index_t pages = 0;

    [[nodiscard]] R9V_HD constexpr cache_place of(index_t batch, index_t token, index_t) const {
        const auto slot = static_cast<index_t>(
            numbers.data[batch * numbers.strides[0] + token * numbers.strides[1]]);
        if (slot < 0 || slot >= pages * static_cast<index_t>(page_rows.value)) return {};
        const auto place = static_cast<std::uint32_t>(slot);
        const std::uint32_t page = page_rows.quotient(place);
        return {true, page, place - page * page_rows.value, 0};
    }
};

/// The new tokens are the last of the rows that lengths[sequence] counts.
template<any_tensor View>
struct counted_rows {
    static constexpr space memory = View::memory;
    static constexpr bool counts_rows = true;
    View lengths; ///< [sequences, 1]
    index_t rows = 0;

    [[nodiscard]] R9V_HD constexpr cache_place of(index_t batch, index_t token,
                                                  index_t tokens) const {
        const index_t row =
            static_cast<index_t>(lengths.data[batch * lengths.strides[0]]) - tokens + token;
        return {row >= 0 && row < rows, batch, row, row};
    }
};

/// The same in pages: row r of sequence s is row r % rows of page table[s, r / rows].
template<any_tensor Table, any_tensor View>
struct paged_rows_of_tokens {
    static constexpr space memory = View::memory;
    static constexpr bool counts_rows = true;
    Table table;  ///< [sequences, most pages]
    View lengths; ///< [sequences, 1]
    tile::divisor page_rows;
    index_t pages = 0;

    [[nodiscard]] R9V_HD constexpr cache_place of(index_t batch, index_t token,
                                                  index_t tokens) const {
        const index_t row =
            static_cast<index_t>(lengths.data[batch * lengths.strides[0]]) - tokens + token;
        if (row < 0) return {};
        const auto place = static_cast<std::uint32_t>(row);
        const std::uint32_t index = page_rows.quotient(place);
        if (index >= table.extents[1]) return {};
        const auto page =
            static_cast<index_t>(table.data[batch * table.strides[0] + index * table.strides[1]]);
        return {page >= 0 && page < pages, page, place - index * page_rows.value, row};
    }
};

/// A cache [page or sequence, head, row, dim] of keys and one of values, and the rows of new
/// tokens.
template<class Keys, class Values, class Rows>
struct key_value_cache {
    static constexpr space memory = Keys::memory;
    Keys keys;
    Values values;
    Rows rows;
};

/// What is stored are values divided by a step, as quantize() does: for caches of 8 bits.
struct cache_steps {
    float key = 1;
    float value = 1;
};

/// store(cache), the end of an append_key_value() program.
template<class Cache>
struct cache_store_op {
    static constexpr auto role = r9v::role::store;
    static constexpr space memory = Cache::memory;
    static constexpr bool counts_rows = decltype(Cache::rows)::counts_rows;
    Cache cache;
    cache_steps inverse;
};

namespace detail {

template<class T>
inline constexpr bool is_cache = false;
template<class Keys, class Values, class Rows>
inline constexpr bool is_cache<key_value_cache<Keys, Values, Rows>> = true;
template<class T>
inline constexpr bool is_cache_store = false;
template<class Cache>
inline constexpr bool is_cache_store<cache_store_op<Cache>> = true;

enum class cache_rule { kept, not_tensors, constant, rank, indices, index_rank, memory };

template<class T>
consteval bool is_index() {
    if constexpr (any_tensor<T>) {
        return std::is_same_v<typename T::value_type, std::int32_t>;
    } else {
        return false;
    }
}

template<class View>
consteval cache_rule broken_cache_view_rule() {
    if constexpr (!any_tensor<View>) {
        return cache_rule::not_tensors;
    } else if constexpr (std::is_const_v<typename View::element_type>) {
        return cache_rule::constant;
    } else if constexpr (View::rank != 4 || View::element_layout != layout::row_major ||
                         !is_floating_element<typename View::value_type>) {
        return cache_rule::rank;
    } else {
        return cache_rule::kept;
    }
}

/// What is wrong with the tensors of a cache and the whole numbers that lead into it.
template<class Keys, class Values, class... Indices>
consteval cache_rule broken_cache_rule() {
    if constexpr (constexpr auto keys = broken_cache_view_rule<Keys>(); keys != cache_rule::kept) {
        return keys;
    } else if constexpr (constexpr auto values = broken_cache_view_rule<Values>();
                         values != cache_rule::kept) {
        return values;
    } else if constexpr (!(is_index<Indices>() && ...)) {
        return cache_rule::indices;
    } else if constexpr (!(same_memory(Keys::memory, Indices::memory) && ...) ||
                         !same_memory(Keys::memory, Values::memory)) {
        return cache_rule::memory;
    } else {
        return cache_rule::kept;
    }
}

template<cache_rule Broken>
constexpr bool report_cache() {
    static_assert(Broken != cache_rule::not_tensors,
                  "r9v: a cache is two tensors. Write cache_pages(keys, values, block_table, "
                  "lengths).");
    static_assert(Broken != cache_rule::constant,
                  "r9v: the cache's elements are const. Pass tensors of mutable elements.");
    static_assert(Broken != cache_rule::rank,
                  "r9v: keys and values stand in row-major tensors of rank 4 [page or sequence, "
                  "head, row, dim] of floating-point numbers. heads_first(t) moves the heads.");
    static_assert(Broken != cache_rule::indices,
                  "r9v: slots, lengths and block tables are tensors of int32. Pass tensor<std::"
                  "int32_t, 1> or, for block tables, tensor<std::int32_t, 2>.");
    static_assert(Broken != cache_rule::memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    return Broken == cache_rule::kept;
}

/// [batches, tokens] of a tensor of rank 1 or 2; rank 1 is tokens, or batches where `PerBatch`.
template<bool PerBatch, class View>
[[nodiscard]] constexpr auto index_matrix(const View& from) {
    index_view<View::memory, typename View::value_type, 2> to;
    constexpr int outer = View::rank == 2 || PerBatch ? 0 : -1;
    constexpr int inner = View::rank == 2 ? 1 : PerBatch ? -1 : 0;
    to.data = from.data;
    to.extents[0] = outer < 0 ? 1 : from.extents[outer < 0 ? 0 : outer];
    to.strides[0] = outer < 0 ? 0 : from.strides[outer < 0 ? 0 : outer];
    to.extents[1] = inner < 0 ? 1 : from.extents[inner < 0 ? 0 : inner];
    to.strides[1] = inner < 0 ? 0 : from.strides[inner < 0 ? 0 : inner];
    return to;
}

/// Rows of a page as a divisor; launches refuse what does not fit one.
template<class View>
[[nodiscard]] constexpr tile::divisor rows_of_page(const View& cache) {
    const index_t rows = cache.extents[2];
    return tile::divisor{rows > 0 && rows < (index_t{1} << 31) ? static_cast<std::uint32_t>(rows)
                                                               : 1u};
}

/// Pages that tokens may go to: none where they have no rows.
template<class View>
[[nodiscard]] constexpr index_t pages_of(const View& cache) {
    return cache.extents[2] > 0 ? cache.extents[0] : 0;
}

} // namespace detail

/// A cache whose tokens go to given slots: slots is int32 [tokens] or [batches, tokens]; slot s is
/// row s % rows of page (or sequence) s / rows, where the cache is [page, head, row, dim]. Tokens
/// with a negative slot are padding and are skipped, as are those with slots beyond the cache.
template<class Keys, class Values, class Slots>
[[nodiscard]] constexpr auto cache_slots(const Keys& keys, const Values& values,
                                         const Slots& numbers) {
    constexpr auto broken = detail::broken_cache_rule<Keys, Values, Slots>();
    if constexpr (detail::report_cache<broken>() && broken == detail::cache_rule::kept) {
        static_assert(Slots::rank <= 2, "r9v: slots have rank 1 [tokens] or 2 [batches, tokens]. "
                                        "Pass one int32 for each token.");
        const slot_rows rows{detail::index_matrix<false>(numbers), detail::rows_of_page(keys),
                             detail::pages_of(keys)};
        return key_value_cache<Keys, Values, std::remove_const_t<decltype(rows)>>{keys, values,
                                                                                  rows};
    } else {
        return rejected{};
    }
}

/// A cache [sequence, head, row, dim] of which lengths[sequence] rows exist, the new tokens
/// included: of t new tokens, token i goes to row lengths[sequence] - t + i. Attention on
/// with_lengths(keys, lengths) sees them. A sequence of length 0 takes nothing.
template<class Keys, class Values, class Lengths>
[[nodiscard]] constexpr auto cache_rows(const Keys& keys, const Values& values,
                                        const Lengths& lengths) {
    constexpr auto broken = detail::broken_cache_rule<Keys, Values, Lengths>();
    if constexpr (detail::report_cache<broken>() && broken == detail::cache_rule::kept) {
        static_assert(Lengths::rank == 1, "r9v: lengths have rank 1 [sequences]. Pass one int32 "
                                          "for each sequence.");
        const counted_rows rows{detail::index_matrix<true>(lengths), keys.extents[2]};
        return key_value_cache<Keys, Values, std::remove_const_t<decltype(rows)>>{keys, values,
                                                                                  rows};
    } else {
        return rejected{};
    }
}

/// The same in pages [page, head, row, dim] of any number of rows: row r of sequence s is row
/// r % rows of page block_table[s, r / rows]. Attention on paged(keys, block_table, lengths) sees
/// the new tokens.
template<class Keys, class Values, class Table, class Lengths>
[[nodiscard]] constexpr auto cache_pages(const Keys& keys, const Values& values,
                                         const Table& block_table, const Lengths& lengths) {
    constexpr auto broken = detail::broken_cache_rule<Keys, Values, Table, Lengths>();
    if constexpr (detail::report_cache<broken>() && broken == detail::cache_rule::kept) {
        static_assert(Table::rank == 2 && Lengths::rank == 1,
                      "r9v: a block table has rank 2 [sequences, most pages] and lengths have rank "
                      "1 [sequences]. Pass int32 tensors of these ranks.");
        const paged_rows_of_tokens rows{detail::index_matrix<false>(block_table),
                                        detail::index_matrix<true>(lengths),
                                        detail::rows_of_page(keys), detail::pages_of(keys)};
        return key_value_cache<Keys, Values, std::remove_const_t<decltype(rows)>>{keys, values,
                                                                                  rows};
    } else {
        return rejected{};
    }
}

/// A cache that was refused stays so, and quiet.
[[nodiscard]] constexpr rejected store(const rejected& refused) {
    return refused;
}
[[nodiscard]] constexpr rejected store(const rejected& refused, const cache_steps&) {
    return refused;
}

/// `append_key_value(...) | store(cache)`.
template<class Cache>
    requires detail::is_cache<Cache>
[[nodiscard]] constexpr auto store(const Cache& cache) {
    return cache_store_op<Cache>{cache, {}};
}

/// The same for a cache of 8-bit numbers, which holds key / steps.key and value / steps.value,
/// saturated.
template<class Cache>
    requires detail::is_cache<Cache>
[[nodiscard]] constexpr auto store(const Cache& cache, const cache_steps& steps) {
    return cache_store_op<Cache>{cache, {1.0f / steps.key, 1.0f / steps.value}};
}

} // namespace r9v::inline R9V_ABI
