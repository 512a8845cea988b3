// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What happens to a tile of products before the softmax: the program's score ops, in runs of 8
// keys of one query.
#pragma once

#include <r9v/kernels/attention/sequence.hpp>
#include <r9v/ops/activation.hpp>
#include <r9v/ops/alibi.hpp>
#include <r9v/ops/mask.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/online_softmax.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Masks that know nothing but positions: they may be asked about keys that do not exist.
template<class Op>
concept interval_mask = requires(const Op& op, const coordinate& at) { op.interval_of(at); };

/// Parameters that are the same for all keys of a query.
template<class Parameter>
inline constexpr bool same_for_keys = false;
template<>
inline constexpr bool same_for_keys<constant> = true;
template<span Span, class View>
inline constexpr bool same_for_keys<operand<Span, View>> =
    Span == span::scalar || Span == span::head || Span == span::row;

/// Ops that may be asked about keys that do not exist: they neither read memory there nor call a
/// function of the user's.
template<class Op>
inline constexpr bool answers_anywhere = Op::role == role::sink || interval_mask<Op>;
template<class Factor>
inline constexpr bool answers_anywhere<mul_op<Factor>> = same_for_keys<Factor>;
template<class Slope>
inline constexpr bool answers_anywhere<alibi_op<Slope>> = same_for_keys<Slope>;
template<class Curve>
inline constexpr bool answers_anywhere<pointwise<Curve>> = true;

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
    static constexpr bool same_for_all_keys = (answers_anywhere<Ops> && ...);
    /// Some op reads memory along lane offsets, which may be beyond 32 bits, or at keys.
    static constexpr bool needs_singles =
        ((!answers_anywhere<Ops> ||
          (memory_of<Ops> != space::none && !interval_mask<Ops> && Ops::role != role::sink)) ||
         ...);
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
    static constexpr bool has_interior =
        score_facts<Chain>::may_keep_all && !score_facts<Chain>::adds;
    static constexpr bool only_intervals = score_facts<Chain>::only_intervals;
    /// Runs may be beyond the reach of 32-bit offsets.
    static constexpr bool needs_singles = score_facts<Chain>::needs_singles;
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

/// Ops of a kind on runs of 8. Every key of the tile exists, or no op asks for memory of its own.
template<class Run, int Fragments>
R9V_INLINE void each_run(const score_place& place, arch::floats8 (&x)[Fragments], Run&& run_of) {
    R9V_UNROLL
    for (int f = 0; f < Fragments; ++f) {
        arch::schedule_fence(); // one run after the other: together they need more registers
        coordinate at = place.first;
        at.column_base += 16 * f;
        run<float, 8> values;
        R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            values[e] = x[f][e];
        values = run_of(at, values);
        R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            x[f][e] = values[e];
    }
}
template<class Chain, int Fragments>
R9V_INLINE void general_runs(const Chain& scores, const score_place& place,
                             arch::floats8 (&x)[Fragments]) {
    if constexpr (scores_traits_of<Chain>.has_general)
        each_run(place, x, [&](const coordinate& at, const run<float, 8>& values) {
            return general_scores(score_math<std::uint32_t>{}, scores, at, values);
        });
}
template<class Chain, int Fragments>
R9V_INLINE void masked_runs(const Chain& scores, const score_place& place,
                            arch::floats8 (&x)[Fragments]) {
    if constexpr (scores_traits_of<Chain>.has_masks)
        each_run(place, x, [&](const coordinate& at, const run<float, 8>& values) {
            return masked_scores(score_math<std::uint32_t>{}, scores, at, values);
        });
}

/// Single scores, for tiles that reach beyond the last key and operands with strides beyond 32
/// bits. They walk through the first register, since registers have no index.
template<class Chain, int Fragments>
R9V_INLINE void score_singles(const Chain& scores, const score_place& place,
                              arch::floats8 (&x)[Fragments]) {
    R9V_ROLLED
    for (int f = 0; f < Fragments; ++f) {
        R9V_ROLLED
        for (int e = 0; e < 8; ++e) {
            coordinate at = place.first;
            const std::int32_t key = at.column_offset + 16 * f + e;
            const bool exists = key < place.key_end;
            at.column_offset = exists ? key : place.key_end - 1;
            run<float, 1> value{{x[0][0]}};
            value = general_scores(score_math<index_t>{}, scores, at, value);
            value = masked_scores(score_math<index_t>{}, scores, at, value);
            R9V_UNROLL
            for (int i = 0; i < 7; ++i)
                x[0][i] = x[0][i + 1];
            x[0][7] = exists ? value[0] : not_kept;
        }
        const arch::floats8 done = x[0];
        R9V_UNROLL
        for (int i = 0; i + 1 < Fragments; ++i)
            x[i] = x[i + 1];
        x[Fragments - 1] = done;
    }
}

/// Scores beyond the last key are not kept.
template<int Fragments>
R9V_INLINE void drop_beyond(const score_place& place, arch::floats8 (&x)[Fragments]) {
    const int left = place.key_end - place.first.column_offset;
    R9V_UNROLL
    for (int f = 0; f < Fragments; ++f) {
        R9V_UNROLL
        for (int e = 0; e < 8; ++e)
            x[f][e] = 16 * f + e < left ? x[f][e] : not_kept;
    }
}

/// All ops on a tile of which anything may be missing; `all`: the masks keep everything.
template<class Chain, int Keys, int Fragments>
R9V_INLINE void score_any_tile(const Chain& scores, const score_place& place, bool wide, bool all,
                               arch::floats8 (&x)[Fragments]) {
    using facts = score_facts<Chain>;
    const bool whole = place.key_end >= Keys;
    if constexpr (facts::needs_singles) {
        if (!(wide && (whole || facts::same_for_all_keys))) {
            score_singles(scores, place, x);
            return;
        }
    }
    general_runs(scores, place, x);
    if (!all || facts::adds) masked_runs(scores, place, x);
    if (!whole) drop_beyond(place, x);
}

} // namespace r9v::inline R9V_ABI::kernels
