// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pools against the reference: any window, stride, dilation and padding, on maps of any size and
// number of channels.
#include "pool_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

/// Part of the channels of a wider map, as a concatenation has it.
template<class T, side Side>
auto slice_of(memory<Side>& m, const pool_case& g) {
    return slice(m.template output<T>({g.n, g.p(), g.q(), g.c}, {.padding = 16}), 3, 0, g.c);
}

/// Maxima of a map whose values are all negative: padding would win as zero.
template<pool_regime Regime>
struct negative_maxima {
    template<side Side>
    auto operator()(memory<Side>& m, const pool_case& g) const {
        const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {.padding = 8},
                                              {.low = -5, .high = -1, .special = 0.02});
        return only<pool_tile{.regime = Regime}>(max_pool(x, g.how) | store(slice_of<half>(m, g)));
    }
};

TEST(pool, maxima_of_negative_maps) {
    check_cases<half>(negative_maxima<pool_regime::direct>{}, random_pools(60));
}

TEST(pool, maxima_behind_a_prologue_with_statistics_and_channels_in_front) {
    check_cases<bf16>(
        [](auto& m, const pool_case& g) {
            const auto x = m.template input<bf16>({g.n, g.c, g.h, g.w});
            const auto scales = m.template input<float>({g.c});
            const auto shifts = m.template input<float>({g.c});
            const auto skip = m.template input<bf16>({g.n, g.p(), g.q(), g.c});
            return max_pool(channels_last(x) | scale_shift(scales, shifts), g.how) |
                   residual(skip) | absmax_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   sum_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   store(channels_last(m.template output<half>({g.n, g.c, g.p(), g.q()})));
        },
        random_pools(40), 255, {.magnitude = 3, .rounds_source = true});
}

TEST(pool, averages_of_both_counts) {
    const auto make = [](auto& m, const pool_case& g) {
        const auto x = m.template input<float>({g.n, g.h, g.w, g.c});
        const auto count = g.c % 2 == 0 ? average_count::with_padding : average_count::of_map;
        return average_pool(x | exp(), g.how, count) | scale(2.0f) |
               store_upsampled(m.template output<float>({g.n, 2 * g.p(), 2 * g.q(), g.c}));
    };
    check_cases<float>(make, random_pools(50), 49, {.gain = 2, .magnitude = 3});
}

TEST(pool, average_of_whole_maps) {
    const auto make = [](auto& m, const pool_case& g) {
        const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {.offset = 1, .padding = 3});
        return global_average_pool(x) | bias(m.template input<float>({g.c})) | relu() |
               store(as_map(m.template output<half>({g.n, g.c})));
    };
    std::vector<pool_case> cases = random_pools(40);
    cases.push_back({1, 7, 7, 2048, {.window = 7}});
    check_cases<half>(make, cases, 65 * 65);
}

TEST(pool, average_of_whole_sequences_with_statistics) {
    check_cases<half>(
        [](auto& m, const pool_case& g) {
            const auto x = m.template input<half>({g.n, g.w, g.c});
            return global_average_pool(x) | sum_rows(m.template output<float>({g.n, 1})) |
                   absmax(m.template output<float>({1})) |
                   store(m.template output<half>({g.n, 1, g.c}));
        },
        random_pools(20), 65 * 255);
}

/// Dilated windows may see nothing but padding: -inf, as PyTorch has it.
TEST(pool, windows_without_map) {
    const std::vector<pool_case> cases{
        {1, 1, 1, 8, {.window = 2, .dilation = 3, .pad = 2}},
        {2, 1, 5, 20, {.window = {2, 3}, .dilation = {3, 2}, .pad = {2, 2, 1, 0}}}};
    check_cases<half>(negative_maxima<pool_regime::direct>{}, cases);
}

} // namespace
