// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "conv_test.hpp"

namespace r9v_test {

std::vector<conv_case> random_convolutions(std::size_t count, const conv_range& from, double work) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::uint64_t mixed = seed();
    for (const char* c = info->name(); *c != 0; ++c)
        mixed = (mixed ^ static_cast<unsigned char>(*c)) * 1099511628211ull;
    std::mt19937_64 random{mixed};
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    const auto channels = [&] {
        return from.channels[static_cast<std::size_t>(
            between(0, static_cast<int>(from.channels.size()) - 1))];
    };
    constexpr int maps[] = {1, 2, 3, 5, 7, 8, 9, 13, 14, 16, 20, 31, 32, 33, 63, 65};
    const auto map = [&] {
        return maps[between(0, static_cast<int>(std::size(maps)) - 1)];
    };

    std::vector<conv_case> cases;
    while (cases.size() < count) {
        conv_case g{between(1, 3), from.flat ? 1 : map(),         map(),         channels(),
                    channels(),    from.flat ? 1 : between(1, 7), between(1, 7), {}};
        if (between(0, 3) == 0) g.r = 1;
        if (between(0, 3) == 0) g.s = 1;
        g.how.stride = {from.flat ? 1 : between(1, 3), between(1, 3)};
        g.how.dilation = {from.flat ? 1 : between(1, 3), between(1, 3)};
        g.how.pad = {from.flat ? 0 : between(0, 5), from.flat ? 0 : between(0, 5), between(0, 5),
                     between(0, 5)};
        if (from.grouped && between(0, 2) == 0) {
            g.how.groups = between(2, 4);
            g.c *= g.how.groups;
            g.k *= g.how.groups;
        }
        const auto products = static_cast<double>(g.n * g.p() * g.q() * g.k) *
                              static_cast<double>(g.r * g.s * g.c / g.how.groups);
        if (g.p() < 1 || g.q() < 1 || products > work) continue;
        cases.push_back(g);
    }
    return cases;
}

} // namespace r9v_test
