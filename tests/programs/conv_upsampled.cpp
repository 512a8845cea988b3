// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions that store their result twice as high and wide, into part of a wider map.
#include "conv_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

TEST(conv_upsampled, into_a_slice_of_channels) {
    check_convolutions<half>(
        [](auto& m, const conv_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto f = packed_weights<half>(m, g);
            const auto wide =
                m.template output<half>({g.n, 2 * g.p(), 2 * g.q(), g.k}, {.padding = 8});
            return conv2d(x, f, g.how) | bias(m.template input<float>({g.k})) | silu() |
                   store_upsampled(slice(wide, 3, 0, g.k));
        },
        random_convolutions(40, {}, 1e6), {.gain = 1.1});
}

} // namespace
