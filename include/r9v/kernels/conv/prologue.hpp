// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The ops that run on the map between global memory and LDS. Their batch, head, row and column are
// the map's image, row, column and channel.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/patch_loader.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// A program's chain, after the products. A long one is read from memory only then: its operands
/// need more scalar registers than the main loop leaves. `Program` is the kernel's first argument.
template<class Program>
[[nodiscard]] R9V_INLINE const auto& chain_of(const Program& program) {
    constexpr std::size_t most = 256; // bytes
    if constexpr (sizeof(program.chain) > most) {
        return arch::first_argument<Program>().chain;
    } else {
        return program.chain;
    }
}

/// Passes elements of a map through its prologue and rounds them to the map's type again.
template<class Head, class Map = tile::patch_geometry>
class patch_prologue {
    using element = typename Head::element;
    using chain_type = std::remove_cvref_t<decltype(std::declval<Head>().x.prologue)>;
    // Where an element stands differs from lane to lane in all of its coordinates.
    using math = tile::device_math<index_t>;

public:
    static constexpr bool changes = chain_type::size != 0;

    /// `first_channel` of the block's group.
    R9V_INLINE patch_prologue(const Head& head, const Map& map, index_t first_channel)
        : ops_{head.x.prologue},
          map_{map},
          first_channel_{first_channel} {}

    /// Eight neighbouring channels of a pixel under tap `at`. Operands have nothing where nothing
    /// `exists`: there they are read elsewhere.
    R9V_INLINE arch::words4 operator()(arch::words4 chunk, const typename Map::origin& from,
                                       const tile::patch_step& at, int lane_channel,
                                       bool exists) const {
        constexpr int n = tile::chunk_elements;
        run<float, n> values;
        R9V_UNROLL
        for (int i = 0; i < n; ++i)
            values[i] = arch::element_to_float<element>(chunk[i / 2], i % 2);
        const int in_group = at.slab * tile::slab_depth;
        const auto pixel = map_.under(from, at.row, at.column);
        const coordinate place{.batch_base = map_.image_of(pixel, exists),
                               .row_base = exists ? pixel.w : 0,
                               .column_base = first_channel_ + in_group,
                               .column_offset =
                                   tile::detail::min(lane_channel, map_.channels - in_group - n),
                               .head_base = exists ? pixel.h : 0};
        values = r9v::transform(math{}, ops_, place, values);
        R9V_UNROLL
        for (int word = 0; word < n / 2; ++word)
            chunk[word] = arch::word_from_floats<element>(values.begin() + 2 * word);
        return chunk;
    }

    /// One element.
    R9V_INLINE std::uint16_t single(std::uint16_t bits, std::uint32_t image, std::int32_t h,
                                    std::int32_t w, std::int32_t channel, bool exists) const {
        run<float, 1> value{{arch::element_to_float<element>(bits, 0)}};
        const coordinate place{.batch_base = image,
                               .row_base = exists ? w : 0,
                               .column_base = first_channel_ + (exists ? channel : 0),
                               .head_base = exists ? h : 0};
        value = r9v::transform(math{}, ops_, place, value);
        return static_cast<std::uint16_t>(arch::element_from_float<element>(value[0]));
    }

private:
    const chain_type& ops_;
    const Map& map_;
    index_t first_channel_;
};

} // namespace r9v::inline R9V_ABI::kernels
