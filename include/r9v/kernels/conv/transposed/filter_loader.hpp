// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Slabs of a filter that lies tap by tap, of the taps of one phase.
#pragma once

#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// A block's output channels under the phase's first tap, and where the other taps are: in bytes
/// from tap to tap along a row of the filter and from row to row.
struct phase_panel : tile::panel {
    index_t column_bytes;
    index_t row_bytes;
    std::int32_t rows_of_taps;
    std::int32_t columns_of_taps;
    std::int32_t slabs; ///< of a tap

    /// Elements from the first tap to another.
    [[nodiscard]] R9V_INLINE std::int32_t tap_place(int row, int column) const {
        return static_cast<std::int32_t>((row * row_bytes + column * column_bytes) / 2);
    }
};

/// A slab_loader that jumps from tap to tap.
template<int Rows, int Threads>
class phase_filter_loader {
    using loader = tile::slab_loader<Rows, Threads, tile::order::k_contiguous>;

public:
    static constexpr int count = loader::count;

    R9V_INLINE void attach(const phase_panel& from) {
        tap_.attach(from);
        slabs_ = from.slabs;
        columns_ = from.columns_of_taps;
        // From the last slab of a tap to the next tap, and to the next row of taps.
        const index_t tap_bytes = index_t{from.slabs} * tile::slab_row_bytes;
        to_column_ = from.column_bytes - tap_bytes;
        to_row_ = from.row_bytes - (from.columns_of_taps - 1) * from.column_bytes - tap_bytes;
    }

    /// Loads the last slab.
    R9V_INLINE void load_ragged(const phase_panel& from, index_t, int depth) {
        tap_.skip((from.rows_of_taps - 1) * from.row_bytes +
                  (from.columns_of_taps - 1) * from.column_bytes);
        tap_.load_ragged(from, from.slabs - 1, depth);
    }

    R9V_INLINE void load_chunk(int i) { tap_.load_chunk(i); }
    R9V_INLINE void advance() {
        tap_.advance();
        if (++slab_ < slabs_) return;
        slab_ = 0;
        const bool wraps = ++column_ == columns_;
        column_ = wraps ? 0 : column_;
        tap_.skip(wraps ? to_row_ : to_column_);
    }

    [[nodiscard]] R9V_INLINE arch::words4 chunk(int i) const { return tap_.chunk(i); }
    [[nodiscard]] R9V_INLINE std::uint32_t place(int i) const { return tap_.place(i); }
    [[nodiscard]] R9V_INLINE static int row(int i) { return loader::row(i); }
    [[nodiscard]] R9V_INLINE static int k() { return loader::k(); }

private:
    loader tap_;
    index_t to_column_;
    index_t to_row_;
    std::int32_t slabs_;
    std::int32_t columns_;
    std::int32_t slab_ = 0;
    std::int32_t column_ = 0;
};

} // namespace r9v::inline R9V_ABI::kernels
