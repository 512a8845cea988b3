// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the decode kernels of attention move and execute, as counted by the emulator, against the
// bytes of keys and values that a program needs.

#include <r9v/attention.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>
#include <r9v_emulator/testing.hpp>

#include <cstdio>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace r9v_test {

namespace {

using r9v::buffer;
using r9v::half;
using r9v::index_t;

constexpr index_t dim = 128;
constexpr r9v::attention_tile four =
    r9v::detail::decode_tile({.dims = {128, 128}, .scores = {}}, 4);

std::vector<half> elements(index_t count) {
    std::vector<half> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = r9v::from_float<half>(static_cast<float>(i * 7919 % 1009) / 1009.0f - 0.5f);
    return values;
}

/// One query for `ratio` heads of each key head over `keys` keys.
struct decode_problem {
    index_t key_heads;
    index_t ratio;
    index_t keys;
    buffer<half> memory_q{elements(key_heads * ratio * dim)};
    buffer<half> memory_k{elements(key_heads * keys * dim)};
    buffer<half> memory_v{elements(key_heads * keys * dim)};
    buffer<half> memory_o{key_heads * ratio * dim};
    r9v::stream s{};

    auto q() const { return memory_q.view({index_t{1}, key_heads * ratio, index_t{1}, dim}); }
    auto o() const { return memory_o.view({index_t{1}, key_heads * ratio, index_t{1}, dim}); }
    auto k() const { return memory_k.view({index_t{1}, key_heads, keys, dim}); }
    auto v() const { return memory_v.view({index_t{1}, key_heads, keys, dim}); }
    double cache_bytes() const { return static_cast<double>(key_heads * keys * dim * 2 * 2); }

    /// Everything that launching the program with the tile for four heads did.
    template<class Program>
    r9v_emulator::launch_totals run(const Program& p) const {
        const auto narrowed = r9v::only<four>(p);
        const std::size_t bytes = r9v::workspace_bytes(narrowed);
        buffer<std::uint8_t> scratch{static_cast<index_t>(bytes) + 1};
        r9v_emulator::reset_counts();
        r9v::launch(s, narrowed, {scratch.data(), bytes});
        s.synchronize();
        return r9v_emulator::totals();
    }
};

r9v_emulator::launch_counts of_kernel(const r9v_emulator::launch_totals& all, const char* name) {
    for (const auto& [kernel, totals] : all.kernels)
        if (kernel.find(name) != std::string::npos) return totals.counts;
    ADD_FAILURE() << "no kernel " << name;
    return {};
}

/// Of a device with 64 compute units.
TEST(decode, reads_the_cache_once_with_few_instructions_and_fills_the_device) {
    const decode_problem p{8, 4, 8192};
    const auto all =
        p.run(r9v::attention<dim>(p.q(), p.k(), p.v(), r9v::scale(0.09f)) | r9v::store(p.o()));
    const auto c = of_kernel(all, "attention_decode_kernel");
    const auto vector = static_cast<double>(all.counts.valu + all.counts.transcendental);
    std::printf("decode: %.4f times the cache loaded, %.4f vector instructions a byte, %u waves\n",
                static_cast<double>(all.counts.global_bytes_loaded) / p.cache_bytes(),
                vector / p.cache_bytes(), static_cast<unsigned>(c.waves));
    EXPECT_LE(static_cast<double>(all.counts.global_bytes_loaded), 1.02 * p.cache_bytes());
    EXPECT_LE(static_cast<double>(c.global_lines_loaded), 1.02 * p.cache_bytes() / 128);
    EXPECT_LE(vector, 0.08 * p.cache_bytes());
    EXPECT_EQ(all.launches, 2u); // parts of rows, and their merge
    EXPECT_GE(c.waves, 64u * 2 * 8);
    EXPECT_LE(c.waves, 64u * 2 * 12); // what registers allow at once
    EXPECT_EQ(all.counts.scratch_accesses, 0u);
    EXPECT_EQ(c.lds_load_passes, c.lds_load_passes_ideal);
    EXPECT_EQ(c.lds_store_passes, c.lds_store_passes_ideal);
}

TEST(decode, a_window_reads_its_keys_alone) {
    const decode_problem p{2, 4, 4096};
    const auto all =
        p.run(r9v::attention<dim>(p.q(), p.k(), p.v(), r9v::scale(0.09f) | r9v::window(1000)) |
              r9v::store(p.o()));
    const auto c = of_kernel(all, "attention_decode_kernel");
    const double window = p.cache_bytes() / 4096 * (1000 + 8); // whole loads of 8 keys
    const auto queries = static_cast<double>(c.waves / 8 * 4 * dim * 2);
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), window + queries);
}

TEST(decode, a_length_bounds_what_is_read_and_shares_stay_even) {
    const decode_problem p{2, 4, 4096};
    buffer<std::int32_t> lengths{std::vector<std::int32_t>{1024}};
    const auto limited = [&](auto t) {
        return r9v::with_lengths(t, lengths.view({index_t{1}}));
    };
    const auto all =
        p.run(r9v::attention<dim>(p.q(), limited(p.k()), limited(p.v()), r9v::scale(0.09f)) |
              r9v::store(p.o()));
    const auto c = of_kernel(all, "attention_decode_kernel");
    const auto queries = static_cast<double>(c.waves / 8 * 4 * dim * 2);
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), p.cache_bytes() / 4 + queries);
    EXPECT_GE(c.waves, 256u); // as many as for the longest: each has a step of the 128 a head
}

TEST(decode, pages_cost_their_table_entries) {
    const decode_problem p{4, 4, 4096};
    constexpr index_t page = 16;
    std::vector<std::int32_t> order(4096 / page);
    std::iota(order.rbegin(), order.rend(), 0);
    buffer<std::int32_t> table{order};
    buffer<std::int32_t> lengths{std::vector<std::int32_t>{4096}};
    const auto paged = [&](const buffer<half>& t) {
        return r9v::paged(t.view({4096 / page, index_t{4}, page, dim}),
                          table.view({index_t{1}, 4096 / page}), lengths.view({index_t{1}}));
    };
    const auto all =
        p.run(r9v::attention<dim>(p.q(), paged(p.memory_k), paged(p.memory_v), r9v::scale(0.09f)) |
              r9v::store(p.o()));
    const auto c = of_kernel(all, "attention_decode_kernel");
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), 1.06 * p.cache_bytes());
}

TEST(decode, one_split_needs_one_kernel_and_no_scratch) {
    const decode_problem p{512, 1, 32};
    const auto program =
        r9v::attention<dim>(p.q(), p.k(), p.v(), r9v::scale(0.09f)) | r9v::store(p.o());
    EXPECT_EQ(r9v::workspace_bytes(r9v::only<four>(program)), 0u);
    EXPECT_EQ(p.run(program).launches, 1u);
}

} // namespace

} // namespace r9v_test
