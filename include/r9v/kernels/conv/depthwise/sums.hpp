// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The products of a lane: 8 channels of a run of neighbouring pixels. Products and sums are f32; a
// half enters them unconverted (v_fma_mix_f32).
#pragma once

#include <r9v/kernels/conv/depthwise/place.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<int Run>
using depthwise_sums = run<float, 8>[Run];

template<class Element>
R9V_INLINE void add_products(run<float, 8>& sums, arch::words4 x, arch::words4 w) {
    R9V_UNROLL
    for (int i = 0; i < 8; ++i)
        sums[i] = arch::fma(arch::element_to_float<Element>(x[i / 2], i % 2),
                            arch::element_to_float<Element>(w[i / 2], i % 2), sums[i]);
}

/// Where a lane's pixels and weights are in LDS, in bytes.
struct depthwise_source {
    std::uint32_t pixels;     ///< the first tap of the first pixel
    std::uint32_t weights;    ///< of the first tap
    std::uint32_t pixel_step; ///< from a pixel to the next, and from a tap's weights to the next
    std::uint32_t row_step;   ///< from a row of taps to the next
};

/// A row of `Columns` taps, `Stride` apart from pixel to pixel.
template<class Element, int Columns, int Stride, int Run>
R9V_INLINE void add_window(depthwise_sums<Run>& sums, arch::local_bytes lds,
                           const depthwise_source& at) {
    arch::words4 w[Columns];
    R9V_UNROLL
    for (int s = 0; s < Columns; ++s)
        w[s] = arch::load_local(lds, at.weights + static_cast<std::uint32_t>(s) * at.pixel_step);
    R9V_UNROLL
    for (int pixel = 0; pixel < (Run - 1) * Stride + Columns; ++pixel) {
        const arch::words4 x =
            arch::load_local(lds, at.pixels + static_cast<std::uint32_t>(pixel) * at.pixel_step);
        R9V_UNROLL
        for (int q = 0; q < Run; ++q) {
            const int s = pixel - q * Stride;
            if (s >= 0 && s < Columns) add_products<Element>(sums[q], x, w[s]);
        }
    }
}

/// `Columns` taps side by side and `Stride`: each pixel is read once for all of the run's outputs
/// that see it. Padding beside the map is zeros, so weights are finite. `h` is the row of the map
/// under the first taps.
template<class Element, int Columns, int Stride, int Run>
R9V_INLINE void add_windows(depthwise_sums<Run>& sums, arch::local_bytes lds, depthwise_source at,
                            const depthwise_geometry& g, std::int32_t h) {
    R9V_ROLLED
    for (std::int32_t r = 0; r < g.filter_rows; ++r, h += g.dilation_height) {
        if (depthwise_geometry::is_below(h, g.height))
            add_window<Element, Columns, Stride, Run>(sums, lds, at);
        at.pixels += at.row_step;
        at.weights += Columns * at.pixel_step;
    }
}

/// Any filter, stride and dilation; taps in the padding are skipped.
template<class Element, int Run>
R9V_INLINE void add_taps(depthwise_sums<Run>& sums, arch::local_bytes lds, depthwise_source at,
                         const depthwise_geometry& g, std::int32_t row, std::int32_t column) {
    std::int32_t h = row * g.stride_height - g.pad_top;
    R9V_ROLLED
    for (std::int32_t r = 0; r < g.filter_rows; ++r) {
        const bool row_exists = depthwise_geometry::is_below(h, g.height);
        std::int32_t w = column * g.stride_width - g.pad_left;
        std::uint32_t pixel = at.pixels;
        R9V_ROLLED
        for (std::int32_t s = 0; s < g.filter_columns; ++s) {
            const arch::words4 weights = arch::load_local(lds, at.weights);
            R9V_UNROLL
            for (int q = 0; q < Run; ++q) {
                const bool exists =
                    row_exists && depthwise_geometry::is_below(w + q * g.stride_width, g.width);
                const std::uint32_t from =
                    pixel + static_cast<std::uint32_t>(q * g.stride_width) * at.pixel_step;
                if (exists) add_products<Element>(sums[q], arch::load_local(lds, from), weights);
            }
            w += g.dilation_width;
            pixel += static_cast<std::uint32_t>(g.dilation_width) * at.pixel_step;
            at.weights += at.pixel_step;
        }
        h += g.dilation_height;
        at.pixels += at.row_step;
    }
}

/// The same from global memory.
template<class Head>
R9V_INLINE void add_taps_directly(run<float, 8>& sums, const Head& head,
                                  const depthwise_geometry& g, const coordinate& pixel,
                                  std::int32_t chunk) {
    using element = typename Head::element;
    const index_t weights_row = 16 * index_t{g.of_outputs.value};
    const auto image = static_cast<std::int32_t>(pixel.batch());
    index_t weights = 16 * index_t{chunk};
    R9V_ROLLED
    for (std::int32_t r = 0; r < g.filter_rows; ++r) {
        const std::int32_t h = static_cast<std::int32_t>(pixel.head()) * g.stride_height +
                               r * g.dilation_height - g.pad_top;
        R9V_ROLLED
        for (std::int32_t s = 0; s < g.filter_columns; ++s, weights += weights_row) {
            const std::int32_t w = static_cast<std::int32_t>(pixel.row()) * g.stride_width +
                                   s * g.dilation_width - g.pad_left;
            if (!depthwise_geometry::is_below(h, g.height) ||
                !depthwise_geometry::is_below(w, g.width))
                continue;
            const arch::words4 of_tap =
                arch::load_global<16>(arch::to_global(head.f.data), weights);
            arch::words4 x;
            R9V_UNROLL
            for (int i = 0; i < 8; ++i) {
                const auto channel = static_cast<std::int32_t>(
                    g.multiplier.quotient(static_cast<std::uint32_t>(8 * chunk + i)));
                const std::uint32_t bits =
                    depthwise_element(g, head, image, h, w, channel, 8 * chunk + i < g.outputs);
                x[i / 2] = i % 2 == 0 ? bits : x[i / 2] | bits << 16;
            }
            add_products<element>(sums, x, of_tap);
        }
    }
}

} // namespace r9v::inline R9V_ABI::kernels
