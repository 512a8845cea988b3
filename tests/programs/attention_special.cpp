// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scores at the ends of the number line, rows that keep nothing, and memory that no result may see:
// one program over chosen values. Products of q and k are whole numbers, so scores are exact.

#include "attention_test.hpp"

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What stands where; each a function of the position and a random number from -1 to 1.
struct contents {
    double (*q)(const position&, double) = [](const position&, double x) {
        return std::round(x);
    };
    double (*k)(const position&, double) = [](const position&, double x) {
        return std::round(x);
    };
    double (*v)(const position&, double) = [](const position&, double x) {
        return x;
    };
    double (*bias)(const position&, double) = [](const position&, double) {
        return 0.0;
    };
    bool (*kept)(const position&) = [](const position&) {
        return true;
    };
};

/// Positions are [batch, head, row, dim], and [batch, head, query, key].
struct chosen_values {
    contents values;

    template<class Memory>
    auto operator()(Memory& memory, const attention_case& c) const {
        auto q = memory.template filled<half>({c.batch, c.heads(), c.queries, c.dim}, values.q);
        auto k = memory.template filled<half>({c.batch, c.key_heads, c.keys, c.dim}, values.k);
        auto v =
            memory.template filled<half>({c.batch, c.key_heads, c.keys, c.value_dim}, values.v);
        auto bias =
            memory.template filled<float>({c.batch, c.heads(), c.queries, c.keys}, values.bias);
        auto kept = memory.template filled<std::uint8_t>(
            {c.batch, c.heads(), c.queries, c.keys},
            [this](const position& at, double) { return values.kept(at) ? 1.0 : 0.0; });
        auto o = memory.template output<float>({c.batch, c.heads(), c.queries, c.value_dim});
        auto lse = log_sum_exp_output(memory, c);
        return attention<64>(q, k, v,
                             scale(c.scale()) | add_mask(bias) | r9v::where(kept) |
                                 window(c.left, c.right, c.side)) |
               log_sum_exp_rows(lse) | store(o);
    }
};

std::vector<attention_case> cases_with(float factor) {
    std::vector<attention_case> cases;
    for (const auto& [queries, keys] :
         {std::pair<index_t, index_t>{1, 200}, {3, 513}, {65, 17}, {70, 130}, {130, 65}}) {
        attention_case c;
        c.batch = 2;
        c.ratio = queries < 4 ? 2 : 1;
        c.queries = queries;
        c.keys = keys;
        c.dim = 32;
        c.value_dim = 40;
        c.factor = factor;
        cases.push_back(c);
        c.right = 0;
        c.left = keys % 2 == 0 ? -1 : 30;
        c.side = top_left;
        cases.push_back(c);
    }
    return cases;
}

TEST(attention_special, scores_of_sixty_thousand) {
    check_attention<half>(chosen_values{}, cases_with(4096.0f), {.exact_scores = 1});
    check_attention<half>(chosen_values{}, cases_with(-4096.0f), {.exact_scores = 1});
}

TEST(attention_special, equal_scores) {
    check_attention<half>(chosen_values{{.q =
                                             [](const position&, double) {
                                                 return 0.0;
                                             }}},
                          cases_with(1.0f), {.exact_scores = 1});
}

// The running maximum moves with every tile of keys, and back for the second head.
TEST(attention_special, scores_that_grow_along_the_keys) {
    const contents growing{.q = [](const position& at, double) { return at[3] == 0 ? 1.0 : 0.0; },
                           .k =
                               [](const position& at, double) {
                                   return at[0] == 1 ? 512.0 - static_cast<double>(at[2])
                                                     : static_cast<double>(at[2]);
                               }};
    check_attention<half>(chosen_values{growing}, cases_with(0.0625f), {.exact_scores = 33});
    check_attention<half>(chosen_values{growing}, cases_with(-2.0f), {.exact_scores = 1100});
}

TEST(attention_special, low_scores_beside_masked_ones) {
    const contents low{.bias = [](const position& at, double) {
        return at[3] % 3 == 1 ? -infinity : -60000.0;
    }};
    check_attention<half>(chosen_values{low}, cases_with(1.0f), {.exact_scores = 64});
}

TEST(attention_special, rows_that_keep_nothing) {
    const contents some{.kept = [](const position& at) {
        return at[2] % 3 != 0 && at[3] >= 5 && (at[0] == 0 || at[2] % 2 == 0);
    }};
    check_attention<half>(chosen_values{some}, cases_with(1.0f), {.exact_scores = 64});
    const contents none{.kept = [](const position&) {
        return false;
    }};
    check_attention<half>(chosen_values{none}, cases_with(1.0f), {.exact_scores = 64});
    const contents all_low{.bias = [](const position&, double) {
        return -infinity;
    }};
    check_attention<half>(chosen_values{all_low}, cases_with(1.0f), {.exact_scores = 64});
}

// Keys that no query keeps hold NaN and infinities, in k and v.
TEST(attention_special, keys_outside_masks_hold_anything) {
    const contents anything{
        .k =
            [](const position& at, double x) {
                return at[2] % 5 == 2 ? nan : at[2] % 5 == 3 ? infinity : std::round(x);
            },
        .v = [](const position& at,
                double x) { return at[2] % 5 == 2   ? nan
                                   : at[2] % 5 == 3 ? -infinity
                                                    : x; },
        .bias = [](const position& at, double) { return at[3] % 5 == 2 ? -infinity : 0.0; },
        .kept =
            [](const position& at) {
                return at[3] % 5 != 3;
            }};
    check_attention<half>(chosen_values{anything}, cases_with(1.0f), {.exact_scores = 64});
}

// Beyond the diagonal stands NaN, which the rows that reach it get and no others.
TEST(attention_special, kept_nan_shows_in_its_rows_alone) {
    const contents late{
        .q = [](const position&, double x) { return x < 0 ? -1.0 : 1.0; },
        .k =
            [](const position& at, double x) {
                const double sign = x < 0 ? -1.0 : 1.0;
                return at[2] == 60 && at[0] == 0   ? nan
                       : at[2] == 64 && at[3] == 1 ? infinity
                                                   : sign;
            },
        .v =
            [](const position& at, double x) {
                return at[2] == 40 && at[3] == 3 ? nan : at[2] == 50 && at[3] == 4 ? infinity : x;
            }};
    auto cases = cases_with(0.125f);
    for (attention_case& c : cases) {
        c.left = -1;
        c.right = 0;
        c.side = top_left;
    }
    check_attention<half>(chosen_values{late}, cases, {.exact_scores = 4});
}

TEST(attention_special, extents_of_zero) {
    auto cases = cases_with(1.0f);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (i % 3 == 0) cases[i].keys = 0;
        if (i % 3 == 1) cases[i].queries = 0;
        if (i % 3 == 2) cases[i].batch = 0;
    }
    check_attention<half>(chosen_values{}, cases, {.exact_scores = 64});
}

} // namespace

} // namespace r9v_test
