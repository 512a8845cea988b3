// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What pools and copies move and execute, as counted by the emulator, against the bytes of the
// tensors.

#include <r9v/copy.hpp>
#include <r9v/pool.hpp>

#include "problem.hpp"
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

struct map_shape {
    index_t n, h, w, c;
    [[nodiscard]] index_t elements() const { return n * h * w * c; }
};

/// A map and a result, of halves.
struct maps {
    map_shape from;
    map_shape to;
    buffer<half> x{random_elements<half>(from.elements(), 1)};
    buffer<half> y{to.elements()};

    [[nodiscard]] auto in() const { return x.view({from.n, from.h, from.w, from.c}); }
    [[nodiscard]] auto out() const { return y.view({to.n, to.h, to.w, to.c}); }

    /// Runs a program once: bytes over those of map and result, and what its kernels did.
    template<class Program>
    launch_counts count(const char* what, const Program& p) const {
        const r9v::stream s;
        r9v::launch(s, p);
        s.synchronize();
        const launch_counts c = r9v_emulator::last_counts();
        const auto accesses = static_cast<double>(c.global_loads + c.global_stores) * 32;
        std::printf("%-34s %4.2f of the bytes, %4.1f bytes an access, %4.2f of the lines, %5.1f "
                    "vector cycles for each element of the result, LDS passes %4.2f of the least, "
                    "%llu waves\n",
                    what, ratio(c), static_cast<double>(bytes(c)) / accesses,
                    static_cast<double>(c.global_lines_loaded + c.global_lines_stored) * 128 /
                        static_cast<double>(2 * (from.elements() + to.elements())),
                    32 * static_cast<double>(c.valu_cycles) / static_cast<double>(to.elements()),
                    passes(c), static_cast<unsigned long long>(c.waves));
        EXPECT_EQ(c.scratch_accesses, 0u);
        return c;
    }
    static std::uint64_t bytes(const launch_counts& c) {
        return c.global_bytes_loaded + c.global_bytes_stored;
    }
    [[nodiscard]] double ratio(const launch_counts& c) const {
        return static_cast<double>(bytes(c)) /
               static_cast<double>(2 * (from.elements() + to.elements()));
    }
    static double passes(const launch_counts& c) {
        const auto least = static_cast<double>(c.lds_load_passes_ideal + c.lds_store_passes_ideal);
        return least == 0 ? 1 : static_cast<double>(c.lds_load_passes + c.lds_store_passes) / least;
    }
};

} // namespace

TEST(pool_counts, overlapping_windows_load_the_map_once) {
    for (const index_t n : {1, 8}) {
        const maps of{{n, 112, 112, 64}, {n, 56, 56, 64}};
        const launch_counts c =
            of.count("3x3 stride 2 at 112x112x64",
                     max_pool(of.in(), {.window = 3, .stride = 2, .pad = 1}) | store(of.out()));
        EXPECT_LE(of.ratio(c), 1.1);
        EXPECT_LE(of.passes(c), 1.05);
    }
    const maps five{{1, 40, 40, 128}, {1, 40, 40, 128}};
    const launch_counts c =
        five.count("5x5 stride 1 at 40x40x128",
                   max_pool(five.in(), {.window = 5, .pad = 2}) | store(five.out()));
    EXPECT_LE(five.ratio(c), 1.6);
}

TEST(pool_counts, windows_side_by_side_load_the_map_once) {
    const maps of{{1, 56, 56, 96}, {1, 28, 28, 96}};
    const launch_counts c =
        of.count("2x2 stride 2 at 56x56x96",
                 max_pool(of.in(), {.window = 2, .stride = 2}) | store(of.out()));
    EXPECT_EQ(of.ratio(c), 1);
}

TEST(pool_counts, three_pools_in_a_chain_load_the_map_once) {
    for (const index_t n : {1, 8}) {
        const maps of{{n, 20, 20, 256}, {n, 20, 20, 768}};
        const launch_counts c =
            of.count("three 5x5 at 20x20x256",
                     chained_max_pool(of.in(), {.window = 5, .count = 3}) | store(of.out()));
        EXPECT_EQ(of.ratio(c), 1);
        EXPECT_LE(of.passes(c), 1.05);
    }
}

TEST(pool_counts, means_of_whole_maps_load_the_map_once_with_many_waves) {
    const maps of{{1, 7, 7, 2048}, {1, 1, 1, 2048}};
    const launch_counts c =
        of.count("mean of 7x7x2048", global_average_pool(of.in()) | store(of.out()));
    EXPECT_EQ(of.ratio(c), 1);
    EXPECT_GE(c.waves, 256u);
}

TEST(copy_counts, layouts_turn_in_wide_accesses) {
    const maps of{{1, 80, 80, 64}, {1, 80, 80, 64}};
    const auto first = [&](const buffer<half>& b) {
        return channels_last(b.view({1, 64, 80, 80}));
    };
    for (const launch_counts& c :
         {of.count("channels to the end", copy(first(of.x)) | store(of.out())),
          of.count("channels to the front", copy(of.in()) | store(first(of.y))),
          of.count("as it is", copy(of.in()) | store(of.out()))}) {
        EXPECT_EQ(of.ratio(c), 1);
        // Every lane of every access has 16 bytes.
        EXPECT_EQ((c.global_loads + c.global_stores) * 32 * 16, maps::bytes(c));
    }
}

} // namespace r9v_test
