// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Sums over groups of lanes, values of single lanes, and products where zero wins: what the
// instructions give against plain loops.

#include <r9v/arch/common/fold.hpp>
#include <r9v/arch/gfx12/product.hpp>
#include <r9v/arch/select.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace)

constexpr int lanes = 32;

/// A lane writes the sums that it ends with, and the first of them.
template<int Lanes, int Count>
__global__ void sums(const float* from, float* to, int* first) {
    float values[Count];
    for (int i = 0; i < Count; ++i)
        values[i] = from[i * lanes + static_cast<int>(threadIdx.x)];
    arch::sum_over_lanes<Lanes>(values);
    using place = arch::folded_sums<Lanes, Count>;
    for (int i = 0; i < place::a_lane; ++i)
        to[static_cast<int>(threadIdx.x) * place::a_lane + i] = values[i];
    first[threadIdx.x] = place::first();
}

template<int Lanes, int Lane>
__global__ void spread(const float* from, float* to) {
    to[threadIdx.x] = arch::from_group_lane<Lanes, Lane>(from[threadIdx.x]);
}

__global__ void between(const std::uint32_t* from, std::uint32_t* to, std::uint32_t low,
                        std::uint32_t high) {
    to[threadIdx.x] = arch::between(from[threadIdx.x], low, high);
}

__global__ void zero_wins(const float* a, const float* b, float* to) {
    to[threadIdx.x] = arch::multiply_add_zero_wins(a[threadIdx.x], b[threadIdx.x], 3.0f);
}

/// Small integers: sums are exact in any order.
std::vector<float> numbers(int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(static_cast<float>((i * 7919 + 13) % 1009 - 500));
    return values;
}

template<int Lanes, int Count>
void expect_sums() {
    const std::vector<float> from = numbers(Count * lanes);
    const buffer<float> input{from};
    using place = arch::folded_sums<Lanes, Count>;
    const buffer<float> output{lanes * place::a_lane};
    const buffer<int> firsts{lanes};
    const stream s;
    sums<Lanes, Count><<<1, lanes, 0, s.handle()>>>(input.data(), output.data(), firsts.data());
    const std::vector<float> got = output.download(s);
    const std::vector<int> first = firsts.download(s);
    for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < place::a_lane; ++i) {
            const int which = first[static_cast<std::size_t>(lane)] + i;
            float sum = 0;
            for (int other = lane / Lanes * Lanes; other < lane / Lanes * Lanes + Lanes; ++other)
                sum += from[static_cast<std::size_t>(which * lanes + other)];
            EXPECT_EQ(got[static_cast<std::size_t>(lane * place::a_lane + i)], sum)
                << Count << " sums over " << Lanes << " lanes, lane " << lane << ", sum " << which;
        }
    for (int sum = 0; sum < Count; ++sum)
        EXPECT_EQ(first[static_cast<std::size_t>(place::lane(sum))] + place::place(sum), sum);
}

TEST(fold, sums_over_groups_of_lanes) {
    expect_sums<16, 1>();
    expect_sums<16, 2>();
    expect_sums<16, 4>();
    expect_sums<16, 8>();
    expect_sums<16, 16>();
    expect_sums<16, 32>();
    expect_sums<8, 1>();
    expect_sums<8, 4>();
    expect_sums<8, 8>();
    expect_sums<8, 32>();
}

template<int Lanes, int Lane>
void expect_spread() {
    const std::vector<float> from = numbers(lanes);
    const buffer<float> input{from};
    const buffer<float> output{lanes};
    const stream s;
    spread<Lanes, Lane><<<1, lanes, 0, s.handle()>>>(input.data(), output.data());
    const std::vector<float> got = output.download(s);
    for (std::size_t lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(got[lane], from[lane / Lanes * Lanes + Lane]);
}

TEST(fold, spreads_the_value_of_one_lane) {
    expect_spread<16, 0>();
    expect_spread<16, 5>();
    expect_spread<16, 15>();
    expect_spread<8, 0>();
    expect_spread<8, 3>();
    expect_spread<8, 7>();
}

TEST(fold, keeps_numbers_between_two_others) {
    std::vector<std::uint32_t> from;
    for (std::uint32_t i = 0; i < lanes; ++i)
        from.push_back(i * 0x0800'0001u);
    const buffer<std::uint32_t> input{from};
    const buffer<std::uint32_t> output{lanes};
    const stream s;
    between<<<1, lanes, 0, s.handle()>>>(input.data(), output.data(), 0x2000'0000u, 0x9000'0000u);
    const std::vector<std::uint32_t> got = output.download(s);
    for (std::size_t i = 0; i < lanes; ++i)
        EXPECT_EQ(got[i], std::min(std::max(from[i], 0x2000'0000u), 0x9000'0000u));
}

TEST(product, of_zero_does_not_count) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> a{0, 0, 0, -0.0f, nan, 2, 2, infinity, 1};
    const std::vector<float> b{nan, infinity, -infinity, nan, 0, 5, nan, 1, -4};
    std::vector<float> a_all(lanes), b_all(lanes);
    std::copy(a.begin(), a.end(), a_all.begin());
    std::copy(b.begin(), b.end(), b_all.begin());
    const buffer<float> first{a_all};
    const buffer<float> second{b_all};
    const buffer<float> output{lanes};
    const stream s;
    zero_wins<<<1, lanes, 0, s.handle()>>>(first.data(), second.data(), output.data());
    const std::vector<float> got = output.download(s);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(got[i], 3.0f) << i;
    EXPECT_EQ(got[5], 13.0f);
    EXPECT_TRUE(std::isnan(got[6]));
    EXPECT_EQ(got[7], infinity);
    EXPECT_EQ(got[8], -1.0f);
}

} // namespace
