// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Plans of prepared programs: replays give what launches give, bit for bit, also after changes.
#include <r9v/exec/any_program.hpp>
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/plan.hpp>
#include <r9v/stream.hpp>

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using namespace r9v;

template<class T>
std::vector<T> random(index_t count, unsigned seed) {
    std::mt19937 bits{seed};
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
        value = from_float<T>(static_cast<float>(bits() % 2001) / 1000.0f - 1.0f);
    return values;
}

/// The tensors of a layer; its program has a tap that is filled first and one that needs scratch.
struct layer {
    layer(index_t rows, unsigned seed)
        : m{rows},
          x{random<half>(m * k, seed)},
          w{random<half>(n * k, seed + 1)},
          y{m * n},
          b{random<float>(n, seed + 2)},
          largest{m},
          sums{m} {}

    [[nodiscard]] auto program(float factor) const {
        const auto to = y.view({m, n});
        return gemm(x.view({m, k}), w.view({n, k})) | scale(factor) | bias(b.view({n})) |
               absmax_rows(largest.view({m})) | sum_rows(sums.view({m})) | silu() | store(to);
    }
    /// All that the program writes, after what is in `s`.
    [[nodiscard]] std::vector<unsigned char> results(const stream& s) const {
        std::vector<unsigned char> bytes;
        const auto append = [&](const auto& values) {
            const auto* const begin = reinterpret_cast<const unsigned char*>(values.data());
            bytes.insert(bytes.end(), begin, begin + values.size() * sizeof values[0]);
        };
        append(y.download(s));
        append(largest.download(s));
        append(sums.download(s));
        return bytes;
    }
    void poison(const stream& s) const {
        for (auto* const memory :
             {static_cast<void*>(largest.data()), static_cast<void*>(sums.data())})
            (void)platform::fill(memory, 0x7b, static_cast<std::size_t>(m) * 4, s.handle());
        (void)platform::fill(y.data(), 0x7b, static_cast<std::size_t>(m * n) * 2, s.handle());
    }

    static constexpr index_t n = 96, k = 64;
    index_t m;
    buffer<half> x, w, y;
    buffer<float> b, largest, sums;
};

struct scratch {
    explicit scratch(std::size_t bytes)
        : memory{static_cast<index_t>(bytes + 16)},
          space{memory.data(), bytes + 16} {}
    buffer<std::byte> memory;
    workspace space;
};

std::vector<unsigned char> launched(const stream& s, const layer& l, float factor) {
    const auto p = l.program(factor);
    const scratch own{workspace_bytes(p)};
    l.poison(s);
    launch(s, p, own.space);
    return l.results(s);
}

TEST(plan_programs, replays_give_what_launches_give) {
    const stream s;
    const layer first{70, 1}, second{70, 11}, taller{600, 21};
    const scratch own{workspace_bytes(taller.program(1))};
    plan p;
    const auto step = p.add(first.program(0.5f), own.space);
    p.capture();
    ASSERT_TRUE(p.captured()) << p.eager_reason();
    const auto replayed = [&](const layer& l) {
        l.poison(s);
        p.replay(s);
        return l.results(s);
    };
    const auto truth = launched(s, first, 0.5f);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(replayed(first), truth);

    p.update(step, first.program(2.0f), own.space); // a scalar
    EXPECT_EQ(replayed(first), launched(s, first, 2.0f));
    p.update(step, second.program(1.0f), own.space); // every pointer
    EXPECT_EQ(replayed(second), launched(s, second, 1.0f));
    EXPECT_EQ(p.statistics().captures, 1U);
    EXPECT_EQ(launched(s, first, 2.0f), first.results(s)); // no longer written by the plan

    p.update(step, taller.program(1.0f), own.space); // another shape, and perhaps another tile
    EXPECT_EQ(replayed(taller), launched(s, taller, 1.0f));
    EXPECT_EQ(p.statistics().replays, 6U);
    EXPECT_EQ(p.statistics().eager_replays, 0U);
}

TEST(plan_programs, a_change_that_cannot_run_changes_nothing) {
    const stream s;
    const layer l{40, 3}, other{39, 4};
    const scratch own{workspace_bytes(l.program(1))};
    plan p{{.eager_fallback = false}};
    const auto step = p.add(l.program(0.5f), own.space);
    p.replay(s);
    const auto truth = l.results(s);
    const auto to = other.y.view({39, layer::n}); // one row short
    const auto wrong = gemm(l.x.view({40, layer::k}), l.w.view({layer::n, layer::k})) |
                       scale(0.5f) | bias(l.b.view({layer::n})) |
                       absmax_rows(l.largest.view({40})) | sum_rows(l.sums.view({40})) | silu() |
                       store(to);
    EXPECT_THROW(p.update(step, wrong, own.space), r9v::error);
    EXPECT_EQ(p.statistics().updates, 0U);
    l.poison(s);
    p.replay(s);
    EXPECT_EQ(l.results(s), truth);
    EXPECT_EQ(p.statistics().captures, 1U);
}

TEST(plan_programs, too_little_scratch_is_refused) {
    const stream s;
    const layer l{40, 5};
    plan strict{{.eager_fallback = false}};
    strict.add(l.program(1));
    const auto refused = strict.try_replay(s.handle());
    EXPECT_NE(std::string{refused.what()}.find("scratch memory"), std::string::npos)
        << refused.what();
    plan mild; // eagerly it is refused as well
    mild.add(l.program(1));
    EXPECT_THROW(mild.replay(s), r9v::error);
}

TEST(plan_programs, programs_chosen_at_run_time) {
    const stream s;
    const layer a{50, 6}, b{60, 7};
    const auto simple = [](const layer& l) {
        const auto to = l.y.view({l.m, layer::n});
        return gemm(l.x.view({l.m, layer::k}), l.w.view({layer::n, layer::k})) | relu() | store(to);
    };
    const std::vector<any_program> graph{simple(a), simple(b)};
    plan p;
    for (const any_program& node : graph)
        p.add([node](platform::stream_handle on) { return try_launch(on, node); });
    p.replay(s);
    ASSERT_TRUE(p.captured());
    EXPECT_EQ(p.statistics().nodes, 2U);
    for (const layer* l : {&a, &b}) {
        const auto replayed = l->y.download(s);
        l->poison(s);
        launch(s, simple(*l));
        const auto truth = l->y.download(s);
        EXPECT_EQ(std::memcmp(replayed.data(), truth.data(), truth.size() * 2), 0);
    }
}

/// A step that takes memory from the pool, works in it, and gives it back.
template<class Pool>
auto borrowing(Pool& pool, const buffer<int>& result, std::size_t bytes) {
    return [&pool, bytes, to = result.data()](platform::stream_handle on) {
        void* const memory = pool.allocate(bytes, on);
        throw_if_failed(platform::check(platform::fill(memory, 7, bytes, on), "fill"));
        throw_if_failed(
            platform::check(hipMemcpyAsync(to, memory, 4, hipMemcpyDeviceToDevice, on), "copy"));
        pool.deallocate(memory, bytes, on);
    };
}

TEST(plan_programs, memory_of_a_pool_stays_the_plans) {
    constexpr std::size_t bytes = 1 << 16;
    const stream s, other;
    const buffer<int> result{1};
    memory_pool pool{{.reserve = 4 << 20}};
    {
        plan p;
        p.use(pool);
        p.add(borrowing(pool, result, bytes));
        p.replay(s);
        ASSERT_TRUE(p.captured()) << p.eager_reason();
        EXPECT_EQ(result.download(s)[0], 0x07070707);
        // The step freed its memory, and yet nobody else gets it while the plan lives.
        std::vector<void*> taken;
        for (int i = 0; i < 20; ++i) {
            taken.push_back(pool.allocate(bytes, other.handle()));
            (void)platform::fill(taken.back(), 1, bytes, other.handle());
        }
        other.synchronize();
        p.replay(s);
        EXPECT_EQ(result.download(s)[0], 0x07070707);
        std::vector<unsigned char> seen(bytes);
        for (void* const each : taken) {
            (void)platform::copy_to_host(seen.data(), each, bytes, other.handle());
            other.synchronize();
            EXPECT_EQ(seen, std::vector<unsigned char>(bytes, 1));
            pool.deallocate(each, bytes, other.handle());
        }
    }
    // With the plan gone its memory is the pool's again, all of it.
    const auto reserved = pool.figures().reserved;
    EXPECT_EQ(pool.figures().live, 0U);
    std::vector<void*> all;
    for (std::size_t left = reserved; left >= bytes; left -= bytes)
        all.push_back(pool.allocate(bytes, s.handle()));
    EXPECT_EQ(pool.figures().reserved, reserved);
    for (void* const each : all)
        pool.deallocate(each, bytes, s.handle());
}

TEST(plan_programs, a_pool_that_would_grow_makes_the_plan_eager) {
    const stream s;
    const buffer<int> result{1};
    memory_pool pool; // empty, and the plan was not told to use it
    plan p;
    p.add(borrowing(pool, result, 1 << 16));
    p.replay(s);
    EXPECT_FALSE(p.captured());
    EXPECT_NE(std::string{p.eager_reason()}.find("captur"), std::string::npos) << p.eager_reason();
    EXPECT_EQ(result.download(s)[0], 0x07070707);
    EXPECT_EQ(p.statistics().eager_replays, 1U);
}

TEST(plan_programs, a_plan_finds_out_how_much_it_needs) {
    const stream s;
    const buffer<int> result{1};
    memory_pool pool{{.maximum = 64 << 20}};
    plan p;
    p.use(pool);
    std::vector<void*> held; // by the steps, until another step frees them
    p.add([&](platform::stream_handle on) {
        held.clear();
        for (int i = 1; i <= 6; ++i)
            held.push_back(pool.allocate(static_cast<std::size_t>(i) << 18, on));
    });
    p.add(borrowing(pool, result, 1 << 20));
    p.add([&](platform::stream_handle) {
        for (void* const each : held)
            pool.deallocate(each);
    });
    p.replay(s);
    EXPECT_TRUE(p.captured()) << p.eager_reason();
    EXPECT_EQ(result.download(s)[0], 0x07070707);

    plan too_large;
    too_large.use(pool);
    too_large.add(borrowing(pool, result, 100 << 20));
    EXPECT_THROW(too_large.replay(s), r9v::error); // eagerly it does not fit either
    EXPECT_FALSE(too_large.captured());
}

} // namespace
