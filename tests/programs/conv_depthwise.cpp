// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Depthwise convolutions against the reference: any geometry, maps of every size that networks
// have, what stands in front and behind, and values that are not finite.
#include "depthwise_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

/// A bias and an activation: compiled once for each pixel of a lane.
struct biased {
    values map{};
    double special_weights = 0;

    template<side Side>
    auto operator()(memory<Side>& m, const conv_case& g) const {
        const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {}, map);
        const auto f = depthwise_weights<half>(m, g, special_weights);
        return conv2d(x, f, g.how) | bias(m.template input<float>({g.k})) | relu() |
               store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
    }
};

conv_case square(index_t n, index_t size, index_t c, index_t filter, int stride) {
    return {n, size,   size,   c,
            c, filter, filter, {.stride = stride, .pad = static_cast<int>(filter / 2)}};
}

TEST(conv_depthwise, any_geometry) {
    check_depthwise<half>(biased{}, random_depthwise(150));
}

TEST(conv_depthwise, channels_of_whole_chunks) {
    check_depthwise<half>(biased{}, random_depthwise(60, {.channels = {8, 16, 24, 64, 136}}, 2e6));
}

TEST(conv_depthwise, every_size_of_a_network) {
    std::vector<conv_case> cases;
    for (const index_t size : {7, 14, 20, 28, 40, 56, 80, 112, 160, 320})
        for (const index_t filter : {3, 5, 7})
            for (const int stride : {1, 2})
                cases.push_back(square(1, size,
                                       size <= 20    ? 256
                                       : size <= 56  ? 48
                                       : size <= 112 ? 16
                                                     : 8,
                                       filter, stride));
    check_depthwise<half>(biased{}, cases);
}

TEST(conv_depthwise, narrow_maps_and_filters) {
    std::vector<conv_case> cases;
    for (const index_t narrow : {3, 6, 12}) {
        cases.push_back({2, narrow, 80, 24, 24, 3, 3, {.pad = 1}});
        cases.push_back({1, 80, narrow, 24, 24, 3, 3, {.stride = 2, .pad = 1}});
        cases.push_back({1, narrow, 80, 16, 16, 5, 5, {.pad = {2, 2, 0, 4}}});
        cases.push_back({3, narrow, 80, 8, 8, 1, 9, {.pad = {0, 4}}});
        cases.push_back({1, 80, narrow, 8, 8, 9, 1, {.pad = {4, 0}}});
        cases.push_back({1, narrow, narrow, 40, 40, 1, 1, {.stride = 2}});
    }
    cases.push_back({2, 2, 3, 16, 16, 7, 7, {.pad = {3, 3, 3, 3}}}); // smaller than the filter
    cases.push_back({1, 1, 1, 2048, 2048, 5, 5, {.pad = 2}});
    check_depthwise<half>(biased{}, cases);
}

// What such filters span does not fit into LDS, or only for few pixels.
TEST(conv_depthwise, filters_of_any_size) {
    check_depthwise<half>(biased{}, {
                                        {1, 33, 40, 8, 8, 31, 31, {.pad = 15}},
                                        {2, 30, 25, 16, 16, 21, 21, {.dilation = 3, .pad = 30}},
                                        {1, 9, 300, 8, 24, 2, 200, {.dilation = {1, 1}, .pad = 4}},
                                        {1, 5, 5, 20, 20, 60, 50, {.pad = 30}},
                                    });
}

TEST(conv_depthwise, infinite_weights_in_the_padding_are_harmless) {
    check_depthwise<half>(biased{.special_weights = 0.02}, random_depthwise(30, {}, 2e5));
}

TEST(conv_depthwise, values_that_are_not_finite_pass) {
    check_depthwise<half>(biased{.map = {.special = 0.01}}, random_depthwise(30, {}, 2e5));
}

// The prologue's results are put into padding, not its padding into the prologue; the chain is too
// long to be compiled for each pixel; the result is a slice of a wider tensor.
TEST(conv_depthwise, ops_in_front_and_behind) {
    check_depthwise<bf16>(
        [](auto& m, const conv_case& g) {
            const auto x =
                m.template input<bf16>({g.n, g.h, g.w, g.c}, {.offset = 1, .padding = 3});
            const auto scales = m.template input<float>({g.c});
            const auto shifts = m.template input<float>({g.c}, {}, {.low = 0.5, .high = 1});
            const auto added = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = depthwise_weights<bf16>(m, g);
            const auto skip = m.template input<half>({g.n, g.p(), g.q(), g.k}, {.padding = 8});
            const auto wide = m.template output<bf16>({g.n, g.p(), g.q(), g.k}, {.padding = 24});
            return conv2d(x | scale_shift(scales, shifts) | add(added) | exp(), f, g.how) |
                   scale_shift(m.template input<float>({g.k}), m.template input<float>({g.k})) |
                   silu() | residual(skip) | clamp(-20.0f, 20.0f) | gelu() |
                   store(slice(wide, 3, 0, g.k));
        },
        random_depthwise(50), {.gain = 1.4, .magnitude = 21, .rounds_source = true});
}

TEST(conv_depthwise, statistics_along_one_axis) {
    check_depthwise<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.w, g.c});
            const auto f = depthwise_weights<half>(m, g);
            return conv1d(x, f, g.how) | sum_rows(m.template output<float>({g.n, g.q()})) |
                   absmax_rows(m.template output<float>({g.n, g.q()})) |
                   absmax(m.template output<float>({1})) | quantize(0.25f) |
                   store(m.template output<std::int8_t>({g.n, g.q(), g.k}));
        },
        random_depthwise(40, {.flat = true}), {.gain = 4});
}

struct by_position {
    R9V_HD float operator()(float x, const coordinate& at) const {
        return x + static_cast<float>(at.batch() * 1000 + at.head() * 100 + at.row() * 10) +
               static_cast<float>(at.column()) * 0.25f;
    }
};

TEST(conv_depthwise, channels_in_front_and_positions) {
    check_depthwise<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.c, g.h, g.w});
            const auto f = depthwise_weights<half>(m, g);
            const auto per_image = m.template input<float>({g.n, g.k});
            return conv2d(channels_last(x) | scale(2.0f), f, g.how) | bias(per_image) |
                   map(by_position{}) |
                   store(channels_last(m.template output<float>({g.n, g.k, g.p(), g.q()})));
        },
        random_depthwise(30, {}, 3e5), {.gain = 16, .magnitude = 2});
}

TEST(conv_depthwise, maps_of_nothing_but_padding) {
    check_depthwise<half>(biased{}, {{3, 0, 4, 32, 32, 1, 4, {.pad = {4, 3, 2, 1}}},
                                     {2, 0, 9, 9, 18, 3, 3, {.pad = {9, 9, 1, 1}}},
                                     {2, 9, 0, 9, 9, 3, 3, {.pad = {1, 1, 3, 9}}},
                                     {2, 9, 0, 16, 16, 3, 4, {.pad = {1, 1, 3, 9}}},
                                     {2, 9, 5, 0, 0, 3, 3, {.pad = 1}}});
}

/// The same text from both executors, before anything runs.
void expect_refused(const conv_case& g, const char* part) {
    memory_record record{seed()};
    memory<side::host> host{record};
    const auto on_host = biased{}(host, g);
    memory<side::device> device{record};
    const auto on_device = biased{}(device, g);
    const hipStream_t stream = nullptr;
    const status outcome = try_launch(stream, on_device);
    ASSERT_FALSE(outcome.ok()) << g;
    const std::string text = outcome.what();
    EXPECT_EQ(text.rfind("r9v: ", 0), 0u) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.back(), '.') << text;
    EXPECT_EQ(text, try_launch(reference, on_host).what());
}

TEST(conv_depthwise, misuse_is_refused) {
    expect_refused({1, 8, 8, 16, 24, 3, 3, {.pad = 1}}, "16 groups do not divide 16 input and 24");
    expect_refused({1, 8, 8, 16, 8, 3, 3, {.pad = 1}}, "16 groups do not divide 16 input and 8");
    expect_refused({1, 8, 8, 16, 16, 3, 3, {.pad = 1, .groups = 4}},
                   "as many groups as the map has channels, not 4");
    expect_refused({1, 8, 8, 16, 16, 3, 3, {.pad = 1, .groups = 0}}, "there are 0 groups");
    expect_refused({1, 8, 4, 16, 16, 3, 7, {.pad = 1}}, "larger than the padded map (10 x 6)");
    expect_refused({1, 8, 8, 16, 16, 3, 3, {.stride = 0}}, "strides and dilations count from 1");
}

} // namespace
