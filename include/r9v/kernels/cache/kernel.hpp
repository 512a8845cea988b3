// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of rotate() and append_key_value(). They are bound by memory: every byte is loaded
// and stored once, 16 at a time where a row has them, and angles are computed beside the loads.
#pragma once

#include <r9v/arch/select.hpp>
#include <r9v/kernels/cache/geometry.hpp>
#include <r9v/kernels/cache/problem.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::kernels {

using cache_math = tile::device_math<index_t>;

/// One lane's columns of one row.
struct row_item {
    std::uint32_t batch;
    std::uint32_t head;
    std::uint32_t token;
    std::uint32_t item;
};

/// Items count along a row first, then heads, tokens and batches: the order of tokens in memory.
[[nodiscard]] R9V_INLINE row_item item_at(const row_items& items, const cache_geometry& geometry,
                                          std::uint32_t index) {
    const std::uint32_t row = items.a_row.quotient(index);
    const std::uint32_t of_token = geometry.heads.quotient(row);
    const std::uint32_t batch = geometry.tokens.quotient(of_token);
    return {batch, row - of_token * geometry.heads.value, of_token - batch * geometry.tokens.value,
            index - row * items.a_row.value};
}

/// Eight pairs, or as many as are left.
template<class Rotary, class Load, class Store>
R9V_INLINE void turn_item(const Rotary& rotary, index_t position, std::uint32_t item, Load load,
                          Store store) {
    const index_t pairs = rotary.dim / 2;
    const index_t first = index_t{item} * 8;
    const auto load_one = [&](index_t column) {
        return load.template operator()<1>(column);
    };
    const auto load_run = [&](index_t column) {
        return load.template operator()<8>(column);
    };
    if (first + 8 <= pairs) {
        r9v::detail::turn_pairs<8>(cache_math{}, rotary, position, first, load_run, store);
    } else {
        R9V_ROLLED
        for (index_t pair = first; pair < pairs; ++pair)
            r9v::detail::turn_pairs<1>(cache_math{}, rotary, position, pair, load_one, store);
    }
}

/// Sixteen columns from `column` on, or as many as are left, as they are.
template<class Load, class Store>
R9V_INLINE void copy_item(index_t column, index_t columns, Load load, Store store) {
    if (column + 16 <= columns) {
        const auto low = load.template operator()<8>(column);
        const auto high = load.template operator()<8>(column + 8);
        store(column, low);
        store(column + 8, high);
    } else {
        R9V_ROLLED
        for (; column < columns; ++column)
            store(column, load.template operator()<1>(column));
    }
}

/// One item of a row of `x`: turned where it belongs to the embedding.
template<class Rotary, class View, class Store>
R9V_INLINE void move_item(const Rotary& rotary, const row_items& items, const View& x,
                          const row_item& at, index_t position, Store store) {
    const auto* row = x.data + index_t{at.batch} * x.strides[0] + index_t{at.head} * x.strides[1] +
                      index_t{at.token} * x.strides[2];
    const auto load = [&]<int Width>(index_t column) {
        return cache_math::load<Width>(row, column);
    };
    index_t copied = index_t{at.item} * 16;
    if constexpr (r9v::detail::is_rotary<Rotary>) {
        if (at.item < items.turned) {
            turn_item(rotary, position, at.item, load, store);
            return;
        }
        copied = rotary.dim + index_t{at.item - items.turned} * 16;
    }
    copy_item(copied, x.extents[3], load, store);
}

/// One item into the cache, if its token has a place there.
template<class Rotary, class Head, class View, class Cache, class Part>
R9V_INLINE void append_item(const Head& head, const Rotary& rotary, const row_items& items,
                            const View& x, const row_item& at, const Cache& cache, const Part& part,
                            float inverse) {
    const cache_place to = cache.rows.of(at.batch, at.token, head.tokens());
    if (!to.exists) return;
    index_t position = 0;
    if constexpr (r9v::detail::is_rotary<Rotary>)
        position = rotary.positions.of(at.batch, at.token, to.position);
    auto* row = part.data + to.page * part.strides[0] + index_t{at.head} * part.strides[1] +
                to.row * part.strides[2];
    move_item(rotary, items, x, at, position,
              [&]<int Width>(index_t column, run<float, Width> values) {
                  R9V_UNROLL
                  for (float& value : values)
                      value *= inverse;
                  cache_math::store<Width>(row, column, values);
              });
}

template<class Target, cache_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void rotate_kernel([[maybe_unused]] Program program, [[maybe_unused]] cache_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        const std::uint32_t index = arch::block_x() * Tile.threads + arch::thread_index();
        if (index >= geometry.keys.count) return;
        const row_item at = item_at(geometry.keys, geometry, index);
        const auto& head = program.head;
        const index_t position = head.rotary.positions.of(at.batch, at.token, at.token);
        move_item(head.rotary, geometry.keys, head.x, at, position,
                  [&]<int Width>(index_t column, const run<float, Width>& values) {
                      typename states_of<cache_math, typename Program::chain_type>::type states;
                      const coordinate here{.batch_base = at.batch,
                                            .row_base = at.token,
                                            .column_base = column,
                                            .head_base = at.head};
                      evaluate(cache_math{}, program.chain, states, here, values);
                  });
    }
}

/// Items of keys first, then those of values.
template<class Target, cache_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void append_kernel([[maybe_unused]] Program program, [[maybe_unused]] cache_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        const std::uint32_t index = arch::block_x() * Tile.threads + arch::thread_index();
        const auto& head = program.head;
        const auto& to = get<0>(program.chain.ops);
        if (index < geometry.keys.count) {
            append_item(head, head.rotary, geometry.keys, head.k,
                        item_at(geometry.keys, geometry, index), to.cache, to.cache.keys,
                        to.inverse.key);
        } else if (index - geometry.keys.count < geometry.values.count) {
            append_item(head, no_rotary{}, geometry.values, head.v,
                        item_at(geometry.values, geometry, index - geometry.keys.count), to.cache,
                        to.cache.values, to.inverse.value);
        }
    }
}

} // namespace r9v::inline R9V_ABI::kernels
