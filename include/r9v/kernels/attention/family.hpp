// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention programs as the executor sees them.
#pragma once

#include <r9v/kernels/attention/fit.hpp>
#include <r9v/kernels/attention/reference.hpp>
#include <r9v/kernels/attention/rules.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/attention/decode.hpp>
#include <r9v/kernels/attention/prefill.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(attention_misfit misfit) noexcept {
    if (misfit == attention_misfit::alignment)
        return error{"r9v: prefill tiles need rows of q, k and v that start at multiples of 16 "
                     "bytes. Name a decode tile, or none."};
    return error{
        "r9v: rows of q, k or v run backwards, or are beyond 32 bits within this tile. Name "
        "a decode tile, or none."};
}

} // namespace detail

template<class Query, class Keys, class Values, class Scores, attention_dims Dims>
struct family<attention_head<Query, Keys, Values, Scores, Dims>> {
    using head = attention_head<Query, Keys, Values, Scores, Dims>;
    using geometry = attention_geometry;
    using tile = attention_tile;

    template<class Program>
    using default_tiles = decltype(detail::attention_default_tiles<typename Program::head_type>());

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        return r9v::check(p);
    }

    /// Score ops are told bounds here; the device knows each sequence's sizes and tells them again.
    template<class Program>
    static void bind(Program& p) {
        r9v::bind(p.chain, p.head.result());
        r9v::bind(p.head.q.prologue, p.head.query_extents());
        r9v::bind(p.head.scores, p.head.most_scores());
    }

    template<class Program>
    static void run_reference(const Program& p) {
        r9v::run_reference(p);
    }

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts& device,
                                     launch_plan<geometry, tile>& to) noexcept {
        return plan_with(p, device, to, Tiles{});
    }

private:
    template<class Program, tile... Tiles>
    [[nodiscard]] static status plan_with(const Program& p, const device_facts& device,
                                          launch_plan<geometry, tile>& to,
                                          tile_list<Tiles...> tiles) noexcept {
        static_assert((detail::is_valid_tile(Tiles, detail::attention_traits_of<head>) && ...),
                      "r9v: no kernel can be built with this attention_tile for this program. Take "
                      "one from default_tiles, or see is_valid_tile in "
                      "kernels/attention/tuning.hpp.");
        if (p.head.result().rows == 0 || p.head.heads() == 0 || p.head.sequences() == 0) return {};
        const attention_choice choice = choose(p, tiles, device.compute_units);
        if (choice.tile < 0) return detail::reason_of(choice.misfit);
        status outcome;
        int at = 0;
        ((at++ == choice.tile ? void(outcome = plan_tile<Tiles>(p, device, to)) : void()), ...);
        return outcome;
    }

    template<tile Tile, class Program>
    [[nodiscard]] static status plan_tile(const Program& p, const device_facts& device,
                                          launch_plan<geometry, tile>& to) noexcept {
        to.tile = Tile;
        const geometry base = base_geometry(p, Tile);
        if constexpr (Tile.regime == attention_regime::prefill) {
            return kernels::plan_prefill<Tile>(p, device, base, to);
        } else {
            return kernels::plan_decode<Tile>(p, device, base, to);
        }
    }
#endif
};

} // namespace r9v::inline R9V_ABI
