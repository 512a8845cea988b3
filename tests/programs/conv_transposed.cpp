// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Transposed convolutions against the reference: any stride, dilation and padding, phases without
// taps, groups, weights that are not finite.
#include <r9v/conv.hpp>

#include "program_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

struct transposed_case {
    index_t n, h, w, c, k, r, s;
    transposed_convolution how;

    [[nodiscard]] filter_extents filter() const { return {k, r, s, c / how.groups}; }
    [[nodiscard]] index_t p() const {
        return transposed_extent(h, r, how.stride.height, how.dilation.height, how.pad.top,
                                 how.pad.bottom, how.output_pad.height);
    }
    [[nodiscard]] index_t q() const {
        return transposed_extent(w, s, how.stride.width, how.dilation.width, how.pad.left,
                                 how.pad.right, how.output_pad.width);
    }
};

std::ostream& operator<<(std::ostream& to, const transposed_case& g) {
    const transposed_convolution& how = g.how;
    return to << "map [" << g.n << ", " << g.h << ", " << g.w << ", " << g.c << "], filter [" << g.k
              << ", " << g.r << ", " << g.s << "], stride " << how.stride.height << ","
              << how.stride.width << ", dilation " << how.dilation.height << ","
              << how.dilation.width << ", pad " << how.pad.top << "," << how.pad.bottom << ","
              << how.pad.left << "," << how.pad.right << ", output pad " << how.output_pad.height
              << "," << how.output_pad.width << ", groups " << how.groups;
}

struct transposed_range {
    std::vector<index_t> channels{1, 3, 8, 16, 20, 32, 48, 64, 96};
    bool flat = false; ///< along one axis
};

std::vector<transposed_case> random_cases(std::size_t count, const transposed_range& from = {},
                                          double work = 1.5e6) {
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
    constexpr int maps[] = {1, 2, 3, 5, 7, 8, 13, 16, 20, 31, 33};
    const auto map = [&] {
        return maps[between(0, static_cast<int>(std::size(maps)) - 1)];
    };

    std::vector<transposed_case> cases;
    while (cases.size() < count) {
        transposed_case g{between(1, 3), from.flat ? 1 : map(),         map(),         channels(),
                          channels(),    from.flat ? 1 : between(1, 5), between(1, 5), {}};
        transposed_convolution& how = g.how;
        how.stride = {from.flat ? 1 : between(1, 4), between(1, 4)};
        how.dilation = {from.flat ? 1 : between(1, 3), between(1, 3)};
        how.pad = {from.flat ? 0 : between(0, 4), from.flat ? 0 : between(0, 4), between(0, 4),
                   between(0, 4)};
        how.output_pad = {
            from.flat ? 0 : between(0, std::max(how.stride.height, how.dilation.height) - 1),
            between(0, std::max(how.stride.width, how.dilation.width) - 1)};
        if (between(0, 2) == 0) {
            how.groups = between(2, 4);
            g.c *= how.groups;
            g.k *= how.groups;
        }
        const auto products = static_cast<double>(g.n * g.h * g.w * g.k) *
                              static_cast<double>(g.r * g.s * g.c / how.groups);
        const auto results = static_cast<double>(g.n * g.p() * g.q() * g.k);
        if (g.p() < 1 || g.q() < 1 || products > work || 16 * results > work) continue;
        cases.push_back(g);
    }
    return cases;
}

/// Packed random weights of a case, the same on both sides. `special` puts infinities among them.
template<class T, side Side>
auto packed_weights(memory<Side>& m, const transposed_case& g, double special = 0) {
    const filter_extents of = g.filter();
    std::vector<T> plain(static_cast<std::size_t>(of.k * of.r * of.s * of.c));
    memory_record weights{seed() + 977};
    for (T& w : plain)
        w = weights.random_value<T>({.special = special});
    std::vector<T> packed(static_cast<std::size_t>(packed_transposed_elements(of)));
    pack_transposed_filter(host_tensor{plain.data(), {g.c, of.k / g.how.groups, of.r, of.s}},
                           packed.data(), g.how.groups);
    std::size_t next = 0;
    const auto view =
        m.template filled<T>({static_cast<index_t>(packed.size())},
                             [&](const position&, double) { return to_double(packed[next++]); });
    return packed_transposed_filter<T, Side == side::host ? space::host : space::device>{view.data,
                                                                                         of};
}

template<class Element, class Make>
void check_transposed(const Make& make, const std::vector<transposed_case>& cases,
                      const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const transposed_case& g : cases) {
        SCOPED_TRACE(::testing::Message() << g << ", R9V_SEED " << seed());
        const shape size{g.n * g.p() * g.q(), g.k, g.r * g.s * g.c / g.how.groups};
        check_case<Element>(make, g, size, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

/// One program for all kernels: which of them runs depends on the shape.
struct with_bias {
    double special = 0;

    template<side Side>
    auto operator()(memory<Side>& m, const transposed_case& g) const {
        const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
        const auto f = packed_weights<half>(m, g, special);
        return conv_transpose2d(x, f, g.how) | bias(m.template input<float>({g.k})) | silu() |
               store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
    }
};

TEST(conv_transposed, any_geometry) {
    check_transposed<half>(with_bias{}, random_cases(80), {.gain = 1.1});
}

TEST(conv_transposed, channels_of_whole_chunks) {
    check_transposed<half>(with_bias{}, random_cases(40, {.channels = {8, 16, 32, 48, 64, 96}}),
                           {.gain = 1.1});
}

TEST(conv_transposed, doubling_of_maps) {
    const std::vector<transposed_case> cases{
        {1, 32, 33, 64, 128, 2, 2, {.stride = 2}}, // large enough for large tiles
        {1, 16, 16, 32, 64, 4, 4, {.stride = 2, .pad = 1}},
        {2, 9, 7, 64, 32, 3, 3, {.stride = 2, .pad = 1, .output_pad = 1}},
        {1, 8, 8, 40, 24, 1, 1, {.stride = 3}}, // eight of nine phases have no taps
        {1, 5, 5, 16, 16, 2, 2, {.stride = 4, .dilation = 2}},
        {1, 1, 1, 16, 16, 4, 4, {.stride = 1}},
    };
    check_transposed<half>(with_bias{}, cases, {.gain = 1.1});
}

TEST(conv_transposed, infinite_weights_where_nothing_is_are_harmless) {
    check_transposed<half>(with_bias{.special = 0.02}, random_cases(12, {}, 2e5), {.gain = 1.1});
}

TEST(conv_transposed, prologues_residuals_and_statistics_of_bfloat16) {
    check_transposed<bf16>(
        [](auto& m, const transposed_case& g) {
            const auto x =
                m.template input<bf16>({g.n, g.h, g.w, g.c}, {.offset = 1, .padding = 3});
            const auto f = packed_weights<bf16>(m, g);
            const auto columns = m.template input<float>({g.c});
            const auto skip = m.template input<bf16>({g.n, g.p(), g.q(), g.k});
            return conv_transpose2d(x | scale(per_column(columns)) | exp(), f, g.how) |
                   residual(skip) | sum_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   absmax(m.template output<float>({1})) |
                   store(m.template output<bf16>({g.n, g.p(), g.q(), g.k},
                                                 {.offset = 3, .padding = 5}));
        },
        random_cases(30), {.gain = 4, .magnitude = 3, .rounds_source = true});
}

TEST(conv_transposed, along_one_axis) {
    check_transposed<half>(
        [](auto& m, const transposed_case& g) {
            const auto x = m.template input<half>({g.n, g.c, g.w});
            const auto f = packed_weights<half>(m, g);
            return conv_transpose1d(channels_last(x), f, g.how) | gelu() |
                   store(m.template output<half>({g.n, g.q(), g.k}));
        },
        random_cases(25, {.flat = true}), {.gain = 1.2});
}

} // namespace
