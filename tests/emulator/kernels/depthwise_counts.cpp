// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What depthwise kernels move and execute, as counted by the emulator, against the bytes of the
// map, the result and the filter, which are their bound.

#include <r9v/conv.hpp>

#include "problem.hpp"
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

struct depthwise {
    index_t images;
    index_t size;
    index_t channels;
    index_t filter;
    int stride = 1;
    index_t multiplier = 1;

    [[nodiscard]] convolution how() const {
        return {.stride = stride, .pad = static_cast<int>(filter / 2)};
    }
    [[nodiscard]] index_t out() const {
        const int pad = static_cast<int>(filter / 2);
        return convolved_extent(size, filter, stride, 1, pad, pad);
    }
    [[nodiscard]] filter_extents extents() const {
        return {channels * multiplier, filter, filter, 1};
    }
    [[nodiscard]] index_t map_elements() const { return images * size * size * channels; }
    [[nodiscard]] index_t result_elements() const {
        return images * out() * out() * channels * multiplier;
    }
    /// Input, weights and output, once each.
    [[nodiscard]] double bytes() const {
        return 2.0 * static_cast<double>(map_elements() + result_elements() +
                                         filter * filter * channels * multiplier);
    }
};

/// Runs conv | ops | store once; `ops(result)` gives the chain.
template<class Element, class Ops>
r9v_emulator::launch_record record(const depthwise& d, const Ops& ops) {
    const buffer<Element> map{random_elements<Element>(d.map_elements(), 1)};
    const buffer<Element> weights{
        random_elements<Element>(packed_depthwise_elements(d.extents()), 2)};
    const buffer<Element> result{d.result_elements()};
    const auto x = map.view({d.images, d.size, d.size, d.channels});
    const auto f = depthwise_filter(weights.data(), d.extents());
    const auto y = result.view({d.images, d.out(), d.out(), d.extents().k});
    const stream s;
    launch(s, ops(conv2d(x, f, d.how())) | store(y));
    s.synchronize();
    return r9v_emulator::last_launch();
}
constexpr auto plain = [](const auto& p) {
    return p;
};

/// Vector cycles that the device's 128 SIMDs have while memory moves what must be moved, at 640
/// GB/s and 2.97 GHz (RX 9070 XT).
double bound_in_cycles(const depthwise& d) {
    return d.bytes() / 640 * 2.97 * 128;
}

void print(const depthwise& d, const char* type, const r9v_emulator::launch_record& r) {
    const launch_counts& c = r.counts;
    const double moved = static_cast<double>(c.global_bytes_loaded + c.global_bytes_stored);
    std::printf("%s %lld x %3lld x %3lld x %4lld, %lld x %lld, stride %d: %3u blocks, %.3f of the "
                "bytes, %5.2f vector instructions an output, %.2f of the bound\n",
                type, static_cast<long long>(d.images), static_cast<long long>(d.size),
                static_cast<long long>(d.size), static_cast<long long>(d.channels),
                static_cast<long long>(d.filter), static_cast<long long>(d.filter), d.stride,
                r.blocks[0], moved / d.bytes(),
                32 * static_cast<double>(c.valu_cycles) / static_cast<double>(d.result_elements()),
                static_cast<double>(c.valu_cycles + 4 * c.transcendental) / bound_in_cycles(d));
}

template<class Element>
void check(const depthwise& d, const char* type, double vector_share) {
    const r9v_emulator::launch_record r = record<Element>(d, plain);
    const launch_counts& c = r.counts;
    print(d, type, r);
    EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(2 * d.result_elements()));
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded + c.global_bytes_stored), 1.1 * d.bytes())
        << d.size << " " << d.filter;
    EXPECT_EQ(c.scratch_accesses, 0u);
    if (vector_share > 0)
        EXPECT_LE(static_cast<double>(c.valu_cycles), vector_share * bound_in_cycles(d));
}

} // namespace

TEST(depthwise_counts, maps_of_networks_are_moved_once) {
    for (const auto& [d, share] :
         std::initializer_list<std::pair<depthwise, double>>{{{1, 320, 16, 3}, 0.4},
                                                             {{1, 160, 32, 3, 2}, 0.3},
                                                             {{1, 112, 32, 3}, 0.5},
                                                             {{1, 112, 96, 3, 2}, 0.3},
                                                             {{1, 80, 320, 3}, 0.4},
                                                             {{1, 80, 64, 5}, 0.7},
                                                             {{1, 56, 144, 3}, 0.4},
                                                             {{1, 40, 96, 5, 2}, 0.6},
                                                             {{1, 28, 240, 5}, 0.8},
                                                             {{1, 56, 96, 7}, 1.0},
                                                             {{4, 56, 96, 7}, 1.0},
                                                             {{4, 56, 144, 3}, 0.4},
                                                             {{1, 20, 512, 3}, 0},
                                                             {{1, 14, 512, 3}, 0},
                                                             {{1, 14, 384, 7}, 0},
                                                             {{1, 7, 1024, 3}, 0},
                                                             {{1, 7, 768, 7}, 0}})
        check<half>(d, "f16 ", share);
}

TEST(depthwise_counts, the_same_in_bf16) {
    check<bf16>({1, 56, 144, 3}, "bf16", 0.6);
    check<bf16>({1, 28, 240, 5}, "bf16", 1.0);
    check<bf16>({1, 112, 96, 3, 2}, "bf16", 0.4);
}

TEST(depthwise_counts, multiplied_channels_read_the_map_once) {
    check<half>({1, 28, 64, 3, 1, 2}, "f16 ", 0);
    check<half>({1, 28, 64, 3, 1, 3}, "f16 ", 0);
}

TEST(depthwise_counts, few_pixels_spread_over_the_device) {
    for (const depthwise& d : {depthwise{1, 7, 1024, 3}, depthwise{1, 14, 512, 3}})
        EXPECT_GE(record<half>(d, plain).blocks[0], 64u) << d.size;
}

TEST(depthwise_counts, no_bank_is_hit_twice_at_stride_1) {
    for (const depthwise& d : {depthwise{1, 56, 144, 3}, depthwise{1, 28, 240, 5},
                               depthwise{1, 14, 512, 3}, depthwise{1, 7, 1024, 3}}) {
        const launch_counts c = record<half>(d, plain).counts;
        EXPECT_EQ(c.lds_load_passes, c.lds_load_passes_ideal) << d.size;
    }
}

TEST(depthwise_counts, fusion_moves_only_the_operands) {
    const depthwise d{1, 56, 144, 3};
    const buffer<float> scales{std::vector<float>(static_cast<std::size_t>(d.channels), 0.5f)};
    const buffer<half> skip{random_elements<half>(d.result_elements(), 3)};
    const auto fused = [&](const auto& p) {
        return p | scale_shift(scales.view({d.channels}), scales.view({d.channels})) | silu() |
               residual(skip.view({d.images, d.out(), d.out(), d.channels}));
    };
    const launch_counts alone = record<half>(d, plain).counts;
    const launch_counts with = record<half>(d, fused).counts;
    EXPECT_EQ(with.global_bytes_stored, alone.global_bytes_stored);
    // The residual once; each lane reads the scale and shift of its 8 channels for 7 pixels.
    const std::uint64_t residual = 2 * static_cast<std::uint64_t>(d.result_elements());
    EXPECT_LE(with.global_bytes_loaded - alone.global_bytes_loaded,
              residual + 64 * static_cast<std::uint64_t>(d.result_elements()) / (8 * 7));
}

} // namespace r9v_test
