// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What has gone wrong in pools before: each a test, on the model device.
#include <atomic>
#include <functional>
#include <tests/runtime/pool_model_world.hpp>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)
using r9v::memory_error;

constexpr std::size_t mib = std::size_t{1} << 20;

struct pool_traps : testing::Test {
    model_world world{7, 1};
    void TearDown() override { world.settle(); }
};

void allocate_and_free(model_pool& pool, const r9v::stream_ref& s, int count, std::size_t bytes) {
    std::vector<void*> all;
    for (int i = 0; i < count; ++i)
        all.push_back(pool.allocate(bytes, s));
    for (void* const p : all)
        pool.deallocate(p, bytes);
}

TEST_F(pool_traps, small_then_large_reserves_no_more) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    allocate_and_free(pool, s, 8, 16 * mib);
    allocate_and_free(pool, s, 4, 32 * mib);
    EXPECT_LE(pool.statistics().peak_reserved_bytes, 128 * mib);
}
TEST_F(pool_traps, large_then_small_reserves_no_more) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    allocate_and_free(pool, s, 4, 32 * mib);
    allocate_and_free(pool, s, 8, 16 * mib);
    EXPECT_LE(pool.statistics().peak_reserved_bytes, 128 * mib);
}
TEST_F(pool_traps, one_slab_merges_without_growth) {
    model_pool pool{{.reserve = 128 * mib}, {&world.device}};
    auto s = world.make_stream();
    auto other = world.make_stream();
    allocate_and_free(pool, s, 8, 16 * mib);
    allocate_and_free(pool, other, 4, 32 * mib);
    EXPECT_EQ(pool.statistics().reserved_bytes, 128 * mib);
    EXPECT_EQ(world.device.allocations(), 1U);
}
TEST_F(pool_traps, neighbours_of_several_streams_merge) {
    model_pool pool{{.reserve = 64 * mib, .maximum = 64 * mib}, {&world.device}};
    std::vector<model_stream> streams;
    std::vector<void*> all;
    for (std::uint64_t i = 0; i < 4; ++i) {
        streams.push_back(world.make_stream());
        all.push_back(pool.allocate(16 * mib, streams[i]));
        streams[i].write(all[i], 16 * mib, i);
        streams[i].expect(all[i], 16 * mib, i);
    }
    for (void* const p : all)
        pool.deallocate(p);
    auto s = world.make_stream();
    void* const whole = pool.allocate(64 * mib, s);
    s.write(whole, 64 * mib, 99);
    s.expect(whole, 64 * mib, 99);
    EXPECT_EQ(pool.statistics().merges, 1U);
    pool.deallocate(whole);
}

/// A handle without identity: each free records an event, so the handle may come back as a
/// stranger.
TEST_F(pool_traps, raw_handle_reused) {
    model_pool pool{{}, {&world.device}};
    for (std::uint64_t round = 0; round < 50; ++round) {
        void* const handle = world.device.stream_create();
        const auto raw = r9v::stream_ref::of_handle(handle);
        void* const p = pool.allocate(4096, raw);
        world.device.write(handle, p, 4096, round);
        world.device.expect(handle, p, 4096, round);
        pool.deallocate(p, 4096);
        world.device.stream_destroy(handle);
    }
    EXPECT_LE(pool.statistics().streams, 1U);
    EXPECT_EQ(pool.statistics().slabs, 1U);
}
TEST_F(pool_traps, raw_handles_that_outlive_cost_no_event_until_forgotten) {
    model_pool pool{{.raw = r9v::raw_streams::outlive_pool}, {&world.device}};
    for (std::uint64_t round = 0; round < 20; ++round) {
        void* const handle = world.device.stream_create();
        const auto raw = r9v::stream_ref::of_handle(handle);
        void* held = pool.allocate(4096, raw);
        for (int i = 0; i < 10; ++i)
            pool.deallocate(pool.allocate(4096, raw));
        world.device.write(handle, held, 4096, round);
        world.device.expect(handle, held, 4096, round);
        EXPECT_TRUE(round > 0 || pool.statistics().events == 0);
        pool.forget(raw);
        world.device.stream_destroy(handle);
        pool.deallocate(held, 4096);
    }
    EXPECT_EQ(pool.statistics().all.current_bytes, 0U);
    EXPECT_LE(pool.statistics().streams, 1U);
}

/// A handle that outlived all uses of the pool may be gone when the pool ends: the end asks the
/// runtime nothing about it.
TEST_F(pool_traps, raw_handle_gone_when_the_pool_ends) {
    for (const auto raw : {r9v::raw_streams::may_end, r9v::raw_streams::outlive_pool}) {
        model_pool pool{{.raw = raw}, {&world.device}};
        void* const handle = world.device.stream_create();
        const auto stream = r9v::stream_ref::of_handle(handle);
        pool.deallocate(pool.allocate(4096, stream), 4096);
        world.device.stream_destroy(handle);
    }
}

/// The handle of a stream that the pool knows, and that lives, is that stream.
TEST_F(pool_traps, handle_of_a_known_stream) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    void* const p = pool.allocate(4096, s);
    pool.deallocate(p);
    const auto raw = r9v::stream_ref::of_handle(s.handle());
    void* const q = pool.allocate(4096, raw);
    EXPECT_EQ(p, q);
    pool.deallocate(q, 4096, raw);
    EXPECT_EQ(pool.statistics().streams, 1U);
    EXPECT_EQ(pool.statistics().events, 0U);
    auto kept = pool.keep(raw);
    pool.deallocate(pool.allocate(4096, s));
    EXPECT_GE(kept.free_bytes(), 4096U);
}

/// But not once that stream is gone.
TEST_F(pool_traps, handle_of_a_stream_that_ended) {
    model_pool pool{{}, {&world.device}};
    for (std::uint64_t round = 0; round < 20; ++round) {
        {
            auto s = world.make_stream();
            void* const p = pool.allocate(4096, s);
            s.write(p, 4096, round);
            s.expect(p, 4096, round);
            pool.deallocate(p);
        }
        void* const handle = world.device.stream_create(); // the same one again
        const auto raw = r9v::stream_ref::of_handle(handle);
        void* const p = pool.allocate(4096, raw);
        world.device.write(handle, p, 4096, 100 + round);
        world.device.expect(handle, p, 4096, 100 + round);
        pool.deallocate(p, 4096);
        world.device.stream_destroy(handle);
    }
}

TEST_F(pool_traps, shortage_trims_then_asks_then_fails_with_figures) {
    world.device.capacity = 64 * mib;
    std::vector<void*> spare;
    int asked = 0;
    model_pool* self = nullptr;
    r9v::pool_options options;
    options.release_before_growth = false;
    options.on_shortage = [&](std::size_t bytes) {
        ++asked;
        EXPECT_EQ(bytes, 40 * mib);
        // No lock is held: the callback may use the pool.
        if (spare.empty()) return false;
        self->deallocate(spare.back());
        spare.pop_back();
        return true;
    };
    model_pool pool{options, {&world.device}};
    self = &pool;
    auto s = world.make_stream();
    // Idle slabs are trimmed without a question.
    allocate_and_free(pool, s, 2, 32 * mib);
    void* p = pool.allocate(40 * mib, s);
    EXPECT_EQ(asked, 0);
    pool.deallocate(p);
    // What is in use is asked for, once.
    spare.push_back(pool.allocate(32 * mib, s));
    p = pool.allocate(40 * mib, s);
    EXPECT_EQ(asked, 1);
    const auto refused = pool.try_allocate(p, 40 * mib, s);
    EXPECT_EQ(asked, 2);
    ASSERT_EQ(refused.kind(), memory_fault::out_of_memory);
    EXPECT_EQ(refused.error().figures().requested, 40 * mib);
    EXPECT_EQ(refused.error().figures().live, 40 * mib);
    EXPECT_EQ(refused.error().figures().peak, 64 * mib);
    EXPECT_NE(std::string{refused.what()}.find("r9v: the device has no memory for"),
              std::string::npos);
    EXPECT_EQ(pool.statistics().all.current_blocks, 1U);
}
TEST_F(pool_traps, shortage_throws_its_type) {
    world.device.capacity = mib;
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    EXPECT_THROW((void)pool.allocate(2 * mib, s), r9v::out_of_memory);
    EXPECT_THROW(pool.deallocate(&world), memory_error);
}
TEST_F(pool_traps, maximum_holds) {
    model_pool pool{{.maximum = 20 * mib, .growth_minimum = 16 * mib}, {&world.device}};
    auto s = world.make_stream();
    void* const p = pool.allocate(mib, s);
    void* const q = pool.allocate(15 * mib, s);
    void* const last = pool.allocate(3 * mib, s); // of what is left, less than the growth's unit
    void* r = nullptr;
    EXPECT_EQ(pool.try_allocate(r, 2 * mib, s).kind(), memory_fault::out_of_memory);
    EXPECT_LE(pool.statistics().reserved_bytes, 20 * mib);
    pool.deallocate(p);
    pool.deallocate(q);
    pool.deallocate(last);
}
/// The device has less than the growth asks for, but enough for the request.
TEST_F(pool_traps, growth_comes_down_to_the_request) {
    world.device.capacity = 10 * mib;
    model_pool pool{{.growth_minimum = 64 * mib}, {&world.device}};
    auto s = world.make_stream();
    pool.deallocate(pool.allocate(9 * mib, s));
    EXPECT_LE(pool.statistics().reserved_bytes, 10 * mib);
}

TEST_F(pool_traps, growth_during_capture_is_refused_and_changes_nothing) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    auto other = world.make_stream();
    void* const held = pool.allocate(64 * mib, other);
    pool.deallocate(pool.allocate(mib, s));
    pool.deallocate(held);
    const auto before = pool.statistics();
    world.device.begin_capture(s.handle());
    void* p = nullptr;
    const auto refused = pool.try_allocate(p, 512 * mib, s);
    EXPECT_EQ(refused.kind(), memory_fault::growth_during_capture);
    EXPECT_EQ(p, nullptr);
    // Nor is a block of another stream taken: the event would come from outside the capture.
    EXPECT_EQ(pool.try_allocate(p, 64 * mib, s).kind(), memory_fault::growth_during_capture);
    EXPECT_TRUE(pool.try_allocate(p, mib, s).ok()) << "its own free memory is in its order";
    pool.deallocate(p);
    (void)world.device.end_capture(s.handle());
    const auto after = pool.statistics();
    EXPECT_EQ(after.reserved_bytes, before.reserved_bytes);
    EXPECT_EQ(after.free_bytes, before.free_bytes);
    EXPECT_EQ(after.growths, before.growths);
    EXPECT_EQ(after.all.current_bytes, 0U);
}
/// Replays use the memory again and again, between eager work on the same stream and on others.
TEST_F(pool_traps, plans_keep_their_memory) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    auto other = world.make_stream();
    allocate_and_free(pool, s, 4, mib);
    auto kept = pool.keep(s);
    world.device.begin_capture(s.handle());
    for (std::uint64_t i = 0; i < 3; ++i) {
        void* const p = pool.allocate(mib, s);
        s.write(p, mib, i);
        s.expect(p, mib, i);
        pool.deallocate(p);
    }
    const auto graph = world.device.end_capture(s.handle());
    EXPECT_GE(kept.free_bytes(), mib);
    EXPECT_FALSE(pool.try_keep(kept, s).ok()) << "one at a time";
    kept.close();
    for (std::uint64_t round = 0; round < 20; ++round) {
        auto& eager = round % 2 == 0 ? s : other;
        std::vector<void*> all;
        for (int i = 0; i < 6; ++i) {
            all.push_back(pool.allocate(mib, eager));
            eager.write(all.back(), mib, 1000 + round);
        }
        world.device.replay(s.handle(), *graph);
        for (void* const p : all) {
            eager.expect(p, mib, 1000 + round);
            pool.deallocate(p);
        }
        EXPECT_GE(pool.trim(), 0U); // never what the plan keeps
    }
    const std::size_t free = pool.statistics().free_bytes;
    kept.give_back();
    EXPECT_EQ(pool.statistics().free_bytes, free);
    allocate_and_free(pool, other, 8, mib);
    world.settle();
}

TEST_F(pool_traps, failing_events_leave_the_pool_as_it_was) {
    model_pool pool{{.reserve = mib, .maximum = mib}, {&world.device}};
    auto s = world.make_stream();
    auto other = world.make_stream();
    void* p = pool.allocate(mib, s);
    s.write(p, mib, 1);
    pool.record_use(p, other);
    world.device.fail_next_event = 1;
    EXPECT_EQ(pool.try_deallocate(p, mib).kind(), memory_fault::runtime_failed);
    EXPECT_EQ(pool.statistics().all.current_bytes, mib) << "still live";
    s.expect(p, mib, 1);
    EXPECT_TRUE(pool.try_deallocate(p, mib).ok());
    world.device.fail_next_event = 1;
    void* q = nullptr;
    EXPECT_EQ(pool.try_allocate(q, mib, other).kind(), memory_fault::runtime_failed);
    EXPECT_EQ(pool.statistics().free_bytes, mib);
    EXPECT_TRUE(pool.try_allocate(q, mib, other).ok());
    other.write(q, mib, 2);
    other.expect(q, mib, 2);
    pool.deallocate(q);
}

TEST_F(pool_traps, trim_waits_and_keeps) {
    model_pool pool{{.growth_minimum = mib, .growth_percent = 0}, {&world.device}};
    auto s = world.make_stream();
    std::vector<void*> all;
    for (std::uint64_t i = 0; i < 8; ++i) {
        all.push_back(pool.allocate(mib, s));
        s.write(all.back(), mib, i);
        s.expect(all.back(), mib, i); // settle() would find work on released memory
    }
    for (std::size_t i = 1; i < 8; ++i)
        pool.deallocate(all[i]);
    EXPECT_EQ(pool.trim(4 * mib), 4 * mib);
    EXPECT_EQ(pool.statistics().reserved_bytes, 4 * mib);
    EXPECT_EQ(pool.trim(), 3 * mib) << "a slab with a live block stays";
    pool.deallocate(all[0]);
    EXPECT_EQ(pool.trim(), mib);
    EXPECT_EQ(world.device.used(), 0U);
}

TEST_F(pool_traps, streams_of_another_device_are_refused) {
    model_pool pool{{}, {&world.device}};
    world.device.number = 1;
    auto s = world.make_stream();
    void* p = nullptr;
    EXPECT_EQ(pool.try_allocate(p, 256, s).kind(), memory_fault::wrong_device);
    const auto raw = r9v::stream_ref::of_handle(s.handle());
    EXPECT_EQ(pool.try_allocate(p, 256, raw).kind(), memory_fault::wrong_device);
    EXPECT_EQ(pool.statistics().streams, 0U);
}
TEST_F(pool_traps, grows_on_its_own_device) {
    model_pool pool{{}, {&world.device}};
    auto s = world.make_stream();
    world.device.current = 3;
    pool.deallocate(pool.allocate(mib, s));
    EXPECT_EQ(pool.device(), 0);
    EXPECT_EQ(world.device.current, 3) << "the caller's device is set again";
}

} // namespace
