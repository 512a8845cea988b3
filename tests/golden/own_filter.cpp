// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The reference's transposed convolutions and convolutions over volumes against PyTorch's.
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

std::vector<int> geometry_of(const golden_file& golden, const std::string& name) {
    std::vector<int> numbers;
    for (const double number : golden[name + ".geometry"])
        numbers.push_back(static_cast<int>(number));
    return numbers;
}

void check_values(const std::string& name, const std::vector<float>& y,
                  const std::vector<double>& wanted) {
    // Products are multiples of 1/256 and sums of them below 2^15: exact in float.
    for (std::size_t i = 0; i < wanted.size(); ++i)
        expect_golden(name, i, static_cast<double>(y[i]), wanted[i], 0, 0);
}

void check_transposed(const golden_file& golden, const std::string& name) {
    const std::vector<int> g = geometry_of(golden, name);
    ASSERT_EQ(g.size(), 16u);
    const transposed_convolution how{.stride = {g[7], g[8]},
                                     .dilation = {g[9], g[10]},
                                     .pad = {g[11], g[12]},
                                     .output_pad = {g[13], g[14]},
                                     .groups = g[15]};
    const filter_extents of{g[4], g[5], g[6], g[3] / how.groups};
    const std::vector<double>& wanted = golden[name + ".y"];
    std::vector<half> x = to_half(golden[name + ".x"]);
    std::vector<half> f = to_half(golden[name + ".f"]);
    std::vector<half> packed(static_cast<std::size_t>(packed_transposed_elements(of)));
    std::vector<float> y(wanted.size());
    pack_transposed_filter(host_tensor{f.data(), {g[3], g[4] / how.groups, of.r, of.s}},
                           packed.data(), how.groups);

    const index_t p = transposed_extent(g[1], of.r, g[7], g[9], g[11], g[11], g[13]);
    const index_t q = transposed_extent(g[2], of.s, g[8], g[10], g[12], g[12], g[14]);
    ASSERT_EQ(static_cast<std::size_t>(g[0] * p * q * of.k), wanted.size());
    launch(reference, conv_transpose2d(host_tensor{x.data(), {g[0], g[1], g[2], g[3]}},
                                       host_transposed_filter(packed.data(), of), how) |
                          store(host_tensor{y.data(), {g[0], p, q, of.k}}));
    check_values(name, y, wanted);
}

void check_volume(const golden_file& golden, const std::string& name) {
    const std::vector<int> g = geometry_of(golden, name);
    ASSERT_EQ(g.size(), 19u);
    const volume_convolution how{.stride = {g[9], g[10], g[11]},
                                 .dilation = {g[12], g[13], g[14]},
                                 .pad = {g[15], g[16], g[17]},
                                 .groups = g[18]};
    const volume_filter_extents of{g[5], g[6], g[7], g[8], g[4] / how.groups};
    const std::vector<double>& wanted = golden[name + ".y"];
    std::vector<half> x = to_half(golden[name + ".x"]);
    std::vector<half> f = to_half(golden[name + ".f"]);
    std::vector<half> packed(static_cast<std::size_t>(packed_volume_elements(of)));
    std::vector<float> y(wanted.size());
    pack_volume_filter(channels_last(host_tensor{f.data(), {of.k, of.c, of.t, of.r, of.s}}),
                       packed.data());

    const index_t d = convolved_extent(g[1], of.t, g[9], g[12], g[15], g[15]);
    const index_t p = convolved_extent(g[2], of.r, g[10], g[13], g[16], g[16]);
    const index_t q = convolved_extent(g[3], of.s, g[11], g[14], g[17], g[17]);
    ASSERT_EQ(static_cast<std::size_t>(g[0] * d * p * q * of.k), wanted.size());
    launch(reference, conv3d(host_tensor{x.data(), {g[0], g[1], g[2], g[3], g[4]}},
                             host_volume_filter(packed.data(), of), how) |
                          store(frames(host_tensor{y.data(), {g[0], d, p, q, of.k}})));
    check_values(name, y, wanted);
}

TEST(golden_own_filter, transposed_convolutions) {
    const golden_file golden{"own_filter.txt"};
    for (const char* name :
         {"doubled", "generator", "odd", "grouped", "dilated", "sparse", "dense"}) {
        SCOPED_TRACE(name);
        check_transposed(golden, std::string{"transposed."} + name);
    }
}

TEST(golden_own_filter, convolutions_over_volumes) {
    const golden_file golden{"own_filter.txt"};
    for (const char* name : {"same", "temporal", "uneven", "grouped"}) {
        SCOPED_TRACE(name);
        check_volume(golden, std::string{"volume."} + name);
    }
}

} // namespace
