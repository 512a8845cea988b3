// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions over volumes against the reference: any geometry, one volume and several, groups,
// operands that see frames, weights that are not finite.
#include <r9v/conv.hpp>

#include "program_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

struct volume_case {
    index_t n, d, h, w, c;
    volume_filter_extents f; ///< c of a group
    volume_convolution how;

    [[nodiscard]] index_t out_depth() const {
        return convolved_extent(d, f.t, how.stride.depth, how.dilation.depth, how.pad.front,
                                how.pad.back);
    }
    [[nodiscard]] index_t p() const {
        return convolved_extent(h, f.r, how.stride.height, how.dilation.height, how.pad.top,
                                how.pad.bottom);
    }
    [[nodiscard]] index_t q() const {
        return convolved_extent(w, f.s, how.stride.width, how.dilation.width, how.pad.left,
                                how.pad.right);
    }
};

std::ostream& operator<<(std::ostream& to, const volume_case& g) {
    const volume_convolution& how = g.how;
    return to << "volume [" << g.n << ", " << g.d << ", " << g.h << ", " << g.w << ", " << g.c
              << "], filter [" << g.f.k << ", " << g.f.t << ", " << g.f.r << ", " << g.f.s
              << "], stride " << how.stride.depth << "," << how.stride.height << ","
              << how.stride.width << ", dilation " << how.dilation.depth << ","
              << how.dilation.height << "," << how.dilation.width << ", pad " << how.pad.front
              << "," << how.pad.back << "," << how.pad.top << "," << how.pad.bottom << ","
              << how.pad.left << "," << how.pad.right << ", groups " << how.groups;
}

std::vector<volume_case> random_cases(std::size_t count,
                                      const std::vector<index_t>& channels_from = {1, 3, 4, 8, 16,
                                                                                   20, 32, 48},
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
        return channels_from[static_cast<std::size_t>(
            between(0, static_cast<int>(channels_from.size()) - 1))];
    };
    const auto taps = [&] {
        return between(0, 2) == 0 ? 1 : between(1, 5);
    };
    constexpr int maps[] = {1, 2, 3, 5, 7, 8, 9, 14, 17};
    const auto map = [&] {
        return maps[between(0, static_cast<int>(std::size(maps)) - 1)];
    };

    std::vector<volume_case> cases;
    while (cases.size() < count) {
        volume_case g{between(1, 3),
                      map(),
                      map(),
                      map(),
                      channels(),
                      {channels(), taps(), taps(), taps(), 0},
                      {}};
        g.how.stride = {between(1, 3), between(1, 3), between(1, 3)};
        g.how.dilation = {between(1, 2), between(1, 2), between(1, 2)};
        g.how.pad = {between(0, 3), between(0, 3), between(0, 3),
                     between(0, 3), between(0, 3), between(0, 3)};
        g.f.c = g.c;
        if (between(0, 2) == 0) {
            g.how.groups = between(2, 3);
            g.c *= g.how.groups;
            g.f.k *= g.how.groups;
        }
        const auto products = static_cast<double>(g.n * g.out_depth() * g.p() * g.q() * g.f.k) *
                              static_cast<double>(g.f.t * g.f.r * g.f.s * g.f.c);
        if (g.out_depth() < 1 || g.p() < 1 || g.q() < 1 || products > work) continue;
        cases.push_back(g);
    }
    return cases;
}

template<class T, side Side>
auto packed_weights(memory<Side>& m, const volume_case& g, double special = 0) {
    std::vector<T> plain(static_cast<std::size_t>(g.f.k * g.f.t * g.f.r * g.f.s * g.f.c));
    memory_record weights{seed() + 977};
    for (T& w : plain)
        w = weights.random_value<T>({.special = special});
    std::vector<T> packed(static_cast<std::size_t>(packed_volume_elements(g.f)));
    pack_volume_filter(host_tensor{plain.data(), {g.f.k, g.f.t, g.f.r, g.f.s, g.f.c}},
                       packed.data());
    std::size_t next = 0;
    const auto view =
        m.template filled<T>({static_cast<index_t>(packed.size())},
                             [&](const position&, double) { return to_double(packed[next++]); });
    return packed_volume_filter<T, Side == side::host ? space::host : space::device>{view.data,
                                                                                     g.f};
}

/// Frames [batch * depth, h, w, c] as the volumes that they belong to: frames() the other way.
template<class View>
auto volumes(const View& frames_of, index_t depth) {
    r9v::detail::view_like<View, 5, View::element_layout> to;
    to.data = frames_of.data;
    to.extents[0] = frames_of.extents[0] / depth;
    to.strides[0] = frames_of.strides[0] * depth;
    to.extents[1] = depth;
    to.strides[1] = frames_of.strides[0];
    for (int axis = 2; axis < 5; ++axis) {
        to.extents[axis] = frames_of.extents[axis - 1];
        to.strides[axis] = frames_of.strides[axis - 1];
    }
    return to;
}

template<class T, side Side>
auto volume_input(memory<Side>& m, const volume_case& g, placement place = {}) {
    return volumes(m.template input<T>({g.n * g.d, g.h, g.w, g.c}, place), g.d);
}
template<class T, side Side>
auto volume_output(memory<Side>& m, const volume_case& g, placement place = {}) {
    return volumes(m.template output<T>({g.n * g.out_depth(), g.p(), g.q(), g.f.k}, place),
                   g.out_depth());
}

template<class Element, class Make>
void check_volumes(const Make& make, const std::vector<volume_case>& cases,
                   const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const volume_case& g : cases) {
        SCOPED_TRACE(::testing::Message() << g << ", R9V_SEED " << seed());
        const shape size{g.n * g.out_depth() * g.p() * g.q(), g.f.k, g.f.t * g.f.r * g.f.s * g.f.c};
        check_case<Element>(make, g, size, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

/// One program for all kernels: which of them runs depends on the shape.
struct with_bias {
    double special = 0;

    template<side Side>
    auto operator()(memory<Side>& m, const volume_case& g) const {
        const auto x = volume_input<half>(m, g);
        const auto f = packed_weights<half>(m, g, special);
        return conv3d(x, f, g.how) | bias(m.template input<float>({g.f.k})) | silu() |
               store(frames(volume_output<half>(m, g)));
    }
};

TEST(conv_volume, any_geometry) {
    check_volumes<half>(with_bias{}, random_cases(80), {.gain = 1.1});
}

TEST(conv_volume, channels_of_whole_chunks) {
    check_volumes<half>(with_bias{}, random_cases(50, {8, 16, 32, 40, 64}), {.gain = 1.1});
}

TEST(conv_volume, filters_of_networks) {
    const std::vector<volume_case> cases{
        {1, 8, 14, 14, 32, {64, 3, 3, 3, 32}, {.pad = 1}},
        {2, 4, 8, 9, 32, {32, 3, 1, 1, 32}, {.pad = {1, 0, 0}}},
        {1, 6, 28, 28, 3, {16, 3, 7, 7, 3}, {.stride = {1, 2, 2}, .pad = {1, 3, 3}}},
        {1, 20, 17, 16, 16, {128, 1, 1, 1, 16}, {}}, // large enough for large tiles
        {1, 4, 8, 8, 16, {16, 2, 2, 2, 16}, {.stride = 2}},
    };
    check_volumes<half>(with_bias{}, cases, {.gain = 1.1});
}

TEST(conv_volume, infinite_weights_in_the_padding_are_harmless) {
    check_volumes<half>(with_bias{.special = 0.02}, random_cases(12, {1, 3, 8, 16}, 2e5),
                        {.gain = 1.1});
}

TEST(conv_volume, prologues_residuals_and_statistics_of_bfloat16) {
    check_volumes<bf16>(
        [](auto& m, const volume_case& g) {
            const auto x = volume_input<bf16>(m, g, {.offset = 1, .padding = 3});
            const auto f = packed_weights<bf16>(m, g);
            const auto columns = m.template input<float>({g.c});
            const auto added = m.template input<bf16>({g.n * g.d, g.h, g.w, g.c});
            const index_t all_frames = g.n * g.out_depth();
            const auto skip = m.template input<bf16>({all_frames, g.p(), g.q(), g.f.k});
            return conv3d(x | scale(per_column(columns)) | add(added) | exp(), f, g.how) |
                   residual(skip) | sum_rows(m.template output<float>({all_frames, g.p(), g.q()})) |
                   store(frames(volume_output<bf16>(m, g, {.offset = 3, .padding = 5})));
        },
        random_cases(30), {.gain = 4, .magnitude = 8, .rounds_source = true});
}

TEST(conv_volume, channels_in_front) {
    check_volumes<half>(
        [](auto& m, const volume_case& g) {
            // [n, c, d, h * w] in memory
            const auto flat = m.template input<half>({g.n, g.c, g.d, g.h * g.w});
            using view =
                r9v::detail::view_like<std::remove_const_t<decltype(flat)>, 5, layout::row_major>;
            view x;
            x.data = flat.data;
            const index_t extents[] = {g.n, g.c, g.d, g.h, g.w};
            const index_t strides[] = {flat.strides[0], flat.strides[1], flat.strides[2], g.w, 1};
            for (int axis = 0; axis < 5; ++axis) {
                x.extents[axis] = extents[axis];
                x.strides[axis] = strides[axis];
            }
            const auto f = packed_weights<half>(m, g);
            return conv3d(channels_last(x), f, g.how) | relu() |
                   store(frames(volume_output<half>(m, g)));
        },
        random_cases(25));
}

TEST(conv_volume, frames_of_volumes_that_do_not_follow_on_one_another_are_refused) {
    float data[64] = {};
    const host_tensor<float, 5> apart{data, {2, 2, 2, 2, 2}, {24, 8, 4, 2, 1}};
    EXPECT_EQ(frames(slice(apart, 0, 1, 1)).data, data + 24);
    try {
        (void)frames(apart);
        FAIL() << "not refused";
    } catch (const r9v::error& reason) {
        EXPECT_NE(std::string{reason.what()}.find("follow on one another"), std::string::npos);
    }
}

} // namespace
