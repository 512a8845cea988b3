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

struct chain_case {
    index_t n, h, w, c;
    pool_chain how;
};
std::ostream& operator<<(std::ostream& to, const chain_case& g) {
    return to << "map [" << g.n << ", " << g.h << ", " << g.w << ", " << g.c << "], " << g.how.count
              << " windows of " << g.how.window << (g.how.with_input ? ", x" : "");
}

/// Maxima of a map whose values are all negative, where padding would win as zero.
struct negative_maxima {
    template<side Side>
    auto operator()(memory<Side>& m, const pool_case& g) const {
        const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {.padding = 8},
                                              {.low = -5, .high = -1, .special = 0.02});
        return max_pool(x, g.how) | store(slice_of<half>(m, g));
    }
};

TEST(pool, maxima_of_negative_maps) {
    check_cases<half>(negative_maxima{}, random_pools(60));
}

TEST(pool, maxima_of_negative_maps_with_channels_by_eights) {
    check_cases<half>(negative_maxima{}, random_pools(60, true));
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
    std::vector<pool_case> cases = random_pools(60);
    cases.push_back(
        {1, 1, 1, 8, {.window = 46341, .pad = 23170}}); // more pixels than an int counts
    check_cases<float>(make, cases, 49, {.gain = 2, .magnitude = 3});
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

/// Maps in one piece and in tiles, channels by eights and not.
TEST(pool, chains_side_by_side_in_a_slice) {
    test_random random;
    std::vector<chain_case> cases{{1, 20, 20, 64, {.window = 5}},
                                  {1, 33, 65, 8, {.window = 5, .with_input = true}},
                                  {1, 40, 40, 20, {.window = 7}},
                                  {2, 1, 1, 3, {.window = 3, .count = 1}}};
    while (cases.size() < 24)
        cases.push_back({random.between(1, 2),
                         random.between(1, 45),
                         random.between(1, 45),
                         random.between(1, 40),
                         {.window = 1 + 2 * random.between(0, 3),
                          .count = random.between(1, 4),
                          .with_input = random.between(0, 1) == 1}});
    check_cases<bf16>(
        [](auto& m, const chain_case& g) {
            const auto x = m.template input<bf16>({g.n, g.h, g.w, g.c}, {.padding = 8},
                                                  {.low = -3, .high = -1, .special = 0.01});
            const index_t k = g.how.levels() * g.c;
            const auto y = m.template output<bf16>({g.n, g.h, g.w, k}, {.padding = 40});
            const auto steps = m.template input<float>({g.n, g.h, g.w, ceil_div(k, index_t{8})});
            return chained_max_pool(x | scale(0.5f), g.how) | scale(per_group(steps, 8)) |
                   bias(m.template input<float>({k})) | store(slice(y, 3, 0, k));
        },
        cases, 1, {.magnitude = 3, .rounds_source = true});
}

/// Dilated windows may see nothing but padding: -inf, as PyTorch has it.
TEST(pool, windows_without_map) {
    const std::vector<pool_case> cases{
        {1, 1, 1, 8, {.window = 2, .dilation = 3, .pad = 2}},
        {2, 1, 5, 20, {.window = {2, 3}, .dilation = {3, 2}, .pad = {2, 2, 1, 0}}}};
    check_cases<half>(negative_maxima{}, cases);
}

} // namespace
