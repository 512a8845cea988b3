// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The convolution in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/conv/problem.hpp>

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

/// One value of the result.
template<class Head>
[[nodiscard]] double convolve_at(const Head& head, const std::vector<double>& map, index_t b,
                                 index_t p, index_t q, index_t k) {
    const filter_extents& f = head.f.extents;
    const index_t first_channel = k / (f.k / head.groups()) * f.c;
    double sum = 0;
    for (index_t r = 0; r < f.r; ++r) {
        const index_t h =
            p * head.how.stride.height + r * head.how.dilation.height - head.how.pad.top;
        if (h < 0 || h >= head.height()) continue;
        for (index_t s = 0; s < f.s; ++s) {
            const index_t w =
                q * head.how.stride.width + s * head.how.dilation.width - head.how.pad.left;
            if (w < 0 || w >= head.width()) continue;
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
    requires is_conv_head<Head>
void run_reference(const program<Head, Chain>& p) {
    constexpr reference_math math{};
    const Head& head = p.head;
    const extents size = head.result();
    const std::vector<double> map = detail::load_map(head);
    typename states_of<reference_math, Chain>::type states{};

    reset_taps<tap_scope::tensor>(p.chain, states);
    for (index_t b = 0; b < size.batches; ++b)
        for (index_t row = 0; row < size.heads; ++row)
            for (index_t column = 0; column < size.rows; ++column) {
                coordinate at{.batch_base = b, .row_base = column, .head_base = row};
                reset_taps<tap_scope::row>(p.chain, states);
                for (index_t k = 0; k < size.columns; ++k) {
                    at.column_base = k;
                    evaluate(math, p.chain, states, at,
                             run<double, 1>{{detail::convolve_at(head, map, b, row, column, k)}});
                }
                at.column_base = 0;
                for_each_tap<tap_scope::row>(
                    p.chain, states,
                    [&](const auto& op, double state, int) { op.commit(math, state, at); });
            }
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(math, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI
