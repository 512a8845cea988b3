// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rocPRIM's device-wide algorithms against the same sums, orders and counts on the host.
#include "support.hpp"
#include <algorithm>
#include <numeric>
#include <rocprim/device/device_histogram.hpp>
#include <rocprim/device/device_radix_sort.hpp>
#include <rocprim/device/device_reduce.hpp>
#include <rocprim/device/device_scan.hpp>

namespace {

constexpr std::size_t count = 20000 + 77;

/// Calls `algorithm(temporary, bytes)` twice, as all of rocPRIM wants it: for the size, then to
/// run.
template<class Algorithm>
void with_storage(Algorithm algorithm) {
    std::size_t bytes = 0;
    R9V_HIP(algorithm(nullptr, bytes));
    device_array<unsigned char> storage(std::max<std::size_t>(bytes, 4));
    R9V_HIP(algorithm(storage.data(), bytes));
    R9V_HIP(hipDeviceSynchronize());
}

TEST(rocprim_device, reduce) {
    const auto values = random_values(count, 21001);
    device_array<unsigned> in(values), sum(1), largest(1);
    with_storage([&](void* storage, std::size_t& bytes) {
        return rocprim::reduce(storage, bytes, in.data(), sum.data(), 5u, count,
                               rocprim::plus<unsigned>());
    });
    EXPECT_EQ(sum.host()[0], std::accumulate(values.begin(), values.end(), 5u));
    with_storage([&](void* storage, std::size_t& bytes) {
        return rocprim::reduce(storage, bytes, in.data(), largest.data(), 0u, count,
                               rocprim::maximum<unsigned>());
    });
    EXPECT_EQ(largest.host()[0], *std::max_element(values.begin(), values.end()));
}

/// The look-back scan: workgroups wait for the ones before them.
TEST(rocprim_device, scan) {
    const auto values = random_values(count, 21002);
    device_array<unsigned> in(values), out(count);
    with_storage([&](void* storage, std::size_t& bytes) {
        return rocprim::inclusive_scan(storage, bytes, in.data(), out.data(), count,
                                       rocprim::plus<unsigned>());
    });
    std::vector<unsigned> want(count);
    std::partial_sum(values.begin(), values.end(), want.begin());
    EXPECT_EQ(out.host(), want);
}

TEST(rocprim_device, radix_sort) {
    const auto keys = random_values(count, 21003);
    std::vector<unsigned> places(count);
    std::iota(places.begin(), places.end(), 0u);
    device_array<unsigned> keys_in(keys), keys_out(count), places_in(places), places_out(count);
    with_storage([&](void* storage, std::size_t& bytes) {
        return rocprim::radix_sort_pairs(storage, bytes, keys_in.data(), keys_out.data(),
                                         places_in.data(), places_out.data(), count);
    });
    std::stable_sort(places.begin(), places.end(),
                     [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    EXPECT_EQ(places_out.host(), places);
    std::vector<unsigned> sorted;
    for (const unsigned place : places)
        sorted.push_back(keys[place]);
    EXPECT_EQ(keys_out.host(), sorted);
}

TEST(rocprim_device, histogram) {
    auto values = random_values(count, 21004);
    for (unsigned& value : values)
        value %= 1000;
    device_array<unsigned> in(values), bins(20);
    with_storage([&](void* storage, std::size_t& bytes) {
        return rocprim::histogram_even(storage, bytes, in.data(), static_cast<unsigned>(count),
                                       bins.data(), 21u, 0u, 900u);
    });
    std::vector<unsigned> want(20);
    for (const unsigned value : values)
        if (value < 900) ++want[value / 45];
    EXPECT_EQ(bins.host(), want);
}

} // namespace
