// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rows of 16-byte chunks in LDS, laid out so that eight lanes that access one chunk of eight
// neighbouring rows, or eight neighbouring chunks of one row, use all 32 banks once; and fragments
// for the matrix instruction read from such rows.
#pragma once

#include <r9v/arch/select.hpp>
#include <r9v/core/integers.hpp>

namespace r9v::inline R9V_ABI::tile {

/// Rows of `Chunks` chunks, an even number. Powers of two up to 8 and multiples of 8 are spread by
/// an xor of the chunk with the row; others by making the row an odd number of chunks long.
template<int Chunks>
struct row_layout {
    static constexpr int chunk_bytes = 16;
    static constexpr int lanes_at_once = 8;

    static constexpr bool swizzled = Chunks % lanes_at_once == 0 || is_power_of_two(Chunks);
    static constexpr int row_bytes = (swizzled ? Chunks : Chunks + 1) * chunk_bytes;
    /// The chunks of a row that the xor exchanges.
    static constexpr int exchanged = !swizzled                ? 1
                                     : Chunks < lanes_at_once ? Chunks
                                                              : lanes_at_once;

    /// Where a chunk of a row stands. It repeats every 8 rows, 8 * row_bytes further on.
    [[nodiscard]] R9V_HD static constexpr std::uint32_t offset(std::uint32_t row,
                                                               std::uint32_t chunk) {
        constexpr auto rows_alike = static_cast<std::uint32_t>(lanes_at_once / exchanged);
        const std::uint32_t with = row / rows_alike % static_cast<std::uint32_t>(exchanged);
        return row * static_cast<std::uint32_t>(row_bytes) +
               (chunk ^ with) * static_cast<std::uint32_t>(chunk_bytes);
    }
};

namespace detail {

template<class Layout>
consteval bool spreads_over_banks() {
    constexpr auto in_a_row = static_cast<std::uint32_t>(Layout::exchanged);
    unsigned by_rows = 0;
    unsigned by_chunks = 0;
    for (std::uint32_t lane = 0; lane < Layout::lanes_at_once; ++lane) {
        by_rows |= 1u << (Layout::offset(lane, 0) / 16 % 8);
        by_chunks |= 1u << (Layout::offset(lane / in_a_row, lane % in_a_row) / 16 % 8);
    }
    // Eight chunks of a padded row are neighbours, unless the row ends among them.
    return by_rows == 0xff && (by_chunks == 0xff || !Layout::swizzled);
}
static_assert(spreads_over_banks<row_layout<2>>() && spreads_over_banks<row_layout<4>>() &&
              spreads_over_banks<row_layout<8>>() && spreads_over_banks<row_layout<16>>() &&
              spreads_over_banks<row_layout<24>>() && spreads_over_banks<row_layout<32>>());
static_assert(spreads_over_banks<row_layout<6>>() && spreads_over_banks<row_layout<10>>() &&
              spreads_over_banks<row_layout<12>>() && spreads_over_banks<row_layout<14>>() &&
              spreads_over_banks<row_layout<20>>() && spreads_over_banks<row_layout<28>>());

} // namespace detail

/// Reads fragments of 16 rows by 16 elements.
template<class Layout>
class row_fragments {
    // Steps along the row whose offsets differ by more than a constant.
    static constexpr int bases = Layout::exchanged < 2 ? 1 : Layout::exchanged / 2;

public:
    R9V_INLINE row_fragments() {
        const auto at = arch::operand_position(static_cast<int>(arch::lane_index()), 0);
        R9V_UNROLL
        for (int step = 0; step < bases; ++step)
            offset_[step] = Layout::offset(static_cast<std::uint32_t>(at.row),
                                           static_cast<std::uint32_t>(at.column / 8 + 2 * step));
    }

    /// Rows 16 * `rows` on, elements 16 * `step` on.
    [[nodiscard]] R9V_INLINE arch::words4 load(arch::local_bytes lds, int rows, int step) const {
        return arch::load_local(lds, offset_[step % bases] + apart(rows, step));
    }
    /// The same for a step that is known at run time only.
    [[nodiscard]] R9V_INLINE arch::words4 load_any(arch::local_bytes lds, int rows,
                                                   int step) const {
        std::uint32_t offset = offset_[0];
        R9V_UNROLL
        for (int i = 1; i < bases; ++i) // registers have no index
            offset = step % bases == i ? offset_[i] : offset;
        return arch::load_local(lds, offset + apart(rows, step));
    }

private:
    [[nodiscard]] R9V_INLINE static std::uint32_t apart(int rows, int step) {
        return static_cast<std::uint32_t>(rows * arch::fragment_size * Layout::row_bytes +
                                          step / bases * bases * 2 * Layout::chunk_bytes);
    }

    std::uint32_t offset_[bases];
};

} // namespace r9v::inline R9V_ABI::tile
