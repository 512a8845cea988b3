// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What happens to a tile of products before the softmax: the program's score ops, in runs of 8
// keys of one query.
#pragma once

#include <r9v/kernels/attention/sequence.hpp>
#include <r9v/ops/mask.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/online_softmax.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Masks that know nothing but positions: they may be asked about keys that do not exist.
template<class Op>
concept interval_mask = requires(const Op& op, const coordinate& at) { op.interval_of(at); };

template<class Chain>
struct score_facts;
template<class... Ops>
struct score_facts<chain<Ops...>> {
    static constexpr bool adds = (changes_kept_scores<Ops> || ...);
    /// Every mask may say of some tile that it keeps all of it.
    static constexpr bool may_keep_all =
        ((Ops::role != role::mask || r9v::detail::knows_columns<Ops> ||
          r9v::detail::knows_tiles<Ops>) &&
         ...);
    static constexpr bool only_intervals = ((Ops::role != role::mask || interval_mask<Ops>) && ...);
};

/// Compile-time facts of a chain of score ops. `Wide`: registers are too few to hold the reference
/// as the matrix instruction wants it.
template<class Chain, bool Wide>
struct score_rules {
    static constexpr scores_traits traits = scores_traits_of<Chain>;
    /// Scores are the products themselves, but for a factor: the running maximum is subtracted by
    /// the matrix instruction, and the factor folds into the exponential.
    static constexpr bool in_products = !Wide && !traits.has_general && !score_facts<Chain>::adds;
    /// Whether a tile can be worth the interior loop.
    static constexpr bool has_interior = score_facts<Chain>::may_keep_all;
    static constexpr bool has_ops = traits.has_general || traits.has_masks;
    static constexpr bool only_intervals = score_facts<Chain>::only_intervals;
    /// Some op may read memory, or call a function of the user's, at its position.
    static constexpr bool reads_positions =
        traits.has_general || !score_facts<Chain>::only_intervals;
};

/// Where a wave's tile of scores stands. A lane's run of fragment f begins at key 16 f + 8 h.
struct score_place {
    coordinate first;     ///< of the wave's first query and the tile's first key; lane's offsets
    std::int32_t key_end; ///< keys of the tile that exist
};

/// Math for scores: what only has to be accurate beside 1, since weights are exponentials of it.
template<class Offset>
struct score_math : tile::device_math<Offset> {
    /// 1 - 2 / (1 + exp(2 x)), to 1e-7 absolute.
    R9V_INLINE static float tanh(float x) {
        return arch::fma(-2.0f, arch::reciprocal(1.0f + arch::exp2(x * (2 * tile::log2_e))), 1.0f);
    }
    template<class Curve, int Width>
    R9V_INLINE static run<float, Width> apply(const Curve& curve, run<float, Width> x) {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = curve(score_math{}, x[i]);
        return x;
    }
};

/// Ops that run on every score, and masks where `Masked`.
template<bool Masked, class Math, class Chain, int Width>
[[nodiscard]] R9V_INLINE run<float, Width> score_run(Math math, const Chain& scores,
                                                     const coordinate& at, run<float, Width> x) {
    x = general_scores(math, scores, at, x);
    if constexpr (Masked) x = masked_scores(math, scores, at, x);
    return x;
}

/// Runs of 8. Every key of the tile exists, or no op asks for memory.
template<bool Masked, class Chain, int Fragments>
R9V_INLINE void score_tile_by_runs(const Chain& scores, const score_place& place,
                                   arch::floats8 (&x)[Fragments]) {
    R9V_UNROLL
    for (int f = 0; f < Fragments; ++f) {
        arch::schedule_fence(); // one run after the other: together they need more registers
        coordinate at = place.first;
        at.column_base += 16 * f;
        run<float, 8> values;
        R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            values[e] = x[f][e];
        values = score_run<Masked>(score_math<std::uint32_t>{}, scores, at, values);
        R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            x[f][e] = values[e];
    }
}

/// Single scores, for tiles that reach beyond the last key and operands with strides beyond 32
/// bits. Scores walk through one register, since registers have no index.
template<class Chain, int Fragments>
R9V_INLINE void score_tile_by_singles(const Chain& scores, const score_place& place,
                                      arch::floats8 (&x)[Fragments]) {
    R9V_ROLLED
    for (int at = 0; at < 8 * Fragments; ++at) {
        coordinate here = place.first;
        here.column_offset += at / 8 * 16 + at % 8;
        const bool exists = here.column_offset < place.key_end;
        here.column_offset = exists ? here.column_offset : place.key_end - 1;
        run<float, 1> value{{x[0][0]}};
        value = score_run<true>(score_math<index_t>{}, scores, here, value);
        R9V_UNROLL
        for (int i = 0; i + 1 < 8 * Fragments; ++i)
            x[i / 8][i % 8] = x[(i + 1) / 8][(i + 1) % 8];
        x[Fragments - 1][7] = exists ? value[0] : not_kept;
    }
}

/// Scores beyond the last key are not kept.
template<int Fragments>
R9V_INLINE void drop_beyond(const score_place& place, arch::floats8 (&x)[Fragments]) {
    const int left = place.key_end - place.first.column_offset;
    R9V_UNROLL
    for (int f = 0; f < Fragments; ++f)
        R9V_UNROLL
    for (int e = 0; e < 8; ++e)
        x[f][e] = 16 * f + e < left ? x[f][e] : not_kept;
}

/// All ops on a tile of which anything may be missing.
template<class Chain, int Keys, int Fragments>
R9V_INLINE void score_any_tile(const Chain& scores, const score_place& place, bool wide,
                               arch::floats8 (&x)[Fragments]) {
    using rules = score_rules<Chain, true>;
    const bool whole = place.key_end >= Keys;
    if constexpr (rules::has_ops) {
        if constexpr (rules::reads_positions) {
            if (wide && whole) {
                score_tile_by_runs<true>(scores, place, x);
            } else {
                score_tile_by_singles(scores, place, x);
            }
        } else {
            score_tile_by_runs<true>(scores, place, x);
        }
    }
    if (!rules::reads_positions && !whole) drop_beyond(place, x);
}

} // namespace r9v::inline R9V_ABI::kernels
