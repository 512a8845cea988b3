// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Slabs of a convolution's map, with the functions of slab_loader. What depends on the tap is
// scalar; a lane only knows where its pixels begin and which taps lie inside the map there. Padding
// is never read: its offset is outside the bound of the load, which then gives zeros.
#pragma once

#include <r9v/tile/patch.hpp>
#include <r9v/tile/slab.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::tile {

/// A tap and a slab within it.
struct patch_step {
    std::int32_t row = 0;
    std::int32_t column = 0;
    std::int32_t slab = 0;

    /// The bits of taps_inside() that this tap needs.
    [[nodiscard]] R9V_INLINE std::uint32_t bits() const { return 1u << row | 0x10000u << column; }
};

/// Passes chunks on as they are.
struct untreated_patches {
    static constexpr bool changes = false;
};

/// 16-byte loads: channels are contiguous and a multiple of 8 of them, the filter has up to 16 x 16
/// taps, and two images span less than the reach of a bounded load. `Treat` is the prologue:
/// treat(chunk, origin, step, lane_channel, exists).
template<int Rows, int Threads, class Treat = untreated_patches>
class patch_loader {
    using share = slab_share<Rows, Threads, order::k_contiguous>;

public:
    static constexpr int count = share::count;

    R9V_INLINE patch_loader(const patch_geometry& map, const Treat& treat)
        : map_{map},
          treat_{treat} {}

    R9V_INLINE void attach(const patch_panel& from) {
        const std::uint32_t first_image = map_.of_image.quotient(from.pixel);
        base_ = arch::to_global(from.map) + first_image * map_.image_bytes -
                map_.pad_top * map_.row_bytes - map_.pad_left * map_.pixel_bytes;
        R9V_UNROLL
        for (int i = 0; i < count; ++i) {
            const int row = detail::min(share::row(i), from.rows - 1);
            const auto at = map_.origin_of(from.pixel + static_cast<std::uint32_t>(row));
            const auto down = static_cast<std::uint32_t>(at.h + map_.pad_top);
            const auto across = static_cast<std::uint32_t>(at.w + map_.pad_left);
            lane_[i] = (at.image - first_image) * static_cast<std::uint32_t>(map_.image_bytes) +
                       down * static_cast<std::uint32_t>(map_.row_bytes) +
                       across * static_cast<std::uint32_t>(map_.pixel_bytes) +
                       static_cast<std::uint32_t>(16 * share::chunk());
            inside_[i] = map_.taps_inside(at);
            if constexpr (Treat::changes) origin_[i] = at;
        }
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
        go_to({});
    }

    /// Loads slab `at`, whichever is next.
    R9V_INLINE void load_ragged(const patch_panel&, index_t at, int) {
        const auto slab = static_cast<std::uint32_t>(at);
        const std::uint32_t tap = slab / static_cast<std::uint32_t>(map_.slabs);
        const std::uint32_t row = map_.of_columns.quotient(tap);
        go_to({static_cast<std::int32_t>(row),
               static_cast<std::int32_t>(tap - row * map_.of_columns.value),
               static_cast<std::int32_t>(slab) - static_cast<std::int32_t>(tap) * map_.slabs});
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            load_chunk(i);
        loaded_ = next_;
    }

    R9V_INLINE void load_chunk(int i) { data_[i] = arch::load_bounded<16>(at_, offset_[i]); }

    R9V_INLINE void advance() {
        loaded_ = next_;
        if (next_.slab + 1 < map_.slabs) {
            ++next_.slab;
            at_ += 2 * slab_depth;
            if (ends_inside() && next_.slab + 1 == map_.slabs) aim();
        } else {
            const bool wraps = next_.column + 1 == map_.filter_columns;
            go_to({wraps ? next_.row + 1 : next_.row, wraps ? 0 : next_.column + 1, 0});
        }
    }

    [[nodiscard]] R9V_INLINE arch::words4 chunk(int i) const {
        if constexpr (Treat::changes) {
            const bool exists = is_inside(inside_[i], loaded_);
            arch::words4 treated = treat_(data_[i], origin_[i], loaded_, k(), exists);
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                treated[word] = exists ? treated[word] : 0u;
            return treated;
        } else {
            return data_[i];
        }
    }

    [[nodiscard]] R9V_INLINE std::uint32_t place(int i) const { return to_ + share::apart(i); }
    [[nodiscard]] R9V_INLINE static int row(int i) { return share::row(i); }
    [[nodiscard]] R9V_INLINE static int k() { return chunk_elements * share::chunk(); }

private:
    R9V_INLINE void go_to(const patch_step& to) {
        next_ = to;
        at_ = base_ + to.row * map_.dilation_height * map_.row_bytes +
              to.column * map_.dilation_width * map_.pixel_bytes + to.slab * 2 * slab_depth;
        aim();
    }
    R9V_INLINE void aim() {
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            offset_[i] = is_inside(inside_[i], next_) ? lane_[i] : arch::outside;
    }
    [[nodiscard]] R9V_INLINE bool is_inside(std::uint32_t inside, const patch_step& at) const {
        const std::uint32_t bits = at.bits();
        bool all = (inside & bits) == bits;
        if (ends_inside()) all = all && at.slab * slab_depth + k() < map_.channels;
        return all;
    }
    /// Whether the last slab of a tap has more elements than the map has channels.
    [[nodiscard]] R9V_INLINE bool ends_inside() const {
        return map_.slabs * slab_depth != map_.channels;
    }

    const patch_geometry& map_;
    const Treat& treat_;
    arch::global_bytes base_; ///< tap (0, 0) of pixel 0 of the block's first image
    arch::global_bytes at_;   ///< of the next slab
    patch_step next_;
    patch_step loaded_;
    std::uint32_t to_;
    std::uint32_t lane_[count];
    std::uint32_t inside_[count];
    std::uint32_t offset_[count];
    patch_geometry::origin origin_[Treat::changes ? count : 1];
    arch::words4 data_[count];
};

/// Any strides, channels, filters and alignment, in 2-byte loads. Lanes run along the pixels and a
/// wave has one chunk of k, so that taps and channels are scalar.
template<int Rows, int Threads, class Treat = untreated_patches>
class scattered_patch_loader {
    using share = slab_share<Rows, Threads, order::row_contiguous>;

public:
    /// Whether moving a chunk is so long that loops over it are not unrolled.
    static constexpr bool is_long = Treat::changes;
    static constexpr int count = share::count;

    R9V_INLINE scattered_patch_loader(const patch_geometry& map, const Treat& treat)
        : map_{map},
          treat_{treat} {}

    R9V_INLINE void attach(const patch_panel& from) {
        base_ = arch::to_global(from.map);
        R9V_UNROLL
        for (int i = 0; i < count; ++i) {
            const int row = detail::min(share::row(i), from.rows - 1);
            origin_[i] = map_.origin_of(from.pixel + static_cast<std::uint32_t>(row));
        }
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
    }

    R9V_INLINE void load_ragged(const patch_panel&, index_t at, int) {
        tap_ = static_cast<std::int32_t>(at) / map_.slabs;
        slab_ = static_cast<std::int32_t>(at) - tap_ * map_.slabs;
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            load_chunk(i);
    }

    /// A fold, since compilers give up on unrolling loops over long prologues.
    R9V_INLINE void load_chunk(int i) {
        [&]<int... Es>(std::integer_sequence<int, Es...>) {
            ((data_[i][Es] = load_element(origin_[i], slab_ * slab_depth + k() + Es)), ...);
        }(std::make_integer_sequence<int, chunk_elements>{});
    }
    R9V_INLINE void advance() {
        const bool ends = slab_ + 1 == map_.slabs;
        slab_ = ends ? 0 : slab_ + 1;
        tap_ = ends ? tap_ + 1 : tap_;
    }

    [[nodiscard]] R9V_INLINE arch::words4 chunk(int i) const {
        arch::words4 packed;
        R9V_UNROLL
        for (int word = 0; word < 4; ++word)
            packed[word] = data_[i][2 * word] | data_[i][2 * word + 1] << 16;
        return packed;
    }

    [[nodiscard]] R9V_INLINE std::uint32_t place(int i) const { return to_ + share::apart(i); }
    [[nodiscard]] R9V_INLINE static int row(int i) { return share::row(i); }
    [[nodiscard]] R9V_INLINE static int k() { return chunk_elements * share::chunk(); }

private:
    /// Element `within` of the tap, of one pixel: its bits after the prologue, or 0.
    R9V_INLINE std::uint32_t load_element(const patch_geometry::origin& from,
                                          std::int32_t within) const {
        std::int32_t r = tap_;
        std::int32_t s = 0;
        std::int32_t c = within;
        if (map_.whole_rows != 0) {
            s = static_cast<std::int32_t>(
                map_.of_channels.quotient(static_cast<std::uint32_t>(within)));
            c -= s * map_.channels;
        } else {
            r = static_cast<std::int32_t>(
                map_.of_columns.quotient(static_cast<std::uint32_t>(tap_)));
            s = tap_ - r * map_.filter_columns;
        }
        const std::int32_t h = from.h + r * map_.dilation_height;
        const std::int32_t w = from.w + s * map_.dilation_width;
        const bool exists = s < map_.filter_columns && c < map_.channels &&
                            patch_geometry::is_below(h, map_.height) &&
                            patch_geometry::is_below(w, map_.width);
        // Element 0 exists wherever any does.
        const index_t at = from.image * map_.image_bytes + h * map_.row_bytes +
                           w * map_.pixel_bytes + c * map_.channel_bytes;
        std::uint32_t bits = arch::load_global<2>(base_, exists ? at : index_t{0});
        if constexpr (Treat::changes)
            bits = treat_.single(static_cast<std::uint16_t>(bits), from.image, h, w, c, exists);
        return exists ? bits : 0u;
    }

    const patch_geometry& map_;
    const Treat& treat_;
    arch::global_bytes base_;
    std::int32_t tap_ = 0;
    std::int32_t slab_ = 0;
    std::uint32_t to_;
    patch_geometry::origin origin_[count];
    std::uint32_t data_[count][chunk_elements];
};

} // namespace r9v::inline R9V_ABI::tile
