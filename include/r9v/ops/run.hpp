// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an op sees: a run of neighbouring values of one row, and where they stand.
#pragma once

#include <r9v/core/integers.hpp>

namespace r9v::inline R9V_ABI {

/// `Width` neighbouring columns of one row. `Real` is float on a device and double in the
/// reference. `Width` is the kernel's choice (8, 4, 2 or 1), so an op loops over it.
template<class Real, int Width>
struct run {
    using real = Real;
    static constexpr int size = Width;

    Real values[Width];

    R9V_HD constexpr Real& operator[](int i) { return values[i]; }
    R9V_HD constexpr const Real& operator[](int i) const { return values[i]; }
    R9V_HD constexpr Real* begin() { return values; }
    R9V_HD constexpr Real* end() { return values + Width; }
    R9V_HD constexpr const Real* begin() const { return values; }
    R9V_HD constexpr const Real* end() const { return values + Width; }
};

/// A run of `Width` equal values.
template<int Width, class Real>
[[nodiscard]] R9V_HD constexpr run<Real, Width> broadcast(Real value) {
    run<Real, Width> all{};
    R9V_UNROLL
    for (int i = 0; i < Width; ++i)
        all[i] = value;
    return all;
}

/// Where the first value of a run stands: 64-bit batch, head, row and column of the result. Scores
/// of attention have queries as rows and keys as columns.
///
/// On a device the bases are the same for a whole wave and the offsets belong to the lane, so that
/// addresses split into a scalar base and one 32-bit lane offset. Ops that only want to know the
/// position call the functions.
struct coordinate {
    index_t batch_base = 0;
    index_t row_base = 0;
    index_t column_base = 0;
    std::int32_t row_offset = 0;
    std::int32_t column_offset = 0;
    index_t head_base = 0; ///< 0 where the kernel has no heads

    [[nodiscard]] R9V_HD constexpr index_t batch() const { return batch_base; }
    [[nodiscard]] R9V_HD constexpr index_t head() const { return head_base; }
    [[nodiscard]] R9V_HD constexpr index_t row() const { return row_base + row_offset; }
    [[nodiscard]] R9V_HD constexpr index_t column() const { return column_base + column_offset; }
    [[nodiscard]] R9V_HD constexpr index_t query() const { return row(); }
    [[nodiscard]] R9V_HD constexpr index_t key() const { return column(); }
};

/// Extents of a program's result: what coordinates run over.
struct extents {
    index_t batches = 1;
    index_t rows = 0;
    index_t columns = 0;
    index_t heads = 1;
};

} // namespace r9v::inline R9V_ABI
