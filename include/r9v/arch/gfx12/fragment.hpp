// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Who holds what in a matrix instruction: D[16x16] = A[16xk] * B[kx16] + C.
//
//   lane l, with c = l % 16 and h = l / 16; element e = 0..7 of the lane's registers
//
//     A (row c)               B (column c)            C, D (column c)
//     k = 8h + e              k = 8h + e              row = 8h + e
//
//          k  0 .. 7  8 .. 15        0     1  ..  15          0     1  ..  15
//     row 0 | l = 0 | l = 16 |   k 0 |     |     |     |   row 0 |     |     |     |
//         1 | l = 1 | l = 17 |     . | l=0 | l=1 | l=15|       . | l=0 | l=1 | l=15|
//         . |  ...  |  ...   |     7 |     |     |     |       7 |     |     |     |
//        15 | l = 15| l = 31 |     8 |     |     |     |       8 |     |     |     |
//                                  . | l=16| l=17| l=31|       . | l=16| l=17| l=31|
//                                 15 |     |     |     |      15 |     |     |     |
//
// (AMD RDNA4 ISA guide, "WMMA"; AMD matrix instruction calculator. The order of k inside A and B is
// free as long as both use the same one: this one is a 16-byte load from a row with contiguous k.)
//
// r9v multiplies with A = weights and B = x, so D is the transposed result: a lane holds eight
// neighbouring columns of one row of it.
#pragma once

#include <r9v/core/config.hpp>

namespace r9v::inline R9V_ABI::arch {

/// Rows, columns and k of one matrix instruction on 16-bit elements, and the elements of a lane.
inline constexpr int fragment_size = 16;
inline constexpr int fragment_run = 8;

struct fragment_position {
    int row;
    int column;
};

/// Row of A (or column of B) and k of element `slot` of lane `lane`.
[[nodiscard]] R9V_HD constexpr fragment_position operand_position(int lane, int slot) {
    return {lane % 16, 8 * (lane / 16) + slot};
}

/// Row and column of the result (D transposed) that element `slot` of lane `lane` holds.
[[nodiscard]] R9V_HD constexpr fragment_position result_position(int lane, int slot) {
    return {lane % 16, 8 * (lane / 16) + slot};
}

namespace detail {

using position_of = fragment_position (*)(int, int);

consteval bool covers_fragment_once(position_of position) {
    bool seen[fragment_size][fragment_size] = {};
    for (int lane = 0; lane < 32; ++lane)
        for (int slot = 0; slot < fragment_run; ++slot) {
            const auto [row, column] = position(lane, slot);
            if (seen[row][column]) return false;
            seen[row][column] = true;
        }
    return true; // 256 positions, none twice
}

static_assert(covers_fragment_once(operand_position));
static_assert(covers_fragment_once(result_position));

} // namespace detail

} // namespace r9v::inline R9V_ABI::arch
