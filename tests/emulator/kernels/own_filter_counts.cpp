// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What transposed convolutions and those over volumes execute, as counted by the emulator, against
// the products that there are.

#include "conv_problem.hpp"
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

/// Matrix instructions of the products of `pixels` with `taps` taps of c and k channels.
std::uint64_t matrix_instructions(index_t pixels, index_t taps, index_t c, index_t k) {
    return static_cast<std::uint64_t>(pixels * taps * c * k / (16 * 16 * 16));
}

template<conv_tile Tile, class Program>
launch_counts count_on(r9v::stream& s, const Program& program) {
    launch<Tile>(s, program);
    s.synchronize();
    return r9v_emulator::last_counts();
}

struct transposed_size {
    index_t map;
    index_t c;
    index_t k;
    index_t taps;
    transposed_convolution how;
};

template<conv_tile Tile>
launch_counts count_transposed(const transposed_size& of) {
    const filter_extents extents{of.k, of.taps, of.taps, of.c};
    const index_t p = transposed_extent(of.map, of.taps, of.how.stride.height, 1, of.how.pad.top,
                                        of.how.pad.bottom);
    const std::vector<half> plain = random_elements<half>(of.c * of.k * of.taps * of.taps, 2);
    std::vector<half> packed(static_cast<std::size_t>(packed_transposed_elements(extents)));
    pack_transposed_filter(host_tensor{plain.data(), {of.c, of.k, of.taps, of.taps}},
                           packed.data());
    const buffer<half> x{random_elements<half>(of.map * of.map * of.c, 1)};
    const buffer<half> f{packed};
    const buffer<half> y{p * p * of.k};
    r9v::stream s;
    return count_on<Tile>(s, conv_transpose2d(x.view({1, of.map, of.map, of.c}),
                                              transposed_filter(f.data(), extents), of.how) |
                                 store(y.view({1, p, p, of.k})));
}

/// The matrix instructions of both tiles against those of all taps, H * W * R * S * C * K products.
void expect_few_products(const transposed_size& of, double most) {
    const auto all =
        static_cast<double>(matrix_instructions(of.map * of.map, of.taps * of.taps, of.c, of.k));
    const launch_counts large = count_transposed<detail::large_conv_tile>(of);
    const launch_counts small = count_transposed<detail::small_conv_tile>(of);
    std::printf("transposed %dx%d, stride %d: matrix instructions to products, large %.3f, small "
                "%.3f; share of vector cycles, large %.1f %%, small %.1f %%\n",
                static_cast<int>(of.taps), static_cast<int>(of.taps), of.how.stride.height,
                static_cast<double>(large.wmma) / all, static_cast<double>(small.wmma) / all,
                100 * static_cast<double>(large.wmma_cycles) / vector_cycles(large),
                100 * static_cast<double>(small.wmma_cycles) / vector_cycles(small));
    const index_t side = of.map * of.how.stride.height;
    for (const launch_counts& c : {large, small}) {
        EXPECT_LE(static_cast<double>(c.wmma), most * all);
        EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(2 * side * side * of.k));
        EXPECT_EQ(c.scratch_accesses, 0u);
    }
}

TEST(transposed_convolution, multiplies_nothing_that_is_not_there) {
    expect_few_products({.map = 32, .c = 128, .k = 128, .taps = 2, .how = {.stride = 2}}, 1);
    expect_few_products({.map = 32, .c = 128, .k = 128, .taps = 4, .how = {.stride = 2, .pad = 1}},
                        1);
}

TEST(volume_convolution, multiplies_nothing_that_is_not_there) {
    constexpr index_t side = 16;
    constexpr index_t depth = 4;
    constexpr volume_filter_extents of{64, 3, 3, 3, 64};
    const std::vector<half> plain = random_elements<half>(of.k * of.t * of.r * of.s * of.c, 2);
    std::vector<half> packed(static_cast<std::size_t>(packed_volume_elements(of)));
    pack_volume_filter(host_tensor{plain.data(), {of.k, of.t, of.r, of.s, of.c}}, packed.data());
    const index_t pixels = depth * side * side;
    const buffer<half> x{random_elements<half>(pixels * of.c, 1)};
    const buffer<half> f{packed};
    const buffer<half> y{pixels * of.k};
    r9v::stream s;
    const tensor<half, 5> volume{x.data(), {1, depth, side, side, of.c}};
    const tensor<half, 5> result{y.data(), {1, depth, side, side, of.k}};
    const launch_counts c = count_on<detail::small_conv_tile>(
        s, conv3d(volume, volume_filter(f.data(), of), {.pad = 1}) | store(frames(result)));
    std::printf("3x3x3 over a volume: share of vector cycles %.1f %%\n",
                100 * static_cast<double>(c.wmma_cycles) / vector_cycles(c));
    EXPECT_EQ(c.wmma, matrix_instructions(pixels, 27, of.c, of.k));
    EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(2 * pixels * of.k));
    EXPECT_EQ(c.scratch_accesses, 0u);
    EXPECT_GE(static_cast<double>(c.wmma_cycles), 0.9 * vector_cycles(c));
}

} // namespace

} // namespace r9v_test
