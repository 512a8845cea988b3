// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The transposed convolution in plain loops and double, through the same op objects.
#pragma once

#include <r9v/kernels/conv/reference.hpp>
#include <r9v/kernels/conv/transposed/problem.hpp>
#include <r9v/kernels/reference_chain.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// The position of the map that tap `tap` spreads to position `at` of the result, or -1.
constexpr index_t spread_from(index_t at, index_t tap, int stride, int dilation, int pad,
                              index_t size) {
    const index_t away = at + pad - tap * dilation;
    return away < 0 || away % stride != 0 || away / stride >= size ? -1 : away / stride;
}

/// One value of the result.
template<class Head>
[[nodiscard]] double spread_to(const Head& head, const std::vector<double>& map, index_t b,
                               index_t p, index_t q, index_t k) {
    const filter_extents& f = head.f.extents;
    const transposed_convolution& how = head.how;
    const index_t first_channel = k / (f.k / how.groups) * f.c;
    double sum = 0;
    for (index_t r = 0; r < f.r; ++r) {
        const index_t h =
            spread_from(p, r, how.stride.height, how.dilation.height, how.pad.top, head.height());
        if (h < 0) continue;
        for (index_t s = 0; s < f.s; ++s) {
            const index_t w =
                spread_from(q, s, how.stride.width, how.dilation.width, how.pad.left, head.width());
            if (w < 0) continue;
            const double* pixel = map.data() +
                                  ((b * head.height() + h) * head.width() + w) * head.channels() +
                                  first_channel;
            for (index_t c = 0; c < f.c; ++c)
                sum += pixel[c] * to_double(head.f.at(k, r, s, c));
        }
    }
    return sum;
}

} // namespace detail

/// Runs a checked program on host views.
template<class Head, class Chain>
    requires is_conv_transpose_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const std::vector<double> map = detail::load_map(p.head);
    detail::run_chain_over(p, [&](const coordinate& at) {
        return detail::spread_to(p.head, map, at.batch(), at.head(), at.row(), at.column());
    });
}

} // namespace r9v::inline R9V_ABI
