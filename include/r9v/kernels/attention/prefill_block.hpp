// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One block of the prefill kernel: which queries, which tiles of keys, and the epilogue.
#pragma once

#include <r9v/kernels/attention/prefill_wave.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/tile/finish.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// What a block computes. The last queries go first: under a causal mask they have most keys.
struct prefill_place {
    index_t sequence;
    std::uint32_t key_head;
    std::uint32_t unit; ///< of 16 queries of a head

    R9V_INLINE prefill_place(const attention_geometry& g, std::uint32_t waves) {
        const tile::tile_position at = g.blocks.at(arch::block_x());
        const std::uint32_t of_sequence = g.heads.quotient(at.row);
        sequence = of_sequence;
        key_head = at.row - of_sequence * g.heads.value;
        unit = (g.query_blocks.value - 1 - at.column) * waves;
    }
};

[[nodiscard]] R9V_INLINE attention_sequence uniform_sequence(const attention_sequence& s) {
    return {s.index, arch::uniform(s.queries), arch::uniform(s.keys), s.batch,
            arch::uniform(s.first_row)};
}

/// Divides the results by the sum of weights, sinks included. Returns the logarithm of the sum of
/// exponentials.
template<class Softmax, class Chain>
R9V_INLINE float normalize(Softmax& softmax, const Chain& scores, const coordinate& at,
                           typename Softmax::results& o) {
    constexpr float ln_2 = 0.693147181f;
    const float nothing = numeric::from_opaque_bits<float>(0xff80'0000u);
    softmax.join_halves();
    const float sum = softmax.sum();
    float factor = sum == 0.0f ? 0.0f : arch::reciprocal(sum);
    float log_sum = sum == 0.0f ? nothing : softmax.reference() + arch::log2(sum);
    if constexpr (Chain::has_sink) {
        const float logit = sink_of(scores).logit(tile::device_math<index_t>{}, at);
        const bool joins = is_kept(logit);
        const float sink = joins ? logit * tile::log2_e : not_kept; // finite, for -ffast-math
        const bool kept = sum != 0.0f;
        const float top = kept ? arch::largest(softmax.reference(), sink) : sink;
        const float lowered = kept ? arch::exp2(softmax.reference() - top) : 0.0f;
        const float all = sum * lowered + (joins ? arch::exp2(sink - top) : 0.0f);
        factor = kept ? lowered * arch::reciprocal(all) : 0.0f;
        log_sum = all == 0.0f ? nothing : top + arch::log2(all);
    }
    R9V_UNROLL
    for (auto& part : o[0][0])
        part *= factor;
    return log_sum * ln_2;
}

template<attention_tile Tile, class Program>
R9V_INLINE void prefill_block(const Program& program, const attention_geometry& geometry) {
    using head_type = typename Program::head_type;
    using shape = prefill_shape<head_type::dims, Tile>;
    using finisher = tile::finisher<1, 1, shape::value_fragments, typename Program::chain_type,
                                    tile::whole_rows, shape::parked>;
    alignas(16) R9V_SHARED static char shared[shape::lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);
    const head_type& head = program.head;
    const prefill_place place{geometry, Tile.waves};
    const attention_sequence sequence = uniform_sequence(sequence_of(head, place.sequence));
    const query_units units{sequence.queries, place.key_head * geometry.ratio.value, place.unit,
                            geometry.ratio};
    if (units.of(0).count == 0) return;

    const int wave = static_cast<int>(arch::wave_index());
    const query_rows queries = units.of(wave);
    const auto scores = scores_of(head, sequence);

    prefill_wave<shape, head_type> work{head,    sequence, scores, place.key_head,
                                        queries, geometry, lds};
    work.walk(units);

    const int lane_query = queries.of(arch::lane_index());
    const coordinate at = sequence.score(queries.head, queries.first, 0, lane_query);
    const float log_sum_exp = normalize(work.softmax, scores, at, work.o);
    const index_t row = sequence.first_row + queries.first;
    finisher finish{program.chain,
                    {sequence.batch, row, 0, row + queries.count, head.value_dim(), queries.head},
                    {}};
    const bool wide = geometry.wide_chain != 0;
    const bool whole = finisher::is_repeated && wide && queries.count == 16 &&
                       head.value_dim() == shape::value_dim;
    finish.finish(work.o, lds + wave * finisher::lds_bytes, whole, wide);
    if (static_cast<int>(arch::lane_index()) < queries.count)
        commit_statistics(tile::device_math<index_t>{}, program.chain,
                          sequence.result(queries.head, queries.first, 0, lane_query),
                          [&](row_statistic) { return log_sum_exp; });
}

} // namespace r9v::inline R9V_ABI::kernels
