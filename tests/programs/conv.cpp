// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions against the reference: any geometry, both ways to walk the map, groups.
#include "conv_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

template<class T, side Side>
auto map_of(memory<Side>& m, const conv_case& g, placement place = {}) {
    return m.template input<T>({g.n, g.h, g.w, g.c}, place);
}
template<class T, side Side>
auto result_of(memory<Side>& m, const conv_case& g, placement place = {}) {
    return m.template output<T>({g.n, g.p(), g.q(), g.k}, place);
}

/// A convolution on one of the tiles, and nothing behind it.
template<conv_tile Tile>
struct plain {
    template<side Side>
    auto operator()(memory<Side>& m, const conv_case& g) const {
        const auto x = map_of<half>(m, g);
        const auto f = packed_weights<half>(m, g);
        return only<Tile>(conv2d(x, f, g.how) | store(result_of<half>(m, g)));
    }
};

TEST(conv, any_geometry) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = map_of<half>(m, g);
            const auto f = packed_weights<half>(m, g);
            return conv2d(x, f, g.how) | bias(m.template input<float>({g.k})) | silu() |
                   store(result_of<half>(m, g));
        },
        random_convolutions(150), {.gain = 1.1});
}

TEST(conv, channels_of_whole_chunks) {
    check_convolutions<half>(plain<detail::small_conv_tile>{},
                             random_convolutions(40, {.channels = {8, 16, 48, 64, 96, 160}}));
}

TEST(conv, large_tiles) {
    check_convolutions<half>(plain<detail::large_conv_tile>{},
                             random_convolutions(16, {.channels = {8, 32, 128, 136}}, 6e6));
}

TEST(conv, fragments_from_memory) {
    const plain<detail::streamed_conv_tile> streamed;
    check_convolutions<half>(streamed, random_convolutions(40, {.channels = {8, 16, 48, 96, 160}}));
    // All waves along pixels, all along channels, all along k, and shares of each.
    check_convolutions<half>(streamed,
                             {{1, 40, 40, 8, 24, 1, 1, {}},
                              {1, 3, 3, 40, 600, 1, 1, {}},
                              {1, 7, 7, 512, 64, 3, 3, {.pad = 1}},
                              {2, 14, 14, 72, 136, 3, 3, {.pad = 1}},
                              {3, 9, 9, 256, 256, 3, 3, {.stride = 2, .pad = 1, .groups = 32}}});
}

TEST(conv, narrow_tiles_of_groups) {
    constexpr conv_tile narrow{.m = 64,
                               .n = 16,
                               .waves_m = 1,
                               .waves_n = 1,
                               .waves_k = 8,
                               .regime = conv_regime::streamed};
    check_convolutions<half>(plain<narrow>{},
                             {{1, 28, 28, 256, 256, 3, 3, {.pad = 1, .groups = 32}},
                              {2, 14, 13, 64, 64, 3, 3, {.stride = 2, .pad = 1, .groups = 4}},
                              {1, 7, 7, 256, 40, 3, 3, {.pad = 1}}});
}

TEST(conv, channels_of_any_number) {
    check_convolutions<half>(plain<detail::scattered_conv_tile>{}, random_convolutions(40));
}

TEST(conv, bfloat16_with_unaligned_rows) {
    check_convolutions<bf16>(
        [](auto& m, const conv_case& g) {
            const auto x = map_of<bf16>(m, g, {.offset = 1, .padding = 3});
            const auto f = packed_weights<bf16>(m, g);
            return conv2d(x, f, g.how) | store(result_of<bf16>(m, g, {.offset = 3, .padding = 5}));
        },
        random_convolutions(30));
}

TEST(conv, along_one_axis) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            return conv1d(x, f, g.how) | gelu() | store(m.template output<half>({g.n, g.q(), g.k}));
        },
        random_convolutions(30, {.flat = true}), {.gain = 1.2});
}

TEST(conv, dilated_filter_over_nine_rows_gives_five) {
    EXPECT_EQ(convolved_extent(9, 3, 1, 2, 0, 0), 5);
    EXPECT_EQ(convolved_extent(9, 3, 2, 1, 1, 1), 5);
    EXPECT_EQ(convolved_extent(2, 3, 1, 1, 0, 0), 0);
}

} // namespace
