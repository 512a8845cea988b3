// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Tiles of keys and values on their way: global memory, registers, LDS. Rows and columns that do
// not exist are never read: what is loaded instead repeats the last one that does.
#pragma once

#include <r9v/kernels/attention/prefill_shape.hpp>
#include <r9v/kernels/attention/rows.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class T>
[[nodiscard]] R9V_INLINE T least(T a, T b) {
    return a < b ? a : b;
}

/// The same rows with everything in scalar registers: sizes of sequences are read on the device,
/// and the compiler may have done so by the vector unit.
template<class T>
[[nodiscard]] R9V_INLINE strided_rows<T> uniform_rows(const strided_rows<T>& rows) {
    return {arch::uniform(rows.first), arch::uniform(rows.stride), arch::uniform(rows.rows)};
}
template<class T>
[[nodiscard]] R9V_INLINE paged_rows<T> uniform_rows(paged_rows<T> rows) {
    rows.rows = arch::uniform(rows.rows);
    return rows;
}

/// Bytes from the first row of all to a lane's row.
template<class T>
[[nodiscard]] R9V_INLINE index_t bytes_to(const paged_rows<T>& rows, index_t row) {
    const auto at = static_cast<std::uint32_t>(row);
    const std::uint32_t page = rows.page_size.quotient(at);
    const auto entry =
        static_cast<std::int32_t>(arch::load_global<4>(arch::to_global(rows.pages), 4 * page));
    const std::uint32_t in_page = at - page * rows.page_size.value;
    return 2 * (index_t{entry} * rows.page_stride + index_t{in_page} * rows.stride);
}

/// The table entry of a row that the whole wave shares.
template<class T>
[[nodiscard]] R9V_INLINE std::int32_t entry_of(const paged_rows<T>& rows, std::uint32_t row) {
    return static_cast<std::int32_t>(
        arch::load_uniform(arch::to_global(rows.pages), 4 * rows.page_size.quotient(row)));
}
/// The first byte of that row, once its entry is known.
template<class T>
[[nodiscard]] R9V_INLINE arch::global_bytes base_of(const paged_rows<T>& rows, std::uint32_t row,
                                                    std::int32_t entry) {
    const std::uint32_t in_page = row - rows.page_size.quotient(row) * rows.page_size.value;
    return arch::to_global(rows.first) +
           2 * (index_t{entry} * rows.page_stride + index_t{in_page} * rows.stride);
}

/// What a thread moves of every tile, from the numbers of its wave and lane.
template<class Shape>
struct stage_share {
    std::uint32_t wave;
    std::uint32_t lane;
    std::uint32_t dim;
    std::uint32_t value_dim;

    static constexpr std::uint32_t lanes_a_key = Shape::lanes_a_key;
    static constexpr std::uint32_t keys = Shape::keys;
    static constexpr std::uint32_t keys_a_pass = Shape::keys_a_pass;
    static constexpr std::uint32_t waves = Shape::waves;
    static constexpr std::uint32_t value_groups = Shape::value_groups;

    [[nodiscard]] R9V_INLINE std::uint32_t key_row(std::uint32_t i) const {
        const std::uint32_t row = (wave * 32 + lane) / lanes_a_key + i * keys_a_pass;
        return keys < keys_a_pass ? least(row, keys - 1) : row;
    }
    [[nodiscard]] R9V_INLINE std::uint32_t key_chunk() const {
        return least(lane % lanes_a_key, dim / 8 - 1);
    }
    [[nodiscard]] R9V_INLINE std::uint32_t key_place(std::uint32_t i) const {
        const std::uint32_t row = (wave * 32 + lane) / lanes_a_key + i * keys_a_pass;
        return Shape::key_rows::offset(row, key_chunk());
    }
    [[nodiscard]] R9V_INLINE std::uint32_t value_row(std::uint32_t i) const {
        return first_value_row(i) + lane % 8;
    }
    /// The first of the rows that one access of the wave loads.
    [[nodiscard]] R9V_INLINE std::uint32_t first_key_row(std::uint32_t i) const {
        const std::uint32_t row = wave * (32 / lanes_a_key) + i * keys_a_pass;
        return keys < keys_a_pass ? least(row, keys - 32 / lanes_a_key) : row;
    }
    [[nodiscard]] R9V_INLINE std::uint32_t first_value_row(std::uint32_t i) const {
        return value_block(i) % value_groups * 8;
    }
    [[nodiscard]] R9V_INLINE std::uint32_t value_column(std::uint32_t i) const {
        return least(value_block(i) / value_groups * 32 + lane / 8 * 8, value_dim - 8);
    }
    [[nodiscard]] R9V_INLINE std::uint32_t value_place(std::uint32_t i) const {
        constexpr std::uint32_t behind_keys = Shape::key_bytes;
        return behind_keys + Shape::value_rows::offset(value_block(i) / value_groups * 32 + lane,
                                                       value_block(i) % value_groups);
    }

private:
    [[nodiscard]] R9V_INLINE std::uint32_t value_block(std::uint32_t i) const {
        return wave + i * waves;
    }
};

/// `Rows` is strided_rows or paged_rows; `Shape` a prefill_shape.
template<class Shape, class Rows>
class key_value_stage {
public:
    R9V_INLINE key_value_stage(const Rows& keys, const Rows& values, index_t dim, index_t value_dim)
        : keys_{uniform_rows(keys)},
          values_{uniform_rows(values)},
          dim_{static_cast<std::uint32_t>(dim)},
          value_dim_{static_cast<std::uint32_t>(value_dim)},
          wave_{arch::wave_index()} {
        const auto share = share_of(arch::lane_index());
        R9V_UNROLL
        for (std::uint32_t i = 0; i < Shape::key_passes; ++i) {
            key_to_[i] = share.key_place(i);
            const std::uint32_t from = Rows::is_paged ? share.first_key_row(i) : 0;
            key_offset_[i] =
                offset_of(keys_, share.key_row(i) - from) + bytes(share.key_chunk() * 8);
        }
        R9V_UNROLL
        for (std::uint32_t i = 0; i < Shape::value_passes; ++i) {
            value_to_[i] = share.value_place(i);
            const std::uint32_t from = Rows::is_paged ? share.first_value_row(i) : 0;
            value_offset_[i] =
                offset_of(values_, share.value_row(i) - from) + bytes(share.value_column(i));
        }
    }

    /// Whether load_whole() may be used: pages hold all rows of an access.
    [[nodiscard]] R9V_INLINE bool loads_whole() const {
        if constexpr (Rows::is_paged) {
            constexpr std::uint32_t rows = 32 / Shape::lanes_a_key; // of an access, a power of two
            return keys_.page_size.value % rows == 0 && keys_.page_size.value % 8 == 0 &&
                   values_.page_size.value % 8 == 0;
        } else {
            return true;
        }
    }

    /// Asks the block table for the pages of tile `tile`, well before load_whole() of it.
    R9V_INLINE void look_up(int tile) {
        if constexpr (Rows::is_paged) {
            const auto share = share_of(0);
            const std::uint32_t first = static_cast<std::uint32_t>(tile) * Shape::keys;
            each_key([&](std::uint32_t i) {
                key_entry_[i] = entry_of(keys_, first + share.first_key_row(i));
            });
            each_value([&](std::uint32_t i) {
                value_entry_[i] = entry_of(values_, first + share.first_value_row(i));
            });
        }
    }

    /// Loads tile `tile`, all of whose rows exist, after look_up().
    R9V_INLINE void load_whole(int tile) {
        if constexpr (Rows::is_paged) {
            const auto share = share_of(0);
            const std::uint32_t first = static_cast<std::uint32_t>(tile) * Shape::keys;
            each_key([&](std::uint32_t i) {
                arch::global_bytes base =
                    base_of(keys_, first + share.first_key_row(i), key_entry_[i]);
                arch::hide(base);
                arch::hide(key_offset_[0]);
                key_chunk_[i] = arch::load_global<16>(base, key_offset_[0]);
            });
            each_value([&](std::uint32_t i) {
                arch::global_bytes base =
                    base_of(values_, first + share.first_value_row(i), value_entry_[i]);
                arch::hide(base);
                arch::hide(value_offset_[i]);
                value_chunk_[i] = arch::load_transposed(base, value_offset_[i]);
            });
        } else {
            arch::global_bytes keys = tile_base(keys_, tile);
            arch::global_bytes values = tile_base(values_, tile);
            arch::hide(keys);
            arch::hide(values);
            each_key([&](std::uint32_t i) {
                arch::hide(key_offset_[i]);
                key_chunk_[i] = arch::load_global<16>(keys, key_offset_[i]);
            });
            each_value([&](std::uint32_t i) {
                arch::hide(value_offset_[i]);
                value_chunk_[i] = arch::load_transposed(values, value_offset_[i]);
            });
        }
    }

    /// The same of a tile whose first row exists.
    R9V_INLINE void load_clamped(int tile) {
        const index_t first = index_t{tile} * Shape::keys;
        const index_t left = keys_.rows - first;
        const auto last = static_cast<std::uint32_t>(least<index_t>(left, Shape::keys) - 1);
        const auto share = share_of(arch::fresh_lane_index());
        if constexpr (Rows::is_paged) {
            each_key([&](std::uint32_t i) {
                const index_t row = bytes_to(keys_, first + least(share.key_row(i), last));
                key_chunk_[i] = arch::load_global<16>(arch::to_global(keys_.first),
                                                      row + bytes(share.key_chunk() * 8));
            });
            each_value([&](std::uint32_t i) {
                const index_t row = bytes_to(values_, first + least(share.value_row(i), last));
                value_chunk_[i] = arch::load_transposed(arch::to_global(values_.first),
                                                        row + bytes(share.value_column(i)));
            });
        } else {
            // A column's offsets ascend with the rows: the last row's is the largest.
            each_key([&](std::uint32_t i) {
                key_chunk_[i] = arch::load_global<16>(
                    tile_base(keys_, tile),
                    least(key_offset_[i], offset_of(keys_, last) + bytes(share.key_chunk() * 8)));
            });
            each_value([&](std::uint32_t i) {
                value_chunk_[i] = arch::load_transposed(
                    tile_base(values_, tile),
                    least(value_offset_[i],
                          offset_of(values_, last) + bytes(share.value_column(i))));
            });
        }
    }

    /// Puts what was loaded into a stage.
    R9V_INLINE void store(arch::local_bytes stage) {
        each_key([&](std::uint32_t i) { arch::store_local(stage, key_to_[i], key_chunk_[i]); });
        each_value(
            [&](std::uint32_t i) { arch::store_local(stage, value_to_[i], value_chunk_[i]); });
    }

private:
    [[nodiscard]] R9V_INLINE stage_share<Shape> share_of(std::uint32_t lane) const {
        return {wave_, lane, dim_, value_dim_};
    }

    template<class Do>
    R9V_INLINE void each_key(Do&& act) const {
        R9V_UNROLL
        for (std::uint32_t i = 0; i < Shape::key_passes; ++i)
            act(i);
    }
    template<class Do>
    R9V_INLINE void each_value(Do&& act) const {
        R9V_UNROLL
        for (std::uint32_t i = 0; i < Shape::value_passes; ++i)
            act(i);
    }

    [[nodiscard]] R9V_INLINE static std::uint32_t bytes(std::uint32_t elements) {
        return 2 * elements;
    }
    [[nodiscard]] R9V_INLINE static std::uint32_t offset_of(const Rows& rows, std::uint32_t row) {
        return row * static_cast<std::uint32_t>(2 * rows.stride);
    }
    [[nodiscard]] R9V_INLINE static arch::global_bytes tile_base(const Rows& rows, int tile) {
        return arch::to_global(rows.first) + tile * (2 * Shape::keys * rows.stride);
    }

    Rows keys_;
    Rows values_;
    std::uint32_t dim_;
    std::uint32_t value_dim_;
    std::uint32_t wave_;
    std::uint32_t key_offset_[Shape::key_passes];
    std::uint32_t value_offset_[Shape::value_passes];
    std::uint32_t key_to_[Shape::key_passes];
    std::uint32_t value_to_[Shape::value_passes];
    std::int32_t key_entry_[Shape::key_passes]; ///< of block tables
    std::int32_t value_entry_[Shape::value_passes];
    arch::words4 key_chunk_[Shape::key_passes];
    arch::words4 value_chunk_[Shape::value_passes];
};

/// Zeros where chunks of keys beyond `dim` stand, in both stages: no tile overwrites them.
template<class Shape>
R9V_INLINE void clear_beyond(arch::local_bytes lds, int dim) {
    if (dim == Shape::dim) return;
    const auto beyond = static_cast<std::uint32_t>(Shape::dim - dim) / 8;
    constexpr std::uint32_t keys = Shape::keys;
    R9V_ROLLED
    for (std::uint32_t at = arch::thread_index(); at < 2 * keys * beyond; at += Shape::waves * 32) {
        const std::uint32_t row = at / beyond;
        const std::uint32_t chunk = static_cast<std::uint32_t>(dim) / 8 + at % beyond;
        const std::uint32_t stage = row / keys * Shape::stage_bytes;
        arch::store_local(lds, stage + Shape::key_rows::offset(row % keys, chunk), arch::words4{});
    }
}

} // namespace r9v::inline R9V_ABI::kernels
