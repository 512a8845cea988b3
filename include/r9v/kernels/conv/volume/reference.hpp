// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The convolution over volumes in plain loops and double, through the same op objects.
#pragma once

#include <r9v/kernels/conv/volume/problem.hpp>
#include <r9v/kernels/reference_chain.hpp>

#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

/// The volume after its prologue, dense [b, d, h, w, c] in double.
template<class Head>
[[nodiscard]] std::vector<double> load_volume(const Head& head) {
    using element = typename Head::element;
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(head.x.view.size()));
    for (index_t b = 0; b < head.batches(); ++b)
        for (index_t d = 0; d < head.depth(); ++d)
            for (index_t h = 0; h < head.height(); ++h)
                for (index_t w = 0; w < head.width(); ++w)
                    for (index_t c = 0; c < head.channels(); ++c) {
                        const coordinate place{.batch_base = b * head.depth() + d,
                                               .row_base = w,
                                               .column_base = c,
                                               .head_base = h};
                        double value = r9v::transform(
                            reference_math{}, head.x.prologue, place,
                            run<double, 1>{{to_double(head.x.view(b, d, h, w, c))}})[0];
                        // Kernels multiply elements: what is too large for their type is infinite.
                        if constexpr (decltype(head.x.prologue)::size != 0) {
                            const double rounded = reference_math::round_to<element>(value);
                            if (is_inf(rounded)) value = rounded;
                        }
                        values.push_back(value);
                    }
    return values;
}

/// One value of the result; `frame` counts through the frames of all images.
template<class Head>
[[nodiscard]] double convolve_volume_at(const Head& head, const std::vector<double>& volume,
                                        index_t frame, index_t p, index_t q, index_t k) {
    const volume_filter_extents& f = head.f.extents;
    const volume_convolution& how = head.how;
    const index_t b = frame / head.out_depth();
    const index_t first_channel = k / (f.k / how.groups) * f.c;
    double sum = 0;
    for (index_t t = 0; t < f.t; ++t)
        for (index_t r = 0; r < f.r; ++r)
            for (index_t s = 0; s < f.s; ++s) {
                const index_t d = frame % head.out_depth() * how.stride.depth +
                                  t * how.dilation.depth - how.pad.front;
                const index_t h = p * how.stride.height + r * how.dilation.height - how.pad.top;
                const index_t w = q * how.stride.width + s * how.dilation.width - how.pad.left;
                if (d < 0 || d >= head.depth() || h < 0 || h >= head.height() || w < 0 ||
                    w >= head.width())
                    continue;
                const index_t pixel =
                    ((b * head.depth() + d) * head.height() + h) * head.width() + w;
                const double* x = volume.data() + pixel * head.channels() + first_channel;
                for (index_t c = 0; c < f.c; ++c)
                    sum += x[c] * to_double(head.f.at(k, t, r, s, c));
            }
    return sum;
}

} // namespace detail

/// Runs a checked program on host views.
template<class Head, class Chain>
    requires is_conv_volume_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const std::vector<double> volume = detail::load_volume(p.head);
    detail::run_chain_over(p, [&](const coordinate& at) {
        return detail::convolve_volume_at(p.head, volume, at.batch(), at.head(), at.row(),
                                          at.column());
    });
}

} // namespace r9v::inline R9V_ABI
