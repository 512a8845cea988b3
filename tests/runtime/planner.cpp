// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include <r9v/runtime/planner.hpp>

#include <cstdio>
#include <gtest/gtest.h>
#include <random>
#include <tests/runtime/planner_networks.hpp>

namespace {

using r9v::offset_plan;
using r9v::plan_offsets;
using r9v::planned_tensor;

/// First-fit in the order of the steps, written apart from the planner: the lowest offset, byte
/// unit by byte unit, where nothing that lives at the same time lies.
std::size_t first_fit_peak(const std::vector<planned_tensor>& tensors, std::size_t unit) {
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tensors[a].first != tensors[b].first ? tensors[a].first < tensors[b].first : a < b;
    });
    std::vector<std::size_t> at(tensors.size());
    std::size_t peak = 0;
    for (std::size_t n = 0; n < order.size(); ++n) {
        const planned_tensor& t = tensors[order[n]];
        const auto clashes = [&](std::size_t offset) {
            for (std::size_t m = 0; m < n; ++m) {
                const planned_tensor& o = tensors[order[m]];
                if (t.first <= o.last && o.first <= t.last && offset < at[order[m]] + o.bytes &&
                    at[order[m]] < offset + t.bytes)
                    return true;
            }
            return false;
        };
        while (clashes(at[order[n]]))
            at[order[n]] += unit;
        peak = std::max(peak, at[order[n]] + t.bytes);
    }
    return peak;
}

/// Whether the tensors from `i` on fit below `peak`, trying every offset.
bool fits(const std::vector<planned_tensor>& tensors, std::vector<std::size_t>& at, std::size_t i,
          std::size_t peak, std::size_t unit) {
    if (i == tensors.size()) return true;
    for (at[i] = 0; at[i] + tensors[i].bytes <= peak; at[i] += unit) {
        bool clash = false;
        for (std::size_t j = 0; j < i && !clash; ++j)
            clash = tensors[i].first <= tensors[j].last && tensors[j].first <= tensors[i].last &&
                    at[i] < at[j] + tensors[j].bytes && at[j] < at[i] + tensors[i].bytes;
        if (!clash && fits(tensors, at, i + 1, peak, unit)) return true;
    }
    return false;
}

std::size_t brute_force(const std::vector<planned_tensor>& tensors, std::size_t unit) {
    std::vector<std::size_t> at(tensors.size());
    std::size_t peak = 0;
    while (!fits(tensors, at, 0, peak, unit))
        peak += unit;
    return peak;
}

std::vector<planned_tensor> random_tensors(std::mt19937_64& random, std::size_t count,
                                           std::size_t units, std::size_t unit) {
    std::vector<planned_tensor> tensors(count);
    for (planned_tensor& t : tensors) {
        t.bytes = (1 + random() % units) * unit;
        t.first = static_cast<r9v::index_t>(random() % count);
        t.last = t.first + static_cast<r9v::index_t>(random() % 4);
        t.alignment = unit;
    }
    return tensors;
}

TEST(planner, small_cases_are_optimal) {
    std::mt19937_64 random{1};
    for (int round = 0; round < 400; ++round) {
        const auto tensors = random_tensors(random, 2 + random() % 6, 5, 256);
        const offset_plan plan = plan_offsets(tensors);
        ASSERT_TRUE(r9v::is_valid(tensors, plan));
        ASSERT_EQ(plan.peak, brute_force(tensors, 256)) << "round " << round;
        ASSERT_TRUE(plan.optimal);
    }
}

/// Seven tensors that need more than the most live bytes of any step: only a search proves it.
TEST(planner, optimum_above_the_bound) {
    std::vector<planned_tensor> tensors;
    const std::size_t rows[][3] = {{2, 1, 3}, {3, 4, 5}, {3, 5, 7}, {2, 0, 1},
                                   {2, 1, 4}, {1, 3, 4}, {3, 0, 0}};
    for (const auto& [units, first, last] : rows)
        tensors.push_back({.bytes = units * 256,
                           .first = static_cast<r9v::index_t>(first),
                           .last = static_cast<r9v::index_t>(last)});
    const offset_plan plan = plan_offsets(tensors);
    EXPECT_TRUE(r9v::is_valid(tensors, plan));
    EXPECT_EQ(plan.lower_bound, 6U * 256);
    EXPECT_EQ(brute_force(tensors, 256), 7U * 256);
    EXPECT_EQ(plan.peak, 7U * 256);
    EXPECT_TRUE(plan.optimal);
    // Without a budget it has the peak, but no proof.
    EXPECT_FALSE(plan_offsets(tensors, {.searched = 1}).optimal);
}

TEST(planner, never_worse_than_first_fit) {
    std::mt19937_64 random{2};
    int better = 0;
    for (int round = 0; round < 60; ++round) {
        const auto tensors = random_tensors(random, 20 + random() % 60, 40, 256);
        const offset_plan plan = plan_offsets(tensors, {.searched = 2000, .shuffled = 50});
        ASSERT_TRUE(r9v::is_valid(tensors, plan));
        const std::size_t simple = first_fit_peak(tensors, 256);
        ASSERT_LE(plan.peak, simple) << "round " << round;
        ASSERT_GE(plan.peak, plan.lower_bound);
        better += plan.peak < simple ? 1 : 0;
    }
    EXPECT_GT(better, 30);
}

TEST(planner, alignment_and_empty_tensors) {
    const std::vector<planned_tensor> tensors{
        {.bytes = 100, .first = 0, .last = 2},
        {.bytes = 0, .first = 0, .last = 9},
        {.bytes = 100, .first = 1, .last = 3, .alignment = 4096},
        {.bytes = 100, .first = 3, .last = 4},
    };
    const offset_plan plan = plan_offsets(tensors);
    EXPECT_TRUE(r9v::is_valid(tensors, plan));
    EXPECT_EQ(plan.offsets[2] % 4096, 0U);
    EXPECT_EQ(plan.peak, 356U); // the aligned one at 0, the others above it in turn
    EXPECT_EQ(plan_offsets({}).peak, 0U);
    EXPECT_TRUE(plan_offsets({}).optimal);
}

TEST(planner, validity_is_checked) {
    const std::vector<planned_tensor> tensors{{.bytes = 512, .first = 0, .last = 1},
                                              {.bytes = 512, .first = 1, .last = 2}};
    offset_plan plan = plan_offsets(tensors);
    ASSERT_TRUE(r9v::is_valid(tensors, plan));
    plan.offsets[1] = plan.offsets[0];
    EXPECT_FALSE(r9v::is_valid(tensors, plan));
    plan.offsets[1] = plan.offsets[0] + 100;
    EXPECT_FALSE(r9v::is_valid(tensors, plan));
}

void report(const char* name, const std::vector<planned_tensor>& tensors, double of_bound) {
    const offset_plan plan = plan_offsets(tensors);
    EXPECT_TRUE(r9v::is_valid(tensors, plan));
    EXPECT_LE(plan.peak, first_fit_peak(tensors, 256));
    EXPECT_LE(static_cast<double>(plan.peak), of_bound * static_cast<double>(plan.lower_bound));
    const auto mib = [](std::size_t bytes) {
        return static_cast<double>(bytes) / 1048576.0;
    };
    std::printf("%s: %zu tensors, sum %.1f MiB, first-fit %.1f, planned %.1f, lower bound %.1f%s\n",
                name, tensors.size(), mib(plan.sum), mib(first_fit_peak(tensors, 256)),
                mib(plan.peak), mib(plan.lower_bound), plan.optimal ? " (optimal)" : "");
}

TEST(planner, resnet50) {
    report("ResNet50, batch 8", r9v_test::resnet50_activations(8), 1.0);
}
TEST(planner, transformer) {
    report("32-layer transformer, 512 tokens", r9v_test::transformer_activations(32, 512), 1.0);
}
TEST(planner, unet_with_long_skips) {
    report("U-Net, batch 4", r9v_test::unet_activations(4), 1.05);
}

} // namespace
