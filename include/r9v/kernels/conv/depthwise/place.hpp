// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which part of a depthwise convolution a block computes, and what of the map and the filter it
// brings to LDS for that.
#pragma once

#include <r9v/arch/common/reduce.hpp>
#include <r9v/arch/select.hpp>
#include <r9v/kernels/conv/depthwise/geometry.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Where a block's part of the result begins.
struct depthwise_place {
    std::int32_t image;
    std::int32_t chunk; ///< of output channels
    std::int32_t row;
    std::int32_t column;

    /// Groups of channels come first: neighbouring blocks share lines of the map.
    R9V_INLINE static depthwise_place of_block(const depthwise_geometry& g, std::int32_t run) {
        std::uint32_t block = arch::block_x();
        const auto split = [&block](const tile::divisor& by) R9V_INLINE_LAMBDA {
            const std::uint32_t rest = by.quotient(block);
            const std::uint32_t part = block - rest * by.value;
            block = rest;
            return static_cast<std::int32_t>(part);
        };
        depthwise_place place;
        place.chunk = split(g.groups) * static_cast<std::int32_t>(g.tile_chunks.value);
        place.column = split(g.across) * static_cast<std::int32_t>(g.tile_runs.value) * run;
        place.row = split(g.down) * g.tile_rows;
        place.image = static_cast<std::int32_t>(block);
        return place;
    }
};

/// Passes elements of the map through the prologue and rounds them to the map's type again.
template<class Head>
class depthwise_prologue {
    using element = typename Head::element;
    using chain_type = std::remove_cvref_t<decltype(std::declval<Head>().x.prologue)>;
    // Where an element stands differs from lane to lane in all of its coordinates.
    using math = tile::device_math<index_t>;

public:
    static constexpr bool changes = chain_type::size != 0;

    R9V_INLINE explicit depthwise_prologue(const Head& head) : ops_{head.x.prologue} {}

    /// Eight neighbouring channels; operands are read at the map's origin where nothing `exists`.
    R9V_INLINE arch::words4 operator()(arch::words4 chunk, coordinate at, bool exists) const {
        run<float, 8> values;
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            values[i] = arch::element_to_float<element>(chunk[i / 2], i % 2);
        values = r9v::transform(math{}, ops_, existing(at, exists), values);
        R9V_UNROLL
        for (int word = 0; word < 4; ++word)
            chunk[word] = exists ? arch::word_from_floats<element>(values.begin() + 2 * word) : 0u;
        return chunk;
    }
    R9V_INLINE std::uint32_t single(std::uint32_t bits, const coordinate& at, bool exists) const {
        run<float, 1> value{{arch::element_to_float<element>(bits, 0)}};
        value = r9v::transform(math{}, ops_, existing(at, exists), value);
        return arch::element_from_float<element>(value[0]);
    }

private:
    R9V_INLINE static coordinate existing(coordinate at, bool exists) {
        at.head_base = exists ? at.head_base : 0;
        at.row_base = exists ? at.row_base : 0;
        at.column_base = exists ? at.column_base : 0;
        return at;
    }

    const chain_type& ops_;
};

/// One element of the map after its prologue, wherever it lies; 0 where it does not exist.
template<class Head>
[[nodiscard]] R9V_INLINE std::uint32_t
depthwise_element(const depthwise_geometry& g, const Head& head, std::int32_t image, std::int32_t h,
                  std::int32_t w, std::int32_t channel, bool exists) {
    // Element 0 exists wherever any does.
    const index_t at =
        image * g.image_bytes + h * g.row_bytes + w * g.pixel_bytes + channel * g.channel_bytes;
    std::uint32_t bits =
        arch::load_global<2>(arch::to_global(head.x.view.data), exists ? at : index_t{0});
    const depthwise_prologue<Head> treat{head};
    if constexpr (depthwise_prologue<Head>::changes)
        bits = treat.single(
            bits, {.batch_base = image, .row_base = w, .column_base = channel, .head_base = h},
            exists);
    return exists ? bits & 0xffffu : 0u;
}

} // namespace r9v::inline R9V_ABI::kernels
