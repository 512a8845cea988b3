// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernel of a convolution over volumes is told beside its program: a map with a third
// axis. Rows of taps count through the frames of the filter, images through those of the result.
#pragma once

#include <r9v/kernels/conv/geometry.hpp>

namespace r9v::inline R9V_ABI {

/// A patch_geometry whose images are frames of volumes.
struct volume_map : tile::patch_geometry {
    /// Loads by element are too long to be unrolled as loops.
    static constexpr bool is_long = true;

    tile::divisor of_volume; ///< frames of one volume of the result
    tile::divisor of_rows;   ///< rows of taps in a frame of the filter
    std::int32_t depth = 0;
    std::int32_t filter_frames = 1;
    std::int32_t stride_depth = 1;
    std::int32_t dilation_depth = 1;
    std::int32_t pad_front = 0;
    std::int32_t is_single = 0; ///< one volume: a block's lanes count from its first frame on
    index_t frame_bytes = 0;    ///< image_bytes: of a volume

    struct origin {
        std::uint32_t image;
        std::int32_t f;
        std::int32_t h;
        std::int32_t w;
    };
    [[nodiscard]] R9V_HD constexpr origin origin_of(std::uint32_t pixel) const {
        const patch_geometry::origin in_frame = patch_geometry::origin_of(pixel);
        const std::uint32_t image = of_volume.quotient(in_frame.image);
        const std::uint32_t frame = in_frame.image - image * of_volume.value;
        return {image, static_cast<std::int32_t>(frame) * stride_depth - pad_front, in_frame.h,
                in_frame.w};
    }
    [[nodiscard]] R9V_HD constexpr origin origin_of(const tile::patch_panel& of, int row) const {
        return origin_of(of.pixel + static_cast<std::uint32_t>(row < of.rows ? row : of.rows - 1));
    }

    /// Bits as those of a flat filter with up to 16 rows of taps, all frames together.
    [[nodiscard]] R9V_HD constexpr std::uint32_t taps_inside(const origin& at) const {
        const std::uint32_t flat = patch_geometry::taps_inside({at.image, at.h, at.w});
        const std::uint32_t rows = flat & 0xffffu;
        std::uint32_t inside = flat & 0xffff0000u;
        for (int t = 0; t < filter_frames; ++t)
            if (is_below(at.f + t * dilation_depth, depth)) inside |= rows << t * filter_rows;
        return inside;
    }

    [[nodiscard]] R9V_HD constexpr origin under(const origin& from, int row, int column) const {
        const int t = frame_of(row);
        return {from.image, from.f + t * dilation_depth,
                from.h + (row - t * filter_rows) * dilation_height,
                from.w + column * dilation_width};
    }
    [[nodiscard]] R9V_HD constexpr bool is_inside(const origin& at, bool exists = true) const {
        return exists && is_below(at.f, depth) && is_below(at.h, height) && is_below(at.w, width);
    }
    [[nodiscard]] R9V_HD constexpr std::uint32_t image_of(const origin& at, bool exists) const {
        return at.image * static_cast<std::uint32_t>(depth) +
               static_cast<std::uint32_t>(exists ? at.f : 0);
    }
    [[nodiscard]] R9V_HD constexpr index_t bytes_to(const origin& at) const {
        return at.image * image_bytes + at.f * frame_bytes + at.h * row_bytes + at.w * pixel_bytes;
    }
    [[nodiscard]] R9V_HD constexpr index_t bytes_to_tap(int row, int column) const {
        const int t = frame_of(row);
        return t * dilation_depth * frame_bytes +
               patch_geometry::bytes_to_tap(row - t * filter_rows, column);
    }
    [[nodiscard]] R9V_HD constexpr std::int32_t rows_of_taps() const {
        return filter_frames * filter_rows;
    }

    [[nodiscard]] R9V_HD constexpr origin corner_of(std::uint32_t pixel) const {
        const origin first = origin_of(pixel);
        return {first.image, is_single != 0 ? first.f : -pad_front, -pad_top, -pad_left};
    }
    [[nodiscard]] R9V_HD constexpr std::uint32_t bytes_between(const origin& corner,
                                                               const origin& at) const {
        return static_cast<std::uint32_t>(at.f - corner.f) *
                   static_cast<std::uint32_t>(frame_bytes) +
               patch_geometry::bytes_between({corner.image, corner.h, corner.w},
                                             {at.image, at.h, at.w});
    }

private:
    [[nodiscard]] R9V_HD constexpr int frame_of(int row) const {
        return static_cast<int>(of_rows.quotient(static_cast<std::uint32_t>(row)));
    }
};

struct conv_volume_geometry : conv_geometry {
    volume_map volume; ///< conv_geometry's map only counts the frames of the result
};

} // namespace r9v::inline R9V_ABI
