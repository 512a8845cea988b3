// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tiles a program's tensors allow, and which of those suits its shape. Host code.
#pragma once

#include <r9v/kernels/attention/tuning.hpp>
#include <r9v/kernels/reach.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Rows that all start at multiples of 16 bytes.
template<class Sequences>
[[nodiscard]] bool has_aligned_rows(const Sequences& t) {
    const auto& v = t.view;
    constexpr int rank = std::remove_cvref_t<decltype(v)>::rank;
    bool aligned = reinterpret_cast<std::uint64_t>(v.data) % 16 == 0;
    for (int axis = 0; axis < rank - 1; ++axis)
        aligned = aligned && (v.extents[axis] <= 1 || v.strides[axis] % 8 == 0);
    return aligned;
}

/// Rows of a tile that 32-bit offsets reach from its first one, in both directions of reading.
template<class Sequences>
[[nodiscard]] bool has_near_rows(const Sequences& t, index_t rows) {
    return t.row_stride() >= 0 &&
           within_reach(t.row_stride(), rows, sizeof(typename Sequences::element));
}

/// Whether a launch can have so many blocks of so many threads: it counts threads in 32 bits, and
/// kernels divide block numbers below 2^31.
[[nodiscard]] constexpr bool grid_fits(index_t a, index_t b, index_t c, int threads) {
    const index_t most =
        std::min<index_t>(index_t{std::numeric_limits<std::uint32_t>::max()} / threads,
                          std::numeric_limits<std::int32_t>::max());
    return a <= most && b <= most / std::max<index_t>(a, 1) &&
           c <= most / std::max<index_t>(a * b, 1);
}

inline status attention_grid_error() noexcept {
    return error{"r9v: the scores need more blocks than a launch can have. Split the batches over "
                 "several launches."};
}

} // namespace detail

/// What every tile of a program needs to know of its tensors.
template<class Program>
[[nodiscard]] attention_geometry base_geometry(const Program& p, const attention_tile& t) {
    const auto& head = p.head;
    attention_geometry g;
    const auto key_heads = static_cast<std::uint32_t>(std::max<index_t>(head.key_heads(), 1));
    const auto heads = static_cast<std::uint32_t>(std::max<index_t>(head.heads(), 1));
    g.heads = tile::divisor{heads};
    g.ratio = tile::divisor{heads / key_heads};
    g.sequences = static_cast<std::uint32_t>(head.sequences());
    g.aligned = detail::has_aligned_rows(head.q.rows) && detail::has_aligned_rows(head.k) &&
                detail::has_aligned_rows(head.v);
    g.near_rows = detail::has_near_rows(head.q.rows, t.queries) &&
                  detail::has_near_rows(head.k, 2 * t.keys) &&
                  detail::has_near_rows(head.v, 2 * t.keys);
    const extents result = head.result();
    g.wide_chain = detail::is_within_reach(p.chain, t.queries, result.columns, result.columns);
    g.wide_scores = detail::is_within_reach(head.scores, t.queries, t.keys, head.k.longest());
    g.wide_prologue =
        detail::is_within_reach(head.q.prologue, t.queries, head.key_dim(), head.key_dim());
    return g;
}

/// Why a program cannot run with a tile.
enum class attention_misfit { none, alignment, reach };

template<class Program>
[[nodiscard]] attention_misfit misfit_of(const Program& p, const attention_tile& t) {
    if (t.regime == attention_regime::decode) return attention_misfit::none;
    const attention_geometry g = base_geometry(p, t);
    if (g.aligned == 0) return attention_misfit::alignment;
    return g.near_rows == 0 ? attention_misfit::reach : attention_misfit::none;
}

namespace detail {

/// Estimated cycles. Matrix instructions take 16, on two SIMDs a compute unit, and are three
/// quarters of a tile's; waves without queries take none. A step cannot take less than its loads,
/// products and exponentials one after the other, unless other blocks fill it. Memory gives 10
/// bytes a cycle and compute unit: prefill reads keys and values once for each key head and rows of
/// blocks, and a quarter of them again; decode reads them once for `queries` rows, in 0.02 vector
/// cycles a byte and row.
template<class Head>
[[nodiscard]] double estimated_cycles(const Head& head, const attention_tile& t,
                                      int compute_units) {
    const auto units = static_cast<double>(std::max(compute_units, 1));
    const auto keys = static_cast<double>(std::max<index_t>(head.k.longest(), 1));
    const auto sequences = static_cast<double>(head.sequences());
    constexpr double row = Head::dims.padded_key() + Head::dims.padded_value();
    const double cache_bytes = sequences * static_cast<double>(head.key_heads()) * keys * row * 2;
    const index_t queries = head.q.rows.longest();
    const index_t ratio = head.heads() / std::max<index_t>(head.key_heads(), 1);
    if (t.regime == attention_regime::prefill) {
        constexpr double step_latency = 1400;
        constexpr double start_and_finish = 3000;
        // A wave has 16 queries of a head; heads of one key head share blocks.
        const index_t all_waves = ceil_div<index_t>(queries, 16) * ratio;
        const auto blocks_a_key_head = static_cast<double>(ceil_div<index_t>(all_waves, t.waves));
        const double blocks = sequences * static_cast<double>(head.key_heads()) * blocks_a_key_head;
        const auto waves = static_cast<double>(std::min<index_t>(all_waves, t.waves));
        const double a_block = keys / 16 * waves * (row / 16) * 16 / 0.75 / 2;
        const double rounds = std::ceil(blocks / units);
        const double together = std::min(16.0 / t.waves, rounds);
        const double read = 1.25 * cache_bytes * blocks_a_key_head;
        return std::max(rounds * std::max(a_block, keys / t.keys * step_latency / together),
                        read / (10 * units)) +
               start_and_finish;
    }
    constexpr double start_and_merge = 6000;
    const double bytes =
        cache_bytes * static_cast<double>(ceil_div<index_t>(queries * ratio, t.queries));
    const double memory = bytes / (10 * units);
    const double vector = bytes * 0.02 * t.queries / (2 * units);
    return std::max(memory, vector) + start_and_merge;
}

} // namespace detail

/// The tile of a list for a program: its place (-1: none fits, and why).
struct attention_choice {
    int tile = -1;
    attention_misfit misfit = attention_misfit::none;
};

template<class Program, attention_tile... Tiles>
[[nodiscard]] attention_choice choose(const Program& p, tile_list<Tiles...>, int compute_units) {
    constexpr attention_tile tiles[] = {Tiles...};
    attention_choice best;
    double least = 0;
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        const attention_misfit misfit = misfit_of(p, tiles[i]);
        if (misfit != attention_misfit::none) {
            if (best.tile < 0) best.misfit = misfit;
            continue;
        }
        const double cycles = detail::estimated_cycles(p.head, tiles[i], compute_units);
        if (best.tile >= 0 && cycles >= least) continue;
        least = cycles;
        best = {i, attention_misfit::none};
    }
    return best;
}

} // namespace r9v::inline R9V_ABI
