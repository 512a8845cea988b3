// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Masks with random parameters, each beside a plain statement of what it keeps, for tests that
// compare the two.
#pragma once

#include <r9v/ops.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace r9v_test {

using r9v::index_t;

/// Position of a score.
struct score_at {
    index_t batch, head, row, column;
};

/// Keeps blocks of columns by the row's and the column's block number, as documents do.
struct same_block {
    index_t size;
    constexpr bool operator()(index_t batch, index_t, index_t query, index_t key) const {
        return (query + batch) / size == key / size;
    }
    constexpr r9v::tile_answer tile(const r9v::score_tile& t) const {
        const index_t first = (t.row_begin + t.batch) / size;
        const index_t last = (t.row_end - 1 + t.batch) / size;
        const index_t key_first = t.column_begin / size;
        const index_t key_last = (t.column_end - 1) / size;
        if (last < key_first || key_last < first) return r9v::tile_answer::none;
        return first == last && key_first == key_last && first == key_first
                   ? r9v::tile_answer::all
                   : r9v::tile_answer::some;
    }
};

/// The same with ranges of columns instead of tile answers.
struct same_block_columns {
    index_t size;
    constexpr bool operator()(const r9v::coordinate& at) const {
        return at.query() / size == at.key() / size;
    }
    constexpr r9v::column_range columns(const r9v::row_range& rows) const {
        const index_t first = rows.begin / size;
        const index_t last = (rows.end - 1) / size;
        return {first * size, (last + 1) * size, last * size, (first + 1) * size};
    }
};

/// One kind of mask with random parameters; `make()` gives the bound op, `keeps(at)` is the truth.
struct mask_source {
    std::mt19937_64& engine;
    r9v::extents size;

    index_t pick(index_t low, index_t high) const {
        return std::uniform_int_distribution<index_t>{low, high}(engine);
    }
    /// 0, small, beyond the sizes, huge, and "no bound" as engines write it.
    index_t pick_width() const {
        switch (pick(0, 5)) {
        case 0:
            return 0;
        case 1:
            return -1;
        case 2:
            return std::numeric_limits<index_t>::max();
        case 3:
            return pick(0, size.columns + size.rows + 2);
        default:
            return pick(0, 7);
        }
    }
    r9v::corner pick_corner() const { return pick(0, 1) == 0 ? r9v::top_left : r9v::bottom_right; }
};

template<class Op, class Truth>
struct sampled_mask {
    Op op;
    Truth keeps;
    std::string name;
    std::shared_ptr<void> memory{}; ///< what the op's view leads to
    /// Whether ranges of columns are as narrow as they can be.
    bool is_exact = true;
};
template<class Op, class Truth>
sampled_mask(Op, Truth, std::string) -> sampled_mask<Op, Truth>;
template<class Op, class Truth, class Memory>
sampled_mask(Op, Truth, std::string, Memory, bool) -> sampled_mask<Op, Truth>;

inline auto sample_causal(const mask_source& from) {
    const r9v::corner side = from.pick_corner();
    const index_t shift = side == r9v::bottom_right ? from.size.columns - from.size.rows : 0;
    return sampled_mask{r9v::causal(side),
                        [=](const score_at& at) { return at.column <= at.row + shift; },
                        side == r9v::top_left ? "causal(top_left)" : "causal(bottom_right)"};
}

inline auto sample_window(const mask_source& from) {
    const r9v::corner side = from.pick_corner();
    const index_t left = from.pick_width();
    const index_t right = from.pick_width();
    const index_t shift = side == r9v::bottom_right ? from.size.columns - from.size.rows : 0;
    return sampled_mask{r9v::window(left, right, side),
                        [=](const score_at& at) {
                            const index_t behind = at.row + shift - at.column;
                            return (left < 0 || behind <= left) && (right < 0 || -behind <= right);
                        },
                        "window(" + std::to_string(left) + ", " + std::to_string(right) +
                            (side == r9v::top_left ? ", top_left)" : ")")};
}

inline auto sample_sliding_window(const mask_source& from) {
    const index_t count = from.pick_width();
    const index_t shift = from.size.columns - from.size.rows;
    return sampled_mask{r9v::window(count),
                        [=](const score_at& at) {
                            const index_t behind = at.row + shift - at.column;
                            return behind >= 0 && (count < 0 || behind < count);
                        },
                        "window(" + std::to_string(count) + ")"};
}

inline auto sample_prefix(const mask_source& from) {
    const index_t length = from.pick(-2, from.size.columns + 3);
    return sampled_mask{r9v::prefix(length), [=](const score_at& at) { return at.column < length; },
                        "prefix(" + std::to_string(length) + ")"};
}

inline auto sample_lengths(const mask_source& from) {
    const auto lengths =
        std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(from.size.batches));
    for (auto& length : *lengths)
        length = static_cast<std::int32_t>(from.pick(-2, from.size.columns + 3));
    const r9v::host_tensor<const std::int32_t, 1> view{lengths->data(), {from.size.batches}};
    return sampled_mask{r9v::prefix(view),
                        [lengths](const score_at& at) {
                            return at.column < (*lengths)[static_cast<std::size_t>(at.batch)];
                        },
                        "prefix(lengths)", std::static_pointer_cast<void>(lengths), true};
}

inline auto sample_blocks(const mask_source& from) {
    const same_block same{from.pick(1, 9)};
    return sampled_mask{
        r9v::keep_if(same),
        [=](const score_at& at) { return same(at.batch, at.head, at.row, at.column); },
        "keep_if(tiles of " + std::to_string(same.size) + ")", std::shared_ptr<void>{}, false};
}

inline auto sample_block_columns(const mask_source& from) {
    const index_t size = from.pick(1, 9);
    return sampled_mask{r9v::keep_if(same_block_columns{size}),
                        [=](const score_at& at) { return at.row / size == at.column / size; },
                        "keep_if(columns of " + std::to_string(size) + ")"};
}

inline auto sample_functor(const mask_source& from) {
    const auto hash = [salt = from.pick(1, 1000)](index_t b, index_t h, index_t q, index_t k) {
        return ((b * 7 + h * 13 + q * 31 + k * 17 + salt) * 2654435761 >> 7) % 3 != 0;
    };
    return sampled_mask{
        r9v::keep_if(hash),
        [=](const score_at& at) { return hash(at.batch, at.head, at.row, at.column); },
        "keep_if(lambda)", std::shared_ptr<void>{}, false};
}

/// Values of a mask's tensor, with one entry along random axes, and the view of rank `Rank`.
template<class T, int Rank>
struct mask_values {
    std::vector<T> values;
    index_t extents[4] = {1, 1, 1, 1}; ///< [batch, head, row, column]

    mask_values(const mask_source& from, auto make) {
        const index_t full[4] = {from.size.batches, from.size.heads, from.size.rows,
                                 from.size.columns};
        constexpr bool has[4] = {Rank >= 3, Rank == 4, true, true};
        for (int axis = 0; axis < 4; ++axis)
            if (has[axis] && from.pick(0, 3) != 0) extents[axis] = full[axis];
        values.resize(static_cast<std::size_t>(extents[0] * extents[1] * extents[2] * extents[3]));
        for (T& value : values)
            value = make();
    }
    r9v::host_tensor<const T, Rank> view() const {
        if constexpr (Rank == 2) {
            return {values.data(), {extents[2], extents[3]}};
        } else if constexpr (Rank == 3) {
            return {values.data(), {extents[0], extents[2], extents[3]}};
        } else {
            return {values.data(), {extents[0], extents[1], extents[2], extents[3]}};
        }
    }
    T at(const score_at& at) const {
        const index_t position[4] = {at.batch, at.head, at.row, at.column};
        index_t index = 0;
        for (int axis = 0; axis < 4; ++axis)
            index = index * extents[axis] + (extents[axis] == 1 ? 0 : position[axis]);
        return values[static_cast<std::size_t>(index)];
    }
};

template<int Rank>
auto sample_bias(const mask_source& from) {
    const auto bias = std::make_shared<mask_values<float, Rank>>(from, [&] {
        const index_t kind = from.pick(0, 3);
        return kind == 0   ? -std::numeric_limits<float>::infinity()
               : kind == 1 ? 0.0f
                           : static_cast<float>(from.pick(-60000, 60000));
    });
    return sampled_mask{r9v::add_mask(bias->view()),
                        [bias](const score_at& at) {
                            return bias->at(at) != -std::numeric_limits<float>::infinity();
                        },
                        "add_mask(rank " + std::to_string(Rank) + ")",
                        std::static_pointer_cast<void>(bias), false};
}

template<int Rank>
auto sample_booleans(const mask_source& from) {
    const auto flags = std::make_shared<mask_values<std::uint8_t, Rank>>(
        from, [&] { return static_cast<std::uint8_t>(from.pick(0, 1) * from.pick(1, 255)); });
    return sampled_mask{
        r9v::where(flags->view()), [flags](const score_at& at) { return flags->at(at) != 0; },
        "where(rank " + std::to_string(Rank) + ")", std::static_pointer_cast<void>(flags), false};
}

} // namespace r9v_test
