// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The math policy of kernels: what ops/reference_math.hpp offers, in the fast float of arch/.
#pragma once

#include <r9v/arch/select.hpp>
#include <r9v/numeric/bits.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/pair.hpp>

namespace r9v::inline R9V_ABI::tile {

/// `Offset` counts a lane's distance from its base: std::uint32_t, where a scalar base and 32 bits
/// in the lane reach all of an operand's tile, or r9v::index_t.
template<class Offset>
struct device_math {
    using real = float;
    using offset = Offset;
    static constexpr bool is_reference = false;

    R9V_INLINE static float exp(float x) { return arch::exp(x); }
    R9V_INLINE static float exp2(float x) { return arch::exp2(x); }
    R9V_INLINE static float expm1(float x) { return arch::expm1(x); }
    R9V_INLINE static float log(float x) { return arch::log(x); }
    R9V_INLINE static float log1p(float x) { return arch::log1p(x); }
    R9V_INLINE static float sqrt(float x) { return arch::square_root(x); }
    R9V_INLINE static float rsqrt(float x) { return arch::reciprocal_root(x); }
    R9V_INLINE static float reciprocal(float x) { return arch::reciprocal(x); }
    R9V_INLINE static float tanh(float x) { return arch::tanh(x); }
    R9V_INLINE static float erf(float x) { return arch::erf(x); }
    R9V_INLINE static float sigmoid(float x) { return arch::sigmoid(x); }
    R9V_INLINE static float fma(float a, float b, float c) { return arch::fma(a, b, c); }
    R9V_INLINE static float abs(float x) { return arch::abs(x); }
    R9V_INLINE static float round(float x) { return arch::round(x); }
    R9V_INLINE static float max(float a, float b) { return arch::maximum(a, b); }
    R9V_INLINE static float min(float a, float b) { return arch::minimum(a, b); }
    R9V_INLINE static float select(bool condition, float a, float b) { return condition ? a : b; }

    /// The same on pairs, for `apply`.
    R9V_INLINE static pair exp(pair x) { return for_both(arch::exp, x); }
    R9V_INLINE static pair expm1(pair x) { return for_both(arch::expm1, x); }
    R9V_INLINE static pair log1p(pair x) { return for_both(arch::log1p, x); }
    R9V_INLINE static pair reciprocal(pair x) { return for_both(arch::reciprocal, x); }
    R9V_INLINE static pair tanh(pair x) { return for_both(arch::tanh, x); }
    R9V_INLINE static pair erf(pair x) { return for_both(arch::erf, x); }
    R9V_INLINE static pair sigmoid(pair x) { return pair{arch::sigmoid(x.values)}; }
    R9V_INLINE static pair fma(pair a, pair b, pair c) { return for_both(arch::fma, a, b, c); }
    R9V_INLINE static pair abs(pair x) { return for_both(arch::abs, x); }
    R9V_INLINE static pair max(pair a, pair b) { return for_both(arch::maximum, a, b); }
    R9V_INLINE static pair min(pair a, pair b) { return for_both(arch::minimum, a, b); }
    R9V_INLINE static pair select(pair::mask condition, pair a, pair b) {
        return {condition.first ? a.values[0] : b.values[0],
                condition.second ? a.values[1] : b.values[1]};
    }

    /// A curve (ops/curves.hpp) of every value of a run.
    template<class Curve, int Width>
    R9V_INLINE static run<float, Width> apply(const Curve& curve, run<float, Width> x) {
        if constexpr (Width % 2 == 0) {
            R9V_UNROLL
            for (int i = 0; i < Width; i += 2) {
                const pair y = curve(device_math{}, pair{x[i], x[i + 1]});
                x[i] = y.values[0];
                x[i + 1] = y.values[1];
            }
        } else {
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] = curve(device_math{}, x[i]);
        }
        return x;
    }

    /// N neighbouring elements, `away` elements from `base`, in accesses of up to 16 bytes.
    template<int Width, class T>
    R9V_INLINE static run<float, Width> load(const T* base, Offset away) {
        return load_as<Width, false>(base, away);
    }
    /// The same from memory that nothing writes while the program runs: loaded once for all rows.
    template<int Width, class T>
    R9V_INLINE static run<float, Width> load_constant(const T* base, Offset away) {
        return load_as<Width, true>(base, away);
    }
    /// The same for values that will be added to others: multiplied by a one that the compiler does
    /// not know, which makes conversion and addition a single v_fma_mix_f32.
    template<int Width, class T>
    R9V_INLINE static run<float, Width> load_addend(const T* base, Offset away) {
        run<float, Width> values = load<Width>(base, away);
        if constexpr (std::is_same_v<T, half>) {
            const float one = arch::hidden_one();
            R9V_UNROLL
            for (auto& value : values)
                value *= one;
        }
        return values;
    }

    /// Stores N neighbouring elements, each rounded once.
    template<int Width, class T>
    R9V_INLINE static void store(T* base, Offset away, const run<float, Width>& values) {
        constexpr int bytes = Width * static_cast<int>(sizeof(T));
        if constexpr (bytes >= 4) {
            std::uint32_t words[bytes / 4];
            R9V_UNROLL
            for (int i = 0; i < bytes / 4; ++i)
                words[i] =
                    arch::word_from_floats<T>(values.begin() + i * 4 / static_cast<int>(sizeof(T)));
            arch::store_words<bytes>(arch::to_global(base), byte_offset<T>(away), words);
        } else {
            std::uint32_t word = 0;
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                word |= arch::element_from_float<T>(values[i])
                        << 8 * static_cast<int>(sizeof(T)) * i;
            arch::store_global<bytes>(arch::to_global(base), byte_offset<T>(away),
                                      static_cast<arch::word<bytes>>(word));
        }
    }

    /// The value after rounding to the grid of T, saturating as a store of T would.
    template<class T>
    R9V_INLINE static float round_to(float x) {
        return arch::element_to_float<T>(arch::hidden(arch::element_from_float<T>(x)), 0);
    }

    /// *target = max(*target, value) for value >= 0; NaN wins, since its bits are the largest.
    R9V_INLINE static void atomic_max_nonnegative(float* target, float value) {
        arch::atomic_max(reinterpret_cast<std::uint32_t*>(target),
                         r9v::bit_cast<std::uint32_t>(value) & 0x7fff'ffffu);
    }
    /// *target = min(*target, value).
    R9V_INLINE static void atomic_min(std::uint64_t* target, std::uint64_t value) {
        arch::atomic_min(target, value);
    }

private:
    template<int Width, bool Constant, class T>
    R9V_INLINE static run<float, Width> load_as(const T* base, Offset away) {
        constexpr int bytes = Width * static_cast<int>(sizeof(T));
        constexpr int per_word = 4 / static_cast<int>(sizeof(T));
        std::uint32_t words[ceil_div(bytes, 4)];
        if constexpr (bytes >= 4) {
            arch::load_words<bytes, Constant>(arch::to_global(base), byte_offset<T>(away), words);
        } else {
            words[0] = arch::load_global<bytes>(arch::to_global(base), byte_offset<T>(away));
        }
        run<float, Width> values;
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            values[i] = arch::element_to_float<T>(words[i / per_word], i % per_word);
        return values;
    }

    template<class T>
    R9V_INLINE static Offset byte_offset(Offset away) {
        return static_cast<Offset>(away * static_cast<Offset>(sizeof(T)));
    }
};

} // namespace r9v::inline R9V_ABI::tile
