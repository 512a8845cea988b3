// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The battery over every resource and adaptor, on a model device that delays all work, by seed.
#include <r9v/runtime/memory_trace.hpp>
#include <r9v/runtime/tracked_memory.hpp>

#include <tests/runtime/pool_model_world.hpp>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)

#if defined(__SANITIZE_THREAD__) || defined(R9V_TEST_FEW_SEEDS)
constexpr std::uint64_t seeds = 8; // ten times as slow, and what it looks for is in each
#else
constexpr std::uint64_t seeds = 50;
#endif

template<class Use>
void on_seeds(Use use) {
    for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model_world world{seed, static_cast<unsigned>(seed % 4)};
        use(world, seed);
        EXPECT_EQ(world.device.live_events(), 0U);
        EXPECT_EQ(world.device.used(), 0U);
    }
}

void run_on_pool(r9v::pool_options options) {
    on_seeds([&](model_world& world, std::uint64_t seed) {
        model_pool pool{options, {&world.device}};
        battery{world, pool}.run(seed);
    });
}

TEST(pool_conformance, pool) {
    run_on_pool({});
}
TEST(pool_conformance, pool_with_reserve) {
    run_on_pool({.reserve = std::size_t{64} << 20});
}
TEST(pool_conformance, pool_that_grows_by_little) {
    run_on_pool({.growth_minimum = 4096, .growth_percent = 0});
}
TEST(pool_conformance, pool_that_keeps_all_slabs) {
    run_on_pool({.growth_minimum = 65536, .release_before_growth = false});
}

/// Waits before it releases, as the runtimes do.
struct waiting_backend : model_backend {
    int release(void* memory) {
        (void)device->device_synchronize();
        return model_backend::release(memory);
    }
};
TEST(pool_conformance, direct_memory) {
    on_seeds([](model_world& world, std::uint64_t seed) {
        r9v::basic_direct_memory<waiting_backend> direct{{{&world.device}}};
        battery{world, direct}.run(seed);
    });
}

template<class Adaptor, class... Arguments>
void run_on_adaptor(const Arguments&... arguments) {
    on_seeds([&](model_world& world, std::uint64_t seed) {
        model_pool pool{{}, {&world.device}};
        Adaptor adaptor{pool, arguments...};
        battery{world, adaptor}.run(seed);
        EXPECT_EQ(pool.figures().live, 0U);
    });
}

TEST(pool_conformance, limited_memory) {
    run_on_adaptor<r9v::limited_memory>(std::size_t{1} << 30);
}
TEST(pool_conformance, retried_memory) {
    run_on_adaptor<r9v::retried_memory>([](const r9v::memory_error&) { return false; });
}
TEST(pool_conformance, counted_memory) {
    run_on_adaptor<r9v::counted_memory>();
}
TEST(pool_conformance, logged_memory) {
    run_on_adaptor<r9v::logged_memory>();
}
TEST(pool_conformance, tracked_memory) {
    run_on_adaptor<r9v::tracked_memory>();
}
TEST(pool_conformance, all_adaptors_together) {
    on_seeds([](model_world& world, std::uint64_t seed) {
        model_pool pool{{}, {&world.device}};
        r9v::counted_memory counted{pool};
        r9v::limited_memory limited{counted, std::size_t{1} << 30};
        r9v::logged_memory logged{limited};
        r9v::retried_memory retried{logged, [](const r9v::memory_error&) {
                                        return false;
                                    }};
        r9v::tracked_memory tracked{retried};
        battery{world, tracked}.run(seed);
        EXPECT_EQ(counted.all().current_bytes, 0U);
        EXPECT_TRUE(tracked.report().empty());
    });
}

} // namespace
