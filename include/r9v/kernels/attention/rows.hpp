// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Where the rows of one head of one sequence stand: at a constant stride, or in pages. Kernels and
// the reference read q, k and v through these alone.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// `rows` rows, `stride` elements apart. The elements of a row are contiguous.
template<class T>
struct strided_rows {
    static constexpr bool is_paged = false;
    const T* first;
    index_t stride;
    index_t rows;

    /// Elements from `first` to row `row`.
    [[nodiscard]] R9V_HD constexpr index_t offset(index_t row) const { return row * stride; }
};

/// `rows` rows in pages of any size: row r is row r % size of page pages[r / size]. Entries of
/// `pages` behind the last row's are never read: they may hold anything, and with no rows there may
/// be none.
template<class T>
struct paged_rows {
    static constexpr bool is_paged = true;
    const T* first; ///< row 0 of this head in page 0
    index_t stride; ///< from a row of a page to the next
    index_t page_stride;
    const std::int32_t* pages;
    tile::divisor page_size;
    index_t rows;

    /// Elements from `first` to row `row`, which must exist: 0 <= row < rows.
    [[nodiscard]] R9V_HD constexpr index_t offset(index_t row) const {
        const auto at = static_cast<std::uint32_t>(row);
        const std::uint32_t page = page_size.quotient(at);
        return offset_in(page, at - page * page_size.value);
    }
    /// The same for row `row` of the sequence's page number `page`: one lookup for a whole page.
    [[nodiscard]] R9V_HD constexpr index_t offset_in(std::uint32_t page, std::uint32_t row) const {
        return index_t{pages[page]} * page_stride + index_t{row} * stride;
    }
};

} // namespace r9v::inline R9V_ABI
