// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the prefill kernels of attention execute and move, as counted by the emulator, against what
// their tiling implies.

#include <r9v/attention.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>
#include <r9v_emulator/testing.hpp>

#include <cstdio>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace r9v_test {

namespace {

using r9v::half;
using r9v::index_t;
using r9v_emulator::launch_counts;

template<int Dim>
std::vector<half> random_rows(index_t rows, unsigned seed) {
    std::mt19937 random{seed};
    std::uniform_real_distribution<float> uniform{-1, 1};
    std::vector<half> values(static_cast<std::size_t>(rows * Dim));
    for (half& v : values)
        v = r9v::from_float<half>(uniform(random));
    return values;
}

/// One head of `rows` queries and as many keys.
template<int Dim>
struct square {
    index_t rows;
    r9v::buffer<half> q{random_rows<Dim>(rows, 1)};
    r9v::buffer<half> k{random_rows<Dim>(rows, 2)};
    r9v::buffer<half> v{random_rows<Dim>(rows, 3)};
    r9v::buffer<half> o{rows * Dim};
    r9v::stream s{};

    template<class Scores>
    launch_counts count(const Scores& scores) const {
        const r9v::extent sizes[4] = {1, 1, rows, Dim};
        const auto program = r9v::attention<Dim>(q.view(sizes), k.view(sizes), v.view(sizes),
                                                 r9v::scale(0.1f) | scores) |
                             r9v::store(o.view(sizes));
        using list = r9v::default_tiles<std::remove_const_t<decltype(program)>>;
        launch_first(program, list{});
        s.synchronize();
        return r9v_emulator::last_counts();
    }

private:
    template<class Program, auto First, auto... Others>
    void launch_first(const Program& program, r9v::tile_list<First, Others...>) const {
        static_assert(First.regime == r9v::attention_regime::prefill);
        r9v::launch<First>(s, program);
    }
};

/// Cycles of the vector unit: WMMA and other VALU by their occupancy, 4 for a transcendental beside
/// WMMA (measured on RDNA4).
double vector_cycles(const launch_counts& c) {
    return static_cast<double>(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
}
double matrix_share(const launch_counts& c) {
    return static_cast<double>(c.wmma_cycles) / vector_cycles(c);
}

constexpr auto everything = r9v::window(-1, -1);
constexpr auto causal = r9v::causal(r9v::bottom_right);

template<int Dim>
void check_causal(double share) {
    const square<Dim> p{4096};
    const launch_counts all = p.count(everything);
    const launch_counts half_of_it = p.count(causal);
    const double ratio = vector_cycles(half_of_it) / vector_cycles(all);
    std::printf("dim %d at 4096: causal / unmasked %.3f vector cycles; WMMA share of the whole "
                "kernel %.1f %% unmasked, %.1f %% causal\n",
                Dim, ratio, 100 * matrix_share(all), 100 * matrix_share(half_of_it));
    EXPECT_LE(ratio, 0.54);
    EXPECT_GE(matrix_share(all), share);
    EXPECT_EQ(all.wmma, static_cast<std::uint64_t>(2 * 256 * 256 * Dim / 16));
    EXPECT_EQ(all.scratch_accesses, 0u);
    EXPECT_EQ(half_of_it.scratch_accesses, 0u);
}

TEST(prefill_counts, causal_costs_half_at_128) {
    check_causal<128>(0.82);
}
TEST(prefill_counts, causal_costs_half_at_64) {
    check_causal<64>(0.70);
}

TEST(prefill_counts, keys_and_values_are_loaded_once_for_128_queries) {
    constexpr index_t rows = 512;
    const square<128> p{rows};
    const launch_counts c = p.count(everything);
    constexpr index_t blocks = rows / 128;
    constexpr index_t bytes = rows * 128 * 2;
    // The last tile is loaded again instead of nothing.
    constexpr index_t tile = 32 * 128 * 2;
    EXPECT_EQ(c.global_bytes_loaded,
              static_cast<std::uint64_t>(bytes + blocks * 2 * (bytes + tile)));
    EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(bytes));
}

TEST(prefill_counts, only_keys_and_values_go_through_lds_without_conflicts) {
    const square<128> p{512};
    const launch_counts c = p.count(everything);
    // Four 16-byte stores of each of 8 waves for a tile of 32 keys and values.
    EXPECT_EQ(c.lds_stores, static_cast<std::uint64_t>(4 * (512 / 32 + 1) * 8 * 4));
    EXPECT_EQ(c.lds_load_passes, c.lds_load_passes_ideal);
    EXPECT_EQ(c.lds_store_passes, c.lds_store_passes_ideal);
}

} // namespace

} // namespace r9v_test
