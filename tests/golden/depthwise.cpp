// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The reference's depthwise convolutions against PyTorch's, filters as PyTorch has them.
#include <r9v/conv.hpp>

#include "golden.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

std::vector<half> to_half(const std::vector<double>& values) {
    std::vector<half> rounded;
    for (const double v : values)
        rounded.push_back(from_double<half>(v));
    return rounded;
}

void check_case(const golden_file& golden, const std::string& name) {
    std::vector<int> g;
    for (const double number : golden[name + ".geometry"])
        g.push_back(static_cast<int>(number));
    ASSERT_EQ(g.size(), 15u);
    const convolution how{
        .stride = {g[7], g[8]}, .dilation = {g[9], g[10]}, .pad = {g[11], g[12], g[13], g[14]}};
    const filter_extents of{g[4], g[5], g[6], 1};
    const std::vector<double>& wanted = golden[name + ".y"];
    std::vector<half> x = to_half(golden[name + ".x"]);
    std::vector<half> f = to_half(golden[name + ".f"]);
    std::vector<half> packed(static_cast<std::size_t>(packed_depthwise_elements(of)));
    std::vector<float> y(wanted.size());
    pack_depthwise_filter(channels_last(host_tensor{f.data(), {of.k, 1, of.r, of.s}}),
                          packed.data());

    const index_t p = convolved_extent(g[1], of.r, g[7], g[9], g[11], g[12]);
    const index_t q = convolved_extent(g[2], of.s, g[8], g[10], g[13], g[14]);
    ASSERT_EQ(static_cast<std::size_t>(g[0] * p * q * of.k), wanted.size());
    launch(reference, conv2d(host_tensor{x.data(), {g[0], g[1], g[2], g[3]}},
                             host_depthwise_filter(packed.data(), of), how) |
                          store(host_tensor{y.data(), {g[0], p, q, of.k}}));
    // Products are multiples of 1/256 and sums of them below 2^15: exact in float.
    for (std::size_t i = 0; i < wanted.size(); ++i)
        expect_golden(name, i, static_cast<double>(y[i]), wanted[i], 0, 0);
}

TEST(golden_depthwise, every_kind_of_geometry) {
    const golden_file golden{"depthwise.txt"};
    for (const char* name : {"same", "halving", "large", "dilated", "multiplied", "along_a_row",
                             "along_a_column", "smaller_than_the_filter"}) {
        SCOPED_TRACE(name);
        check_case(golden, name);
    }
}

} // namespace
