// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The promises of the batcher, on a clock that the tests advance: nothing here sleeps.
#include <r9v/batcher.hpp>

#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using r9v::batch_options;
using r9v::manual_clock;

/// What ran: the requests of each batch, in order.
struct record {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::vector<int>> batches;
    int held = 0; ///< batches that wait in run

    void add(std::vector<int> one) {
        const std::lock_guard lock(mutex);
        batches.push_back(std::move(one));
        changed.notify_all();
    }
    std::vector<int> next() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !batches.empty(); });
        auto first = batches.front();
        batches.pop_front();
        return first;
    }
    bool none() {
        const std::lock_guard lock(mutex);
        return batches.empty();
    }
};

using batch = r9v::batch<int, int>;

std::vector<int> requests_of(batch& b) {
    std::vector<int> all;
    for (std::size_t i = 0; i < b.size(); ++i)
        all.push_back(b.request(i));
    return all;
}

void answer(batch& b) {
    for (std::size_t i = 0; i < b.size(); ++i)
        b.set(i, 10 * b.request(i));
}

/// A batcher whose worker is kept in its first batch until open() is called.
class held_batcher {
public:
    explicit held_batcher(const batch_options& options)
        : batcher_{options, [this](batch& b) {
                       if (b.request(0) == 0) hold();
                       seen.add(requests_of(b));
                       answer(b);
                   }} {
        blocker_ = batcher_.submit(0); // with most = 1 or a preferred size of 1, at once
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return held_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    ~held_batcher() { open(); }

    r9v::batcher<int, int>& operator*() { return batcher_; }
    r9v::batcher<int, int>* operator->() { return &batcher_; }
    record seen;

private:
    void hold() {
        std::unique_lock lock(mutex_);
        held_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool held_ = false;
    bool open_ = false;
    r9v::batch_future<int> blocker_;
    r9v::batcher<int, int> batcher_;
};

TEST(batcher, a_full_batch_begins_at_once) {
    manual_clock clock;
    record seen;
    r9v::batcher<int, int> b{{.most = 4, .delay = 1h, .clock = &clock}, [&](batch& x) {
                                 seen.add(requests_of(x));
                                 answer(x);
                             }};
    std::vector<r9v::batch_future<int>> futures;
    for (int i = 0; i < 4; ++i)
        futures.push_back(b.submit(i));
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), 10 * i);
    EXPECT_EQ(seen.next(), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(b.statistics().batches, 1U);
    EXPECT_EQ(b.statistics().largest, 4U);
    EXPECT_DOUBLE_EQ(b.statistics().mean_size(), 4);
}

TEST(batcher, the_delay_of_the_oldest_ends_the_wait) {
    manual_clock clock;
    record seen;
    r9v::batcher<int, int> b{{.most = 8, .delay = 10ms, .clock = &clock}, [&](batch& x) {
                                 seen.add(requests_of(x));
                                 answer(x);
                             }};
    auto first = b.submit(1);
    clock.advance(6ms);
    auto second = b.submit(2);
    clock.advance(3999us);
    EXPECT_TRUE(seen.none()); // the clock stands 1 us before the end of the delay
    EXPECT_EQ(b.queued(), 2U);
    clock.advance(1us);
    EXPECT_EQ(first.get(), 10);
    EXPECT_EQ(second.get(), 20);
    EXPECT_EQ(seen.next(), (std::vector{1, 2}));
    EXPECT_NEAR(b.statistics().queued.p95, 4e-3, 1e-9);
    EXPECT_NEAR(b.statistics().queued.total, 14e-3, 1e-9);
}

TEST(batcher, preferred_sizes) {
    manual_clock clock;
    held_batcher b{{.most = 8, .preferred = {1, 3, 6}, .delay = 1h, .clock = &clock}};
    std::vector<r9v::batch_future<int>> futures;
    for (int i = 1; i <= 7; ++i)
        futures.push_back(b->submit(i));
    b.open();
    for (auto& each : futures)
        (void)each.get();
    EXPECT_EQ(b.seen.next(), (std::vector{0}));
    EXPECT_EQ(b.seen.next(), (std::vector{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(b.seen.next(), (std::vector{7}));
}

TEST(batcher, after_the_delay_everything_goes) {
    manual_clock clock;
    held_batcher b{{.most = 8, .preferred = {1, 3, 6}, .delay = 5ms, .clock = &clock}};
    std::vector<r9v::batch_future<int>> futures;
    for (int i = 1; i <= 10; ++i)
        futures.push_back(b->submit(i));
    clock.advance(5ms);
    b.open();
    for (auto& each : futures)
        (void)each.get();
    EXPECT_EQ(b.seen.next(), (std::vector{0}));
    EXPECT_EQ(b.seen.next(), (std::vector{1, 2, 3, 4, 5, 6, 7, 8})); // up to the most
    EXPECT_EQ(b.seen.next(), (std::vector{9, 10}));
}

TEST(batcher, the_queue_limit) {
    manual_clock clock;
    held_batcher b{{.most = 1, .queue_limit = 2, .clock = &clock}};
    auto first = b->submit(1);
    auto second = b->submit(2);
    r9v::batch_future<int> third;
    const auto refused = b->try_submit(third, 3);
    EXPECT_FALSE(refused.ok());
    EXPECT_NE(std::string{refused.what()}.find("queue_limit"), std::string::npos);
    EXPECT_FALSE(third.valid());
    EXPECT_THROW((void)b->submit(3), r9v::error);
    EXPECT_EQ(b->statistics().refused, 2U);

    std::atomic<bool> waiting = true; // for room, until the clock says stop
    std::thread impatient{[&] {
        r9v::batch_future<int> f;
        EXPECT_FALSE(b->submit_within(2ms, f, 4).ok());
        waiting = false;
    }};
    while (waiting) {
        clock.advance(1ms);
        std::this_thread::yield();
    }
    impatient.join();
    std::thread patient{[&] {
        r9v::batch_future<int> f;
        EXPECT_TRUE(b->submit_within(10h, f, 5).ok());
        EXPECT_EQ(f.get(), 50);
    }};
    b.open();
    patient.join();
    EXPECT_EQ(first.get(), 10);
    EXPECT_EQ(second.get(), 20);
}

TEST(batcher, priorities_first_and_order_within) {
    manual_clock clock;
    held_batcher b{{.most = 4, .preferred = {1}, .delay = 0ms, .priorities = 3, .clock = &clock}};
    std::vector<r9v::batch_future<int>> futures;
    const auto add = [&](int request, std::size_t priority) {
        futures.push_back(b->submit(request, {.priority = priority}));
    };
    add(31, 2);
    add(21, 1);
    add(11, 0);
    add(22, 1);
    add(12, 0);
    add(32, 2);
    r9v::batch_future<int> none;
    EXPECT_FALSE(b->try_submit(none, 1, {.priority = 3}).ok());
    b.open();
    for (auto& each : futures)
        (void)each.get();
    EXPECT_EQ(b.seen.next(), (std::vector{0}));
    EXPECT_EQ(b.seen.next(), (std::vector{11, 12, 21, 22}));
    EXPECT_EQ(b.seen.next(), (std::vector{31, 32}));
}

TEST(batcher, deadlines_reject) {
    manual_clock clock;
    record seen;
    r9v::batcher<int, int> b{{.most = 8, .delay = 20ms, .timeout = 15ms, .clock = &clock},
                             [&](batch& x) {
                                 seen.add(requests_of(x));
                                 answer(x);
                             }};
    auto urgent = b.submit(1, {.timeout = 5ms});
    auto usual = b.submit(2);
    auto patient = b.submit(3, {.timeout = 1h});
    clock.advance(5ms);
    std::optional<int> result;
    const auto late = urgent.try_get(result);
    EXPECT_NE(std::string{late.what()}.find("deadline"), std::string::npos);
    EXPECT_FALSE(usual.ready());
    clock.advance(10ms);
    EXPECT_THROW((void)usual.get(), r9v::error);
    EXPECT_TRUE(seen.none());
    clock.advance(5ms);
    EXPECT_EQ(patient.get(), 30);
    EXPECT_EQ(seen.next(), (std::vector{3}));
    EXPECT_EQ(b.statistics().late, 2U);
    EXPECT_EQ(b.statistics().ran, 1U);
}

TEST(batcher, late_requests_may_run_last) {
    manual_clock clock;
    held_batcher b{{.most = 2,
                    .preferred = {1},
                    .delay = 0ms,
                    .priorities = 2,
                    .late = r9v::late_request::run_last,
                    .clock = &clock}};
    std::vector<r9v::batch_future<int>> futures;
    futures.push_back(b->submit(1, {.priority = 0, .timeout = 1ms}));
    futures.push_back(b->submit(2, {.priority = 1}));
    futures.push_back(b->submit(3, {.priority = 1}));
    clock.advance(2ms);
    b.open();
    for (auto& each : futures)
        (void)each.get();
    EXPECT_EQ(b.seen.next(), (std::vector{0}));
    EXPECT_EQ(b.seen.next(), (std::vector{2, 3}));
    EXPECT_EQ(b.seen.next(), (std::vector{1}));
    EXPECT_EQ(b->statistics().late, 0U);
}

TEST(batcher, closing_runs_what_is_queued) {
    manual_clock clock;
    record seen;
    std::vector<r9v::batch_future<int>> futures;
    {
        r9v::batcher<int, int> b{{.most = 3, .preferred = {3}, .delay = 1h, .clock = &clock},
                                 [&](batch& x) {
                                     seen.add(requests_of(x));
                                     answer(x);
                                 }};
        for (int i = 1; i <= 2; ++i)
            futures.push_back(b.submit(i));
        b.close();
        r9v::batch_future<int> none;
        EXPECT_NE(std::string{b.try_submit(none, 9).what()}.find("closed"), std::string::npos);
        b.close(); // once more does nothing
    }
    EXPECT_EQ(seen.next(), (std::vector{1, 2}));
    EXPECT_EQ(futures[0].get(), 10);
    EXPECT_EQ(futures[1].get(), 20);
}

TEST(batcher, failures_reach_their_requests) {
    manual_clock clock;
    r9v::batcher<int, int> b{{.most = 3, .delay = 0ms, .clock = &clock},
                             [](batch& x) -> r9v::status {
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                     switch (x.request(i)) {
                                     case 1:
                                         throw std::runtime_error{"out of coffee"};
                                     case 2:
                                         return r9v::error{"r9v: no. Ask again."};
                                     case 3:
                                         x.fail(i, r9v::error{"r9v: not this. Another."});
                                         break;
                                     case 4:
                                         break; // forgotten
                                     default:
                                         x.set(i, 7);
                                     }
                                 }
                                 return {};
                             }};
    EXPECT_THROW((void)b.submit(1).get(), std::runtime_error);
    std::optional<int> result;
    EXPECT_STREQ(b.submit(2).try_get(result).what(), "r9v: no. Ask again.");
    EXPECT_STREQ(b.submit(3).try_get(result).what(), "r9v: not this. Another.");
    EXPECT_NE(std::string{b.submit(4).try_get(result).what()}.find("set()"), std::string::npos);
    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(b.submit(5).get(), 7); // it goes on
    r9v::batch_future<int> empty;
    EXPECT_FALSE(empty.try_get(result).ok());
    EXPECT_THROW((void)empty.get(), r9v::error);
}

TEST(batcher, results_in_order_when_batches_end_elsewhere) {
    for (const bool keep : {true, false}) {
        manual_clock clock;
        std::vector<batch> moved; // ended by this thread, later
        std::mutex mutex;
        std::condition_variable changed;
        r9v::batcher<int, int> b{{.most = 1, .keep_order = keep, .clock = &clock}, [&](batch& x) {
                                     const std::lock_guard lock(mutex);
                                     moved.push_back(std::move(x));
                                     changed.notify_all();
                                 }};
        auto first = b.submit(1);
        auto second = b.submit(2);
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return moved.size() == 2; });
        }
        answer(moved[1]);
        moved[1].finish();
        EXPECT_EQ(second.ready(), !keep);
        answer(moved[0]);
        moved[0].finish();
        EXPECT_TRUE(first.ready());
        EXPECT_TRUE(second.ready());
        EXPECT_EQ(first.get(), 10);
        EXPECT_EQ(second.get(), 20);
    }
}

TEST(batcher, requests_and_results_that_only_move) {
    using pointer = std::unique_ptr<int>;
    r9v::batcher<pointer, pointer> b{{.most = 2, .delay = 0ms},
                                     [](r9v::batch<pointer, pointer>& x) {
                                         for (std::size_t i = 0; i < x.size(); ++i)
                                             x.set(i, std::move(x.request(i)));
                                     }};
    EXPECT_EQ(*b.submit(std::make_unique<int>(5)).get(), 5);
}

TEST(batcher, bad_options) {
    const auto refused = [](const batch_options& options) {
        EXPECT_THROW((r9v::batcher<int, int>{options,
                                             [](batch&) {
                                             }}),
                     r9v::error);
        return !options.check().ok();
    };
    EXPECT_TRUE(refused({.most = 0}));
    EXPECT_TRUE(refused({.most = 4, .preferred = {2, 2}}));
    EXPECT_TRUE(refused({.most = 4, .preferred = {8}}));
    EXPECT_TRUE(refused({.most = 4, .preferred = {0, 2}}));
    EXPECT_TRUE(refused({.delay = -1ms}));
    EXPECT_TRUE(refused({.queue_limit = 0}));
    EXPECT_TRUE(refused({.priorities = 0}));
    EXPECT_TRUE(refused({.workers = 0}));
}

TEST(batcher, many_clients_and_workers) {
    constexpr int clients = 16, each = 200;
    std::atomic<int> right = 0;
    std::atomic<std::size_t> sum = 0;
    {
        r9v::batcher<int, int> b{{.most = 16, .preferred = {4, 16}, .delay = 100us, .workers = 3},
                                 [&](batch& x) {
                                     sum += x.size();
                                     answer(x);
                                 }};
        std::vector<std::thread> threads;
        for (int c = 0; c < clients; ++c) {
            threads.emplace_back([&, c] {
                for (int i = 0; i < each; ++i) {
                    const int request = c * each + i;
                    if (b.submit(request).get() == 10 * request) ++right;
                }
            });
        }
        for (auto& t : threads)
            t.join();
        EXPECT_EQ(b.statistics().submitted, std::uint64_t{clients} * each);
    }
    EXPECT_EQ(right, clients * each);
    EXPECT_EQ(sum, std::size_t{clients} * each);
}

/// Against a plain model, over random sequences of pushes and times.
TEST(batch_queue, as_a_plain_model_would) {
    using moment = r9v::batch_clock::moment;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        std::minstd_rand bits{seed};
        const batch_options options{.most = 1 + bits() % 6, .delay = 5ms, .priorities = 3};
        r9v::runtime::batch_queue<int> queue{options};
        struct entry {
            int item;
            std::size_t priority;
            moment arrival, deadline;
        };
        std::vector<entry> model;
        moment now{1h};
        for (int i = 0; i < 300; ++i) {
            now += std::chrono::microseconds{bits() % 2000};
            std::vector<int> late, late_in_model;
            queue.expire(now, late);
            std::erase_if(model, [&](const entry& e) {
                if (e.deadline > now) return false;
                late_in_model.push_back(e.item);
                return true;
            });
            std::sort(late.begin(), late.end());
            std::sort(late_in_model.begin(), late_in_model.end());
            ASSERT_EQ(late, late_in_model);
            moment oldest = moment::max();
            for (const auto& e : model)
                oldest = std::min(oldest, e.arrival);
            const bool waited = !model.empty() && now - oldest >= options.delay;
            ASSERT_EQ(queue.due(now), waited || model.size() >= options.most);
            if (queue.due(now)) {
                std::vector<int> taken, expected;
                queue.take(now, false, [&](int item, const moment&) { taken.push_back(item); });
                std::sort(model.begin(), model.end(), [](const auto& a, const auto& b) {
                    return a.priority != b.priority ? a.priority < b.priority : a.item < b.item;
                });
                while (!model.empty() && expected.size() < options.most) {
                    expected.push_back(model.front().item);
                    model.erase(model.begin());
                }
                ASSERT_EQ(taken, expected);
            }
            ASSERT_EQ(queue.size(), model.size());
            const std::size_t priority = bits() % 3;
            const moment deadline =
                bits() % 2 == 0 ? moment::max() : now + std::chrono::milliseconds{bits() % 9};
            queue.push(int{i}, priority, now, deadline);
            model.push_back({i, priority, now, deadline});
            if (!queue.due(now)) {
                ASSERT_GT(queue.next_look(), now - 1us);
            }
        }
    }
}

} // namespace
