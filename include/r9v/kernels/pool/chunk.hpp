// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Eight neighbouring channels of a pixel as memory holds them, regions of a map in LDS, and what is
// gathered of such chunks.
#pragma once

#include <r9v/arch/gfx12/pairs.hpp>
#include <r9v/kernels/pool/lanes.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class Element>
struct map_chunk {
    static constexpr int per_word = 4 / static_cast<int>(sizeof(Element));
    static constexpr int parts = 2 / per_word; ///< of 16 bytes
    static constexpr int bytes = parts * 16;

    arch::words4 words[parts];

    R9V_INLINE void load(arch::global_bytes base, std::uint32_t offset) {
        R9V_UNROLL
        for (int part = 0; part < parts; ++part)
            words[part] = arch::load_global<16>(base + part * 16, offset);
    }
    [[nodiscard]] R9V_INLINE run<float, pool_run> values() const {
        run<float, pool_run> all;
        R9V_UNROLL
        for (int i = 0; i < pool_run; ++i) {
            const int word = i / per_word;
            all[i] = arch::element_to_float<Element>(words[word / 4][word % 4], i % per_word);
        }
        return all;
    }
    /// Each value rounded to the element's type.
    R9V_INLINE static map_chunk rounded(const run<float, pool_run>& values) {
        map_chunk chunk;
        R9V_UNROLL
        for (int word = 0; word < parts * 4; ++word)
            chunk.words[word / 4][word % 4] =
                arch::word_from_floats<Element>(values.begin() + word * per_word);
        return chunk;
    }
    /// Values that elements hold exactly.
    R9V_INLINE static map_chunk exact(const run<float, pool_run>& values) {
        if constexpr (std::is_same_v<Element, bf16>) {
            const arch::pair_constants<Element> constants;
            map_chunk chunk;
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                chunk.words[0][word] =
                    arch::pack_toward_zero(constants, values[2 * word], values[2 * word + 1]);
            return chunk;
        } else {
            return rounded(values);
        }
    }
};

/// Chunks in LDS: `Slots` of them. Parts of 16 bytes stand in planes, so that neighbouring lanes
/// use neighbouring banks.
template<class Element, int Slots>
struct chunk_slots {
    using chunk = map_chunk<Element>;
    static constexpr int bytes = Slots * chunk::bytes;
    arch::local_bytes lds;

    R9V_INLINE void store(std::uint32_t slot, const chunk& value) const {
        R9V_UNROLL
        for (int part = 0; part < chunk::parts; ++part)
            arch::store_local(lds + part * Slots * 16, slot * 16, value.words[part]);
    }
    [[nodiscard]] R9V_INLINE chunk load(std::uint32_t slot) const {
        chunk value;
        R9V_UNROLL
        for (int part = 0; part < chunk::parts; ++part)
            value.words[part] = arch::load_local(lds + part * Slots * 16, slot * 16);
        return value;
    }
};

/// What is gathered of chunks: maxima of halves two by two, without leaving their type.
template<class Kind, class Element>
struct chunk_accumulator : window_accumulator<Kind, pool_run> {
    using base = window_accumulator<Kind, pool_run>;
    R9V_INLINE void add(const map_chunk<Element>& x) { base::add(x.values()); }
    [[nodiscard]] R9V_INLINE map_chunk<Element> chunk() const {
        return map_chunk<Element>::exact(base::largest);
    }
};
template<>
struct chunk_accumulator<window_maximum, half> {
    static constexpr std::uint32_t infinities = 0xfc00fc00u;
    map_chunk<half> largest{{{infinities, infinities, infinities, infinities}}};

    R9V_INLINE void add(const map_chunk<half>& x) {
        R9V_UNROLL
        for (int i = 0; i < 4; ++i)
            largest.words[0][i] = arch::maximum_of_halves(largest.words[0][i], x.words[0][i]);
    }
    template<class Head>
    [[nodiscard]] R9V_INLINE run<float, pool_run> finish(const Head&, std::int32_t) const {
        return largest.values();
    }
    [[nodiscard]] R9V_INLINE map_chunk<half> chunk() const { return largest; }
};

/// The block's part of the work: a tile of the result, the region of the map that it sees (which
/// may begin in the padding), and some of the channels.
struct pool_block {
    std::int32_t image;
    std::int32_t row; ///< of the tile's first pixel
    std::int32_t column;
    std::int32_t chunk; ///< its first
    std::int32_t h = 0; ///< of the region's first pixel
    std::int32_t w = 0;

    R9V_INLINE static pool_block of(const staged_shape& g) {
        const std::uint32_t block = arch::block_x();
        const std::uint32_t of_tile = g.groups.quotient(block);
        const std::uint32_t of_row = g.across.quotient(of_tile);
        const std::uint32_t image = g.down.quotient(of_row);
        const auto number = [](std::uint32_t n) {
            return static_cast<std::int32_t>(n);
        };
        return {number(image), number(of_row - image * g.down.value) * g.tile_height,
                number((of_tile - of_row * g.across.value) * g.tile_width.value),
                number((block - of_tile * g.groups.value) * g.chunks.value)};
    }
};

/// Calls visit(slot, row, column, chunk) for the lane's share of `rows` rows of a region or tile,
/// with `columns` pixels a row and `chunks` chunks a pixel.
template<int Threads, class Visit>
R9V_INLINE void for_each_slot(std::int32_t rows, const tile::divisor& columns,
                              const tile::divisor& chunks, Visit visit) {
    const std::uint32_t count = static_cast<std::uint32_t>(rows) * columns.value * chunks.value;
    R9V_ROLLED
    for (std::uint32_t slot = arch::thread_index(); slot < count; slot += Threads) {
        const std::uint32_t pixel = chunks.quotient(slot);
        const std::uint32_t row = columns.quotient(pixel);
        visit(slot, static_cast<std::int32_t>(row),
              static_cast<std::int32_t>(pixel - row * columns.value),
              static_cast<std::int32_t>(slot - pixel * chunks.value));
    }
}

/// Loads the region of the map behind its prologue, each element once; what lies in the padding is
/// left as it is.
template<int Threads, class Head, class Slots>
R9V_INLINE void load_region(const Head& head, const staged_shape& g, const pool_block& from,
                            const Slots& to) {
    using element = typename Head::element;
    constexpr int ahead = 4;
    const auto size = static_cast<std::int32_t>(sizeof(element));
    const auto height = static_cast<std::int32_t>(head.height());
    const auto width = static_cast<std::int32_t>(head.width());
    const auto chunks = static_cast<std::int32_t>(head.channels() / pool_run) - from.chunk;
    const auto row_bytes = static_cast<std::int32_t>(head.row_stride()) * size;
    const auto pixel_bytes = static_cast<std::int32_t>(head.pixel_stride()) * size;
    const arch::global_bytes base = arch::to_global(
        head.x.view.data + head.offset(from.image, 0, 0, index_t{from.chunk} * pool_run));
    const std::uint32_t count =
        static_cast<std::uint32_t>(g.region_height) * g.region_width.value * g.chunks.value;
    R9V_ROLLED
    for (std::uint32_t first = arch::thread_index(); first < count; first += ahead * Threads) {
        map_chunk<element> loaded[ahead];
        coordinate at[ahead];
        std::uint32_t exists = 0; // a bit each
        R9V_UNROLL
        for (int i = 0; i < ahead; ++i) {
            const std::uint32_t slot = first + static_cast<std::uint32_t>(i * Threads);
            const std::uint32_t pixel = g.chunks.quotient(slot);
            const std::uint32_t row = g.region_width.quotient(pixel);
            const std::int32_t h = from.h + static_cast<std::int32_t>(row);
            const std::int32_t w =
                from.w + static_cast<std::int32_t>(pixel - row * g.region_width.value);
            const auto chunk = static_cast<std::int32_t>(slot - pixel * g.chunks.value);
            at[i] = {.batch_base = from.image,
                     .row_base = w,
                     .column_base = index_t{from.chunk + chunk} * pool_run,
                     .head_base = h};
            const bool inside = (slot < count) & (h >= 0) & (h < height) & (w >= 0) & (w < width) &
                                (chunk < chunks);
            exists |= inside ? 1u << i : 0u;
            const std::int32_t offset =
                h * row_bytes + w * pixel_bytes + chunk * map_chunk<element>::bytes;
            if (inside) loaded[i].load(base, static_cast<std::uint32_t>(offset));
        }
        R9V_UNROLL
        for (int i = 0; i < ahead; ++i) {
            if ((exists >> i & 1u) == 0) continue;
            if constexpr (Head::prologue_type::size != 0)
                loaded[i] = map_chunk<element>::rounded(
                    r9v::transform(map_math{}, head.x.prologue, at[i], loaded[i].values()));
            to.store(first + static_cast<std::uint32_t>(i * Threads), loaded[i]);
        }
    }
}

} // namespace r9v::inline R9V_ABI::kernels
