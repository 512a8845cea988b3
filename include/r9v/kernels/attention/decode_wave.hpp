// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention for few queries: a bandwidth problem. A block reads its part of the keys and values of
// one key head once, for all queries of the heads that share it. Products are sums of lanes, the
// softmax runs on one score a lane, and nothing but its weights is handed back to all lanes.
#pragma once

#include <r9v/arch/common/reduce.hpp>
#include <r9v/arch/gfx12/product.hpp>
#include <r9v/kernels/attention/decode_stream.hpp>
#include <r9v/kernels/attention/finish_rows.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<attention_tile Tile, class Program>
class decode_wave {
    using head_type = typename Program::head_type;
    using element = typename head_type::element;
    using scores_type = typename head_type::scores_type;
    using layout = decode_layout<Tile, head_type::dims>;
    using math = tile::device_math<index_t>;
    static constexpr int rows = layout::rows;
    static constexpr int loads = layout::loads;
    static constexpr int near_lanes = layout::near_lanes;
    using place_of_sum = arch::folded_sums<near_lanes, rows * loads>;
    static constexpr int a_lane = place_of_sum::a_lane; ///< scores of a lane, all of one row
    static constexpr int row_lanes = near_lanes / rows;
    using every_load = std::make_integer_sequence<int, loads>;
    using keys_type = decltype(std::declval<const head_type&>().k.rows(0, 0));
    using values_type = decltype(std::declval<const head_type&>().v.rows(0, 0));

public:
    R9V_INLINE decode_wave(const Program& program, const attention_geometry& geometry,
                           const attention_sequence& sequence, const decode_place& place)
        : program_{program},
          sequence_{sequence},
          scores_{scores_of(program.head, sequence)},
          place_{place},
          ratio_{geometry.ratio},
          first_score_{place_of_sum::first()},
          group_{static_cast<int>(arch::lane_index()) / layout::lanes},
          keys_{program.head.k.rows(place.sequence, place.key_head), program.head.key_dim()},
          values_{program.head.v.rows(place.sequence, place.key_head), program.head.value_dim()} {
        const auto row = row_at(first_score_ / loads);
        const std::uint32_t first = arch::uniform(row_at(0).query);
        at_ = sequence_.score(row.head, first, 0, static_cast<std::int32_t>(row.query - first));
        scale_ = leading_scale(math{}, scores_, at_);
    }

    /// Row `r` of the block; those behind the last repeat it.
    [[nodiscard]] R9V_INLINE decode_row row_at(int r) const {
        const auto last = static_cast<std::uint32_t>(sequence_.queries) * ratio_.value - 1;
        const std::uint32_t at = place_.row + static_cast<std::uint32_t>(r);
        const std::uint32_t row = at < last ? at : last;
        const std::uint32_t query = ratio_.quotient(row);
        return {place_.key_head * ratio_.value + (row - query * ratio_.value), query};
    }

    /// Keys that matter to any of the rows, and among them those that matter to all.
    [[nodiscard]] R9V_INLINE decode_range columns() const {
        if constexpr (!scores_type::has_mask) {
            return narrow({0, sequence_.keys, 0, sequence_.keys});
        } else {
            const index_t begin = row_at(0).query;
            const index_t end = row_at(rows - 1).query + 1;
            column_range all = columns_of(place_.key_head * ratio_.value, begin, end);
            R9V_ROLLED
            for (std::uint32_t h = 1; h < ratio_.value; ++h)
                all = united(all, columns_of(place_.key_head * ratio_.value + h, begin, end));
            return narrow(all);
        }
    }

    /// Sends for the first of keys [begin, end) and their values, if any, and hands the queries to
    /// all waves through LDS: once for a block, since their prologue may be long.
    R9V_INLINE void start(std::int32_t begin, std::int32_t end, arch::local_bytes lds) {
        static_assert(layout::waves * arch::wave_size >= rows * layout::lanes);
        const auto thread = static_cast<int>(arch::thread_index());
        const int column = thread % layout::lanes * 8;
        const bool exists = thread < rows * layout::lanes && column < program_.head.key_dim();
        const decode_row row = row_at(exists ? thread / layout::lanes : 0);
        if (begin < end) {
            keys_.seek(begin, end);
            values_.seek(begin, end);
        }
        arch::words4 loaded{};
        if (exists) loaded = load_query(row, column);
        if (begin < end) {
            keys_.load_first(begin, end, k_);
            values_.load_first(begin, end, v_);
        }
        if (thread < rows * layout::lanes)
            arch::store_local(lds, arch::thread_index() * 16,
                              exists ? treat_query(row, column, loaded) : loaded);
        arch::barrier();
        const std::uint32_t chunk = arch::lane_index() % layout::lanes * 16;
        R9V_UNROLL
        for (int r = 0; r < rows; ++r)
            queries_[r] =
                arch::load_local(lds, chunk + static_cast<std::uint32_t>(r * layout::lanes * 16));
        is_ragged_ = program_.head.key_dim() < layout::lanes * 8;
        has_dims_ = arch::lane_index() % layout::lanes * 8 <
                    static_cast<std::uint32_t>(program_.head.key_dim());
    }

    /// Adds keys [begin, end) to the sums, behind start() with the same; inside [range.all_begin,
    /// range.all_end) no mask is tested.
    R9V_INLINE void walk(std::int32_t begin, std::int32_t end, const decode_range& range) {
        if (begin >= end) return;
        keys_.settle();
        values_.settle();
        // The last step is a body of its own: behind loads that may not have been issued the
        // compiler would wait for all of them.
        for (; begin + layout::step < end; begin += layout::step) {
            const std::int32_t next = begin + layout::step;
            const bool whole = begin >= range.all_begin && next <= range.all_end;
            float x[rows * loads];
            multiply(k_, x);
            keys_.load(next, end, k_);
            weigh(x, begin, range.end, whole);
            add_values(x, every_load{});
            values_.load(next, end, v_);
        }
        float x[rows * loads];
        multiply(k_, x);
        weigh(x, begin, range.end, false);
        add_values(x, every_load{});
    }

    /// Sums of all groups of lanes, in each of them.
    R9V_INLINE void join_groups() {
        sum_ = over_row_lanes(sum_, [](float a, float b) { return a + b; });
        R9V_UNROLL
        for (int distance = layout::lanes; distance < arch::wave_size; distance *= 2) {
            const float all = arch::maximum(largest_, crossed(largest_, distance));
            rescale(all);
            sum_ += crossed(sum_, distance);
            R9V_UNROLL
            for (int i = 0; i < rows * 8; ++i)
                sums_[i / 8][i % 8] += crossed(sums_[i / 8][i % 8], distance);
        }
    }

    /// Leaves the wave's sums in LDS.
    R9V_INLINE void park(arch::local_bytes sums, arch::local_bytes scales) const {
        const auto lane = static_cast<int>(arch::lane_index());
        R9V_UNROLL
        for (int r = 0; r < rows; ++r) {
            if (r % layout::groups != group_) continue;
            arch::floats8 row;
            R9V_UNROLL
            for (int i = 0; i < 8; ++i)
                row[i] = sums_[r][i];
            const auto to = static_cast<std::uint32_t>(r * layout::padded_value * 4 +
                                                       lane % layout::lanes * 16);
            arch::store_local_floats(sums, to, to + layout::lanes * 16, row);
        }
        if (lane < near_lanes && lane % row_lanes == 0) {
            const auto to = static_cast<std::uint32_t>(lane / row_lanes * 8);
            arch::store_local_float(scales, to, largest_);
            arch::store_local_float(scales, to + 4, sum_);
        }
    }

    /// Adds what another wave has left in LDS.
    R9V_INLINE void absorb(arch::local_bytes sums, arch::local_bytes scales) {
        const auto lane = static_cast<int>(arch::lane_index());
        const auto from = static_cast<std::uint32_t>(lane % near_lanes / row_lanes * 8);
        const float largest = arch::load_local_float(scales, from);
        rescale(arch::maximum(largest_, largest));
        const float factor = weight_of(largest, largest_);
        sum_ += factor * arch::load_local_float(scales, from + 4);
        [&]<int... Rs>(std::integer_sequence<int, Rs...>) {
            (absorb_row<Rs>(sums, arch::from_group_lane<near_lanes, Rs * row_lanes>(factor)), ...);
        }(std::make_integer_sequence<int, rows>{});
    }

private:
    template<int Row>
    R9V_INLINE void absorb_row(arch::local_bytes sums, float factor) {
        const auto from =
            static_cast<std::uint32_t>(Row * layout::padded_value * 4 +
                                       static_cast<int>(arch::lane_index()) % layout::lanes * 16);
        const arch::floats8 row = arch::load_local_floats(sums, from, from + layout::lanes * 16);
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            sums_[Row][i] = arch::fma(factor, row[i], sums_[Row][i]);
    }
    R9V_INLINE static decode_range narrow(const column_range& range) {
        return {uniform(range.begin), uniform(range.end), uniform(range.all_begin),
                uniform(range.all_end)};
    }
    R9V_INLINE static std::int32_t uniform(index_t value) {
        return static_cast<std::int32_t>(arch::uniform(static_cast<std::uint32_t>(value)));
    }
    R9V_INLINE column_range columns_of(index_t head, index_t begin, index_t end) const {
        return r9v::columns_of(scores_, {sequence_.index, head, begin, end}, sequence_.keys);
    }
    R9V_INLINE static column_range united(const column_range& a, const column_range& b) {
        if (a.begin >= a.end) return {b.begin, b.end, b.begin, b.begin};
        if (b.begin >= b.end) return {a.begin, a.end, a.begin, a.begin};
        return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end,
                a.all_begin > b.all_begin ? a.all_begin : b.all_begin,
                a.all_end < b.all_end ? a.all_end : b.all_end};
    }

    R9V_INLINE arch::words4 load_query(const decode_row& row, int column) const {
        const auto from = program_.head.q.rows.rows(sequence_.index, row.head);
        return arch::load_global<16>(arch::to_global(from.first + from.offset(row.query)),
                                     index_t{2 * column});
    }
    /// A query's 8 elements after its prologue.
    R9V_INLINE arch::words4 treat_query([[maybe_unused]] const decode_row& row,
                                        [[maybe_unused]] int column, arch::words4 words) const {
        if constexpr (decltype(program_.head.q.prologue)::size != 0) {
            run<float, 8> values;
            R9V_UNROLL
            for (int i = 0; i < 8; ++i)
                values[i] = arch::element_to_float<element>(words[i / 2], i % 2);
            values = r9v::transform(math{}, program_.head.q.prologue,
                                    sequence_.result(row.head, row.query, 0, 0, column), values);
            R9V_UNROLL
            for (int i = 0; i < 4; ++i)
                words[i] = arch::word_from_floats<element>(values.begin() + 2 * i);
        }
        return words;
    }

    /// x[r * loads + i]: row r times the key of load i.
    R9V_INLINE void multiply(arch::words4 (&k)[loads], float (&x)[rows * loads]) const {
        if (is_ragged_) {
            arch::keep_branch();
            R9V_UNROLL
            for (auto& words : k) // the query's zeros are not enough: 0 times infinity is not 0
                words = has_dims_ ? words : arch::words4{};
        }
        R9V_UNROLL
        for (int i = 0; i < loads * rows; ++i) {
            const int row = i % rows; // one load after another, as they come
            float sum = 0.0f;
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                sum = arch::dot<element>(queries_[row][word], k[i / rows][word], sum);
            x[row * loads + i / rows] = sum;
        }
        arch::sum_over_lanes<near_lanes>(x);
        if constexpr (layout::lanes > near_lanes) {
            R9V_UNROLL
            for (int i = 0; i < a_lane; ++i)
                x[i] += arch::other_half(x[i]);
        }
    }

    /// Scores become weights, relative to a largest score that grows only when it must: the sums
    /// stay as they are while weights are below 2^8.
    R9V_INLINE void weigh(float (&x)[rows * loads], std::int32_t begin, std::int32_t end,
                          bool whole) {
        constexpr float patience = 8 / log2_of_e;
        float most = not_kept;
        R9V_UNROLL
        for (int i = 0; i < a_lane; ++i) {
            const std::int32_t offset = key_offset(i);
            coordinate at = at_;
            at.column_base = begin;
            // Ops may read tensors: they see the last key in place of those behind it.
            at.column_offset = begin + offset < end ? offset : end - 1 - begin;
            run<float, 1> score{{x[i] * scale_}};
            score = general_scores(math{}, scores_, at, score);
            if (!whole) {
                score = masked_scores(math{}, scores_, at, score);
                if (begin + offset >= end) score[0] = not_kept;
            }
            x[i] = score[0];
            most = arch::largest(most, x[i]);
        }
        if (arch::lanes_where(most > largest_ + patience) != 0)
            rescale(arch::maximum(largest_, over_row_lanes(most, arch::maximum)));
        R9V_UNROLL
        for (int i = 0; i < a_lane; ++i) {
            const float weight = weight_of(x[i], largest_);
            x[i] = is_kept(x[i]) ? weight : 0.0f;
            sum_ += x[i];
        }
    }

    /// Keys from the first of the step to that of this lane's score `i`.
    [[nodiscard]] R9V_INLINE std::int32_t key_offset(int i) const {
        return (first_score_ % loads + i) * layout::groups + group_;
    }

    /// Makes sums relative to another largest score.
    R9V_INLINE void rescale(float largest) {
        const float factor = weight_of(largest_, largest);
        largest_ = largest;
        sum_ *= factor;
        [&]<int... Rs>(std::integer_sequence<int, Rs...>) {
            (multiply_row(sums_[Rs], arch::from_group_lane<near_lanes, Rs * row_lanes>(factor)),
             ...);
        }(std::make_integer_sequence<int, rows>{});
    }
    R9V_INLINE static void multiply_row(float (&row)[8], float factor) {
        R9V_UNROLL
        for (float& sum : row)
            sum *= factor;
    }

    /// What the lanes with scores of one row hold together.
    template<class Join>
    R9V_INLINE static float over_row_lanes(float value, Join join) {
        R9V_UNROLL
        for (int distance = near_lanes / place_of_sum::spread; distance < row_lanes; distance *= 2)
            value = join(value, crossed(value, distance));
        return value;
    }
    R9V_INLINE static float crossed(float value, int distance) {
        switch (distance) {
        case 1:
            return arch::crossed<1>(value);
        case 2:
            return arch::crossed<2>(value);
        case 4:
            return arch::crossed<4>(value);
        case 8:
            return arch::crossed<8>(value);
        default:
            return arch::crossed<16>(value);
        }
    }

    template<int... Is>
    R9V_INLINE void add_values(const float (&weights)[rows * loads],
                               std::integer_sequence<int, Is...>) {
        ((add_load<Is>(weights, v_[Is], std::make_integer_sequence<int, rows>{}),
          arch::schedule_fence()),
         ...);
        R9V_UNROLL
        for (auto& row : sums_)
            arch::pin(row);
    }
    template<int Load, int... Rs>
    R9V_INLINE void add_load(const float (&weights)[rows * loads], const arch::words4& v,
                             std::integer_sequence<int, Rs...>) {
        float values[8];
        R9V_UNROLL
        for (int i = 0; i < 8; ++i) {
            values[i] = arch::element_to_float<element>(v[i / 2], i % 2);
            // The upper half of a word is converted by one instruction with a one that the compiler
            // does not know, by two without.
            if constexpr (scores_type::has_mask && std::is_same_v<element, half>)
                values[i] = arch::fma(values[i], arch::hidden_one(), 0.0f);
        }
        (add_row(sums_[Rs], weight_at<Rs * loads + Load>(weights), values), ...);
    }
    /// The weight of sum `Sum`, in all lanes of the group.
    template<int Sum>
    R9V_INLINE static float weight_at(const float (&weights)[rows * loads]) {
        return arch::from_group_lane<near_lanes, place_of_sum::lane(Sum)>(
            weights[place_of_sum::place(Sum)]);
    }
    /// Where a mask does not keep a key, its weight is 0 and the values may be anything.
    R9V_INLINE static void add_row(float (&row)[8], float weight, const float (&values)[8]) {
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            row[i] = scores_type::has_mask ? arch::multiply_add_zero_wins(weight, values[i], row[i])
                                           : arch::fma(weight, values[i], row[i]);
    }

    const Program& program_;
    const attention_sequence& sequence_;
    scores_type scores_;
    decode_place place_;
    tile::divisor ratio_;
    int first_score_; ///< of this lane's, counted through rows and loads
    int group_;
    decode_stream<layout, keys_type> keys_;
    decode_stream<layout, values_type> values_;
    coordinate at_;  ///< of this lane's row of scores
    float scale_;    ///< of its scores
    bool is_ragged_; ///< whether some lanes have no dims of k
    bool has_dims_;  ///< and whether this one does
    arch::words4 queries_[rows];
    arch::words4 k_[loads];
    arch::words4 v_[loads];

    float largest_ = not_kept; ///< that weights of this lane's row are relative to
    float sum_ = 0.0f;         ///< of this lane's weights
    float sums_[rows][8] = {}; ///< of weighted values, in this lane's dims
};

} // namespace r9v::inline R9V_ABI::kernels
