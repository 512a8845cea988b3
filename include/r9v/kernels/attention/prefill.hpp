// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How attention for many queries is launched. Host code.
#pragma once

#include <r9v/kernels/attention/fit.hpp>
#include <r9v/kernels/attention/prefill_kernel.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// Key heads whose keys and values stay in L2 together walk along the queries side by side.
template<class Head>
[[nodiscard]] std::uint32_t heads_together(const Head& head, index_t total) {
    constexpr index_t l2_share = index_t{4} << 20;
    const index_t bytes = head.k.longest() * (head.key_dim() + head.value_dim()) * 2;
    const index_t together = bytes > 0 && bytes < l2_share ? l2_share / bytes : 1;
    return static_cast<std::uint32_t>(together < total ? together : total);
}

template<attention_tile Tile, class Program>
[[nodiscard]] status plan_prefill(const Program& p, const device_facts&,
                                  const attention_geometry& base,
                                  launch_plan<attention_geometry, attention_tile>& to) noexcept {
    const auto& head = p.head;
    to.geometry = base;
    const index_t rows = head.sequences() * head.key_heads();
    const index_t queries = head.q.rows.longest();
    if (rows == 0 || queries == 0) return {};
    const index_t ratio = head.heads() / head.key_heads();
    const index_t units = ceil_div<index_t>(queries, 16);
    const index_t blocks = ceil_div<index_t>(units * ratio, Tile.waves);
    if (!r9v::detail::grid_fits(rows, blocks, 1, Tile.threads()))
        return r9v::detail::attention_grid_error();
    to.geometry.heads = tile::divisor{static_cast<std::uint32_t>(head.key_heads())};
    to.geometry.query_blocks = tile::divisor{static_cast<std::uint32_t>(blocks)};
    to.geometry.blocks =
        tile::raster{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(blocks),
                     heads_together(head, rows)};
    to.add(reinterpret_cast<const void*>(&attention_prefill_kernel<arch::gfx12, Tile, Program>),
           rows * blocks, Tile.threads());
    return {};
}

} // namespace kernels

} // namespace r9v::inline R9V_ABI
