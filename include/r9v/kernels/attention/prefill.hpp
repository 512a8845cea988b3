// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How attention for many queries is launched. Host code.
#pragma once

#include <r9v/kernels/attention/fit.hpp>
#include <r9v/kernels/attention/prefill_kernel.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// Heads whose keys and values stay in L2 together walk along the queries side by side.
template<class Head>
[[nodiscard]] std::uint32_t heads_together(const Head& head, index_t total) {
    constexpr index_t l2_share = index_t{4} << 20;
    const index_t bytes = head.k.longest() * (head.key_dim() + head.value_dim()) * 2;
    const index_t key_heads = bytes > 0 && bytes < l2_share ? l2_share / bytes : 1;
    const index_t ratio = head.heads() / (head.key_heads() > 0 ? head.key_heads() : 1);
    const index_t together = key_heads * ratio;
    return static_cast<std::uint32_t>(together < total ? together : total);
}

template<attention_tile Tile, class Program>
[[nodiscard]] status plan_prefill(const Program& p, const device_facts&,
                                  const attention_geometry& base,
                                  launch_plan<attention_geometry, attention_tile>& to) noexcept {
    const auto& head = p.head;
    const index_t rows = head.sequences() * head.heads();
    const index_t query_blocks = ceil_div<index_t>(head.q.rows.longest(), Tile.queries);
    if (!r9v::detail::grid_fits(rows, query_blocks, 1, Tile.threads()))
        return r9v::detail::attention_grid_error();
    to.geometry = base;
    if (rows == 0 || query_blocks == 0) return {};
    to.geometry.query_blocks = tile::divisor{static_cast<std::uint32_t>(query_blocks)};
    to.geometry.blocks =
        tile::raster{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(query_blocks),
                     heads_together(head, rows)};
    to.add(reinterpret_cast<const void*>(&attention_prefill_kernel<arch::gfx12, Tile, Program>),
           rows * query_blocks, Tile.threads());
    return {};
}

} // namespace kernels

} // namespace r9v::inline R9V_ABI
