// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Slabs of operands with any strides, moved in 2-byte accesses.
#pragma once

#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::tile {

/// A thread's part of a slab, with the functions of slab_loader. Lanes run along rows and a wave
/// has one chunk of k, so that all that depends on k is scalar. The only limit: the rows of a slab
/// span less than 2^32 bytes.
template<int Rows, int Threads>
class scattered_slab_loader {
    using share = slab_share<Rows, Threads, order::row_contiguous>;

public:
    static constexpr int count = share::count;
    /// Whether moving a chunk is so long that loops over it are not unrolled.
    static constexpr bool is_long = true;

    R9V_INLINE void attach(const panel& from) {
        first_k_ = chunk_elements * share::chunk();
        k_stride_ = from.k_stride;
        base_ = from.base + first_k_ * k_stride_ + lowest_row(from);
        to_ = slab_offset(share::row(0), share::chunk());
        arch::hide(to_);
        R9V_UNROLL
        for (int i = 0; i < count; ++i)
            offset_[i] = row_offset(from, share::row(i));
    }

    R9V_INLINE void load_ragged(const panel&, index_t at, int depth) {
        const arch::global_bytes slab = base_ + at * slab_depth * k_stride_;
        R9V_UNROLL
        for (int e = 0; e < chunk_elements; ++e) {
            // Clamped to the last k: negative where the whole chunk lies beyond it.
            const index_t k = detail::min(e, depth - 1 - first_k_);
            R9V_UNROLL
            for (int i = 0; i < count; ++i)
                data_[i][e] = arch::load_global<2>(slab + k * k_stride_, offset_[i]);
        }
    }

    R9V_INLINE void load_chunk(int i) {
        arch::hide(offset_[i]);
        R9V_UNROLL
        for (int e = 0; e < chunk_elements; ++e)
            data_[i][e] = arch::load_global<2>(base_ + e * k_stride_, offset_[i]);
    }
    R9V_INLINE void advance() { base_ += slab_depth * k_stride_; }

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
    arch::global_bytes base_;
    index_t k_stride_;
    int first_k_;
    std::uint32_t to_;
    std::uint32_t offset_[count];
    std::uint32_t data_[count][chunk_elements];
};

} // namespace r9v::inline R9V_ABI::tile
