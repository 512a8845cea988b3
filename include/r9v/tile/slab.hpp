// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A slab: the rows of one operand that a block multiplies, 32 elements of k deep. How it lies in
// LDS, and how a thread's part of it gets there in 16-byte accesses.
#pragma once

#include <r9v/arch/select.hpp>
#include <r9v/core/integers.hpp>

namespace r9v::inline R9V_ABI::tile {

/// Depth of a slab in 16-bit elements. A row of it is 64 bytes, or four chunks of 16.
inline constexpr int slab_depth = 32;
inline constexpr int slab_row_bytes = 64;
inline constexpr int chunk_elements = 8;

/// Where chunk `chunk` of row `row` stands in LDS. The xor spreads what eight lanes access at once
/// over all 32 banks without padding.
[[nodiscard]] R9V_HD constexpr std::uint32_t slab_offset(int row, int chunk) {
    return static_cast<std::uint32_t>(row * slab_row_bytes + ((chunk ^ (row / 2 % 4)) * 16));
}

namespace detail {

/// Eight lanes are served at once: their 16-byte accesses must be in eight different groups of
/// four banks.
consteval bool conflict_free(int chunks_a_row) {
    unsigned groups = 0;
    for (int lane = 0; lane < 8; ++lane)
        groups |= 1u << (slab_offset(lane / chunks_a_row, lane % chunks_a_row) / 16 % 8);
    return groups == 0xff;
}
static_assert(conflict_free(1)); // fragments, and stores by rows: eight rows
static_assert(conflict_free(4)); // stores by chunks: four chunks of two rows

R9V_HD constexpr int min(int a, int b) {
    return a < b ? a : b;
}

} // namespace detail

/// A matrix as a block sees it: its first byte, and distances in bytes between neighbours.
struct panel {
    arch::global_bytes base; ///< first row of the block, k = 0
    index_t row_stride;
    index_t k_stride;
    int rows; ///< that exist from the base on, at least 1: reads beyond are clamped to the last
};

/// Bytes from the panel's base to its lowest row in memory: not 0 where the stride is negative.
[[nodiscard]] R9V_INLINE index_t lowest_row(const panel& from) {
    return from.row_stride < 0 ? (from.rows - 1) * from.row_stride : 0;
}
/// Bytes from the lowest row to row `row`, clamped to those that exist. They must fit.
[[nodiscard]] R9V_INLINE std::uint32_t row_offset(const panel& from, int row) {
    const int last = from.rows - 1;
    const int at = row < last ? row : last;
    const bool down = from.row_stride < 0;
    return static_cast<std::uint32_t>(down ? last - at : at) *
           static_cast<std::uint32_t>(down ? -from.row_stride : from.row_stride);
}

/// Which way an operand's rows lie in memory.
enum class order {
    k_contiguous,   ///< 16 bytes are 8 neighbours in k of one row
    row_contiguous, ///< 16 bytes are one k of 8 neighbouring rows: transposed on the way
};

/// `chunk` with zeros from element `kept` on.
[[nodiscard]] R9V_INLINE arch::words4 keep_first(arch::words4 chunk, int kept) {
    R9V_UNROLL
    for (int word = 0; word < 4; ++word) {
        const int of_word = kept - 2 * word;
        chunk[word] = of_word >= 2 ? chunk[word] : of_word == 1 ? chunk[word] & 0xffffu : 0u;
    }
    return chunk;
}

/// Which chunks of a slab a thread moves: lanes run along the contiguous axis.
template<int Rows, int Threads, order Order>
struct slab_share {
    static constexpr int rows_apart = Threads / 4;
    static constexpr int count = Rows / rows_apart;
    static_assert(count >= 1 && Threads % 128 == 0);

    [[nodiscard]] R9V_INLINE static int row(int i) {
        const auto first = Order == order::k_contiguous
                               ? arch::thread_index() / 4
                               : arch::wave_index() / 4 * arch::wave_size + arch::lane_index();
        return static_cast<int>(first) + i * rows_apart;
    }
    [[nodiscard]] R9V_INLINE static int chunk() {
        return static_cast<int>(Order == order::k_contiguous ? arch::thread_index() % 4
                                                             : arch::wave_index() % 4);
    }
    /// Distance in LDS from chunk 0 to chunk `i`: a constant, since the xor repeats every 8 rows.
    static constexpr std::uint32_t apart(int i) {
        return static_cast<std::uint32_t>(i * rows_apart * slab_row_bytes);
    }
};

/// A thread's part of a slab, moved in 16-byte accesses. k_contiguous rows may have any alignment
/// and stride; the rows of a slab span less than 2^32 bytes. Under row_contiguous, everything is
/// 16-byte aligned, there are a multiple of 8 rows, and k has a positive stride of less than 2^26.
template<int Rows, int Threads, order Order>
class slab_loader {
    using share = slab_share<Rows, Threads, Order>;

public:
    static constexpr int count = share::count;

    R9V_INLINE void attach(const panel& from) {
        base_ = from.base;
        if (Order == order::k_contiguous) base_ += lowest_row(from);
        step_ = slab_depth * from.k_stride;
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            offset_[i] = lane_offset(from, i, slab_depth);
    }

    /// Loads slab `at`, of which `depth` elements of k exist.
    R9V_INLINE void load_ragged(const panel& from, index_t at, int depth) {
        const arch::global_bytes slab = base_ + at * step_;
        if (Order == order::k_contiguous && depth % chunk_elements != 0) {
            R9V_UNROLL
            for (int i = 0; i < count; ++i)
                data_[i] = load_elements(slab, from, i, depth);
        } else {
            R9V_UNROLL
            for (int i = 0; i < count; ++i)
                data_[i] = load_from(slab, lane_offset(from, i, depth));
        }
    }

    /// Loads chunk `i` of the next slab, the first time of slab 0; `advance` after the last.
    R9V_INLINE void load_chunk(int i) {
        arch::hide(offset_[i]);
        data_[i] = load_from(base_, offset_[i]);
    }
    R9V_INLINE void advance() { base_ += step_; }
    /// Goes `bytes` further, for operands whose slabs are not evenly spaced.
    R9V_INLINE void skip(index_t bytes) { base_ += bytes; }

    /// Chunk `i` as it was loaded.
    [[nodiscard]] R9V_INLINE arch::words4 chunk(int i) const { return data_[i]; }

    /// Where in LDS chunk `i` goes, and its corner in the slab.
    [[nodiscard]] R9V_INLINE std::uint32_t place(int i) const { return to_ + share::apart(i); }
    [[nodiscard]] R9V_INLINE static int row(int i) { return share::row(i); }
    [[nodiscard]] R9V_INLINE static int k() { return chunk_elements * share::chunk(); }

private:
    /// What this lane points at for chunk `i`, from the slab's first byte on.
    R9V_INLINE static std::uint32_t lane_offset(const panel& from, int i, int depth) {
        const int first_k = chunk_elements * share::chunk();
        if constexpr (Order == order::k_contiguous) {
            const int k = detail::min(first_k, depth - chunk_elements);
            return row_offset(from, share::row(i)) + static_cast<std::uint32_t>(k * 2);
        } else {
            const int lane = static_cast<int>(arch::lane_index()) % chunk_elements;
            const int row = detail::min(share::row(i) - lane, from.rows - chunk_elements);
            const int k = detail::min(first_k + lane, depth - 1);
            return static_cast<std::uint32_t>(k) * static_cast<std::uint32_t>(from.k_stride) +
                   static_cast<std::uint32_t>(row * 2);
        }
    }

    /// A chunk of which only a part may exist, by elements; those beyond repeat the last.
    R9V_INLINE static arch::words4 load_elements(arch::global_bytes slab, const panel& from, int i,
                                                 int depth) {
        const std::uint32_t first = row_offset(from, share::row(i));
        arch::words4 chunk;
        R9V_UNROLL
        for (int word = 0; word < 4; ++word) {
            std::uint32_t pair[2];
            R9V_UNROLL
            for (int e = 0; e < 2; ++e) {
                const int k =
                    detail::min(chunk_elements * share::chunk() + 2 * word + e, depth - 1);
                pair[e] = arch::load_global<2>(slab, first + static_cast<std::uint32_t>(2 * k));
            }
            chunk[word] = pair[0] | pair[1] << 16;
        }
        return chunk;
    }

    R9V_INLINE static arch::words4 load_from(arch::global_bytes base, std::uint32_t offset) {
        if constexpr (Order == order::k_contiguous) {
            return arch::load_global<16>(base, offset);
        } else {
            return arch::load_transposed(base, offset);
        }
    }

    arch::global_bytes base_;
    index_t step_;
    std::uint32_t to_;
    std::uint32_t offset_[count];
    arch::words4 data_[count];
};

} // namespace r9v::inline R9V_ABI::tile
