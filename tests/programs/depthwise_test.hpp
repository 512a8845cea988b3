// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Random depthwise convolutions for program tests.
#pragma once

#include "conv_test.hpp"

namespace r9v_test {

/// What random depthwise convolutions are drawn from.
struct depthwise_range {
    std::vector<index_t> maps{1, 2, 3, 5, 7, 9, 14, 20, 28, 33, 40, 56};
    std::vector<index_t> channels{1, 3, 8, 16, 20, 24, 32, 40, 72, 144};
    int multiplier = 3; ///< at most
    bool flat = false;  ///< along one axis
};

/// `count` convolutions whose filter fits, of at most about `work` products.
inline std::vector<conv_case> random_depthwise(std::size_t count, const depthwise_range& from = {},
                                               double work = 1e6) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::uint64_t mixed = seed();
    for (const char* c = info->name(); *c != 0; ++c)
        mixed = (mixed ^ static_cast<unsigned char>(*c)) * 1099511628211ull;
    std::mt19937_64 random{mixed};
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    const auto one_of = [&](const std::vector<index_t>& all) {
        return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
    };
    std::vector<conv_case> cases;
    while (cases.size() < count) {
        conv_case g{between(1, 3),
                    from.flat ? 1 : one_of(from.maps),
                    one_of(from.maps),
                    one_of(from.channels),
                    0,
                    1,
                    between(1, 7),
                    {}};
        if (!from.flat) g.r = between(0, 2) == 0 ? between(1, 7) : g.s;
        if (between(0, 5) == 0) g.s = 1;
        const int multiplier = between(0, 2) == 0 ? between(1, from.multiplier) : 1;
        g.k = g.c * multiplier;
        const auto pad = [&] {
            return between(0, 1) == 0 ? static_cast<int>(g.s / 2) : between(0, 5);
        };
        g.how.stride = {from.flat ? 1 : between(1, 3), between(1, 3)};
        if (between(0, 1) == 0) g.how.stride.width = g.how.stride.height;
        if (between(0, 2) == 0) g.how.dilation = {from.flat ? 1 : between(1, 3), between(1, 3)};
        g.how.pad = {from.flat ? 0 : pad(), from.flat ? 0 : pad(), pad(), pad()};
        if (between(0, 1) == 0) g.how.groups = static_cast<int>(g.c); // the same as leaving it out
        const auto products = static_cast<double>(g.n * g.p() * g.q() * g.k * g.r * g.s);
        if (g.p() < 1 || g.q() < 1 || products > work) continue;
        cases.push_back(g);
    }
    return cases;
}

/// Packed random weights of a case, the same on both sides.
template<class T, side Side>
auto depthwise_weights(memory<Side>& m, const conv_case& g, double special = 0) {
    const r9v::filter_extents of{g.k, g.r, g.s, 1};
    std::vector<T> plain(static_cast<std::size_t>(of.k * of.r * of.s));
    memory_record weights{seed() + 977};
    for (T& w : plain)
        w = weights.random_value<T>({.special = special});
    std::vector<T> packed(static_cast<std::size_t>(r9v::packed_depthwise_elements(of)));
    r9v::pack_depthwise_filter(r9v::host_tensor{plain.data(), {of.k, of.r, of.s, 1}},
                               packed.data());
    std::size_t next = 0;
    const auto view =
        m.template filled<T>({static_cast<index_t>(packed.size())}, [&](const position&, double) {
            return r9v::to_double(packed[next++]);
        });
    return r9v::packed_filter<T, Side == side::host ? r9v::space::host : r9v::space::device,
                              r9v::filter_kind::depthwise>{view.data, of};
}

/// `make(memory, case)` returns the program; it is called once for each side.
template<class Element, class Make>
void check_depthwise(const Make& make, const std::vector<conv_case>& cases,
                     const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const conv_case& g : cases) {
        SCOPED_TRACE(::testing::Message() << g << ", R9V_SEED " << seed());
        check_case<Element>(make, g, {g.n * g.p() * g.q(), g.k, g.r * g.s}, growth,
                            seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

} // namespace r9v_test
