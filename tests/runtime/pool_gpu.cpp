// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The battery on the backend's runtime, and what only a runtime has: capture, pinned memory,
// buffers.
#include <gtest/gtest.h>
#include <memory_resource>
#include <tests/runtime/pool_gpu_world.hpp>
#include <utility>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)

constexpr std::size_t mib = std::size_t{1} << 20;

template<class Resource>
void run(Resource& resource, std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        gpu_world world{seed % 2 == 0 ? 0U : 50U};
        battery{world, resource}.run(seed);
        ASSERT_EQ(world.failures, 0) << "seed " << seed;
    }
}

TEST(pool_gpu, pool) {
    r9v::memory_pool pool;
    run(pool, 8);
}
TEST(pool_gpu, direct_memory) {
    r9v::basic_direct_memory<r9v::runtime::gpu_backend> direct;
    run(direct, 2);
}
TEST(pool_gpu, adaptors) {
    r9v::memory_pool pool{{.reserve = 32 * mib}};
    r9v::counted_memory counted{pool};
    r9v::limited_memory limited{counted, 256 * mib};
    r9v::logged_memory logged{limited};
    r9v::retried_memory retried{logged, [](const r9v::memory_error&) {
                                    return false;
                                }};
    r9v::tracked_memory tracked{retried};
    run(tracked, 4);
    EXPECT_EQ(counted.all().current_bytes, 0U);
    EXPECT_TRUE(tracked.report().empty());
}

TEST(pool_gpu, raw_streams) {
    r9v::memory_pool pool;
    const r9v::stream owned;
    void* const p = pool.allocate(1000, owned.handle());
    pool.deallocate(p, 1000, nullptr); // the null stream
    void* const q = pool.allocate(1000, nullptr);
    EXPECT_EQ(p, q);
    pool.deallocate(q);
}

TEST(pool_gpu, buffers_and_tensors) {
    r9v::memory_pool pool;
    const r9v::stream s;
    {
        r9v::buffer<float> b{pool, 1000, s};
        const std::vector<float> values(1000, 2.5F);
        b.upload(values.data(), 1000);
        EXPECT_EQ(b.download(s), values);
        r9v::buffer<float> moved{std::move(b)};
        EXPECT_EQ(b.data(), nullptr); // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(pool.figures().live, 4000U);
        const r9v::stream other;
        moved.record_use(other);
        moved.free(other);
        EXPECT_EQ(pool.figures().live, 0U);
        const r9v::owned_tensor<float, 2> t{pool, {10, 20}, s};
        const r9v::tensor<float, 2>& view = t;
        EXPECT_EQ(view.extents[1], 20);
        EXPECT_EQ(view.data, t.memory().data());
        EXPECT_EQ(pool.figures().live, 800U);
        EXPECT_EQ((r9v::owned_tensor<float, 2>{pool, {0, 20}, s}).view().data, nullptr);
    }
    EXPECT_EQ(pool.figures().live, 0U);
    r9v::buffer<float> none;
    EXPECT_EQ(r9v::buffer<float>::try_make(none, pool, r9v::index_t{1} << 60, s).kind(),
              r9v::memory_fault::out_of_memory);
    EXPECT_THROW((r9v::buffer<double>{pool, r9v::index_t{1} << 62, s}), r9v::out_of_memory);
}

#if defined(__HIP__)
TEST(pool_gpu, capture) {
    r9v::memory_pool pool;
    const r9v::stream s;
    const r9v::stream other;
    void* const own = pool.allocate(mib, s);
    pool.deallocate(own);
    auto kept = pool.keep(s);
    ASSERT_EQ(hipStreamBeginCapture(s.handle(), hipStreamCaptureModeGlobal), hipSuccess);
    void* p = nullptr;
    EXPECT_EQ(pool.try_allocate(p, 512 * mib, s).kind(), r9v::memory_fault::growth_during_capture);
    // Another stream may grow meanwhile.
    void* q = nullptr;
    EXPECT_TRUE(pool.try_allocate(q, 64 * mib, other).ok());
    EXPECT_TRUE(pool.try_allocate(p, mib, s).ok());
    EXPECT_EQ(hipMemsetAsync(p, 1, mib, s.handle()), hipSuccess);
    pool.deallocate(p);
    hipGraph_t graph{};
    ASSERT_EQ(hipStreamEndCapture(s.handle(), &graph), hipSuccess);
    kept.close();
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    void* const eager = pool.allocate(mib, s);
    EXPECT_NE(eager, p) << "the plan's memory stays the plan's";
    kept.give_back();
    pool.deallocate(eager);
    pool.deallocate(q);
}
#endif

TEST(pool_gpu, pinned_memory) {
    r9v::pinned_memory pinned;
    std::pmr::vector<float> values{1000, 1.5F, &pinned};
    EXPECT_TRUE(r9v::platform::is_pinned(values.data()));
    const r9v::stream s;
    const r9v::buffer<float> b{1000};
    b.upload(values.data(), 1000);
    EXPECT_EQ(b.download(s)[999], 1.5F);
    EXPECT_THROW((void)pinned.allocate(64, 1 << 20), r9v::memory_error);
    EXPECT_TRUE(pinned == r9v::pinned_memory{});
}

TEST(pool_gpu, plug_for_frameworks) {
    r9v::allocator_plug plug;
    const r9v::stream s;
    void* const p = plug.allocate(5000, 0, s.handle());
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(plug.pool(0).figures().live, 5000U);
    plug.free(p, 5000, 0, s.handle());
    EXPECT_EQ(plug.pool(0).figures().live, 0U);
    EXPECT_EQ(plug.pool(0).statistics().events, 0U) << "frees cost no event";
    EXPECT_EQ(plug.allocate(5000, -1, s.handle()), nullptr);
    EXPECT_THROW((void)plug.pool(64), r9v::error);
}

TEST(pool_gpu, reset_of_the_device) {
    auto pool = std::make_unique<r9v::memory_pool>();
    auto s = std::make_unique<r9v::stream>();
    void* const p = pool->allocate(5000, *s);
    ASSERT_TRUE(r9v::try_reset_device(pool->device()).ok());
    EXPECT_EQ(pool->try_deallocate(p).kind(), r9v::memory_fault::device_reset);
    pool.reset();
    s.reset();
    r9v::memory_pool fresh;
    const r9v::stream again;
    fresh.deallocate(fresh.allocate(5000, again));
}

} // namespace
