// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that GEMM programs are compiled for. Host code only; nothing here asks for a GPU.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/gemm/geometry.hpp>
#include <r9v/kernels/gemm/problem.hpp>

namespace r9v::inline R9V_ABI {

/// How a kernel is built, and with it what it can do.
enum class gemm_regime {
    large,  ///< slabs through LDS in 16-byte loads: most work for each byte; needs alignment
            ///< (fit.hpp)
    medium, ///< the same with small tiles and any strides and alignment: right for everything
    skinny, ///< m <= 16: weights from memory to registers once, k split among the waves
};

/// What one block computes: m rows and n columns of the result (of both results after `both`) in
/// steps of k, by waves_m * waves_n * waves_k waves.
struct gemm_tile {
    int m = 128;
    int n = 128;
    int k = 32;
    int waves_m = 2;
    int waves_n = 2;
    int waves_k = 1;
    gemm_regime regime = gemm_regime::large;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves_m * waves_n * waves_k * 32; }
    friend constexpr bool operator==(const gemm_tile&, const gemm_tile&) = default;
};

namespace detail {

/// What tuning looks at in a program.
struct gemm_traits {
    layout x;
    layout w;
    int results;
    bool prologue;
};

template<class Head>
using prologue_type = std::remove_cvref_t<decltype(std::declval<Head>().x.prologue)>;

template<class Program>
inline constexpr gemm_traits traits_of = {
    Program::head_type::x_view::element_layout, Program::head_type::w_view::element_layout,
    Program::head_type::results, prologue_type<typename Program::head_type>::size != 0};

constexpr bool has_contiguous_axis(const gemm_traits& t) {
    return t.x != layout::strided && t.w != layout::strided;
}
/// Skinny kernels read x as rows.
constexpr bool allows_skinny(const gemm_traits& t) {
    return has_contiguous_axis(t) && t.x == layout::row_major;
}

/// 64 x 64 accumulators a wave, or half of them where the prologue needs registers too. `both`
/// halves n: what counts is the number of accumulators.
constexpr gemm_tile large_tile(const gemm_traits& t) {
    return {.m = 128,
            .n = 128 / t.results,
            .waves_n = t.prologue ? 4 : 2,
            .regime = gemm_regime::large};
}
constexpr gemm_tile medium_tile(const gemm_traits& t) {
    return {.m = 64, .n = 64 / t.results, .regime = gemm_regime::medium};
}
/// A wave reads whole 128-byte lines of weights: along k from 16 rows of [n, k], along n from
/// [k, n], where 64 columns make a line.
constexpr gemm_tile skinny_tile(const gemm_traits& t) {
    return {.m = 16,
            .n = t.w == layout::row_major ? 16 : 64 / t.results,
            .k = t.w == layout::row_major ? 64 : 32,
            .waves_m = 1,
            .waves_n = 1,
            .waves_k = t.w == layout::row_major ? 8 : 16,
            .regime = gemm_regime::skinny};
}

template<gemm_traits Traits>
constexpr auto default_tile_list() {
    if constexpr (!has_contiguous_axis(Traits)) {
        return tile_list<medium_tile(Traits)>{};
    } else if constexpr (!allows_skinny(Traits)) {
        return tile_list<large_tile(Traits), medium_tile(Traits)>{};
    } else {
        return tile_list<large_tile(Traits), medium_tile(Traits), skinny_tile(Traits)>{};
    }
}

/// Whether the kernels can be built with this tile.
constexpr bool is_valid_tile(const gemm_tile& t, const gemm_traits& traits) {
    constexpr int lds = 65536;
    if (t.regime == gemm_regime::skinny)
        return allows_skinny(traits) && t.m == 16 && t.waves_m == 1 && t.waves_n == 1 &&
               t.waves_k >= 1 && t.waves_k <= 32 && t.n % 16 == 0 && t.n >= 16 && t.n <= 64 &&
               t.k % 16 == 0 && t.k >= 16 && t.k <= 64 &&
               traits.results * t.n * 64 * ((t.waves_k + 1) / 2) + t.k * 32 <= lds;
    const int waves = t.waves_m * t.waves_n;
    const int fragments_m = t.waves_m > 0 ? t.m / t.waves_m / 16 : 0;
    const int fragments_n = t.waves_n > 0 ? t.n / t.waves_n / 16 : 0;
    if (t.regime == gemm_regime::large && !has_contiguous_axis(traits)) return false;
    // Every matrix instruction of half a slab has room beside it for one fragment of the other
    // half.
    const int fragments = fragments_m + traits.results * fragments_n;
    const int products = fragments_m * traits.results * fragments_n;
    return t.k == 32 && t.waves_k == 1 && (waves == 4 || waves == 8) && products >= fragments &&
           products <= 16 && t.m == fragments_m * 16 * t.waves_m &&
           t.n == fragments_n * 16 * t.waves_n && t.m % (waves * 8) == 0 &&
           t.n % (waves * 8) == 0 && 2 * (t.m + traits.results * t.n) * 64 <= lds &&
           waves * traits.results * fragments_n * 1024 <= lds;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
