// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that attention programs are compiled for. Host code only; nothing here asks for a GPU.
#pragma once

#include <r9v/kernels/attention/geometry.hpp>
#include <r9v/kernels/attention/problem.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

/// How a kernel is built, and with it what it is good at. Either computes any program.
enum class attention_regime {
    prefill, ///< many queries: matrix instructions on tiles of queries and keys; needs rows of k
             ///< and v that are 16-byte aligned
    decode,  ///< few queries: reads each key and value once for a group of query heads, split over
             ///< the keys
};

/// What one block computes at a time: the scores of `queries` rows with `keys` keys. Under decode
/// the rows are the queries of all heads that share a key head.
struct attention_tile {
    int queries = 128;
    int keys = 32;
    int waves = 8;
    attention_regime regime = attention_regime::prefill;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves * 32; }
    friend constexpr bool operator==(const attention_tile&, const attention_tile&) = default;
};

namespace detail {

/// What tuning looks at in a program.
struct attention_traits {
    attention_dims dims;
    scores_traits scores;
    bool prologue = false;
    bool paged = false;
    friend constexpr bool operator==(const attention_traits&, const attention_traits&) = default;
};

template<class Head>
inline constexpr attention_traits attention_traits_of = {
    Head::dims, Head::scoring,
    std::remove_cvref_t<decltype(std::declval<Head>().q.prologue)>::size != 0,
    Head::keys_type::form == sequence_form::paged};

/// Keys of a tile: as many as keep two stages of keys and values within 32 KB of LDS, and the
/// registers of a wave within 192, at dims of 64 and 128. Results and queries of wider heads need
/// most registers for themselves.
constexpr int prefill_keys(const attention_traits& t, int waves = 8) {
    const int largest = t.dims.key > t.dims.value ? t.dims.padded_key() : t.dims.padded_value();
    if (waves < 8) return largest <= 128 ? 32 : 16; // each thread loads twice as much
    return largest <= 64 ? 64 : largest <= 192 ? 32 : 16;
}
/// 8 waves of 16 queries. Waves without queries only help to load.
constexpr attention_tile large_prefill_tile(const attention_traits& t) {
    return {
        .queries = 128, .keys = prefill_keys(t), .waves = 8, .regime = attention_regime::prefill};
}
/// For programs with too few queries to give every compute unit a large tile; not compiled unless
/// named.
constexpr attention_tile small_prefill_tile(const attention_traits& t) {
    return {
        .queries = 64, .keys = prefill_keys(t, 4), .waves = 4, .regime = attention_regime::prefill};
}
/// Rows of k that one 16-byte load of a wave fetches, a row being at most `largest` elements.
constexpr int decode_rows_a_load(int largest) {
    return largest <= 64 ? 4 : largest <= 128 ? 2 : 1;
}
/// Four loads each of keys and values in flight a wave, for up to `queries` heads of a key head.
constexpr attention_tile decode_tile(const attention_traits& t, int queries) {
    const int largest = t.dims.key > t.dims.value ? t.dims.key : t.dims.value;
    return {.queries = queries,
            .keys = 8 * 4 * decode_rows_a_load(largest),
            .waves = 8,
            .regime = attention_regime::decode};
}

template<class Head>
constexpr auto attention_default_tiles() {
    constexpr attention_traits t = attention_traits_of<Head>;
    return tile_list<large_prefill_tile(t), decode_tile(t, 4), decode_tile(t, 8)>{};
}

/// Whether the kernels can be built with this tile.
constexpr bool is_valid_tile(const attention_tile& t, const attention_traits& traits) {
    if (t.waves < 1 || t.waves > 16) return false;
    if (t.regime == attention_regime::decode) {
        const attention_tile one = decode_tile(traits, 1);
        const int loads = t.keys / t.waves / (one.keys / one.waves / 4);
        return (t.queries == 1 || t.queries == 2 || t.queries == 4 || t.queries == 8) &&
               (loads == 1 || loads == 2 || loads == 4 || loads == 8) && t.queries * loads <= 32 &&
               t.keys == loads * t.waves * (one.keys / one.waves / 4);
    }
    // Wide heads leave no registers for what a thread of fewer waves must load.
    return (t.waves == 8 || (t.waves == 4 && prefill_keys(traits) > 16)) &&
           t.queries == 16 * t.waves && (t.keys == 16 || t.keys == 32 || t.keys == 64) &&
           t.keys <= prefill_keys(traits, t.waves);
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
