// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a pool and its adaptors tell: counters, tags, snapshots, traces, leaks; and how much memory
// two services' traces need.
#include <r9v/runtime/memory_trace.hpp>
#include <r9v/runtime/pool_report.hpp>
#include <r9v/runtime/tracked_memory.hpp>

#include <tests/runtime/pool_model_world.hpp>
#include <tests/runtime/pool_traces.hpp>

namespace {

using namespace r9v_test; // NOLINT(google-build-using-namespace)
using r9v::memory_tag;

constexpr std::size_t mib = std::size_t{1} << 20;

struct pool_reports : testing::Test {
    model_world world{11, 2};
    model_pool pool{{.growth_minimum = mib}, {&world.device}};
    model_stream s{world.device};
};

TEST_F(pool_reports, statistics) {
    void* const p = pool.allocate(1000, s);
    void* const q = pool.allocate(2000, s);
    pool.deallocate(p);
    const auto now = pool.statistics();
    EXPECT_EQ(now.all.current_bytes, 2000U);
    EXPECT_EQ(now.all.peak_bytes, 3000U);
    EXPECT_EQ(now.all.total_bytes, 3000U);
    EXPECT_EQ(now.all.current_blocks, 1U);
    EXPECT_EQ(now.all.peak_blocks, 2U);
    EXPECT_EQ(now.all.total_blocks, 2U);
    EXPECT_EQ(now.reserved_bytes, mib);
    EXPECT_EQ(now.free_bytes, mib - 2048);
    // 1000 bytes took 1024 at the low end: the gap behind both is the largest.
    EXPECT_EQ(now.largest_free_bytes, mib - 3072);
    EXPECT_NEAR(now.fragmentation(), 1024.0 / static_cast<double>(mib - 2048), 1e-9);
    EXPECT_EQ(pool.figures().largest_free, mib - 3072);
    pool.reset_peaks();
    EXPECT_EQ(pool.statistics().all.peak_bytes, 2000U);
    pool.deallocate(q);
    EXPECT_EQ(pool.statistics().fragmentation(), 0.0);
}

TEST_F(pool_reports, tags_nest) {
    void* plain = pool.allocate(256, s);
    void* outer = nullptr;
    void* inner = nullptr;
    {
        const memory_tag decode{"decode"};
        outer = pool.allocate(512, s);
        const memory_tag attention{"attention"};
        inner = pool.allocate(1024, s);
    }
    void* const after = pool.allocate(256, s);
    const auto tags = pool.statistics().tags;
    ASSERT_EQ(tags.size(), 2U);
    EXPECT_EQ(tags[0].tag, "decode");
    EXPECT_EQ(tags[0].counter.current_bytes, 1536U);
    EXPECT_EQ(tags[1].tag, "decode/attention");
    EXPECT_EQ(tags[1].counter.current_bytes, 1024U);
    for (void* const p : {plain, outer, inner, after})
        pool.deallocate(p);
    EXPECT_EQ(pool.statistics().tags[0].counter.current_bytes, 0U);
    EXPECT_EQ(pool.statistics().tags[0].counter.peak_bytes, 1536U);
}

TEST_F(pool_reports, snapshot_as_json_and_svg) {
    const memory_tag tag{"a<\"b&"};
    void* const p = pool.allocate(1000, s);
    void* const q = pool.allocate(5000, s);
    pool.deallocate(p);
    const auto snapshot = pool.snapshot();
    ASSERT_EQ(snapshot.slabs.size(), 1U);
    std::size_t bytes = 0;
    std::size_t live = 0;
    for (const auto& b : snapshot.slabs[0].blocks) {
        EXPECT_EQ(b.offset, bytes);
        bytes += b.bytes;
        live += b.live ? b.requested : 0;
    }
    EXPECT_EQ(bytes, mib);
    EXPECT_EQ(live, 5000U);
    const std::string json = to_json(snapshot);
    EXPECT_NE(json.find(R"("requested":5000,"live":true)"), std::string::npos);
    EXPECT_NE(json.find(R"("tag":"a<\"b&")"), std::string::npos);
    EXPECT_EQ(std::count(json.begin(), json.end(), '{'), std::count(json.begin(), json.end(), '}'));
    const std::string svg = to_svg(snapshot);
    EXPECT_NE(svg.find("live 5000 bytes at"), std::string::npos);
    EXPECT_NE(svg.find("a&lt;\"b&amp;"), std::string::npos);
    EXPECT_EQ(svg.find("a<"), std::string::npos);
    EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
    pool.deallocate(q);
}

TEST_F(pool_reports, limit) {
    r9v::limited_memory limited{pool, 10'000};
    void* const p = limited.allocate(9'000, s);
    void* q = nullptr;
    const auto refused = limited.try_allocate(q, 1'001, s);
    EXPECT_EQ(refused.kind(), memory_fault::out_of_memory);
    EXPECT_EQ(refused.error().figures().largest_free, 1'000U);
    EXPECT_TRUE(limited.try_allocate(q, 1'000, s).ok());
    EXPECT_EQ(limited.try_deallocate(p, 5).kind(), memory_fault::wrong_size);
    EXPECT_EQ(limited.figures().live, 10'000U);
    limited.deallocate(p);
    limited.deallocate(q);
    EXPECT_EQ(limited.figures().live, 0U);
    EXPECT_EQ(limited.figures().peak, 10'000U);
}

TEST_F(pool_reports, second_chance) {
    r9v::limited_memory limited{pool, 10'000};
    void* spare = limited.allocate(8'000, s);
    int asked = 0;
    r9v::retried_memory retried{limited, [&](const r9v::memory_error& reason) {
                                    ++asked;
                                    EXPECT_EQ(reason.figures().requested, 4'000U);
                                    if (spare == nullptr) return false;
                                    limited.deallocate(std::exchange(spare, nullptr));
                                    return true;
                                }};
    void* const p = retried.allocate(4'000, s);
    void* const q = retried.allocate(4'000, s);
    void* r = nullptr;
    EXPECT_FALSE(retried.try_allocate(r, 4'000, s).ok());
    EXPECT_EQ(asked, 2);
    retried.deallocate(p);
    retried.deallocate(q);
}

TEST_F(pool_reports, leaks_have_a_place) {
    r9v::tracked_memory tracked{pool};
    void* const p = tracked.allocate(1'234, s);
    const auto line = std::source_location::current().line() - 1;
    void* const q = tracked.allocate(1, s);
    tracked.deallocate(q);
    ASSERT_EQ(tracked.live().size(), 1U);
    EXPECT_EQ(tracked.live()[0].pointer, p);
    EXPECT_EQ(tracked.live()[0].where.line(), line);
    EXPECT_NE(tracked.report().find("1234 bytes (allocation 1) from"), std::string::npos);
    EXPECT_NE(tracked.report().find("pool_reports.cpp:" + std::to_string(line)), std::string::npos);
    tracked.deallocate(p);
    EXPECT_TRUE(tracked.report().empty());
}

TEST_F(pool_reports, errors_carry_the_callers_place) {
    const auto refused = pool.try_allocate(*std::make_unique<void*>(), 1, s, 3);
    EXPECT_EQ(refused.error().where().line(), std::source_location::current().line() - 1);
}

TEST_F(pool_reports, traces_are_logged_saved_read_and_replayed) {
    r9v::logged_memory logged{pool};
    model_stream other{world.device};
    void* const p = logged.allocate(1000, s, 4096);
    void* const q = logged.allocate(5000, other);
    logged.record_use(q, s);
    EXPECT_FALSE(logged.try_deallocate(&world).ok()); // what fails is not in the trace
    logged.deallocate(p);
    logged.deallocate(q, 5000, s);
    const auto trace = logged.trace();
    ASSERT_EQ(trace.events.size(), 5U);
    EXPECT_EQ(trace.peak_live(), 6000U);
    EXPECT_EQ(trace.events[1].stream, 1U);
    EXPECT_EQ(trace.events[4].stream, 0U);
    r9v::memory_trace read;
    ASSERT_TRUE(r9v::memory_trace::try_from_csv(trace.to_csv(), read).ok());
    EXPECT_EQ(read.to_csv(), trace.to_csv());
    const auto wrong = r9v::memory_trace::try_from_csv(trace.to_csv() + "steal,1,2,3,4,5\n", read);
    EXPECT_NE(std::string{wrong.what()}.find("line 7 of a memory trace"), std::string::npos);

    r9v::logged_memory again{pool};
    const r9v::stream_ref streams[] = {s, other};
    const auto result = replay(trace, again, streams);
    EXPECT_EQ(result.calls, 5U);
    EXPECT_EQ(result.failures, 0U);
    ASSERT_EQ(again.trace().events.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(again.trace().events[i].bytes, trace.events[i].bytes);
        EXPECT_EQ(again.trace().events[i].stream, trace.events[i].stream);
        EXPECT_EQ(again.trace().events[i].what, trace.events[i].what);
    }
    r9v::limited_memory small{pool, 100};
    const auto refused = replay(trace, small, streams);
    EXPECT_EQ(refused.failures, 2U);
    EXPECT_EQ(refused.first_failure.kind(), memory_fault::out_of_memory);
}

/// No memory behind it: only addresses, so that traces of gigabytes can be replayed.
struct address_backend : model_backend {
    int allocate(void** memory, std::size_t bytes) {
        static std::uintptr_t next = std::uintptr_t{1} << 40;
        *memory = reinterpret_cast<void*>(next);
        next += (bytes + 2 * mib) / mib * mib; // a gap: slabs do not touch
        return 0;
    }
    int release(void*) { return 0; }
    int device_synchronize() { return 0; }
};

double reserved_over_live(const r9v::memory_trace& trace, std::size_t reserve) {
    model_device device{1, 4};
    r9v::pool_options options;
    options.reserve = reserve;
    if (reserve != 0) options.maximum = reserve;
    r9v::basic_pool<address_backend> pool{options, {{&device}}};
    std::vector<model_stream> streams;
    for (int i = 0; i < 8; ++i)
        streams.emplace_back(device);
    const std::vector<r9v::stream_ref> refs(streams.begin(), streams.end());
    const auto result = replay(trace, pool, refs);
    EXPECT_EQ(result.failures, 0U) << result.first_failure.what();
    EXPECT_EQ(pool.statistics().all.peak_bytes, trace.peak_live());
    return static_cast<double>(pool.statistics().peak_reserved_bytes) /
           static_cast<double>(trace.peak_live());
}

/// A service that logged one run reserves what that run had live and a tenth, and never grows. One
/// that grows from nothing needs more where its blocks are large for its memory.
void replay_service(const char* name, const r9v::memory_trace& trace, double grown_at_most) {
    const auto reserve = static_cast<std::size_t>(1.10 * static_cast<double>(trace.peak_live()));
    const double reserved = reserved_over_live(trace, reserve / 256 * 256);
    const double grown = reserved_over_live(trace, 0);
    std::printf(
        "%s: %zu calls, %.1f MiB live at most; reserved/live %.3f with a reserve, %.3f grown "
        "from nothing\n",
        name, trace.events.size(),
        static_cast<double>(trace.peak_live()) / static_cast<double>(mib), reserved, grown);
    EXPECT_LE(reserved, 1.10);
    EXPECT_LE(grown, grown_at_most);
}
TEST(pool_traces, growing_decode) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        replay_service("growing-context decode", growing_decode(seed), 1.10);
}
TEST(pool_traces, mixed_vision) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        replay_service("mixed-resolution vision", mixed_vision(seed), 1.20);
}

} // namespace
