// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The promises of the overlap ring, on a device that takes its time.
#include <r9v/runtime/overlap.hpp>

#include "overlap_test_device.hpp"
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace overlap_test;
using namespace std::chrono_literals;
using ring = r9v::basic_overlap_ring<test_device>;
using slot = ring::slot_type;

constexpr std::size_t count = 64;

r9v::overlap_options options(int slots) {
    return {.slot_count = slots, .input_bytes = count * 4, .output_bytes = count * 4};
}

void fill_with(r9v::host_block& block, unsigned first) {
    const auto values = block.as<unsigned>();
    std::iota(values.begin(), values.end(), first);
}

/// On the device: out = 3 * in + 1.
void compute(const slot& at) {
    at.stream->push([in = at.input_as<unsigned>(), out = at.output_as<unsigned>()] {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = 3 * in[i] + 1;
    });
}

bool is_result(const r9v::host_block& block, unsigned first) {
    const auto values = block.as<unsigned>();
    if (values.size() != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i] != 3 * (first + i) + 1) return false;
    }
    return true;
}

TEST(overlap_ring, results_are_right_and_in_order_at_any_speed) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        const auto behind = std::make_shared<world>(seed, 200);
        const int slots = 1 + static_cast<int>(seed % 8);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", slots " << slots);
        {
            ring r{options(slots), test_device{behind}};
            std::vector<r9v::overlap_future> futures;
            std::vector<unsigned> ended;
            std::vector<unsigned> wrong;
            for (unsigned item = 0; item < 20; ++item) {
                futures.push_back(r.submit([=](r9v::host_block& in) { fill_with(in, item * 1000); },
                                           compute,
                                           [&, item](const r9v::host_block& out) {
                                               ended.push_back(item);
                                               if (!is_result(out, item * 1000))
                                                   wrong.push_back(item);
                                           }));
                EXPECT_EQ(futures.back().item(), item);
            }
            for (auto& future : futures)
                future.get();
            EXPECT_TRUE(wrong.empty());
            for (unsigned item = 0; item < 20; ++item)
                EXPECT_EQ(ended.at(item), item);
        }
        EXPECT_TRUE(behind->clean());
    }
}

TEST(overlap_ring, several_producers) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const auto behind = std::make_shared<world>(seed, 100);
        ring r{options(3), test_device{behind}};
        std::atomic<int> right = 0;
        std::vector<std::uint64_t> order; // only the ring's thread touches it
        std::vector<std::thread> producers;
        for (unsigned p = 0; p < 4; ++p) {
            producers.emplace_back([&, p] {
                for (unsigned i = 0; i < 25; ++i) {
                    const unsigned first = p * 100'000 + i * 100;
                    auto item = std::make_shared<std::uint64_t>();
                    auto future = r.submit([=](r9v::host_block& in) { fill_with(in, first); },
                                           [item](const slot& at) {
                                               *item = at.item;
                                               compute(at);
                                           },
                                           [&, first, item](const r9v::host_block& out) {
                                               order.push_back(*item);
                                               if (is_result(out, first)) ++right;
                                           });
                    if (i % 3 != 0) future.get();
                }
            });
        }
        for (auto& each : producers)
            each.join();
        r.drain();
        EXPECT_EQ(right, 100);
        ASSERT_EQ(order.size(), 100U);
        for (std::size_t i = 0; i < order.size(); ++i)
            EXPECT_EQ(order[i], i);
    }
}

/// Keeps the device from going on until it is told to.
struct gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;

    void open() {
        const std::lock_guard lock(mutex);
        is_open = true;
        changed.notify_all();
    }
    void pass() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_open; });
    }
};

TEST(overlap_ring, back_pressure) {
    const auto behind = std::make_shared<world>();
    ring r{options(2), test_device{behind}};
    gate g;
    const auto held = [&](const slot& at) {
        at.stream->push([&g] { g.pass(); });
    };
    const auto nothing = [](auto&&) {
    };
    auto first = r.submit(nothing, held, nothing);
    auto second = r.submit(nothing, held, nothing);
    EXPECT_FALSE(r.submit_now(nothing, held, nothing).valid());
    EXPECT_FALSE(r.submit_within(2ms, nothing, held, nothing).valid());
    EXPECT_FALSE(first.ready());
    EXPECT_FALSE(first.wait_for(1ms));
    r9v::overlap_future none;
    EXPECT_TRUE(r.try_submit_now(none, nothing, held, nothing).ok());
    EXPECT_FALSE(none.valid());
    std::thread later{[&] { // blocks until the gate opens
        r.submit(nothing, nothing, nothing).get();
    }};
    g.open();
    later.join();
    first.get();
    second.get();
    EXPECT_FALSE(second.valid());
    EXPECT_NE(std::string{second.try_get().what()}.find("future is empty"), std::string::npos);
    EXPECT_TRUE(r.submit_now(nothing, nothing, nothing).valid());
    EXPECT_GE(r.statistics().stalls, 1U);
}

enum class failing_stage { fill, compute, consume };
enum class failing_how { exception, own_error, status, anything };

r9v::status fail(failing_how how) {
    switch (how) {
    case failing_how::exception:
        throw std::runtime_error{"the disk is full"};
    case failing_how::own_error:
        throw r9v::error{"r9v: broken. Mend it."};
    case failing_how::anything:
        throw 42; // NOLINT(hicpp-exception-baseclass)
    default:
        return r9v::error{"r9v: refused. Ask again."};
    }
}

void expect_failure(r9v::overlap_future& future, failing_how how) {
    switch (how) {
    case failing_how::exception:
        EXPECT_THROW(future.get(), std::runtime_error);
        break;
    case failing_how::anything:
        EXPECT_THROW(future.get(), int);
        break;
    default:
        EXPECT_THROW(future.get(), r9v::error);
        break;
    }
}

/// One run of items of which one fails; what has begun ends as usual, the rest is refused.
void run_failing(failing_stage stage, unsigned bad, failing_how how, unsigned seed) {
    constexpr unsigned items = 12;
    const auto behind = std::make_shared<world>(seed, 150);
    {
        ring r{options(3), test_device{behind}};
        std::vector<r9v::overlap_future> futures;
        std::vector<int> right(items, 0);
        unsigned refused = 0;
        const auto submit = [&](unsigned item, bool fails) {
            r9v::overlap_future future;
            const r9v::status taken = r.try_submit(
                future,
                [=](r9v::host_block& in) -> r9v::status {
                    if (fails && stage == failing_stage::fill) return fail(how);
                    fill_with(in, item);
                    return {};
                },
                [=](const slot& at) -> r9v::status {
                    compute(at);
                    if (fails && stage == failing_stage::compute) return fail(how);
                    return {};
                },
                [=, &right](const r9v::host_block& out) -> r9v::status {
                    if (fails && stage == failing_stage::consume) return fail(how);
                    right[item] += is_result(out, item) ? 1 : 0;
                    return {};
                });
            if (!taken) {
                ++refused;
                EXPECT_NE(std::string{taken.what()}.find("restart()"), std::string::npos);
                return;
            }
            EXPECT_EQ(future.item(), item);
            futures.push_back(std::move(future));
        };
        for (unsigned item = 0; item < items; ++item)
            submit(item, item == bad);
        ASSERT_GT(futures.size(), bad);
        for (unsigned item = 0; item < futures.size(); ++item) {
            if (item == bad) {
                expect_failure(futures[item], how);
                EXPECT_EQ(right[item], 0);
            } else {
                EXPECT_NO_THROW(futures[item].get());
                EXPECT_EQ(right[item], 1) << "item " << item;
            }
        }
        EXPECT_EQ(futures.size() + refused, items);
        EXPECT_FALSE(r.open());
        EXPECT_EQ(r.statistics().failed, 1U);
        EXPECT_THROW((void)r.submit([](auto&) {}, compute, [](auto&) {}), r9v::error);

        r.restart(); // the slot of the failed item is used again
        EXPECT_TRUE(r.open());
        for (unsigned item = 0; item < 6; ++item) {
            bool good = false;
            r.submit([=](r9v::host_block& in) { fill_with(in, item); }, compute,
                     [&, item](const r9v::host_block& out) { good = is_result(out, item); })
                .get();
            EXPECT_TRUE(good);
        }
    }
    EXPECT_TRUE(behind->clean());
}

TEST(overlap_ring, a_failure_in_any_stage_at_any_place) {
    unsigned seed = 0;
    for (const auto stage : {failing_stage::fill, failing_stage::compute, failing_stage::consume}) {
        for (const unsigned bad : {0U, 6U, 11U}) {
            for (const auto how : {failing_how::exception, failing_how::own_error,
                                   failing_how::status, failing_how::anything}) {
                SCOPED_TRACE(::testing::Message()
                             << "stage " << static_cast<int>(stage) << ", item " << bad << ", how "
                             << static_cast<int>(how));
                run_failing(stage, bad, how, ++seed);
            }
        }
    }
}

/// Several producers whose items fail, are cancelled or forgotten at random; who meets a closed
/// ring opens it again. Every item ends one way, and what succeeds is right.
void run_chaos(unsigned seed) {
    const auto behind = std::make_shared<world>(seed, 60);
    std::atomic<unsigned> taken = 0, good = 0, failed = 0, cancelled = 0, wrong = 0;
    {
        ring r{options(1 + static_cast<int>(seed % 8)), test_device{behind}};
        const auto produce = [&](unsigned producer) {
            std::minstd_rand bits{seed * 31 + producer};
            std::vector<std::pair<r9v::overlap_future, std::shared_ptr<std::atomic<int>>>> mine;
            for (unsigned item = 0; item < 15; ++item) {
                const unsigned first = producer * 10'000 + item * 100;
                const auto trap = bits() % 36; // fails in stage 0, 1 or 2
                const auto right = std::make_shared<std::atomic<int>>(0);
                const auto stumble = [=](unsigned stage) {
                    if (trap == stage) throw std::runtime_error{"trap"};
                };
                r9v::overlap_future future;
                const auto fill = [=](r9v::host_block& in) {
                    fill_with(in, first);
                    stumble(0);
                };
                const auto work = [=](const slot& at) {
                    compute(at);
                    stumble(1);
                };
                const auto consume = [=](const r9v::host_block& out) {
                    stumble(2);
                    *right = is_result(out, first) ? 1 : -1;
                };
                const auto outcome = bits() % 3 == 0 ? r.try_submit_now(future, fill, work, consume)
                                                     : r.try_submit(future, fill, work, consume);
                if (!outcome.ok()) {
                    EXPECT_TRUE(r.try_restart().ok());
                }
                if (!future.valid()) continue;
                ++taken;
                if (bits() % 10 == 0) (void)future.cancel();
                mine.emplace_back(std::move(future), right);
            }
            for (auto& [future, right] : mine) {
                const std::string text = future.try_get().what();
                if (text.empty()) {
                    ++(*right == 1 ? good : wrong);
                } else if (text.find("cancelled") != std::string::npos) {
                    ++(*right == 0 ? cancelled : wrong);
                } else {
                    ++(text.find("trap") != std::string::npos ? failed : wrong);
                }
            }
        };
        std::vector<std::thread> producers;
        for (unsigned p = 0; p < 3; ++p)
            producers.emplace_back(produce, p);
        for (auto& each : producers)
            each.join();
        const auto s = r.statistics();
        EXPECT_EQ(s.submitted, taken);
        EXPECT_EQ(s.failed, failed);
        EXPECT_EQ(s.cancelled, cancelled);
        EXPECT_EQ(good + failed + cancelled, taken);
        EXPECT_EQ(wrong, 0U);
        EXPECT_GT(good, 0U);
    }
    EXPECT_TRUE(behind->clean());
}

TEST(overlap_ring, failures_and_cancellations_of_several_producers) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        run_chaos(seed);
    }
}

TEST(overlap_ring, destroyed_with_failures_nobody_asked_for) {
    const auto behind = std::make_shared<world>(3, 100);
    r9v::overlap_future kept;
    {
        ring r{options(4), test_device{behind}};
        for (int i = 0; i < 3; ++i)
            (void)r.submit([](auto&) {}, compute, [](auto&) {});
        kept = r.submit([](auto&) {}, compute, [](auto&) { throw std::logic_error{"late"}; });
    }
    EXPECT_TRUE(behind->clean());
    EXPECT_TRUE(kept.ready()); // it outlives the ring
    EXPECT_THROW(kept.get(), std::logic_error);
}

TEST(overlap_ring, a_refusing_device) {
    for (const char* call : {"make_stream", "make_event", "allocate", "allocate_pinned"}) {
        for (int number = 1; number <= 4; ++number) {
            const auto behind = std::make_shared<world>();
            if (std::string{call} == "make_stream" && number > 3) continue;
            behind->failing[call] = number;
            std::optional<ring> r;
            const auto made = ring::try_make(options(2), r, test_device{behind});
            EXPECT_FALSE(made.ok());
            EXPECT_NE(std::string{made.what()}.find("the test wants it so"), std::string::npos);
            EXPECT_FALSE(r.has_value());
            EXPECT_TRUE(behind->clean()) << call << " " << number;
        }
    }
    for (const char* call :
         {"record", "wait", "copy_to_device", "copy_to_host", "synchronize_event", "enter"}) {
        const auto behind = std::make_shared<world>(9, 50);
        {
            ring r{options(3), test_device{behind}};
            bool good = false;
            const auto submit = [&](r9v::overlap_future& future) {
                return r.try_submit(
                    future, [](r9v::host_block& in) { fill_with(in, 5); }, compute,
                    [&](const r9v::host_block& out) { good = is_result(out, 5); });
            };
            r9v::overlap_future future;
            ASSERT_TRUE(submit(future).ok());
            ASSERT_TRUE(future.try_get().ok());
            behind->failing[call] = behind->count(call) + 1;
            ASSERT_TRUE(submit(future).ok());
            const auto outcome = future.try_get();
            EXPECT_FALSE(outcome.ok()) << call;
            EXPECT_NE(std::string{outcome.what()}.find("the test wants it so"), std::string::npos);
            ASSERT_TRUE(r.try_restart().ok());
            good = false;
            ASSERT_TRUE(submit(future).ok());
            EXPECT_TRUE(future.try_get().ok()) << call;
            EXPECT_TRUE(good);
        }
        EXPECT_TRUE(behind->clean()) << call;
    }
}

TEST(overlap_ring, bad_options) {
    const auto behind = std::make_shared<world>();
    for (const int slots : {-1, 0, 9}) {
        std::optional<ring> r;
        EXPECT_FALSE(ring::try_make(options(slots), r, test_device{behind}).ok());
        EXPECT_THROW((ring{options(slots), test_device{behind}}), r9v::error);
    }
    EXPECT_EQ(behind->made, 0);
}

TEST(overlap_ring, cancellation) {
    const auto behind = std::make_shared<world>(5, 20);
    {
        ring r{options(4), test_device{behind}};
        gate g;
        bool consumed[4]{};
        std::vector<r9v::overlap_future> futures;
        for (int i = 0; i < 4; ++i) {
            futures.push_back(r.submit([](auto&) {},
                                       [&](const slot& at) { at.stream->push([&g] { g.pass(); }); },
                                       [&consumed, i](auto&) { consumed[i] = true; }));
        }
        EXPECT_TRUE(futures[1].cancel());
        EXPECT_TRUE(futures[1].cancel()); // once more changes nothing
        g.open();
        futures[0].get();
        EXPECT_NE(std::string{futures[1].try_get().what()}.find("cancelled"), std::string::npos);
        futures[2].get();
        futures[3].get();
        EXPECT_FALSE(futures[3].cancel());
        EXPECT_TRUE(consumed[0] && !consumed[1] && consumed[2] && consumed[3]);
        EXPECT_TRUE(r.open());
        EXPECT_EQ(r.statistics().cancelled, 1U);

        gate begun, go; // too late once consume has begun
        auto busy = r.submit([](auto&) {}, compute,
                             [&](auto&) {
                                 begun.open();
                                 go.pass();
                             });
        begun.pass();
        EXPECT_FALSE(busy.cancel());
        go.open();
        busy.get();

        gate h;
        auto last =
            r.submit([](auto&) {}, [&](const slot& at) { at.stream->push([&h] { h.pass(); }); },
                     [](auto&) { FAIL(); });
        r.cancel();
        h.open();
        EXPECT_THROW(last.get(), r9v::error);
        EXPECT_THROW((void)r.submit([](auto&) {}, compute, [](auto&) {}), r9v::error);
        r.restart();
        r.submit([](auto&) {}, compute, [](auto&) {}).get();
    }
    EXPECT_TRUE(behind->clean());
}

TEST(overlap_ring, cancel_wakes_a_waiting_producer) {
    const auto behind = std::make_shared<world>();
    ring r{options(1), test_device{behind}};
    gate g;
    auto first = r.submit(
        [](auto&) {}, [&](const slot& at) { at.stream->push([&g] { g.pass(); }); }, [](auto&) {});
    std::thread producer{[&] {
        r9v::overlap_future future;
        EXPECT_FALSE(r.try_submit(future, [](auto&) {}, compute, [](auto&) {}).ok());
    }};
    while (r.statistics().submitted != 1)
        std::this_thread::yield();
    std::this_thread::sleep_for(1ms);
    r.cancel();
    producer.join();
    g.open();
    EXPECT_FALSE(first.try_get().ok());
}

TEST(overlap_ring, pageable_memory_is_staged_and_counted) {
    const auto behind = std::make_shared<world>(2, 100);
    ring r{options(3), test_device{behind}};
    std::vector<unsigned> pageable(count), pinned(count), back(count), pinned_back(count);
    std::iota(pageable.begin(), pageable.end(), 7);
    std::iota(pinned.begin(), pinned.end(), 70);
    {
        const std::lock_guard lock(behind->mutex);
        behind->pinned = {pinned.data(), pinned_back.data()};
    }
    const auto bytes = count * 4;
    auto first = r.submit(r9v::host_source{pageable.data(), bytes}, compute,
                          r9v::host_target{back.data(), bytes});
    std::fill(pageable.begin(), pageable.end(), 0); // it was copied before submit() returned
    auto second = r.submit(r9v::host_source{pinned.data(), bytes}, compute,
                           r9v::host_target{pinned_back.data(), bytes});
    first.get();
    second.get();
    for (unsigned i = 0; i < count; ++i) {
        EXPECT_EQ(back[i], 3 * (7 + i) + 1);
        EXPECT_EQ(pinned_back[i], 3 * (70 + i) + 1);
    }
    EXPECT_EQ(r.statistics().staged_copies, 2U);
    EXPECT_EQ(r.statistics().direct_copies, 2U);
    const std::vector<unsigned> large(count + 1);
    auto too_large = r.submit(r9v::host_source{large.data(), bytes + 1}, compute, [](auto&) {});
    EXPECT_NE(std::string{too_large.try_get().what()}.find("input_bytes"), std::string::npos);
}

TEST(overlap_ring, fewer_bytes_and_none) {
    const auto behind = std::make_shared<world>();
    ring r{options(2), test_device{behind}};
    r.submit([](r9v::host_block& in) { in.use(8); },
             [](slot& at) {
                 EXPECT_EQ(at.input_bytes, 8U);
                 at.output_bytes = 4;
             },
             [](const r9v::host_block& out) { EXPECT_EQ(out.as<unsigned>().size(), 1U); })
        .get();
    ring none{{.slot_count = 2}, test_device{behind}};
    none.submit([](r9v::host_block& in) { EXPECT_EQ(in.size(), 0U); },
                [](slot& at) { EXPECT_EQ(at.input, nullptr); },
                [](const r9v::host_block& out) { EXPECT_EQ(out.data(), nullptr); })
        .get();
}

TEST(overlap_ring, a_stage_cannot_wait_for_its_own_ring) {
    const auto behind = std::make_shared<world>();
    ring r{options(1), test_device{behind}};
    const auto nothing = [](auto&&) {
    };
    std::string texts[3];
    bool empty = false;
    r.submit([&](auto&) { texts[0] = r.try_restart().what(); }, nothing,
             [&](auto&) {
                 r9v::overlap_future future;
                 texts[1] = r.try_submit(future, nothing, nothing, nothing).what();
                 empty = !r.submit_now(nothing, nothing, nothing).valid();
                 try {
                     r.drain();
                 } catch (const r9v::error& e) {
                     texts[2] = e.what();
                 }
             })
        .get();
    for (const auto& text : texts)
        EXPECT_NE(text.find("waits for its own ring"), std::string::npos) << text;
    EXPECT_TRUE(empty);
}

TEST(overlap_ring, statistics_and_trace) {
    const auto behind = std::make_shared<world>(4, 300);
    auto measured = options(3);
    measured.trace_items = 8;
    ring r{measured, test_device{behind}};
    for (int i = 0; i < 20; ++i)
        (void)r.submit([](auto&) {}, compute, [](auto&) {});
    r.drain();
    const auto s = r.statistics();
    EXPECT_EQ(s.submitted, 20U);
    EXPECT_EQ(s.completed, 20U);
    for (const auto& stage : {s.fill, s.upload, s.compute, s.download, s.consume}) {
        EXPECT_EQ(stage.count, 20U);
        EXPECT_LE(stage.p50, stage.p95);
        EXPECT_GE(stage.total, 0);
    }
    EXPECT_GT(s.upload.mean(), 0);
    EXPECT_GT(s.busy_seconds, 0);
    const auto json = r.trace_json();
    std::size_t spans = 0;
    for (std::size_t at = json.find("\"ph\":\"X\""); at != std::string::npos;
         at = json.find("\"ph\":\"X\"", at + 1))
        ++spans;
    EXPECT_EQ(spans, 40U); // five stages of the latest eight items
    EXPECT_NE(json.find("\"upload 19\""), std::string::npos);
    EXPECT_EQ(json.find("\"upload 11\""), std::string::npos);
    r.reset_statistics();
    EXPECT_EQ(r.statistics().completed, 0U);
    EXPECT_EQ(r.statistics().upload.count, 0U);
}

TEST(overlap_ring, the_overlap_ratio_of_known_times) {
    r9v::overlap_statistics s;
    EXPECT_EQ(s.overlap_ratio(), 0);
    s.completed = 10;
    s.upload = {10, 10.0, 1, 1};
    s.compute = {10, 10.0, 1, 1};
    s.busy_seconds = 20;
    EXPECT_DOUBLE_EQ(s.overlap_ratio(), 0); // one after the other
    s.busy_seconds = 11;
    EXPECT_DOUBLE_EQ(s.overlap_ratio(), 0.9);
}

} // namespace
