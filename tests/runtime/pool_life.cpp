// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Forks, exits, resets; long runs that must not grow; waiting without the lock.
#include <r9v/runtime/memory_adaptor.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <sys/wait.h>
#include <tests/runtime/pool_model_world.hpp>
#include <unistd.h>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)

constexpr std::size_t mib = std::size_t{1} << 20;

/// In the child everything is refused, and destructors touch nothing.
TEST(pool_life, fork) {
    model_world world{1, 1};
    std::optional<model_pool> pool;
    pool.emplace(r9v::pool_options{}, model_backend{&world.device});
    auto s = world.make_stream();
    void* const p = pool->allocate(4096, s);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::size_t calls = world.device.calls();
        void* q = nullptr;
        int wrong = 0;
        wrong += pool->try_allocate(q, 4096, s).kind() == memory_fault::forked ? 0 : 1;
        wrong += pool->try_deallocate(p).kind() == memory_fault::forked ? 0 : 2;
        wrong += pool->try_record_use(p, s).kind() == memory_fault::forked ? 0 : 4;
        wrong += pool->try_reserve(64 * mib).kind() == memory_fault::forked ? 0 : 8;
        wrong += pool->trim() == 0 ? 0 : 16;
        pool.reset();
        wrong += world.device.calls() == calls ? 0 : 32;
        _exit(wrong);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(pool->try_deallocate(p, 4096).ok()) << "the parent goes on";
    world.settle();
}

/// A driver that is gone once the exit handler ran that it set when it was first used; calling it
/// then ends the process.
struct guarded_backend : model_backend {
    static inline std::atomic<bool> gone{false};
    static void use() {
        if (gone) _exit(9);
    }
    int allocate(void** memory, std::size_t bytes) {
        use();
        std::atexit([] { gone = true; });
        return model_backend::allocate(memory, bytes);
    }
    int release(void* memory) { return use(), model_backend::release(memory); }
    int device_synchronize() { return use(), model_backend::device_synchronize(); }
    int event_destroy(void* event) { return use(), model_backend::event_destroy(event); }
    int current_device(int* number) { return use(), model_backend::current_device(number); }
};

void exit_with_live_memory() {
    static model_device device;
    static r9v::basic_pool<guarded_backend> pool{{}, {{&device}}};
    static r9v::counted_memory counted{pool};
    static struct holder {
        void* memory = nullptr;
        ~holder() {
            if (!guarded_backend::gone) _exit(7); // the test would show nothing
            if (counted.try_deallocate(memory).kind() != memory_fault::process_exiting) _exit(8);
        }
    } live;
    live.memory = counted.allocate(4096, r9v::stream_ref{});
    std::exit(0);
}
TEST(pool_life, exit_with_live_buffers) {
    EXPECT_EXIT(exit_with_live_memory(), testing::ExitedWithCode(0), "");
}

TEST(pool_life, device_reset) {
    model_device device{1, 1};
    device.number = device.current = 5;
    std::optional<model_pool> pool;
    pool.emplace(r9v::pool_options{}, model_backend{&device});
    {
        model_pool elsewhere{{.device = 6}, {&device}};
        void* const p = pool->allocate(4096, r9v::stream_ref{});
        r9v::note_device_reset(5);
        const std::size_t calls = device.calls();
        void* q = nullptr;
        EXPECT_EQ(pool->try_allocate(q, 4096, r9v::stream_ref{}).kind(),
                  memory_fault::device_reset);
        EXPECT_EQ(pool->try_deallocate(p).kind(), memory_fault::device_reset);
        EXPECT_NE(std::string{pool->try_deallocate(p).what()}.find("Make what owns memory anew"),
                  std::string::npos);
        pool.reset();
        EXPECT_EQ(device.calls(), calls);
        EXPECT_TRUE(elsewhere.try_allocate(q, 4096, r9v::stream_ref{}).ok()) << "another device";
        elsewhere.deallocate(q);
    }
    model_pool fresh{{}, {&device}};
    fresh.deallocate(fresh.allocate(4096, r9v::stream_ref{}));
}

/// Two streams hand memory to one another 100,000 times: nothing is made that stays.
TEST(pool_life, long_runs_do_not_grow) {
    model_world world{3, 4};
    model_pool pool{{}, {&world.device}};
    auto a = world.make_stream();
    auto b = world.make_stream();
    const auto round = [&](std::uint64_t i) {
        void* const p = pool.allocate(1000 + i % 7 * 5000, i % 2 == 0 ? a : b);
        pool.record_use(p, i % 2 == 0 ? b : a);
        pool.deallocate(p);
        if (i % 64 == 0) (void)world.device.device_synchronize();
    };
    for (std::uint64_t i = 0; i < 2000; ++i)
        round(i);
    const auto before = pool.statistics();
    const std::size_t events = world.device.live_events();
    for (std::uint64_t i = 0; i < 100'000; ++i)
        round(i);
    const auto after = pool.statistics();
    EXPECT_EQ(after.events, before.events);
    EXPECT_EQ(world.device.live_events(), events);
    EXPECT_EQ(after.reserved_bytes, before.reserved_bytes);
    EXPECT_EQ(after.streams, before.streams);
    EXPECT_LT(after.events, 100U);
    world.settle();
}

/// A stream for each request: what the pool knows of ended streams goes away.
TEST(pool_life, streams_come_and_go) {
    model_world world{4, 4};
    model_pool pool{{}, {&world.device}};
    std::size_t most_events = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        auto s = world.make_stream();
        void* const p = pool.allocate(4096 * (1 + i % 5), s);
        s.write(p, 4096, i);
        s.expect(p, 4096, i);
        pool.deallocate(p);
        if (i % 16 == 0) (void)world.device.device_synchronize();
        most_events = std::max(most_events, world.device.live_events());
    }
    EXPECT_LE(pool.statistics().streams, 2U);
    EXPECT_LE(pool.statistics().slabs, 1U);
    EXPECT_LT(most_events, 100U);
    world.settle();
}

/// While one thread waits for the device, another may allocate: a hook tries that from within.
struct hooked_backend : model_backend {
    std::function<void()>* hook = nullptr;
    int event_synchronize(void* event) { return call(), model_backend::event_synchronize(event); }
    int release(void* memory) { return call(), model_backend::release(memory); }
    int allocate(void** memory, std::size_t bytes) {
        return call(), model_backend::allocate(memory, bytes);
    }
    void call() const {
        if (hook != nullptr && *hook) (*hook)();
    }
};
TEST(pool_life, no_lock_is_held_while_the_device_is_waited_for) {
    model_world world{5, 0};
    std::function<void()> hook;
    hooked_backend backend{{&world.device}, &hook};
    r9v::basic_pool<hooked_backend> pool{{}, backend};
    auto s = world.make_stream();
    void* const held = pool.allocate(4096, s); // its slab stays, and has room for another
    int called = 0;
    hook = [&] {
        ++called;
        std::thread{[&] {
            pool.deallocate(pool.allocate(4096, s));
        }}.join();
    };
    void* const p = pool.allocate(64 * mib, s); // growth
    EXPECT_EQ(called, 1);
    pool.deallocate(p);
    EXPECT_GE(pool.trim(), 64 * mib); // waiting for the stream, and release
    EXPECT_GE(called, 3);
    hook = nullptr;
    pool.deallocate(held);
}

} // namespace
