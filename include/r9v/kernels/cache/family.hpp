// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rotate() and append_key_value() as the executor sees them.
#pragma once

#include <r9v/kernels/cache/geometry.hpp>
#include <r9v/kernels/cache/reference.hpp>
#include <r9v/kernels/cache/rules.hpp>
#include <r9v/kernels/counting.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/cache/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

/// Columns of a row that the embedding turns.
template<class Rotary>
[[nodiscard]] constexpr index_t turned_columns(const Rotary& rotary) {
    if constexpr (is_rotary<Rotary>) {
        return rotary.dim;
    } else {
        return 0;
    }
}

} // namespace detail

template<class View, class Rotary>
struct family<rotate_head<View, Rotary>> {
    using geometry = cache_geometry;
    using tile = cache_tile;

    template<class Program>
    using default_tiles = tile_list<cache_tile{}>;

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        static_assert(
            !Program::chain_type::has_state,
            "r9v: rotate() gathers no statistics. Take them of the tensor that it stores, "
            "in the next program.");
        return r9v::check(p);
    }
    template<class Program>
    static void bind(Program& p) {
        r9v::bind(p.chain, p.head.result());
    }
    template<class Program>
    static void run_reference(const Program& p) {
        r9v::run_reference(p);
    }

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts&,
                                     launch_plan<geometry, tile>& to) noexcept {
        const extents size = p.head.result();
        const index_t rows = size.batches * size.heads * size.rows;
        to.geometry.keys = {rows, size.columns, detail::turned_columns(p.head.rotary)};
        to.geometry.heads = detail::count_divisor(size.heads);
        to.geometry.tokens = detail::count_divisor(size.rows);
        to.add(reinterpret_cast<const void*>(
                   &kernels::rotate_kernel<arch::gfx12, cache_tile{}, Program>),
               ceil_div<index_t>(to.geometry.keys.count, to.tile.threads), to.tile.threads);
        return {};
    }
#endif
};

template<class Keys, class Values, class Rotary>
struct family<append_head<Keys, Values, Rotary>> {
    using geometry = cache_geometry;
    using tile = cache_tile;

    template<class Program>
    using default_tiles = tile_list<cache_tile{}>;

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        return r9v::check(p);
    }
    template<class Program>
    static void bind(Program&) {}
    template<class Program>
    static void run_reference(const Program& p) {
        r9v::run_reference(p);
    }

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts&,
                                     launch_plan<geometry, tile>& to) noexcept {
        const auto& head = p.head;
        const index_t rows = head.batches() * head.heads() * head.tokens();
        to.geometry.keys = {rows, head.k.extents[3], detail::turned_columns(head.rotary)};
        to.geometry.values = {rows, head.v.extents[3], 0};
        to.geometry.heads = detail::count_divisor(head.heads());
        to.geometry.tokens = detail::count_divisor(head.tokens());
        const index_t items = index_t{to.geometry.keys.count} + to.geometry.values.count;
        to.add(reinterpret_cast<const void*>(
                   &kernels::append_kernel<arch::gfx12, cache_tile{}, Program>),
               ceil_div<index_t>(items, to.tile.threads), to.tile.threads);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
