// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The reference's stem convolutions against PyTorch's, and the pools behind them: filters as
// PyTorch has them, NaN and infinity in the map.
#include <r9v/conv.hpp>

#include "golden.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

template<class T>
std::vector<T> rounded_to(const std::vector<double>& values) {
    std::vector<T> rounded;
    for (const double v : values)
        rounded.push_back(from_double<T>(v));
    return rounded;
}
std::vector<int> numbers_of(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

/// Products are multiples of 1/4096 and sums of them below 2^11: exact in float.
void expect_all(const std::string& name, const std::vector<float>& found,
                const std::vector<double>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        expect_golden(name, i, static_cast<double>(found[i]), wanted[i], 0, 0);
}

void check_case(const golden_file& golden, const std::string& name) {
    const std::vector<int> g = numbers_of(golden[name + ".geometry"]);
    const std::vector<int> w = numbers_of(golden[name + ".pool"]);
    ASSERT_EQ(g.size(), 15u);
    ASSERT_EQ(w.size(), 8u);
    const convolution how{
        .stride = {g[7], g[8]}, .dilation = {g[9], g[10]}, .pad = {g[11], g[12], g[13], g[14]}};
    const pooling pool{.window = {w[0], w[1]},
                       .stride = {w[2], w[3]},
                       .dilation = {w[6], w[7]},
                       .pad = {w[4], w[5]}};
    const filter_extents of{g[4], g[5], g[6], g[3]};
    auto x = rounded_to<half>(golden[name + ".x"]);
    auto f = rounded_to<half>(golden[name + ".f"]);
    auto scale = rounded_to<float>(golden[name + ".scale"]);
    auto shift = rounded_to<float>(golden[name + ".shift"]);
    std::vector<half> packed(static_cast<std::size_t>(packed_stem_elements(of)));
    pack_stem_filter(channels_last(host_tensor{f.data(), {of.k, of.c, of.r, of.s}}), packed.data());

    const auto product =
        conv2d(host_tensor{x.data(), {g[0], g[1], g[2], g[3]}}, host_stem_filter(packed.data(), of),
               how) |
        scale_shift(host_tensor{scale.data(), {of.k}}, host_tensor{shift.data(), {of.k}});
    const index_t p = convolved_extent(g[1], of.r, g[7], g[9], g[11], g[12]);
    const index_t q = convolved_extent(g[2], of.s, g[8], g[10], g[13], g[14]);
    std::vector<float> y(static_cast<std::size_t>(g[0] * p * q * of.k));
    launch(reference, product | store(host_tensor{y.data(), {g[0], p, q, of.k}}));
    expect_all(name, y, golden[name + ".y"]);

    const index_t pp = convolved_extent(p, w[0], w[2], w[6], w[4], w[4]);
    const index_t pq = convolved_extent(q, w[1], w[3], w[7], w[5], w[5]);
    std::vector<float> z(static_cast<std::size_t>(g[0] * pp * pq * of.k));
    launch(reference,
           product | max_pool(pool) | store(host_tensor{z.data(), {g[0], pp, pq, of.k}}));
    expect_all(name + " pooled", z, golden[name + ".pooled"]);
}

TEST(golden_stem, with_and_without_a_pool) {
    const golden_file golden{"stem.txt"};
    for (const char* name : {"resnet50", "yolov8", "four_channels", "gray", "uneven"}) {
        SCOPED_TRACE(name);
        check_case(golden, name);
    }
}

} // namespace
