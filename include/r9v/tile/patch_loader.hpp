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

/// `chunk`, or zeros.
[[nodiscard]] R9V_INLINE arch::words4 keep_where(bool exists, arch::words4 chunk) {
    R9V_UNROLL
    for (int word = 0; word < 4; ++word)
        chunk[word] = exists ? chunk[word] : 0u;
    return chunk;
}

/// Passes chunks on as they are.
struct untreated_patches {
    static constexpr bool changes = false;
};

/// Where `Count` pixels of a lane lie in the map, tap by tap and slab by slab, for loads of 16
/// bytes: channels are contiguous and a multiple of 8 of them, the filter has up to 16 x 16 taps,
/// and the images that a panel spans are within the reach of a bounded load.
/// `Map` says where they are.
template<int Count, class Map = patch_geometry>
class patch_walk {
public:
    R9V_INLINE explicit patch_walk(const Map& map) : map_{map} {}

    /// `row_of(i)` of the panel is where the lane's pixel `i` is; `lane_channel` of its first load.
    template<class RowOf>
    R9V_INLINE void attach(const patch_panel& from, int lane_channel, RowOf row_of) {
        const auto corner = map_.corner_of(from.pixel);
        base_ = arch::to_global(from.map) + map_.bytes_to(corner);
        R9V_UNROLL
        for (int i = 0; i < Count; ++i) {
            const int row = detail::min(row_of(i), from.rows - 1);
            const auto at = map_.origin_of(from.pixel + static_cast<std::uint32_t>(row));
            lane_[i] =
                map_.bytes_between(corner, at) + static_cast<std::uint32_t>(2 * lane_channel);
            inside_[i] = map_.taps_inside(at);
        }
        go_to({});
    }

    /// Goes to slab `at` of k.
    R9V_INLINE void seek(std::uint32_t at) {
        const std::uint32_t tap = at / static_cast<std::uint32_t>(map_.slabs);
        const std::uint32_t row = map_.of_columns.quotient(tap);
        go_to({static_cast<std::int32_t>(row),
               static_cast<std::int32_t>(tap - row * map_.of_columns.value),
               static_cast<std::int32_t>(at) - static_cast<std::int32_t>(tap) * map_.slabs});
    }

    /// Goes to the next slab; true where the offsets of the one before do not hold any more.
    R9V_INLINE bool advance() {
        if (next_.slab + 1 < map_.slabs) {
            ++next_.slab;
            at_ += 2 * slab_depth;
            return ends_inside() && next_.slab + 1 == map_.slabs;
        }
        const bool wraps = next_.column + 1 == map_.filter_columns;
        go_to({wraps ? next_.row + 1 : next_.row, wraps ? 0 : next_.column + 1, 0});
        return true;
    }

    /// What the slab's loads start from, and the tap and slab it belongs to.
    [[nodiscard]] R9V_INLINE arch::global_bytes base() const { return at_; }
    [[nodiscard]] R9V_INLINE const patch_step& next() const { return next_; }

    /// From there to pixel `i`, for a load whose first channel is the lane's and `later` more;
    /// `lane_channel` is that channel.
    [[nodiscard]] R9V_INLINE std::uint32_t offset(int i, int lane_channel, int later = 0) const {
        return is_inside(i, next_, lane_channel) ? lane_[i] + static_cast<std::uint32_t>(2 * later)
                                                 : arch::outside;
    }
    /// Whether pixel `i` has anything there. (No branch on whether channels end inside a slab:
    /// where they do not, the comparison is always true, and cheaper than the branch.)
    [[nodiscard]] R9V_INLINE bool is_inside(int i, const patch_step& at, int lane_channel) const {
        const std::uint32_t bits = at.bits();
        return static_cast<int>((inside_[i] & bits) == bits) &
               static_cast<int>(lane_channel < map_.channels - at.slab * slab_depth);
    }

private:
    R9V_INLINE void go_to(const patch_step& to) {
        next_ = to;
        at_ = base_ + map_.bytes_to_tap(to.row, to.column) + to.slab * 2 * slab_depth;
    }
    /// Whether the last slab of a tap has more elements than the map has channels.
    [[nodiscard]] R9V_INLINE bool ends_inside() const {
        return map_.slabs * slab_depth != map_.channels;
    }

    const Map& map_;
    arch::global_bytes base_; ///< tap (0, 0) of pixel 0 of the panel's first image
    arch::global_bytes at_;   ///< of the next slab
    patch_step next_;
    std::uint32_t lane_[Count];
    std::uint32_t inside_[Count];
};

/// A thread's part of a slab in 16-byte loads, within the limits of patch_walk. `Treat` is the
/// prologue: treat(chunk, origin, step, lane_channel, exists).
template<int Rows, int Threads, class Treat = untreated_patches, class Map = patch_geometry>
class patch_loader {
    using share = slab_share<Rows, Threads, order::k_contiguous>;

public:
    static constexpr bool has_whole_slabs = true; // filters are packed so
    static constexpr int count = share::count;

    R9V_INLINE patch_loader(const Map& map, const Treat& treat)
        : map_{map},
          treat_{treat},
          walk_{map} {}

    R9V_INLINE void attach(const patch_panel& from) {
        walk_.attach(from, k(), [](int i) { return share::row(i); });
        if constexpr (Treat::changes) {
            R9V_UNROLL
            for (int i = 0; i < count; ++i)
                origin_[i] = map_.origin_of(from, share::row(i));
        }
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
        aim();
    }

    /// Loads slab `at`, whichever is next.
    R9V_INLINE void load_ragged(const patch_panel&, index_t at, int) {
        walk_.seek(static_cast<std::uint32_t>(at));
        aim();
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            load_chunk(i);
        loaded_ = walk_.next();
    }

    R9V_INLINE void load_chunk(int i) {
        data_[i] = arch::load_bounded<16>(walk_.base(), offset_[i]);
    }

    R9V_INLINE void advance() {
        loaded_ = walk_.next();
        if (walk_.advance()) aim();
    }

    [[nodiscard]] R9V_INLINE arch::words4 chunk(int i) const {
        if constexpr (Treat::changes) {
            const bool exists = walk_.is_inside(i, loaded_, k());
            return keep_where(exists, treat_(data_[i], origin_[i], loaded_, k(), exists));
        } else {
            return data_[i];
        }
    }

    [[nodiscard]] R9V_INLINE std::uint32_t place(int i) const { return to_ + share::apart(i); }
    [[nodiscard]] R9V_INLINE static int row(int i) { return share::row(i); }
    [[nodiscard]] R9V_INLINE static int k() { return chunk_elements * share::chunk(); }

private:
    R9V_INLINE void aim() {
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            offset_[i] = walk_.offset(i, k());
    }

    const Map& map_;
    const Treat& treat_;
    patch_walk<count, Map> walk_;
    patch_step loaded_;
    std::uint32_t to_;
    std::uint32_t offset_[count];
    typename Map::origin origin_[Treat::changes ? count : 1];
    arch::words4 data_[count];
};

/// Any strides, channels, filters and alignment, in 2-byte loads. Lanes run along the pixels and a
/// wave has one chunk of k, so that taps and channels are scalar.
template<int Rows, int Threads, class Treat = untreated_patches, class Map = patch_geometry>
class scattered_patch_loader {
    using share = slab_share<Rows, Threads, order::row_contiguous>;

public:
    static constexpr bool has_whole_slabs = true;
    /// Whether moving a chunk is so long that loops over it are not unrolled.
    static constexpr bool is_long = Treat::changes || requires { requires Map::is_long; };
    static constexpr int count = share::count;

    R9V_INLINE scattered_patch_loader(const Map& map, const Treat& treat)
        : map_{map},
          treat_{treat} {}

    R9V_INLINE void attach(const patch_panel& from) {
        base_ = arch::to_global(from.map);
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            origin_[i] = map_.origin_of(from, share::row(i));
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
    }

    R9V_INLINE void load_ragged(const patch_panel&, index_t at, int) {
        tap_ = static_cast<std::int32_t>(at) / map_.slabs;
        slab_ = static_cast<std::int32_t>(at) - tap_ * map_.slabs;
        if constexpr (requires { requires Map::is_long; }) {
            [&]<int... Is>(std::integer_sequence<int, Is...>) {
                (load_chunk(Is), ...);
            }(std::make_integer_sequence<int, count>{});
        } else {
            R9V_UNROLL
            for (int i = 0; i < count; ++i)
                load_chunk(i);
        }
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
    R9V_INLINE std::uint32_t load_element(const typename Map::origin& from,
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
        const auto at = map_.under(from, r, s);
        const bool exists = map_.is_inside(at, s < map_.filter_columns && c < map_.channels);
        // Element 0 exists wherever any does.
        const index_t place = map_.bytes_to(at) + c * map_.channel_bytes;
        std::uint32_t bits = arch::load_global<2>(base_, exists ? place : index_t{0});
        if constexpr (Treat::changes)
            bits = treat_.single(static_cast<std::uint16_t>(bits), map_.image_of(at, exists), at.h,
                                 at.w, c, exists);
        return exists ? bits : 0u;
    }

    const Map& map_;
    const Treat& treat_;
    arch::global_bytes base_;
    std::int32_t tap_ = 0;
    std::int32_t slab_ = 0;
    std::uint32_t to_;
    typename Map::origin origin_[count];
    std::uint32_t data_[count][chunk_elements];
};

} // namespace r9v::inline R9V_ABI::tile
