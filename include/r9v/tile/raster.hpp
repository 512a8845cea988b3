// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tile a block computes: groups of neighbouring rows of tiles walk along the columns
// together, so that blocks that run at the same time share rows of x and of the weights in L2.
#pragma once

#include <r9v/core/integers.hpp>

#include <bit>

namespace r9v::inline R9V_ABI::tile {

/// Division of numbers below 2^31 by a number that is known before the launch: one multiplication.
struct divisor {
    std::uint32_t value = 1;
    std::uint32_t multiplier = (1u << 31) + 1;
    int shift = 31;

    constexpr divisor() = default; // by 1; for device code too
    /// ceil(2^shift / by) errs by less than by <= 2^(shift - 31), which no dividend can see
    /// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
    constexpr explicit divisor(std::uint32_t by)
        : value{by},
          shift{31 + static_cast<int>(std::bit_width(by - 1))} {
        multiplier = static_cast<std::uint32_t>((std::uint64_t{1} << shift) / by + 1);
    }

    [[nodiscard]] R9V_HD constexpr std::uint32_t quotient(std::uint32_t dividend) const {
        return static_cast<std::uint32_t>(std::uint64_t{dividend} * multiplier >> shift);
    }
};

struct tile_position {
    std::uint32_t batch;
    std::uint32_t row;
    std::uint32_t column;
};

/// The order of tiles_m x tiles_n tiles of each batch.
struct raster {
    divisor a_batch;   ///< tiles of a batch
    divisor a_group;   ///< tiles of a group of rows
    divisor rows;      ///< rows of tiles in a group
    divisor last_rows; ///< and in the last group
    std::uint32_t groups = 1;

    constexpr raster() = default;
    constexpr raster(std::uint32_t tiles_m, std::uint32_t tiles_n, std::uint32_t group)
        : a_batch{tiles_m * tiles_n},
          a_group{group * tiles_n},
          rows{group},
          last_rows{tiles_m - (ceil_div(tiles_m, group) - 1) * group},
          groups{ceil_div(tiles_m, group)} {}

    /// The usual walk: groups of up to 8 rows.
    [[nodiscard]] static constexpr raster of(index_t tiles_m, index_t tiles_n) {
        constexpr std::uint32_t rows_together = 8;
        const auto m = static_cast<std::uint32_t>(tiles_m);
        return {m, static_cast<std::uint32_t>(tiles_n), m < rows_together ? m : rows_together};
    }

    [[nodiscard]] R9V_HD constexpr tile_position at(std::uint32_t block) const {
        const std::uint32_t batch = a_batch.quotient(block);
        const std::uint32_t in_batch = block - batch * a_batch.value;
        const std::uint32_t group = a_group.quotient(in_batch);
        const std::uint32_t in_group = in_batch - group * a_group.value;
        const divisor& height = group + 1 == groups ? last_rows : rows;
        const std::uint32_t column = height.quotient(in_group);
        return {batch, group * rows.value + in_group - column * height.value, column};
    }
};

} // namespace r9v::inline R9V_ABI::tile
