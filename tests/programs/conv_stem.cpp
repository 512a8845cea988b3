// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions over maps of 1 to 4 channels against the reference: any geometry, prologues before
// padding, slices, channels in front, sequences, special values.
#include "stem_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

TEST(conv_stem, any_geometry_with_special_values) {
    const values special{.special = 0.01};
    check_convolutions<half>(
        [&](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {}, special);
            const auto f = stem_weights<half>(m, g, g.h % 4 == 1 ? 0.01 : 0.0);
            return conv2d(x, f, g.how) | bias(m.template input<float>({g.k})) |
                   store(m.template output<half>({g.n, g.p(), g.q(), g.k}));
        },
        random_stems(160));
}

TEST(conv_stem, prologue_into_a_slice_of_bfloat16) {
    check_convolutions<bf16>(
        [](auto& m, const conv_case& g) {
            const auto x =
                slice(m.template input<bf16>({g.n, g.h, g.w, g.c + 3}, {.offset = 1, .padding = 2}),
                      3, 0, g.c);
            const auto dense = m.template input<bf16>({g.n, g.h, g.w, g.c}, {.offset = 1});
            const auto f = stem_weights<bf16>(m, g);
            const auto scales = m.template input<float>({g.c});
            const auto shifts = m.template input<float>({g.c}, {}, {.low = 0.5, .high = 1});
            const auto y = m.template output<bf16>({g.n, g.p(), g.q(), g.k}, {.padding = 24});
            const auto skip = m.template input<bf16>({g.n, g.p(), g.q(), g.k});
            return conv2d((g.h % 2 == 0 ? x : dense) | scale_shift(scales, shifts) | exp(), f,
                          g.how) |
                   residual(skip) | silu() |
                   absmax_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   store(slice(y, 3, 0, g.k));
        },
        random_stems(60), {.gain = 1.1, .magnitude = 8, .rounds_source = true});
}

TEST(conv_stem, channels_in_front) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = channels_last(m.template input<half>({g.n, g.c, g.h, g.w}));
            const auto f = stem_weights<half>(m, g);
            return conv2d(x, f, g.how) | relu() |
                   sum_rows(m.template output<float>({g.n, g.p(), g.q()})) |
                   store(channels_last(m.template output<half>({g.n, g.k, g.p(), g.q()})));
        },
        random_stems(40), {.gain = 16});
}

TEST(conv_stem, along_one_axis) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.w, g.c});
            const auto f = stem_weights<half>(m, g);
            return conv1d(x, f, g.how) | gelu() | store(m.template output<half>({g.n, g.q(), g.k}));
        },
        random_stems(40, {.flat = true}), {.gain = 1.2});
}

} // namespace
