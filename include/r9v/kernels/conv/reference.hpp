// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The convolution in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/reference_chain.hpp>

#include <algorithm>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

/// The map after its prologue, dense [b, h, w, c] in double.
template<class Head>
[[nodiscard]] std::vector<double> load_map(const Head& head) {
    using element = typename Head::element;
    std::vector<double> values;
    values.reserve(
        static_cast<std::size_t>(head.batches() * head.height() * head.width() * head.channels()));
    for (index_t b = 0; b < head.batches(); ++b)
        for (index_t h = 0; h < head.height(); ++h)
            for (index_t w = 0; w < head.width(); ++w)
                for (index_t c = 0; c < head.channels(); ++c) {
                    const index_t at = b * head.x.view.strides[0] + h * head.row_stride() +
                                       w * head.pixel_stride() + c * head.channel_stride();
                    const coordinate place{.batch_base = b,
                                           .row_base = w,
                                           .column_base = c,
                                           .head_base = Head::axes == 2 ? h : 0};
                    double value =
                        r9v::transform(reference_math{}, head.x.prologue, place,
                                       run<double, 1>{{to_double(head.x.view.data[at])}})[0];
                    // Kernels multiply elements: what is too large for their type is infinite.
                    if constexpr (decltype(head.x.prologue)::size != 0) {
                        const double rounded = reference_math::round_to<element>(value);
                        if (is_inf(rounded)) value = rounded;
                    }
                    values.push_back(value);
                }
    return values;
}

/// Output channels whose sums are made side by side: the compiler makes vectors of them.
inline constexpr index_t reference_lanes = 16;

/// Output channels of a group.
template<class Head>
[[nodiscard]] index_t channels_of_group(const Head& head) {
    return head.f.extents.k / std::max<index_t>(head.groups(), 1);
}

/// The weights in double: [group][block of channels][r][s][c][lane].
template<class Head>
[[nodiscard]] std::vector<double> load_filter(const Head& head) {
    const filter_extents& f = head.f.extents;
    const index_t of_group = channels_of_group(head);
    const index_t blocks = head.groups() * ceil_div(of_group, reference_lanes);
    std::vector<double> weights;
    weights.reserve(static_cast<std::size_t>(blocks * f.r * f.s * f.c * reference_lanes));
    for (index_t group = 0; group < head.groups(); ++group)
        for (index_t first = 0; first < of_group; first += reference_lanes)
            for (index_t r = 0; r < f.r; ++r)
                for (index_t s = 0; s < f.s; ++s)
                    for (index_t c = 0; c < f.c; ++c)
                        for (index_t k = first; k < first + reference_lanes; ++k)
                            weights.push_back(
                                k < of_group ? to_double(head.f.at(group * of_group + k, r, s, c))
                                             : 0.0);
    return weights;
}

/// Adds the products of `count` channels of a pixel with a tap's weights to a block of sums.
inline void add_products(const double* pixel, const double* tap, index_t count,
                         double (&sums)[reference_lanes]) {
    double sum[reference_lanes];
    for (index_t lane = 0; lane < reference_lanes; ++lane)
        sum[lane] = sums[lane];
    for (index_t c = 0; c < count; ++c, tap += reference_lanes)
        for (index_t lane = 0; lane < reference_lanes; ++lane)
            sum[lane] += pixel[c] * tap[lane];
    for (index_t lane = 0; lane < reference_lanes; ++lane)
        sums[lane] = sum[lane];
}

/// Sums of one pixel over all taps within the map, for a block of channels; `sums` has room for
/// `count` of them.
template<class Head>
void convolve_pixel(const Head& head, const double* image, const double* weights, index_t p,
                    index_t q, double* sums, index_t count) {
    const filter_extents& f = head.f.extents;
    const double* tap = weights;
    double sum[reference_lanes] = {};
    for (index_t r = 0; r < f.r; ++r) {
        const index_t h =
            p * head.how.stride.height + r * head.how.dilation.height - head.how.pad.top;
        for (index_t s = 0; s < f.s; ++s, tap += f.c * reference_lanes) {
            const index_t w =
                q * head.how.stride.width + s * head.how.dilation.width - head.how.pad.left;
            if (h < 0 || h >= head.height() || w < 0 || w >= head.width()) continue;
            const double* pixel = image + (h * head.width() + w) * head.channels();
            add_products(pixel, tap, f.c, sum);
        }
    }
    for (index_t lane = 0; lane < count; ++lane)
        sums[lane] = sum[lane];
}

/// Row p of the result of one image: [q, k].
template<class Head>
void convolve_row(const Head& head, const std::vector<double>& map,
                  const std::vector<double>& weights, index_t b, index_t p,
                  std::vector<double>& sums) {
    const filter_extents& f = head.f.extents;
    const index_t of_group = channels_of_group(head);
    const double* image = map.data() + b * head.height() * head.width() * head.channels();
    const double* block = weights.data();
    for (index_t group = 0; group < head.groups(); ++group)
        for (index_t first = 0; first < of_group; first += reference_lanes) {
            for (index_t q = 0; q < head.out_width(); ++q)
                convolve_pixel(head, image + group * f.c, block, p, q,
                               sums.data() + q * f.k + group * of_group + first,
                               std::min(reference_lanes, of_group - first));
            block += f.r * f.s * f.c * reference_lanes;
        }
}

} // namespace detail

/// Runs a checked program on host views.
template<class Head, class Chain>
    requires is_conv_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const Head& head = p.head;
    const extents size = head.result();
    const std::vector<double> map = detail::load_map(head);
    const std::vector<double> weights = detail::load_filter(head);
    std::vector<double> sums(static_cast<std::size_t>(size.rows * size.columns));
    detail::run_chain_over(p, [&](const coordinate& at) {
        // A whole row of pixels at once, at its first value.
        if (at.row() == 0 && at.column() == 0)
            detail::convolve_row(head, map, weights, at.batch(), at.head(), sums);
        return sums[static_cast<std::size_t>(at.row() * size.columns + at.column())];
    });
}

} // namespace r9v::inline R9V_ABI
