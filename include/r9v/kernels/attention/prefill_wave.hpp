// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a wave of the prefill kernel does with tiles of keys. Two bodies: `interior` for tiles of
// which every score is kept, without a test of any mask, and `general` for all others.
#pragma once

#include <r9v/kernels/attention/prefill_query.hpp>
#include <r9v/kernels/attention/prefill_scores.hpp>
#include <r9v/kernels/attention/prefill_stage.hpp>
#include <r9v/kernels/attention/prefill_values.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// The uniform factor of the scores as the kernel uses it.
struct score_factor {
    float scale;        ///< magnitude, where products are scores
    float inverse;      ///< from scores to products
    std::uint32_t flip; ///< sign bits of two elements, to be flipped in q

    template<class Rules, class Chain>
    R9V_INLINE score_factor(Rules, const Chain& scores, const coordinate& at) {
        const float product =
            arch::uniform(leading_scale(tile::device_math<index_t>{}, scores, at));
        if constexpr (Rules::in_products) {
            const std::uint32_t bits = r9v::bit_cast<std::uint32_t>(product);
            flip = bits >> 31 != 0 ? 0x8000'8000u : 0u;
            scale = r9v::bit_cast<float>(bits & 0x7fff'ffffu);
            inverse = scale > 1e-37f ? arch::uniform(1.0f / scale) : 0.0f;
        } else {
            flip = 0;
            scale = product;
            inverse = 1.0f;
        }
    }
};

template<class Shape, class Head>
class prefill_wave {
    using element = typename Head::element;
    using scores_type = typename Head::scores_type;
    using rules = score_rules<scores_type, Shape::is_wide>;
    using rows_type = decltype(std::declval<Head>().k.rows(0, 0));
    static constexpr int key_fragments = Shape::key_fragments;
    static constexpr int dim_fragments = Shape::dim_fragments;
    static constexpr int value_fragments = Shape::value_fragments;
    /// Fragments on their way from LDS.
    static constexpr int in_flight = Shape::is_wide ? 2 : 4;
    using score_registers = arch::floats8[key_fragments];
    using weight_registers = arch::words4[key_fragments];

public:
    using softmax_type = tile::online_softmax<element, rules::in_products, value_fragments>;
    typename softmax_type::results o;
    softmax_type softmax;

    R9V_INLINE prefill_wave(const Head& head, const attention_sequence& sequence,
                            const scores_type& scores, index_t key_head, const query_rows& queries,
                            const attention_geometry& geometry, arch::local_bytes lds)
        : softmax{rules::in_products ? factor_of(scores, sequence, queries).scale * tile::log2_e
                                     : tile::log2_e},
          sequence_{sequence},
          scores_{scores},
          queries_{queries},
          wide_{geometry.wide_scores != 0},
          lds_{lds},
          factor_{factor_of(scores, sequence, queries)},
          stage_{head.k.rows(sequence.index, key_head), head.v.rows(sequence.index, key_head),
                 head.key_dim(), head.value_dim()} {
        R9V_UNROLL
        for (auto& part : o[0][0])
            part = arch::floats8{};
        load_queries(head, sequence, queries, factor_.flip, q_);
        clear_beyond<Shape>(lds, static_cast<int>(head.key_dim()));
    }

    /// All tiles that the block's queries keep anything of.
    R9V_INLINE void walk(const query_units& units) {
        units_ = units;
        const column_range block = columns_of_block();
        begin_ = arch::uniform(static_cast<int>(block.begin / Shape::keys));
        end_ = arch::uniform(static_cast<int>(ceil_div<index_t>(block.end, Shape::keys)));
        if (block.begin >= block.end) {
            synchronize(); // what was cleared in LDS will be used for something else
            return;
        }
        own_ = queries_.count > 0 ? columns(queries_.range(sequence_.index)) : column_range{};
        // The interior loop also loads the next tile, whose rows must all exist.
        const int whole = static_cast<int>(sequence_.keys / Shape::keys);
        const int safe = end_ > whole ? whole - 1 : end_;
        core_begin_ =
            arch::uniform(static_cast<int>(ceil_div<index_t>(own_.all_begin, Shape::keys)));
        core_end_ = arch::uniform(least(static_cast<int>(own_.all_end / Shape::keys), safe));

        int slot = 1;
        int tile = after(begin_ - 1);
        if (tile < end_) stage_.load_clamped(tile);
        stage_.store(lds_ + Shape::stage_bytes);
        synchronize();
        while (tile < end_) {
            int kept = as_number(tile_answer::none);
            R9V_ROLLED
            while (tile < end_ && (kept = answer(tile)) == as_number(tile_answer::none)) {
                pass(tile, slot);
                slot ^= 1;
                tile = after(tile);
            }
            if (tile >= end_) break;
            general(tile, slot, kept == as_number(tile_answer::all));
            slot ^= 1;
            tile = after(tile);
            if constexpr (rules::has_interior) {
                const bool pairs = slot == 0 && softmax.ready() && stage_.loads_whole() &&
                                   (!rules::needs_singles || wide_);
                const int pairs_end = arch::uniform(pairs ? interior_end(tile) - 1 : 0);
                R9V_ROLLED
                for (; tile < pairs_end; tile += 2) {
                    interior<0>(tile);
                    interior<1>(tile + 1);
                }
            }
        }
    }

private:
    [[nodiscard]] R9V_INLINE static score_factor factor_of(const scores_type& scores,
                                                           const attention_sequence& sequence,
                                                           const query_rows& queries) {
        return score_factor{rules{}, scores, sequence.score(queries.head, 0, 0)};
    }
    [[nodiscard]] R9V_INLINE column_range columns(const row_range& rows) const {
        return columns_of(scores_, rows, sequence_.keys);
    }
    /// Outside of it, no query of the block keeps anything.
    [[nodiscard]] R9V_INLINE column_range columns_of_block() const {
        const query_rows first = units_.of(0);
        const query_rows last = units_.of(Shape::waves - 1);
        if constexpr (rules::only_intervals)
            return columns({sequence_.index, first.head, first.first,
                            last.count > 0 ? last.first + last.count : sequence_.queries});
        column_range hull = columns(first.range(sequence_.index));
        R9V_ROLLED
        for (int wave = 1; wave < Shape::waves; ++wave) {
            const query_rows rows = units_.of(wave);
            if (rows.count == 0) break;
            const column_range more = columns(rows.range(sequence_.index));
            if (more.begin >= more.end) continue;
            const bool none = hull.begin >= hull.end;
            hull.begin = none ? more.begin : least(hull.begin, more.begin);
            hull.end = none ? more.end : hull.end < more.end ? more.end : hull.end;
        }
        return hull;
    }
    R9V_INLINE static void synchronize() {
        arch::schedule_fence();
        arch::barrier();
        arch::schedule_fence();
    }
    // Answers are numbers: the compiler keeps a bool that lives long in vector registers, and then
    // takes branches on it for divergent.
    [[nodiscard]] R9V_INLINE static int as_number(tile_answer answer) {
        return static_cast<int>(answer);
    }
    /// What this wave's queries keep of a tile; `all` only of a tile that exists completely.
    [[nodiscard]] R9V_INLINE int answer(int tile) const {
        const index_t key = index_t{tile} * Shape::keys;
        int kept = as_number(answer_of(own_, key, key + Shape::keys));
        if constexpr (has_tile_answers<scores_type>) {
            const bool exists = key + Shape::keys <= sequence_.keys;
            if (kept == as_number(tile_answer::some))
                kept = as_number(keeps(scores_, tile_of(queries_.range(sequence_.index), key)));
            if (!exists && kept == as_number(tile_answer::all)) kept = as_number(tile_answer::some);
        }
        return arch::uniform(kept);
    }
    [[nodiscard]] R9V_INLINE score_tile tile_of(const row_range& rows, index_t key) const {
        return {rows.batch, rows.head, rows.begin,
                rows.end,   key,       least(key + Shape::keys, sequence_.keys)};
    }
    /// The first tile behind `tile` of which the block keeps anything, or the end.
    [[nodiscard]] R9V_INLINE int after(int tile) const {
        tile += 1;
        if constexpr (has_tile_answers<scores_type>) {
            R9V_ROLLED
            while (tile < end_ && block_keeps_nothing(tile))
                tile += 1;
        }
        return tile;
    }
    [[nodiscard]] R9V_INLINE bool block_keeps_nothing(int tile) const {
        int kept = as_number(tile_answer::none);
        R9V_ROLLED
        for (int wave = 0; wave < Shape::waves && kept == as_number(tile_answer::none); ++wave) {
            const score_tile part =
                tile_of(units_.of(wave).range(sequence_.index), index_t{tile} * Shape::keys);
            kept = arch::uniform(as_number(keeps(scores_, part)));
        }
        return kept == as_number(tile_answer::none);
    }
    /// The end of a run of tiles, from `tile` on, for the interior loop.
    [[nodiscard]] R9V_INLINE int interior_end(int tile) const {
        if constexpr (has_tile_answers<scores_type>) {
            // Each is followed by another, so that none behind it is skipped.
            R9V_ROLLED
            while (tile + 1 < end_ && answer(tile) == as_number(tile_answer::all) &&
                   answer(tile + 1) == as_number(tile_answer::all))
                tile += 1;
            return tile;
        } else {
            return tile < core_begin_ ? 0 : core_end_;
        }
    }
    /// What is loaded while `tile` is worked on; at the end, something that exists.
    [[nodiscard]] R9V_INLINE int next(int tile) const {
        const int following = after(tile);
        return following < end_ ? following : tile;
    }
    [[nodiscard]] R9V_INLINE score_place place(int tile) const {
        const index_t key = index_t{tile} * Shape::keys;
        const std::uint32_t lane = arch::fresh_lane_index();
        const auto at = arch::result_position(static_cast<int>(lane), 0);
        const index_t left = sequence_.keys - key;
        return {sequence_.score(queries_.head, queries_.first, key, queries_.of(lane), at.column),
                left < Shape::keys ? static_cast<std::int32_t>(left) : Shape::keys};
    }

    /// K Q^T, from `start` on. Tiles of 16 keys alternate, so that products in a row are
    /// independent.
    R9V_INLINE void multiply_keys(arch::local_bytes stage, arch::floats8 start,
                                  score_registers& s) const {
        arch::schedule_fence();
        R9V_UNROLL
        for (int d = 0; d < dim_fragments; ++d)
            R9V_UNROLL
        for (int f = 0; f < key_fragments; ++f)
            s[f] = arch::multiply_add<element>(key_reader_.load(stage, f, d), q_[d],
                                               d == 0 ? start : s[f]);
        arch::schedule_products<dim_fragments * key_fragments, in_flight, 1>();
        arch::schedule_fence();
    }
    /// O^T += V^T P^T.
    R9V_INLINE void multiply_values(arch::local_bytes stage, const weight_registers& weights) {
        arch::schedule_fence();
        R9V_UNROLL
        for (int f = 0; f < key_fragments; ++f)
            R9V_UNROLL
        for (int d = 0; d < value_fragments; ++d)
            o[0][0][d] = arch::multiply_add<element>(
                value_reader_.load(stage + Shape::key_bytes, d, f), weights[f], o[0][0][d]);
        arch::schedule_products<value_fragments * key_fragments, in_flight, 2>();
        arch::schedule_fence();
    }
    /// One transcendental behind every two others.
    R9V_INLINE static void interleave() {
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            ((arch::schedule_group<arch::transcendental_kind, Is * 0 + 1, 0>(),
              arch::schedule_group<arch::vector_kind, Is * 0 + 2, 0>()),
             ...);
        }(std::make_integer_sequence<int, 8 * key_fragments>{});
        arch::schedule_fence();
    }

    template<int Slot>
    R9V_INLINE void interior(int tile) {
        const arch::local_bytes stage = lds_ + Slot * Shape::stage_bytes;
        score_registers s;
        weight_registers weights;
        const int following = tile + 1 < end_ ? tile + 1 : tile;
        stage_.look_up(following);
        multiply_keys(stage, softmax.start(), s);
        if constexpr (rules::in_products) {
            softmax.watch(s, limit_, o);
            R9V_UNROLL
            for (auto& x : s)
                x *= softmax.factor();
        } else {
            R9V_UNROLL
            for (auto& x : s)
                x *= factor_.scale;
            general_runs(scores_, place(tile), s);
            softmax.template meet<true>(s, not_kept, 1.0f, o);
            to_exponents(s);
        }
        softmax.weigh(s, weights);
        interleave();
        stage_.load_whole(following);
        multiply_values(stage, weights);
        stage_.store(lds_ + (Slot ^ 1) * Shape::stage_bytes);
        synchronize();
    }

    R9V_INLINE void to_exponents(score_registers& s) const {
        const float reference = -softmax.reference();
        R9V_UNROLL
        for (auto& x : s)
            R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            x[e] = arch::fma(x[e], tile::log2_e, reference);
    }

    /// A tile of which this wave keeps nothing, but others may.
    R9V_INLINE void pass(int tile, int slot) {
        stage_.load_clamped(next(tile));
        stage_.store(lds_ + (slot ^ 1) * Shape::stage_bytes);
        synchronize();
    }

    R9V_INLINE void general(int tile, int slot, bool all) {
        const arch::local_bytes stage = lds_ + slot * Shape::stage_bytes;
        weight_registers weights;
        const std::uint32_t apart = weigh_any(stage, tile, all, weights);
        add_values_apart<element>(apart, value_reader_, stage + Shape::key_bytes, weights, o[0][0]);
        stage_.load_clamped(next(tile));
        R9V_ROLLED
        for (int round = apart != 0 ? 1 : 0; round < 1; ++round)
            multiply_values(stage, weights);
        stage_.store(lds_ + (slot ^ 1) * Shape::stage_bytes);
        synchronize();
    }

    /// Weights of a tile of which anything may be missing. Returns whether (not 0) its values
    /// must not meet weights that are zero.
    R9V_INLINE std::uint32_t weigh_any(arch::local_bytes stage, int tile, bool all,
                                       weight_registers& weights) {
        score_registers s;
        multiply_keys(stage, arch::floats8{}, s);
        R9V_UNROLL
        for (auto& x : s)
            x *= factor_.scale;
        score_any_tile<scores_type, Shape::keys>(scores_, place(tile), wide_, all, s);
        softmax.template meet<false>(s, not_kept, factor_.inverse, o);
        std::uint32_t apart = 0;
        if (!all && arch::lanes_where(tile::smallest(s) <= not_kept) != 0)
            apart = any_nonfinite<element, key_fragments, value_fragments>(
                value_reader_, stage + Shape::key_bytes);
        to_exponents(s);
        if (apart != 0) keep_visible(s);
        softmax.weigh(s, weights);
        return apart;
    }

    /// Weights that are kept, however small, do not become zero.
    R9V_INLINE static void keep_visible(score_registers& exponents) {
        constexpr float least_half = -24.0f;
        R9V_UNROLL
        for (auto& x : exponents)
            R9V_UNROLL
        for (int e = 0; e < 8; ++e) {
            const bool hidden = x[e] < least_half && x[e] > -1e38f;
            x[e] = hidden ? least_half : x[e];
        }
    }

    const attention_sequence& sequence_;
    const scores_type& scores_;
    query_rows queries_;
    query_units units_;
    bool wide_;
    arch::local_bytes lds_;
    score_factor factor_;
    key_value_stage<Shape, rows_type> stage_;
    tile::row_fragments<typename Shape::key_rows> key_reader_;
    tile::row_fragments<typename Shape::value_rows> value_reader_;
    arch::words4 q_[dim_fragments];
    column_range own_;
    float limit_ = arch::uniform(tile::tolerance / softmax.factor()); ///< of interior scores
    int begin_ = 0;                                                   ///< tiles
    int end_ = 0;
    int core_begin_ = 0;
    int core_end_ = 0;
};

} // namespace r9v::inline R9V_ABI::kernels
