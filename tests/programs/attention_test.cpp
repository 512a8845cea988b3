// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "attention_test.hpp"

namespace r9v_test {

namespace {

std::mt19937_64 random_of(const std::string& name) {
    std::uint64_t mixed = seed();
    for (const char at : name)
        mixed = (mixed ^ static_cast<unsigned char>(at)) * 1099511628211ull;
    return std::mt19937_64{mixed};
}

double work_of(const attention_case& c) {
    return static_cast<double>(c.batch * c.heads() * c.queries * c.keys * (c.dim + c.value_dim));
}

/// Fewer heads and batches, then shorter sides, until the case is small enough.
void limit_work(attention_case& c, double most, std::mt19937_64& random) {
    if (work_of(c) > most) c.batch = 1;
    if (work_of(c) > most) c.key_heads = 1;
    if (work_of(c) > most) c.ratio = 1;
    constexpr index_t small[] = {1, 2, 5, 16, 17};
    while (work_of(c) > most) {
        index_t& side = random() % 2 == 0 ? c.queries : c.keys;
        if (side > 17) side = small[random() % std::size(small)];
    }
}

} // namespace

std::vector<attention_case> random_attention_cases(std::size_t count,
                                                   const std::vector<index_t>& dims, double work) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    return random_attention_cases(info->name(), count, dims, work);
}

std::vector<attention_case> random_attention_cases(const std::string& name, std::size_t count,
                                                   const std::vector<index_t>& dims, double work) {
    std::mt19937_64 random = random_of(name);
    const std::size_t begin = random();
    std::vector<attention_case> cases;
    if (std::getenv("R9V_LONG") != nullptr) {
        count *= 8;
        work *= 4;
    }
    for (std::size_t i = 0; i < count; ++i) {
        attention_case c;
        c.batch = 1 + static_cast<index_t>(random() % 3);
        c.key_heads = 1 + static_cast<index_t>(random() % 2);
        c.ratio = ratios[(begin + i) % std::size(ratios)];
        c.queries = row_counts[(begin / 8 + i) % std::size(row_counts)];
        c.keys = row_counts[(begin / 4096 + 3 * i + i / 11) % std::size(row_counts)];
        c.dim = dims[(begin / 64 + i) % dims.size()];
        c.value_dim = random() % 4 == 0 ? dims[random() % dims.size()] : c.dim;
        c.heads_behind = random() % 2 == 0;
        constexpr index_t paddings[] = {0, 0, 8, 3}; // rows of the last are not aligned
        c.padding = paddings[random() % 4];
        c.side = random() % 2 == 0 ? r9v::top_left : r9v::bottom_right;
        c.variant = static_cast<int>(random() % 4);
        limit_work(c, work, random);
        cases.push_back(c);
    }
    return cases;
}

attention_case crowded_case(index_t queries, index_t keys, index_t ratio) {
    attention_case c;
    c.batch = 8;
    c.key_heads = 16;
    c.ratio = ratio;
    c.queries = queries;
    c.keys = keys;
    c.dim = c.value_dim = 16;
    c.heads_behind = true;
    return c;
}

} // namespace r9v_test
