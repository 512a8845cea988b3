// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The decode regime: how a launch divides the keys among blocks.
#pragma once

#include <r9v/kernels/attention/decode_kernel.hpp>
#include <r9v/kernels/attention/decode_splits.hpp>
#include <r9v/kernels/attention/fit.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// Lanes that share a load stand within 32 bits of one another; what they share has 64.
template<class Layout, class Sequences>
[[nodiscard]] bool has_decode_stride(const Sequences& t) {
    const index_t bytes =
        r9v::detail::magnitude(t.row_stride()) * index_t{sizeof(typename Sequences::element)};
    return Sequences::form == sequence_form::paged || t.longest() <= 1 ||
           bytes <= (index_t{1} << 32) / Layout::groups;
}

template<attention_tile Tile, class Program>
status plan_decode(const Program& p, const device_facts& device, const attention_geometry& base,
                   launch_plan<attention_geometry, attention_tile>& to) noexcept {
    using layout = decode_layout<Tile, Program::head_type::dims>;
    const auto& head = p.head;
    if (!has_decode_stride<layout>(head.k) || !has_decode_stride<layout>(head.v))
        return error{"r9v: neighbouring rows of k or v are more than a gigabyte apart. Copy them "
                     "closer together."};
    const index_t ratio = base.ratio.value;
    const index_t query_blocks = ceil_div<index_t>(head.q.rows.longest() * ratio, layout::rows);
    const index_t blocks = head.sequences() * head.key_heads() * query_blocks;
    const index_t splits =
        decode_splits({.blocks = blocks,
                       .steps = ceil_div<index_t>(most_columns(head), layout::step),
                       .waves = layout::waves,
                       .resident = index_t{device.compute_units} *
                                   decode_resident_blocks(layout::rows, layout::waves)});
    if (!r9v::detail::grid_fits(head.sequences(), head.key_heads(), query_blocks * splits,
                                Tile.threads()))
        return r9v::detail::attention_grid_error();
    to.geometry = base;
    to.geometry.heads = tile::divisor{static_cast<std::uint32_t>(head.key_heads())};
    to.geometry.query_blocks = tile::divisor{static_cast<std::uint32_t>(query_blocks)};
    to.geometry.splits = tile::divisor{static_cast<std::uint32_t>(splits)};
    to.add(reinterpret_cast<const void*>(&attention_decode_kernel<arch::gfx12, Tile, Program>),
           blocks * splits, Tile.threads());
    if (splits == 1) return {};
    const index_t rows = head.sequences() * head.heads() * head.q.rows.longest();
    to.scratch_bytes = decode_partials<layout>::bytes(rows, splits);
    to.add(reinterpret_cast<const void*>(&attention_merge_kernel<arch::gfx12, Tile, Program>),
           ceil_div<index_t>(rows, layout::groups), decode_merge_threads);
    return {};
}

} // namespace kernels

} // namespace r9v::inline R9V_ABI
