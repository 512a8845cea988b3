// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An item of an overlap ring makes nothing: no event, no stream, no memory of any kind.
#include <r9v/runtime/overlap.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <new>

namespace {

std::atomic<std::uint64_t> allocations = 0;

/// Does everything at once, and counts what it makes.
struct instant_device {
    using stream_type = int;
    using event_type = int;
    inline static std::atomic<int> made = 0, destroyed = 0;

    const char* enter(int&) { return nullptr; }
    void leave(int) {}
    const char* make_stream(int&) { return count(); }
    void destroy_stream(int) { ++destroyed; }
    const char* synchronize_stream(int) { return nullptr; }
    const char* make_event(int&, bool, bool) { return count(); }
    void destroy_event(int) { ++destroyed; }
    const char* record(int, int) { return nullptr; }
    const char* wait(int, int) { return nullptr; }
    const char* synchronize_event(int) { return nullptr; }
    const char* elapsed(float& milliseconds, int, int) {
        milliseconds = 0.5F;
        return nullptr;
    }
    const char* allocate(void*& pointer, std::size_t bytes) {
        pointer = std::malloc(bytes);
        return count();
    }
    void release(void* pointer) {
        std::free(pointer);
        ++destroyed;
    }
    const char* allocate_pinned(void*& pointer, std::size_t bytes) {
        return allocate(pointer, bytes);
    }
    void release_pinned(void* pointer) { release(pointer); }
    bool is_pinned(const void*) { return false; }
    const char* copy_to_device(void* to, const void* from, std::size_t bytes, int) {
        std::memcpy(to, from, bytes);
        return nullptr;
    }
    const char* copy_to_host(void* to, const void* from, std::size_t bytes, int) {
        std::memcpy(to, from, bytes);
        return nullptr;
    }

private:
    static const char* count() {
        ++made;
        return nullptr;
    }
};

TEST(overlap_growth, a_hundred_thousand_items_make_nothing) {
    constexpr unsigned items = 100'000;
    {
        r9v::basic_overlap_ring<instant_device> ring{
            {.slot_count = 3, .input_bytes = 64, .output_bytes = 64, .trace_items = 100}};
        std::uint64_t sum = 0;
        const auto run = [&](unsigned from, unsigned to) {
            for (unsigned item = from; item < to; ++item) {
                auto future = ring.submit(
                    [=](r9v::host_block& in) { in.as<unsigned>()[0] = item; },
                    [](const r9v::overlap_slot<int>& at) {
                        at.output_as<unsigned>()[0] = at.input_as<unsigned>()[0] * 2;
                    },
                    [&sum](const r9v::host_block& out) { sum += out.as<unsigned>()[0]; });
                if (item % 5 == 0) future.get();
            }
            ring.drain();
        };
        run(0, 100);
        const int made = instant_device::made;
        const std::uint64_t before = allocations;
        run(100, items);
        EXPECT_EQ(allocations - before, 0U);
        EXPECT_EQ(instant_device::made, made);
        EXPECT_EQ(sum, std::uint64_t{items} * (items - 1));
        EXPECT_EQ(ring.statistics().completed, items);
    }
    EXPECT_EQ(instant_device::made, instant_device::destroyed);
}

} // namespace

// Not inlined: g++ would take new and free, seen side by side, for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
