// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The verbs: every way to run one program gives the same bits.

#include <r9v/r9v.hpp>

#include "instantiated.hpp"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

std::vector<half> random_halves(index_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::uniform_real_distribution<float> uniform{-1, 1};
    std::vector<half> values(static_cast<std::size_t>(count));
    for (half& v : values)
        v = from_float<half>(uniform(random));
    return values;
}

std::vector<std::uint16_t> bits_of(const std::vector<half>& values) {
    std::vector<std::uint16_t> bits;
    for (const half v : values)
        bits.push_back(v.bits);
    return bits;
}

class verbs : public ::testing::Test {
protected:
    static constexpr index_t m = 130;
    static constexpr index_t n = 72;
    static constexpr index_t k = 40;

    buffer<half> memory_x{random_halves(m * k, 1)};
    buffer<half> memory_w{random_halves(n * k, 2)};
    buffer<half> memory_b{random_halves(n, 3)};
    buffer<half> memory_y{m * n};
    buffer<half> memory_z{m * n};
    buffer<float> memory_sums{m};
    stream s;

    auto make(const buffer<half>& result) const {
        return gemm(memory_x.view({m, k}), memory_w.view({n, k})) | bias(memory_b.view({n})) |
               silu() | store(result.view({m, n}));
    }
    auto with_sums() const {
        return gemm(memory_x.view({m, k}), memory_w.view({n, k})) |
               sum_rows(memory_sums.view({m})) | store(memory_y.view({m, n}));
    }
    /// What memory_z holds after launch(s, program), in bits.
    std::vector<std::uint16_t> expected() {
        launch(s, make(memory_z));
        return bits_of(memory_z.download(s));
    }
    std::vector<std::uint16_t> result() { return bits_of(memory_y.download(s)); }
    void clear() {
        memory_y.upload(std::vector<half>(static_cast<std::size_t>(m * n)).data(), m * n);
    }
};

TEST_F(verbs, raw_stream) {
    const auto wanted = expected();
    clear();
    hipStream_t raw = nullptr;
    ASSERT_EQ(hipStreamCreate(&raw), hipSuccess);
    launch(raw, make(memory_y));
    ASSERT_EQ(hipStreamSynchronize(raw), hipSuccess);
    EXPECT_EQ(result(), wanted);
    ASSERT_EQ(hipStreamDestroy(raw), hipSuccess);
}

TEST_F(verbs, prepared_twice) {
    const auto wanted = expected();
    const auto ready = prepare(make(memory_y));
    EXPECT_EQ(ready.workspace_bytes(), 0u);
    for (int round = 0; round < 2; ++round) {
        clear();
        launch(s, ready);
        EXPECT_EQ(result(), wanted);
    }
}

// Few enough rows for the skinny tile; the order of the sum over k may differ between tiles.
TEST_F(verbs, every_tile_of_the_program) {
    constexpr index_t rows = 13;
    const auto p = gemm(memory_x.view({rows, k}), memory_w.view({n, k})) |
                   bias(memory_b.view({n})) | silu() | store(memory_y.view({rows, n}));
    launch(s, p);
    const std::vector<half> wanted = memory_y.download(s);
    const auto compare = [&](const gemm_tile& tile) {
        const std::vector<half> got = memory_y.download(s);
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows * n); ++i)
            ASSERT_NEAR(to_float(got[i]), to_float(wanted[i]), 0x1p-9) << tile.m << "x" << tile.n;
        clear();
    };
    [&]<gemm_tile... Tiles>(tile_list<Tiles...>) {
        ((launch<Tiles>(s, p), compare(Tiles)), ...);
        ((launch(s, only<Tiles>(p)), compare(Tiles)), ...);
    }(default_tiles<std::remove_const_t<decltype(p)>>{});
}

TEST_F(verbs, any_program_in_a_list) {
    const auto wanted = expected();
    clear();
    std::vector<any_program> graph{make(memory_y), with_sums(), make(memory_y)};
    EXPECT_TRUE(can_launch(graph[0]).ok());
    const std::size_t bytes = workspace_bytes(graph[1]);
    EXPECT_GT(bytes, 0u);
    const buffer<unsigned char> scratch{static_cast<index_t>(bytes)};
    for (const any_program& p : graph)
        launch(s, p, {scratch.data(), bytes});
    EXPECT_EQ(result(), wanted);
    EXPECT_FALSE(try_launch(reference, graph[0]).ok());
}

TEST_F(verbs, captured_and_replayed) {
    const auto wanted = expected();
    const auto p = with_sums();
    const std::size_t bytes = workspace_bytes(p);
    const buffer<unsigned char> scratch{static_cast<index_t>(bytes)};
    launch(s, p, {scratch.data(), bytes});
    const std::vector<float> sums = memory_sums.download(s);

    hipGraph_t graph = nullptr;
    hipGraphExec_t ready = nullptr;
    ASSERT_EQ(hipStreamBeginCapture(s.handle(), hipStreamCaptureModeGlobal), hipSuccess);
    launch(s, p, {scratch.data(), bytes});
    launch(s, make(memory_y));
    ASSERT_EQ(hipStreamEndCapture(s.handle(), &graph), hipSuccess);
    ASSERT_EQ(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0), hipSuccess);
    for (int round = 0; round < 3; ++round) {
        clear();
        memory_sums.upload(std::vector<float>(static_cast<std::size_t>(m), 9.0f).data(), m);
        ASSERT_EQ(hipGraphLaunch(ready, s.handle()), hipSuccess);
        EXPECT_EQ(result(), wanted);
        EXPECT_EQ(memory_sums.download(s), sums);
    }
    ASSERT_EQ(hipGraphExecDestroy(ready), hipSuccess);
    ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(verbs, sums_are_the_same_bits_every_time) {
    const auto p = with_sums();
    const std::size_t bytes = workspace_bytes(p);
    const buffer<unsigned char> scratch{static_cast<index_t>(bytes)};
    launch(s, p, {scratch.data(), bytes});
    const std::vector<float> first = memory_sums.download(s);
    for (int round = 0; round < 3; ++round) {
        launch(s, p, {scratch.data(), bytes});
        EXPECT_EQ(memory_sums.download(s), first);
    }
}

TEST_F(verbs, empty_results) {
    const auto none = gemm(memory_x.view({index_t{0}, k}), memory_w.view({n, k})) |
                      store(memory_y.view({index_t{0}, n}));
    EXPECT_TRUE(try_launch(s, none).ok());
    const auto no_columns = gemm(memory_x.view({m, k}), memory_w.view({index_t{0}, k})) |
                            store(memory_y.view({m, index_t{0}}));
    EXPECT_TRUE(try_launch(s, no_columns).ok());
    s.synchronize();
}

TEST_F(verbs, empty_inner_axis_gives_the_ops_of_zero) {
    const auto p = gemm(memory_x.view({m, index_t{0}}), memory_w.view({n, index_t{0}})) |
                   scale_shift(1.0f, 3.0f) | store(memory_y.view({m, n}));
    launch(s, p);
    for (const half v : memory_y.download(s))
        ASSERT_EQ(to_float(v), 3.0f);
}

TEST_F(verbs, program_compiled_in_another_unit) {
    const auto wanted = expected();
    clear();
    launch(s, r9v_test::shared_layer(memory_x.view({m, k}), memory_w.view({n, k}),
                                     memory_b.view({n}), memory_y.view({m, n})));
    EXPECT_EQ(result(), wanted);
    clear();
    r9v_test::launch_elsewhere(s.handle(), memory_x.view({m, k}), memory_w.view({n, k}),
                               memory_b.view({n}), memory_y.view({m, n}));
    EXPECT_EQ(result(), wanted);
}

TEST_F(verbs, engine_types_as_they_are) {
    const auto wanted = expected();
    clear();
    const tensor x{reinterpret_cast<_Float16*>(memory_x.data()), {m, k}};
    const tensor w{reinterpret_cast<const __half*>(memory_w.data()), {n, k}};
    static_assert(std::is_same_v<decltype(x), const tensor<half, 2>>);
    static_assert(std::is_same_v<decltype(w), const tensor<const half, 2>>);
    launch(s, gemm(x, w) | bias(memory_b.view({n})) | silu() | store(memory_y.view({m, n})));
    EXPECT_EQ(result(), wanted);
}

} // namespace
