// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What stands in front of a convolution and behind it: prologues before padding, residuals,
// slices, channels in front, statistics, positions, weights that are not finite.
#include "conv_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

/// The result's channels as a slice of a tensor with others around them, as concatenation does it.
template<class T, side Side>
auto slice_of(memory<Side>& m, const conv_case& g) {
    return slice(m.template output<T>({g.n, g.p(), g.q(), g.k}, {.padding = 24}), 3, 0, g.k);
}

TEST(conv_ops, residuals_before_and_after_the_activation_into_a_slice) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            const auto before = m.template input<half>({g.n, g.p(), g.q(), g.k});
            const auto after = m.template input<half>({g.n, g.p(), g.q(), g.k}, {.padding = 8});
            const auto scales = m.template input<float>({g.k});
            const auto shifts = m.template input<float>({g.k});
            return conv2d(x, f, g.how) | scale_shift(scales, shifts) | residual(before) | relu() |
                   residual(after) | store(slice_of<half>(m, g));
        },
        random_convolutions(30));
}

TEST(conv_ops, prologue_runs_before_padding) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto scales = m.template input<float>({g.c});
            const auto shifts = m.template input<float>({g.c}, {}, {.low = 0.5, .high = 1});
            const auto added = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            return conv2d(x | scale_shift(scales, shifts) | add(added) | exp(), f, g.how) |
                   store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
        },
        random_convolutions(30), {.magnitude = 21, .rounds_source = true});
}

TEST(conv_ops, channels_in_front) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.c, g.h, g.w});
            const auto f = packed_weights<half>(m, g);
            return conv2d(channels_last(x), f, g.how) | relu() |
                   store(channels_last(m.template output<half>({g.n, g.k, g.p(), g.q()})));
        },
        random_convolutions(20));
}

TEST(conv_ops, statistics_of_pixels_and_narrow_results) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            const auto steps = m.template input<float>(
                {g.n, g.p(), g.q(), ceil_div(g.k, index_t{8})}); // also where groups are no eights
            return conv2d(x, f, g.how) | scale(per_group(steps, 8)) |
                   sum_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   absmax_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   absmax(m.template output<float>({1})) | quantize(0.25f) |
                   store(m.template output<std::int8_t>({g.n, g.p(), g.q(), g.k}));
        },
        random_convolutions(20), {.gain = 4});
}

struct by_position {
    R9V_HD float operator()(float x, const coordinate& at) const {
        return x + static_cast<float>(at.batch() * 1000 + at.head() * 100 + at.row() * 10) +
               static_cast<float>(at.column()) * 0.25f;
    }
};

TEST(conv_ops, functors_see_image_row_column_and_channel) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            const auto per_image = m.template input<float>({g.n, g.k});
            return conv2d(x, f, g.how) | bias(per_image) | map(by_position{}) |
                   store(m.template output<float>({g.n, g.p(), g.q(), g.k}));
        },
        random_convolutions(15), {.gain = 16});
}

TEST(conv_ops, operands_may_be_the_same_for_all_images_or_rows) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            return conv2d(x, f, g.how) | residual(m.template input<half>({g.q(), g.k})) |
                   add(m.template input<half>({g.n, g.q(), g.k})) |
                   scale(per_row(m.template input<float>({g.q()}))) |
                   store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
        },
        random_convolutions(20));
}

TEST(conv_ops, infinite_weights_in_the_padding_are_harmless) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g, 0.02);
            return conv2d(x, f, g.how) | store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
        },
        random_convolutions(20, {}, 3e5));
}

} // namespace
