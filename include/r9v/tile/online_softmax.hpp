// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The running softmax of a wave over tiles of keys (Milakov and Gimelshein, arXiv 1805.02867). A
// lane holds scores of one query, keys 8h .. 8h + 7 of every 16; the two halves of the wave share
// the queries.
//
// Results are rescaled only when a score exceeds the running reference by `tolerance`: until then,
// weights are up to 2^tolerance instead of 1, which every format holds.
#pragma once

#include <r9v/arch/select.hpp>

namespace r9v::inline R9V_ABI::tile {

/// In powers of two.
inline constexpr float tolerance = 8.0f;
inline constexpr float log2_e = 1.44269504f;

/// The largest of a lane's scores; NaN counts as least.
template<int Fragments>
[[nodiscard]] R9V_INLINE float largest(const arch::floats8 (&scores)[Fragments]) {
    float top = arch::largest(scores[0][0], scores[0][1], scores[0][2]);
    R9V_UNROLL
    for (int i = 3; i + 1 < 8 * Fragments; i += 2)
        top = arch::largest(top, scores[i / 8][i % 8], scores[(i + 1) / 8][(i + 1) % 8]);
    return arch::largest(top, scores[Fragments - 1][7]);
}
template<int Fragments>
[[nodiscard]] R9V_INLINE float smallest(const arch::floats8 (&scores)[Fragments]) {
    float low = arch::smallest(scores[0][0], scores[0][1], scores[0][2]);
    R9V_UNROLL
    for (int i = 3; i + 1 < 8 * Fragments; i += 2)
        low = arch::smallest(low, scores[i / 8][i % 8], scores[(i + 1) / 8][(i + 1) % 8]);
    return arch::smallest(low, scores[Fragments - 1][7]);
}

/// What is kept of a softmax between tiles. `Products`: scores are used as the matrix instruction
/// gives them, with the reference subtracted as its third operand; the 8 registers of that operand
/// are then all the reference there is.
template<class Element, bool Products, int Results>
class online_softmax {
public:
    using results = arch::floats8[1][1][Results];

    /// Reference and scores are in units of 1 / `factor` powers of two.
    R9V_INLINE explicit online_softmax(float factor) : factor_{factor} {
        if constexpr (Products) arch::hide(negated_);
    }

    /// Where matrix instructions begin: minus the reference, or zeros.
    [[nodiscard]] R9V_INLINE arch::floats8 start() const {
        return Products ? negated_ : arch::floats8{};
    }
    /// The reference in powers of two.
    [[nodiscard]] R9V_INLINE float reference() const { return -negated_[0] * factor_; }
    /// Whether every lane's query has met a score that is kept.
    [[nodiscard]] R9V_INLINE bool ready() const { return met_ == 0xffff'ffffu; }
    [[nodiscard]] R9V_INLINE float sum() const { return sum_; }
    [[nodiscard]] R9V_INLINE float factor() const { return factor_; }

    /// Sets the reference from scores in the user's units, `lowest` where they are not kept.
    /// `inverse` turns them into units of the reference. `Ready`: every query has met a score.
    template<bool Ready, int Fragments>
    R9V_INLINE void meet(const arch::floats8 (&scores)[Fragments], float lowest, float inverse,
                         results& o) {
        const float top = largest(scores);
        const bool met = Ready || is_met();
        const bool exceeds = arch::fma(top, log2_e, negated_[0] * factor_) > tolerance;
        if (arch::lanes_where(met ? exceeds : top > lowest) == 0) return;
        const float all = arch::largest(top, arch::other_half(top));
        const float higher = all * inverse + negated_[0];
        const bool some = all > lowest;
        const bool moves = some && (!met || higher > 0.0f);
        const float moved = raise(moves ? higher : 0.0f);
        rescale(met ? arch::exp2(-moved * factor_) : 1.0f, o);
        if constexpr (!Ready) met_ |= arch::lanes_where(some);
    }

    /// The same for a tile of which everything is kept; `scores` have the reference subtracted.
    /// Only updates in place may stand behind the branch: anything else makes the compiler copy all
    /// results every time.
    template<int Fragments>
    R9V_INLINE void watch(arch::floats8 (&scores)[Fragments], float limit, results& o)
        requires Products
    {
        const float top = largest(scores);
        if (arch::lanes_where(top > limit) == 0) return;
        const float moved = raise(arch::largest(arch::largest(top, arch::other_half(top)), 0.0f));
        rescale(arch::exp2(-moved * factor_), o);
        R9V_UNROLL
        for (auto& s : scores)
            s -= moved;
    }

    /// 2^exponents, rounded towards zero to Element. Their sum is taken after rounding, so that its
    /// bias cancels in the quotient.
    template<int Fragments>
    R9V_INLINE void weigh(const arch::floats8 (&exponents)[Fragments],
                          arch::words4 (&weights)[Fragments]) {
        float sums[2] = {sum_, 0.0f};
        R9V_UNROLL
        for (int i = 0; i < 4 * Fragments; ++i) {
            const arch::floats8& x = exponents[i / 4];
            const int e = 2 * (i % 4);
            const std::uint32_t pair =
                arch::pack_toward_zero<Element>(constants_, arch::exp2(x[e]), arch::exp2(x[e + 1]));
            weights[i / 4][i % 4] = pair;
            sums[i % 2] = arch::dot<Element>(pair, constants_.ones, sums[i % 2]);
        }
        sum_ = sums[0] + sums[1];
    }

    /// The sum over both halves of the wave.
    R9V_INLINE void join_halves() { sum_ += arch::other_half(sum_); }

private:
    [[nodiscard]] R9V_INLINE bool is_met() const { return (met_ >> arch::lane_index() & 1u) != 0; }

    /// Raises the reference; returns by how much it went up in fact.
    R9V_INLINE float raise(float by) {
        const float before = negated_[0];
        negated_ -= by;
        return before - negated_[0];
    }
    R9V_INLINE void rescale(float by, results& o) {
        R9V_UNROLL
        for (auto& part : o[0][0])
            part *= by;
        sum_ *= by;
    }

    float factor_;
    arch::floats8 negated_{};
    float sum_ = 0.0f;
    std::uint32_t met_ = 0;
    arch::pair_constants<Element> constants_;
};

} // namespace r9v::inline R9V_ABI::tile
