// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A transposed convolution as several ordinary ones. Pixels of the result that are a stride apart
// see the same taps, so along each axis there are `stride` phases; in each, neighbours are one
// pixel of the map apart and the taps a few pixels, backwards:
//
//     stride 2, 4 taps, pad 1:   result   0  1  2  3  4  5          map of 3
//     phase 0 (even)   taps 1, 3    x0 f1 + x-1 f3,  x1 f1 + x0 f3,  x2 f1 + x1 f3
//     phase 1 (odd)    taps 0, 2    x1 f0 + x0 f2,   x2 f0 + x1 f2,  x3 f0 + x2 f2
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

#include <numeric>

namespace r9v::inline R9V_ABI {

/// One phase of an axis: positions phase, phase + stride, ... of the result.
struct axis_phase {
    std::int32_t tap;   ///< the first; the others are `step` taps apart
    std::int32_t taps;  ///< 0: these positions see nothing
    std::int32_t first; ///< pixel of the map under that tap at the phase's first position
    std::int32_t size;  ///< positions
};

/// The phases of an axis. Numbers that a launch knows; the device divides by none.
struct phase_axis {
    /// Position p sees tap t where p + pad - t * dilation is a multiple of the stride.
    static constexpr int largest_stride = 32767;

    tile::divisor stride;     ///< as many phases
    tile::divisor common;     ///< greatest common divisor of stride and dilation
    tile::divisor step;       ///< stride / common
    std::int32_t inverse = 0; ///< of dilation / common, modulo step
    std::int32_t dilation = 1;
    std::int32_t pad = 0;
    std::int32_t filter = 1; ///< taps of all phases
    std::int32_t size = 0;   ///< positions of all phases

    constexpr phase_axis() = default;
    constexpr phase_axis(int of_stride, int of_dilation, int pad_before, index_t taps,
                         index_t positions)
        : stride{static_cast<std::uint32_t>(of_stride)},
          common{static_cast<std::uint32_t>(std::gcd(of_stride, of_dilation))},
          step{stride.value / common.value},
          dilation{of_dilation},
          pad{pad_before},
          filter{static_cast<std::int32_t>(taps)},
          size{static_cast<std::int32_t>(positions)} {
        const auto apart = static_cast<std::uint32_t>(distance());
        for (std::uint32_t i = 1; i < step.value; ++i)
            if (apart % step.value * i % step.value == 1) inverse = static_cast<std::int32_t>(i);
    }

    /// Pixels of the map between neighbouring taps of a phase.
    [[nodiscard]] R9V_HD constexpr std::int32_t distance() const {
        return static_cast<std::int32_t>(common.quotient(static_cast<std::uint32_t>(dilation)));
    }
    /// The phases from here on have a position less than those before.
    [[nodiscard]] R9V_HD constexpr std::int32_t first_short() const {
        const auto all = static_cast<std::uint32_t>(size);
        return size - static_cast<std::int32_t>(stride.quotient(all) * stride.value);
    }

    [[nodiscard]] R9V_HD constexpr axis_phase at(std::int32_t phase) const {
        const auto padded = static_cast<std::uint32_t>(phase + pad);
        const std::uint32_t begin = stride.quotient(padded);
        const std::uint32_t residue = padded - begin * stride.value;
        const std::uint32_t part = common.quotient(residue);
        const std::uint32_t turns = part * static_cast<std::uint32_t>(inverse);
        axis_phase to{};
        to.tap = static_cast<std::int32_t>(turns - step.quotient(turns) * step.value);
        if (part * common.value == residue && to.tap < filter) {
            const auto behind = static_cast<std::uint32_t>(filter - 1 - to.tap);
            const auto away = static_cast<std::uint32_t>(to.tap * dilation);
            to.taps = static_cast<std::int32_t>(step.quotient(behind)) + 1;
            to.first = static_cast<std::int32_t>(begin - stride.quotient(away));
        }
        if (phase < size)
            to.size = static_cast<std::int32_t>(
                          stride.quotient(static_cast<std::uint32_t>(size - 1 - phase))) +
                      1;
        return to;
    }
};

} // namespace r9v::inline R9V_ABI
