// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How long allocate and free of a warm size take: budgets with room for a busy machine.
// bench/pool.cpp measures properly.
#include <algorithm>
#include <chrono>
#include <tests/runtime/pool_model_world.hpp>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)

/// Median nanoseconds of one allocate and free, over groups of 100.
double median_pair(model_pool& pool, const r9v::stream_ref& s, int groups) {
    using clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (int group = 0; group < groups; ++group) {
        const auto begin = clock::now();
        for (int i = 0; i < 100; ++i)
            pool.deallocate(pool.allocate(4096, s), 4096);
        times.push_back(std::chrono::duration<double, std::nano>(clock::now() - begin).count() /
                        100);
    }
    std::nth_element(times.begin(), times.begin() + groups / 2, times.end());
    return times[static_cast<std::size_t>(groups) / 2];
}

TEST(pool_speed, one_thread) {
    model_world world{1, 0};
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    const double pair = median_pair(pool, s, 2000);
    std::printf("allocate and free, 1 thread: %.0f ns (goal 150)\n", pair);
    EXPECT_LT(pair, 5 * 150);
}

TEST(pool_speed, eight_threads) {
    model_world world{1, 0};
    model_pool pool{{}, {&world.device}};
    std::vector<double> pairs(8);
    std::vector<std::thread> threads;
    for (double& pair : pairs)
        threads.emplace_back([&] {
            auto s = world.make_stream();
            pair = median_pair(pool, s, 1000);
        });
    for (std::thread& one : threads)
        one.join();
    std::sort(pairs.begin(), pairs.end());
    std::printf(
        "allocate and free, 8 threads: %.0f ns median, %.0f ns slowest thread (goal 1000)\n",
        pairs[4], pairs[7]);
    EXPECT_LT(pairs[4], 5 * 1000);
}

} // namespace
