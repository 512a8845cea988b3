// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What every memory resource and adaptor must do, on any device. A world supplies the device:
//
//   using stream = ...             converts to stream_ref; write() and expect() queue work on it
//   stream make_stream()
//   void order(a, b)               work queued on b from now on runs behind what is queued on a
//   void settle()                  waits for all queued work and checks what it found
//   void check(bool, const char*)  reports a failed expectation
//   std::size_t too_much()         more bytes than the device has
//
// No test framework here: the same battery runs under GoogleTest and in plain programs.
#pragma once

#include <r9v/runtime/memory_resource.hpp>

#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace r9v_test {

using r9v::memory_fault;
using r9v::memory_resource;
using r9v::memory_status;

template<class World>
class battery {
public:
    battery(World& world, memory_resource& resource) : world_{world}, resource_{resource} {}

    void run(std::uint64_t seed) {
        sizes();
        alignments();
        misuse();
        second_stream();
        ended_stream();
        reused_handle();
        other_thread();
        random_mix(seed, 400);
        threads(seed);
        check(resource_.figures().live == 0, "everything was freed");
    }

    /// 0, 1 byte, more than the device has.
    void sizes() {
        auto s = world_.make_stream();
        void* p = &p;
        check(resource_.try_allocate(p, 0, s).ok() && p == nullptr, "0 bytes are null");
        check(resource_.try_deallocate(nullptr).ok(), "null may be freed");
        check(resource_.try_allocate(p, 1, s).ok() && p != nullptr, "1 byte");
        check(resource_.try_deallocate(p, 1).ok(), "1 byte is freed");
        const auto before = resource_.figures();
        for (const std::size_t bytes : {world_.too_much(), ~std::size_t{0}, ~std::size_t{0} / 2}) {
            const memory_status refused = resource_.try_allocate(p, bytes, s);
            check(refused.kind() == memory_fault::out_of_memory && p == nullptr,
                  "too much is refused");
            check(!refused.ok() && refused.error().figures().requested == bytes,
                  "the refusal says how much was asked for");
        }
        check(resource_.figures().live == before.live, "a refusal changes nothing");
        world_.settle();
    }

    void alignments() {
        auto s = world_.make_stream();
        std::vector<void*> all;
        for (const std::size_t alignment : {1U, 256U, 512U, 4096U, 65536U, 1U << 21}) {
            void* p = nullptr;
            check(resource_.try_allocate(p, 1000, s, alignment).ok(), "an aligned allocation");
            const auto address = reinterpret_cast<std::uintptr_t>(p);
            check(address % alignment == 0 && address % 256 == 0, "is aligned");
            s.write(p, 1000, alignment);
            all.push_back(p);
        }
        std::uint64_t alignment = 0;
        void* p = nullptr;
        check(resource_.try_allocate(p, 1000, s, 0).kind() == memory_fault::bad_alignment,
              "0 is no alignment");
        check(resource_.try_allocate(p, 1000, s, 768).kind() == memory_fault::bad_alignment,
              "768 is no alignment");
        const std::uint64_t values[] = {1, 256, 512, 4096, 65536, 1U << 21};
        for (void* const q : all) {
            s.expect(q, 1000, values[alignment++]);
            check(resource_.try_deallocate(q, 1000).ok(), "an aligned allocation is freed");
        }
        world_.settle();
    }

    /// Double, foreign, interior and wrong-size frees are refused and change nothing.
    void misuse() {
        auto s = world_.make_stream();
        void* p = resource_.allocate(5000, s);
        const std::size_t live = resource_.figures().live;
        s.write(p, 5000, 77);
        int local = 0;
        check(resource_.try_deallocate(&local).kind() == memory_fault::foreign_pointer, "foreign");
        check(resource_.try_deallocate(static_cast<char*>(p) + 256).kind() ==
                  memory_fault::interior_pointer,
              "interior");
        check(resource_.try_deallocate(static_cast<char*>(p) + 1).kind() ==
                  memory_fault::interior_pointer,
              "interior, odd");
        check(resource_.try_deallocate(p, 4999).kind() == memory_fault::wrong_size, "wrong size");
        check(resource_.try_record_use(&local, s).kind() == memory_fault::foreign_pointer,
              "use of a foreign pointer");
        check(resource_.figures().live == live, "refused frees change nothing");
        s.expect(p, 5000, 77);
        check(resource_.try_deallocate(p, 5000).ok(), "and the memory can still be freed");
        const auto again = resource_.try_deallocate(p, 5000).kind();
        check(again == memory_fault::double_free || again == memory_fault::foreign_pointer,
              "double free");
        check(resource_.figures().live == live - 5000, "one free counts once");
        world_.settle();
    }

    /// Used on a second stream and freed early: the right value survives.
    void second_stream() {
        auto first = world_.make_stream();
        auto second = world_.make_stream();
        for (std::uint64_t round = 1; round <= 20; ++round) {
            void* p = resource_.allocate(8192, second);
            second.write(p, 8192, round);
            check(resource_.try_record_use(p, second).ok(), "use on its own stream");
            // Owned by `first` from here; `second` reads late.
            void* q = resource_.allocate(8192, first);
            check(resource_.try_record_use(q, second).ok(), "use on another stream");
            world_.order(first, second);
            second.write(q, 8192, 1000 + round);
            second.expect(q, 8192, 1000 + round);
            check(resource_.try_deallocate(q, 8192).ok(), "freed while the other stream uses it");
            void* r = resource_.allocate(8192, first);
            first.write(r, 8192, 2000 + round);
            first.expect(r, 8192, 2000 + round);
            check(resource_.try_deallocate(r, 8192).ok(), "freed");
            second.expect(p, 8192, round);
            check(resource_.try_deallocate(p, 8192).ok(), "freed");
        }
        world_.settle();
    }

    /// The stream is destroyed before what was allocated on it is freed, with work still queued.
    void ended_stream() {
        auto other = world_.make_stream();
        for (std::uint64_t round = 1; round <= 10; ++round) {
            std::vector<void*> kept;
            {
                auto ends = world_.make_stream();
                for (std::uint64_t i = 0; i < 4; ++i) {
                    void* const p = resource_.allocate(16384, ends);
                    ends.write(p, 16384, 10 * round + i);
                    ends.expect(p, 16384, 10 * round + i);
                    kept.push_back(p);
                }
                check(resource_.try_deallocate(kept.back()).ok(), "freed before its stream ends");
                kept.pop_back();
            }
            for (void* const p : kept)
                check(resource_.try_deallocate(p, 16384).ok(), "freed after its stream ended");
            for (std::uint64_t i = 0; i < 4; ++i) {
                void* const p = resource_.allocate(16384, other);
                other.write(p, 16384, 555);
                other.expect(p, 16384, 555);
                check(resource_.try_deallocate(p, 16384).ok(), "freed");
            }
        }
        world_.settle();
    }

    /// A new stream with the handle of an old one is not the old one.
    void reused_handle() {
        for (std::uint64_t round = 1; round <= 20; ++round) {
            {
                auto old = world_.make_stream();
                void* const p = resource_.allocate(4096, old);
                old.write(p, 4096, round);
                old.expect(p, 4096, round);
                check(resource_.try_deallocate(p, 4096).ok(), "freed on the old stream");
            }
            auto fresh = world_.make_stream();
            void* const p = resource_.allocate(4096, fresh);
            fresh.write(p, 4096, 900 + round);
            fresh.expect(p, 4096, 900 + round);
            check(resource_.try_deallocate(p, 4096).ok(), "freed on the new stream");
        }
        world_.settle();
    }

    void other_thread() {
        auto s = world_.make_stream();
        void* const p = resource_.allocate(3000, s);
        s.write(p, 3000, 5);
        s.expect(p, 3000, 5);
        bool freed = false;
        std::thread{[&] {
            freed = resource_.try_deallocate(p, 3000).ok();
        }}.join();
        check(freed, "freed by another thread");
        world_.settle();
    }

    /// Allocations and frees on several streams; every value must last until its free.
    void random_mix(std::uint64_t seed, int steps) {
        std::mt19937_64 random{seed};
        std::vector<typename World::stream> streams;
        for (int i = 0; i < 4; ++i)
            streams.push_back(world_.make_stream());
        mix(random, streams, steps);
        world_.settle();
    }

    void threads(std::uint64_t seed) {
        std::vector<std::thread> running;
        for (std::uint64_t t = 0; t < 4; ++t)
            running.emplace_back([&, t] {
                std::mt19937_64 random{seed * 31 + t};
                std::vector<typename World::stream> streams;
                streams.push_back(world_.make_stream());
                streams.push_back(world_.make_stream());
                mix(random, streams, 100);
            });
        for (std::thread& one : running)
            one.join();
        world_.settle();
    }

private:
    struct held {
        void* pointer;
        std::size_t bytes;
        std::uint64_t value;
        std::size_t stream;
    };

    void mix(std::mt19937_64& random, std::vector<typename World::stream>& streams, int steps) {
        std::vector<held> live;
        for (int step = 0; step < steps; ++step) {
            if (live.size() < 24 && random() % 5 < 3) {
                held h{nullptr, 1 + random() % (random() % 4 == 0 ? 100'000 : 4'000), random(),
                       random() % streams.size()};
                const memory_status made =
                    resource_.try_allocate(h.pointer, h.bytes, streams[h.stream]);
                check(made.ok(), "an allocation of the random mix");
                if (!made) continue;
                streams[h.stream].write(h.pointer, h.bytes, h.value);
                live.push_back(h);
            } else if (!live.empty()) {
                const std::size_t at = random() % live.size();
                let_go(live[at], random, streams);
                live[at] = live.back();
                live.pop_back();
            }
        }
        for (const held& h : live)
            let_go(h, random, streams);
    }

    void let_go(const held& h, std::mt19937_64& random,
                std::vector<typename World::stream>& streams) {
        streams[h.stream].expect(h.pointer, h.bytes, h.value);
        if (random() % 4 == 0) {
            // Another stream writes, behind what is queued, and is noted as a user.
            auto& other = streams[random() % streams.size()];
            world_.order(streams[h.stream], other);
            other.write(h.pointer, h.bytes, h.value + 1);
            other.expect(h.pointer, h.bytes, h.value + 1);
            if (random() % 2 == 0) {
                check(resource_.try_record_use(h.pointer, other).ok(), "a use is recorded");
                check(resource_.try_deallocate(h.pointer, h.bytes).ok(), "freed with a use");
            } else {
                check(resource_.try_deallocate(h.pointer, h.bytes, other).ok(),
                      "freed on another stream");
            }
            return;
        }
        check(resource_.try_deallocate(h.pointer, random() % 2 == 0 ? h.bytes : r9v::any_size).ok(),
              "freed");
    }

    void check(bool holds, const char* what) { world_.check(holds, what); }

    World& world_;
    memory_resource& resource_;
};

} // namespace r9v_test
