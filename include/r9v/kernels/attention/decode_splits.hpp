// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How many blocks share the keys of a row. Host code.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/ops/mask_interval.hpp>

#include <algorithm>

namespace r9v::inline R9V_ABI::kernels {

/// A decode program as the choice sees it.
struct decode_work {
    index_t blocks = 1;   ///< without splitting
    index_t steps = 0;    ///< of the longest row: keys that a wave fetches at once
    index_t waves = 1;    ///< of a block
    index_t resident = 1; ///< blocks that the device runs at once
};

/// More would only lengthen the merge.
inline constexpr index_t most_decode_splits = 128;

/// Blocks of a compute unit. 1536 registers a lane and SIMD hold 12 waves of up to 128, 8 of up to
/// 192; a compute unit has two SIMDs.
[[nodiscard]] constexpr index_t decode_resident_blocks(int rows, int waves) {
    const int waves_a_unit = rows <= 4 ? 24 : 16;
    return std::max(waves_a_unit / waves, 1);
}

/// The number of splits with the least time, counted in steps of a wave: its longest share, and
/// the merge of the parts. All blocks run at once where they can: memory
/// is busy by then, and more would only queue.
[[nodiscard]] constexpr index_t decode_splits(const decode_work& work) {
    constexpr index_t merge = 6;         // a second kernel
    constexpr index_t parts_a_step = 16; // parts that a merging wave fetches in the time of a step
    const index_t at_once = work.resident / std::max<index_t>(work.blocks, 1);
    const index_t useful = std::min(ceil_div(work.steps, work.waves), most_decode_splits);
    const index_t most = std::max<index_t>(std::min(at_once, useful), 1);
    index_t best = 1;
    index_t least = 0;
    for (index_t splits = 1; splits <= most; ++splits) {
        const index_t longest = ceil_div(work.steps, work.waves * splits);
        const index_t merging = splits == 1 ? 0 : merge + splits / parts_a_step;
        if (splits == 1 || longest + merging < least) {
            best = splits;
            least = longest + merging;
        }
    }
    return best;
}

namespace detail {

/// Columns that the interval masks without tensors leave: what the host can know.
template<class... Ops>
[[nodiscard]] column_range host_columns(const chain<Ops...>& ops, const row_range& rows) {
    column_range range{0, r9v::detail::far_away, 0, 0};
    for_each(ops.ops, [&](const auto& op) {
        using Op = std::remove_cvref_t<decltype(op)>;
        if constexpr (requires { op.interval_of(coordinate{}); }) {
            if constexpr (memory_of<Op> == space::none)
                range = intersection(range, r9v::columns_of(op, rows));
        }
    });
    return range;
}

} // namespace detail

/// A bound on the keys that a row of blocks walks over.
template<class Head>
[[nodiscard]] index_t most_columns(const Head& head) {
    const index_t longest = head.k.longest();
    if constexpr (!Head::scores_type::has_mask) {
        return longest;
    } else {
        const column_range range =
            detail::host_columns(head.scores, {0, 0, 0, head.q.rows.longest()});
        const index_t end = range.end < longest ? range.end : longest;
        return end > range.begin ? end - range.begin : 0;
    }
}

} // namespace r9v::inline R9V_ABI::kernels
