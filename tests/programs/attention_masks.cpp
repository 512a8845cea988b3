// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Every mask alone, in pairs and together, over sides and widths that vary at run time: one program
// holds all masks, and those that a case does not name keep everything.

#include "attention_test.hpp"

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

/// The bits of attention_case::masks.
enum : unsigned {
    by_window = 1,
    by_prefix = 2,
    by_bias = 4,
    by_where = 8,
    by_alibi = 16,
    by_functor = 32,
};
constexpr unsigned mask_count = 6;

/// Documents of `size` positions; a query sees its own. `size` 0 keeps everything.
struct same_document {
    index_t size = 0;

    R9V_HD bool operator()(index_t, index_t head, index_t query, index_t key) const {
        return size == 0 || (query + head) / size == key / size;
    }
    R9V_HD tile_answer tile(const score_tile& t) const {
        if (size == 0) return tile_answer::all;
        const index_t first = (t.row_begin + t.head) / size;
        const index_t last = (t.row_end - 1 + t.head) / size;
        if (t.column_begin / size > last || (t.column_end - 1) / size < first)
            return tile_answer::none;
        const bool one =
            first == last && t.column_begin / size == first && (t.column_end - 1) / size == first;
        return one ? tile_answer::all : tile_answer::some;
    }
};

/// Extents of a bias or of booleans: whole, or one entry along some axes.
struct mask_shape {
    extent sizes[4];

    mask_shape(const attention_case& c, bool used) {
        const bool whole[4][4] = {
            {true, true, true, true}, // [batch, head, query, key]
            {false, false, true, true},
            {true, false, false, true},
            {false, true, true, false},
        };
        const index_t all[4] = {c.batch, c.heads(), c.queries, c.keys};
        for (int axis = 0; axis < 4; ++axis)
            sizes[axis] = used && whole[c.variant][axis] ? all[axis] : 1;
    }
};

constexpr double infinity = std::numeric_limits<double>::infinity();

template<class Memory>
auto bias_input(Memory& memory, const attention_case& c) {
    const bool used = (c.masks & by_bias) != 0;
    const auto value = [=](const position&, double x) {
        return !used ? 0 : x > 1.2 ? -infinity : x;
    };
    return memory.template filled<float>(mask_shape(c, used).sizes, value, {}, {-2, 2});
}

template<class Memory>
auto kept_input(Memory& memory, const attention_case& c) {
    const bool used = (c.masks & by_where) != 0;
    const auto value = [=](const position&, double x) {
        return !used || x < 180 ? x + 1 : 0;
    };
    return memory.template filled<std::uint8_t>(mask_shape(c, used).sizes, value, {}, {0, 250});
}

template<class Memory>
auto lengths_input(Memory& memory, const attention_case& c) {
    std::vector<std::int32_t> lengths;
    for (index_t batch = 0; batch < c.batch; ++batch) {
        const index_t length = (c.masks & by_prefix) != 0 ? (c.keys * (batch + 1)) / 3 : c.keys;
        lengths.push_back(static_cast<std::int32_t>(length - (c.variant == 3 && batch == 1)));
    }
    return memory.indices({c.batch}, lengths);
}

/// All masks but causal, behind one another.
template<class Memory>
auto every_mask(Memory& memory, const attention_case& c) {
    const bool windowed = (c.masks & by_window) != 0;
    const index_t left = windowed ? c.left : -1;
    const index_t right = windowed ? c.right : -1;
    const same_document document{(c.masks & by_functor) != 0 ? 3 + c.variant * 20 : 0};
    return window(left, right, c.side) | prefix(lengths_input(memory, c)) |
           add_mask(bias_input(memory, c)) | where(kept_input(memory, c)) | keep_if(document);
}

template<class Memory>
auto slopes_of(Memory& memory, const attention_case& c) {
    const bool used = (c.masks & by_alibi) != 0;
    return alibi(memory.template filled<float>(
        {c.heads()}, [=](const position&, double x) { return used ? x * x * 0.1 : 0; }));
}

/// Every mask alone, and every pair, with bounds of the window that the case picks.
std::vector<attention_case> cases_of_masks(const std::vector<index_t>& dims) {
    std::vector<unsigned> sets{0};
    for (unsigned first = 0; first < mask_count; ++first)
        for (unsigned second = first; second < mask_count; ++second)
            sets.push_back(1u << first | 1u << second);
    sets.push_back((1u << mask_count) - 1);
    auto cases = random_attention_cases(sets.size(), dims, 1.5e6);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        constexpr index_t widths[] = {0, 3, 20, 70, -1};
        cases[i].masks = sets[i];
        cases[i].left = widths[i % 5];
        cases[i].right = widths[(i / 2 + 2) % 5];
    }
    for (const unsigned set : {0u, 1u << mask_count}) {
        cases.push_back(crowded_case(1, 290, 3));
        cases.back().masks = set == 0 ? 0 : set - 1;
        cases.back().left = 200;
        cases.back().right = 7;
    }
    return cases;
}

TEST(attention_masks, alone_in_pairs_and_together) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q, k, v,
                                 scale(c.scale()) | slopes_of(memory, c) | every_mask(memory, c)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        cases_of_masks({16, 40, 64}));
}

TEST(attention_masks, each_with_either_causal) {
    auto cases = random_attention_cases(2 * (mask_count + 1), {64, 128}, 1.5e6);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        cases[i].side = i % 2 == 0 ? top_left : bottom_right;
        cases[i].masks = i / 2 < mask_count ? 1u << i / 2 : (1u << mask_count) - 1;
        cases[i].left = 12;
        cases[i].right = 5;
    }
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<128>(q, k, v,
                                  scale(c.scale()) | slopes_of(memory, c) | causal(c.side) |
                                      every_mask(memory, c)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        cases);
}

// Kernels know where a causal mask alone keeps everything, and test nothing there.
TEST(attention_masks, causal_alone) {
    auto cases = random_attention_cases(16, {112, 128});
    for (const corner side : {top_left, bottom_right}) {
        for (const auto& [queries, keys] :
             {std::pair<index_t, index_t>{2, 5}, {5, 2}, {200, 200}, {128, 513}, {513, 65}}) {
            attention_case c;
            c.queries = queries;
            c.keys = keys;
            c.side = side;
            c.dim = c.value_dim = queries > 100 ? 72 : 128;
            cases.push_back(c);
        }
    }
    // The diagonal at every distance from the ends of tiles, and of the steps of a wave.
    for (index_t keys = 33; keys <= 64; ++keys) {
        attention_case c;
        c.queries = 4;
        c.keys = keys;
        c.dim = c.value_dim = 16;
        cases.push_back(c);
    }
    for (const index_t keys : {258, 261, 263})
        cases.push_back(crowded_case(4, keys));
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention(q, k, v, scale(c.scale()) | causal(c.side)) | log_sum_exp_rows(lse) |
                   store(o);
        },
        cases);
}

TEST(attention_masks, causal_with_a_window) {
    auto cases = random_attention_cases(12, {64, 48});
    constexpr index_t widths[] = {1, 5, 64, 100, 0, -1};
    for (std::size_t i = 0; i < cases.size(); ++i)
        cases[i].left = widths[i % 6];
    check_attention<bf16>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<bf16, bf16>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q, k, v,
                                 scale(c.scale()) | causal(bottom_right) | window(c.left)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        cases);
}

} // namespace

} // namespace r9v_test
