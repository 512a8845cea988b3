// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernels of pools share: where a pixel stands, loads of the map through its prologue, and
// what is gathered under a window.
#pragma once

#include <r9v/kernels/pool/geometry.hpp>
#include <r9v/kernels/pool/problem.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/wave_taps.hpp>

namespace r9v::inline R9V_ABI::kernels {

// Where an element stands differs from lane to lane in all of its coordinates.
using map_math = tile::device_math<index_t>;

/// A pixel of the result.
struct pixel_place {
    std::int32_t image;
    std::int32_t row;
    std::int32_t column;

    R9V_INLINE static pixel_place of(const pool_geometry& g, std::uint32_t pixel) {
        const std::uint32_t row = g.of_row.quotient(pixel);
        const std::uint32_t image = g.of_image.quotient(row);
        return {static_cast<std::int32_t>(image),
                static_cast<std::int32_t>(row - image * g.of_image.value),
                static_cast<std::int32_t>(pixel - row * g.of_row.value)};
    }
    [[nodiscard]] R9V_INLINE coordinate coordinate_of(std::int32_t channel) const {
        return {.batch_base = image, .row_base = column, .column_base = channel, .head_base = row};
    }
};

/// The taps of a pixel's window that lie in the map.
struct window_place {
    pixel_place to;
    tap_range rows;
    tap_range columns;
    std::int32_t h; ///< of the first tap that lies in the map
    std::int32_t w;

    template<class Head>
    R9V_INLINE window_place(const Head& head, const pool_geometry& g, const pixel_place& pixel)
        : to{pixel} {
        const pooling& how = head.how;
        const std::int32_t top = to.row * how.stride.height - how.pad.top;
        const std::int32_t left = to.column * how.stride.width - how.pad.left;
        rows = tap_range::of(top, how.window.height, g.dilation_height,
                             static_cast<std::int32_t>(head.height()));
        columns = tap_range::of(left, how.window.width, g.dilation_width,
                                static_cast<std::int32_t>(head.width()));
        h = top + rows.begin * how.dilation.height;
        w = left + columns.begin * how.dilation.width;
    }
};

/// `Width` neighbouring channels of a pixel of the map, behind the prologue.
template<int Width, class Head, class Element>
[[nodiscard]] R9V_INLINE run<float, Width> load_map(const Head& head, const Element* from,
                                                    const coordinate& at) {
    run<float, Width> values;
    if constexpr (Head::x_view::element_layout == layout::row_major) {
        values = map_math::load<Width>(from, 0);
    } else {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            values[i] = map_math::load<1>(from, i * head.channel_stride())[0];
    }
    if constexpr (Head::prologue_type::size != 0)
        values = r9v::transform(map_math{}, head.x.prologue, at, values);
    return values;
}

/// What is gathered under a window.
template<class Kind, int Width>
struct window_accumulator;

template<int Width>
struct window_accumulator<window_maximum, Width> {
    run<float, Width> largest =
        broadcast<Width>(numeric::from_opaque_bits<float>(numeric::float_infinity | 1u << 31));

    R9V_INLINE void add(const run<float, Width>& x) {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            largest[i] = arch::maximum(largest[i], x[i]);
    }
    template<class Head>
    [[nodiscard]] R9V_INLINE run<float, Width> finish(const Head&, std::int32_t) const {
        return largest;
    }
};

template<int Width>
struct window_accumulator<window_average, Width> {
    run<float, Width> sum = broadcast<Width>(0.0f);

    R9V_INLINE void add(const run<float, Width>& x) {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            sum[i] += x[i];
    }
    /// `seen` pixels of the map lie under the window.
    template<class Head>
    [[nodiscard]] R9V_INLINE run<float, Width> finish(const Head& head, std::int32_t seen) const {
        // In float: windows that are mostly padding may have more pixels than an int counts.
        const float count = head.kind.count == average_count::with_padding
                                ? static_cast<float>(head.how.window.height) *
                                      static_cast<float>(head.how.window.width)
                                : static_cast<float>(seen);
        const float part = count > 1 ? 1.0f / count : 1.0f;
        run<float, Width> mean = sum;
        R9V_UNROLL
        for (float& value : mean)
            value *= part;
        return mean;
    }
};

} // namespace r9v::inline R9V_ABI::kernels
