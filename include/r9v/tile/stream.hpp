// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Fragments straight from global memory to registers, for operands that a block reads only once.
#pragma once

#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::tile {

/// A wave's part of an operand of 16 * `Fragments` rows: pieces of 16 * `Steps` elements of k.
/// The limits are those of slab_loader.
template<int Fragments, int Steps, order Order>
class fragment_stream {
public:
    static constexpr int depth = Steps * arch::fragment_size;
    using piece = arch::words4[Steps][Fragments];

    R9V_INLINE void attach(const panel& from) {
        base_ = from.base;
        if (Order == order::k_contiguous) base_ += lowest_row(from);
        k_stride_ = Order == order::k_contiguous ? 2 : from.k_stride;
        R9V_UNROLL
        for (int i = 0; i < offsets; ++i)
            offset_[i] = lane_offset(from, i, depth);
    }

    /// Goes to element `k` of k.
    R9V_INLINE void seek(index_t k) { at_ = base_ + k * k_stride_; }
    R9V_INLINE void advance(index_t elements) { at_ += elements * k_stride_; }

    R9V_INLINE void load(piece& to) {
        R9V_UNROLL
        for (int i = 0; i < offsets; ++i)
            arch::hide(offset_[i]);
        R9V_UNROLL
        for (int at = 0; at < Steps * Fragments; ++at) {
            const int step = at / Fragments;
            const int i = at % Fragments;
            if constexpr (Order == order::k_contiguous) {
                to[step][i] =
                    arch::load_global<16>(at_ + step * 2 * arch::fragment_size, offset_[i]);
            } else {
                to[step][i] = arch::load_transposed(at_, offset_[step * Fragments + i]);
            }
        }
    }

    /// Loads a piece of which `kept` elements of k exist; zeros behind them.
    R9V_INLINE void load_ragged(const panel& from, int kept, piece& to) const {
        R9V_UNROLL
        for (int at = 0; at < Steps * Fragments; ++at) {
            const int step = at / Fragments;
            const int i = at % Fragments;
            arch::words4 chunk;
            if constexpr (Order == order::k_contiguous) {
                chunk = load_elements(from, step, i, kept);
            } else {
                chunk = arch::load_transposed(at_, lane_offset(from, step * Fragments + i, kept));
            }
            to[step][i] = keep_first(chunk, kept - k(step));
        }
    }

    /// The lane's first k in step `step` of a piece, and its row.
    [[nodiscard]] R9V_INLINE static int k(int step) {
        return step * arch::fragment_size + lane().column;
    }
    [[nodiscard]] R9V_INLINE static int row(int fragment) {
        return fragment * arch::fragment_size + lane().row;
    }

private:
    // Rows are apart by a stride that a lane must multiply with; steps along k by a constant,
    // unless rows are contiguous.
    static constexpr int offsets = Order == order::k_contiguous ? Fragments : Fragments * Steps;

    R9V_INLINE static arch::fragment_position lane() {
        return arch::operand_position(static_cast<int>(arch::lane_index()), 0);
    }

    R9V_INLINE static std::uint32_t lane_offset(const panel& from, int i, int kept) {
        if constexpr (Order == order::k_contiguous) {
            return row_offset(from, row(i)) + static_cast<std::uint32_t>(2 * k(0));
        } else {
            // Lane i of each eight points at row i of its 8x8 block of [k, rows].
            const int in_block = lane().row % chunk_elements;
            const int rows = row(i % Fragments) - in_block;
            const int at = detail::min(rows, from.rows - chunk_elements);
            const int of_k = detail::min(k(i / Fragments) + in_block, kept - 1);
            return static_cast<std::uint32_t>(of_k) * static_cast<std::uint32_t>(from.k_stride) +
                   static_cast<std::uint32_t>(2 * at);
        }
    }

    R9V_INLINE arch::words4 load_elements(const panel& from, int step, int i, int kept) const {
        const std::uint32_t first = row_offset(from, row(i));
        arch::words4 chunk;
        R9V_UNROLL
        for (int word = 0; word < 4; ++word) {
            std::uint32_t pair[2];
            R9V_UNROLL
            for (int e = 0; e < 2; ++e) {
                const int of_k = detail::min(k(step) + 2 * word + e, kept - 1);
                pair[e] = arch::load_global<2>(at_, first + static_cast<std::uint32_t>(2 * of_k));
            }
            chunk[word] = pair[0] | pair[1] << 16;
        }
        return chunk;
    }

    arch::global_bytes base_;
    arch::global_bytes at_;
    index_t k_stride_;
    std::uint32_t offset_[offsets];
};

} // namespace r9v::inline R9V_ABI::tile
