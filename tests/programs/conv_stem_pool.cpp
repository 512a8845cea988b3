// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Stem convolutions with a pool behind them against the reference: any window, negative and special
// values, ops on both sides of the pool.
#include "stem_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

struct pooled_case {
    conv_case of;
    pooling how;

    [[nodiscard]] index_t p() const {
        return convolved_extent(of.p(), how.window.height, how.stride.height, how.dilation.height,
                                how.pad.top, how.pad.bottom);
    }
    [[nodiscard]] index_t q() const {
        return convolved_extent(of.q(), how.window.width, how.stride.width, how.dilation.width,
                                how.pad.left, how.pad.right);
    }
};

std::vector<pooled_case> random_pools(std::size_t count) {
    std::vector<pooled_case> cases;
    std::mt19937_64 random{seed() + 5 * count};
    const auto up_to = [&](int most, int least = 1) {
        return std::uniform_int_distribution<int>{least, most}(random);
    };
    for (const conv_case& g : random_stems(8 * count)) {
        pooled_case c{g, {.window = {up_to(4), up_to(4)}}};
        c.how.stride = {up_to(3), up_to(3)};
        c.how.dilation = {up_to(2), up_to(2)};
        const int half_height = ((c.how.window.height - 1) * c.how.dilation.height + 1) / 2;
        const int half_width = ((c.how.window.width - 1) * c.how.dilation.width + 1) / 2;
        c.how.pad = {up_to(half_height, 0), up_to(half_height, 0), up_to(half_width, 0),
                     up_to(half_width, 0)};
        if (c.p() > 0 && c.q() > 0 && cases.size() < count) cases.push_back(c);
    }
    return cases;
}

template<class Element, class Make>
void check_pools(const Make& make, std::size_t count, const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const pooled_case& c : random_pools(count)) {
        const pooling& how = c.how;
        SCOPED_TRACE(::testing::Message()
                     << c.of << ", window " << how.window.height << "," << how.window.width
                     << ", stride " << how.stride.height << "," << how.stride.width << ", dilation "
                     << how.dilation.height << "," << how.dilation.width << ", pad " << how.pad.top
                     << "," << how.pad.bottom << "," << how.pad.left << "," << how.pad.right
                     << ", R9V_SEED " << seed());
        const shape size{c.of.n * c.of.p() * c.of.q(), c.of.k, c.of.r * c.of.s * c.of.c};
        check_case<Element>(make, c, size, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(conv_stem_pool, any_window_over_special_values) {
    const values special{.special = 0.01};
    check_pools<half>(
        [&](auto& m, const pooled_case& c) {
            const conv_case& g = c.of;
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {}, special);
            const auto f = stem_weights<half>(m, g, g.h % 4 == 1 ? 0.01 : 0.0);
            const auto scales = m.template input<float>({g.k});
            const auto shifts = m.template input<float>({g.k});
            return conv2d(x, f, g.how) | scale_shift(scales, shifts) | max_pool(c.how) |
                   store(m.template output<half>({g.n, c.p(), c.q(), g.k}));
        },
        100);
}

TEST(conv_stem_pool, ops_on_both_sides) {
    check_pools<bf16>(
        [](auto& m, const pooled_case& c) {
            const conv_case& g = c.of;
            const auto x = m.template input<bf16>({g.n, g.h, g.w, g.c}, {.offset = 1});
            const auto f = stem_weights<bf16>(m, g);
            const auto before = m.template input<bf16>({g.n, g.p(), g.q(), g.k}, {.padding = 8});
            const auto behind = m.template input<float>({g.n, c.p(), c.q(), g.k});
            const auto y = m.template output<bf16>({g.n, c.p(), c.q(), g.k}, {.padding = 24});
            return conv2d(x | relu(), f, g.how) | add(before) | relu() | max_pool(c.how) |
                   residual(behind) | tee(m.template output<float>({g.n, c.p(), c.q(), g.k})) |
                   silu() | store(slice(y, 3, 0, g.k));
        },
        60, {.gain = 1.1, .rounds_source = true});
}

/// A program of the first test's type, over memory that is only looked at.
status refusal_of(const pooling& how) {
    const buffer<half> map{std::vector<half>(64 * 64)};
    const buffer<half> weights{std::vector<half>(1024)};
    const buffer<float> numbers{std::vector<float>(8)};
    const buffer<half> result{std::vector<half>(64 * 64 * 8)};
    const tensor<half, 4> x{map.data(), {1, 64, 64, 1}};
    const tensor<float, 1> each{numbers.data(), {8}};
    const index_t p = convolved_extent(64, how.window.height, how.stride.height,
                                       how.dilation.height, how.pad.top, how.pad.bottom);
    const tensor<half, 4> y{result.data(), {1, p, p, 8}};
    return can_launch(conv2d(x, stem_filter(weights.data(), {8, 3, 3, 1}), {.pad = 1}) |
                      scale_shift(each, each) | max_pool(how) | store(y));
}

TEST(conv_stem_pool, windows_that_do_not_fit_are_refused) {
    EXPECT_TRUE(refusal_of({.window = 16, .stride = 4}).ok());
    const auto expect = [](const pooling& how, const char* part) {
        const status outcome = refusal_of(how);
        ASSERT_FALSE(outcome.ok());
        EXPECT_NE(std::string{outcome.what()}.find(part), std::string::npos) << outcome.what();
    };
    expect({.window = 17, .stride = 4}, "call max_pool(x, {...}) as a program of its own");
    expect({.window = 0}, "r9v: the window has 0 pixels");
    expect({.window = 3, .pad = 2}, "more than half of the window");
}

} // namespace
