// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The reference's pools, upsampling stores and folded batch norms against PyTorch's.
#include <r9v/conv.hpp>
#include <r9v/copy.hpp>
#include <r9v/pool.hpp>

#include "golden.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

template<class T>
std::vector<T> to(const std::vector<double>& values) {
    std::vector<T> rounded;
    for (const double v : values)
        rounded.push_back(from_double<T>(v));
    return rounded;
}

/// One case: its geometry, its map, and room for the result.
struct golden_case {
    golden_case(const golden_file& file, const std::string& of)
        : name{of},
          wanted{file[name + ".y"]},
          x{to<half>(file[name + ".x"])},
          y(wanted.size()) {
        for (const double number : file[name + ".geometry"])
            g.push_back(static_cast<int>(number));
    }

    [[nodiscard]] auto map() { return host_tensor{x.data(), {g[0], g[1], g[2], g[3]}}; }
    [[nodiscard]] auto result(index_t p, index_t q, index_t c) {
        EXPECT_EQ(static_cast<std::size_t>(g[0] * p * q * c), y.size()) << name;
        return host_tensor{y.data(), {g[0], p, q, c}};
    }
    [[nodiscard]] pooling window() const {
        return {.window = {g[4], g[5]},
                .stride = {g[6], g[7]},
                .dilation = {g[8], g[9]},
                .pad = {g[10], g[11]}};
    }
    /// The result of a window.
    [[nodiscard]] auto windows() {
        return result(convolved_extent(g[1], g[4], g[6], g[8], g[10], g[10]),
                      convolved_extent(g[2], g[5], g[7], g[9], g[11], g[11]), g[3]);
    }
    void expect(double relative, double absolute = 0) const {
        for (std::size_t i = 0; i < wanted.size(); ++i)
            expect_golden(name, i, static_cast<double>(y[i]), wanted[i], relative, absolute);
    }

    std::string name;
    const std::vector<double>& wanted;
    std::vector<int> g;
    std::vector<half> x;
    std::vector<float> y;
};

constexpr double unit = 0x1p-24; // of float

TEST(golden_pool, maxima) {
    const golden_file golden{"pool.txt"};
    for (const char* name : {"stem", "halves", "same", "uneven", "dilated", "only_padding"}) {
        golden_case c{golden, std::string{"max."} + name};
        launch(reference, max_pool(c.map(), c.window()) | store(c.windows()));
        c.expect(0);
    }
}

TEST(golden_pool, averages) {
    const golden_file golden{"pool.txt"};
    for (const char* name : {"stem", "halves", "same", "uneven"}) {
        golden_case padded{golden, std::string{"average.with_padding."} + name};
        launch(reference, average_pool(padded.map(), padded.window()) | store(padded.windows()));
        padded.expect(unit);
        golden_case bare{golden, std::string{"average.of_map."} + name};
        launch(reference, average_pool(bare.map(), bare.window(), average_count::of_map) |
                              store(bare.windows()));
        bare.expect(unit);
    }
}

TEST(golden_pool, means_of_whole_maps) {
    const golden_file golden{"pool.txt"};
    golden_case c{golden, "global"};
    launch(reference, global_average_pool(c.map()) | store(c.result(1, 1, c.g[3])));
    c.expect(unit);
}

TEST(golden_pool, a_chain_of_three) {
    const golden_file golden{"pool.txt"};
    golden_case c{golden, "chain"};
    launch(reference, chained_max_pool(c.map(), {.window = 5, .count = 3, .with_input = true}) |
                          store(c.result(c.g[1], c.g[2], 4 * c.g[3])));
    c.expect(0);
}

TEST(golden_pool, nearest_upsampling) {
    const golden_file golden{"pool.txt"};
    golden_case c{golden, "upsampled"};
    launch(reference, copy(c.map()) | store_upsampled(c.result(2 * c.g[1], 2 * c.g[2], c.g[3])));
    c.expect(0);
}

TEST(golden_pool, batch_norm_behind_a_convolution_with_a_bias) {
    const golden_file golden{"pool.txt"};
    golden_case c{golden, "normalized"};
    const auto part = [&](const char* name) {
        return to<float>(golden[std::string{"normalized."} + name]);
    };
    const auto gamma = part("gamma"), beta = part("beta"), mean = part("mean");
    const auto variance = part("variance"), bias_before = part("bias");
    std::vector<float> f = part("f");
    const filter_extents of{c.g[4], c.g[5], c.g[6], c.g[3]};
    std::vector<half> folded(f.size());
    const auto bias_behind = fold_batch_norm(
        host_tensor{f.data(), {of.k, of.r, of.s, of.c}},
        host_tensor{folded.data(), {of.k, of.r, of.s, of.c}}, bias_before,
        {.gamma = gamma, .beta = beta, .mean = mean, .variance = variance, .epsilon = 1e-3});
    std::vector<half> packed(static_cast<std::size_t>(packed_filter_elements(of)));
    pack_filter(host_tensor{folded.data(), {of.k, of.r, of.s, of.c}}, packed.data());
    launch(reference, conv2d(c.map(), host_filter(packed.data(), of)) |
                          bias(host_tensor{bias_behind.data(), {of.k}}) |
                          store(c.result(c.g[1] - of.r + 1, c.g[2] - of.s + 1, of.k)));
    // 36 products with weights that are rounded to half, of up to 2 x 2 x 8 each.
    c.expect(0, 36 * 32 * 0x1p-11);
}

} // namespace
