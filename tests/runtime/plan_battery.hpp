// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Plans of plain kernels and copies on a GPU.
#pragma once

#include "gpu_battery.hpp"

namespace battery {

constexpr int plan_count = 256;

inline r9v::buffer<unsigned> of_all(unsigned value) {
    return r9v::buffer<unsigned>{std::vector<unsigned>(plan_count, value)};
}

inline bool all(const r9v::buffer<unsigned>& memory, const r9v::stream& after, unsigned value) {
    for (const unsigned each : memory.download(after)) {
        if (each == value) continue;
        std::printf("%u instead of %u\n", each, value);
        return false;
    }
    return true;
}

inline auto adding(const r9v::buffer<unsigned>& to, unsigned value) {
    return r9v::call(add, plan_count / 64, 64, to.data(), value, plan_count);
}

inline void plan_replays_and_updates() {
    const r9v::stream s;
    const auto x = of_all(0), y = of_all(1000);
    for (const std::size_t most_nodes : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
        r9v::throw_if_failed(r9v::platform::check(
            r9v::platform::fill(x.data(), 0, plan_count * 4, s.handle()), "fill"));
        r9v::plan plan{{.most_nodes = most_nodes}};
        std::vector<r9v::plan_step<decltype(adding(x, 1))>> steps;
        for (unsigned i = 0; i < 10; ++i)
            steps.push_back(plan.add(adding(x, 1)));
        plan.capture();
        R9V_EXPECT(plan.captured() && plan.statistics().nodes == 10);
        R9V_EXPECT(plan.statistics().graphs ==
                   (most_nodes == 0 ? 1 : (10 + most_nodes - 1) / most_nodes));
        plan.replay(s);
        plan.replay(s);
        R9V_EXPECT(all(x, s, 20));
        plan.update(steps[4], adding(x, 5)); // a scalar
        plan.replay(s);
        R9V_EXPECT(all(x, s, 34));
        plan.update(steps[9], adding(y, 2)); // a pointer and a scalar
        plan.replay(s);
        R9V_EXPECT(all(x, s, 47));
        R9V_EXPECT(plan.statistics().captures == 1 && plan.statistics().updates == 2);
        // Launches that are queued keep the arguments that they were queued with.
        for (unsigned i = 0; i < 100; ++i) {
            plan.update(steps[0], adding(x, i));
            plan.replay(s);
        }
        R9V_EXPECT(all(x, s, 47 + 100 * 12 + 4950));
    }
    R9V_EXPECT(all(y, s, 1000 + 3 * 2 * 101));
}

inline void plan_copies() {
    const r9v::stream s;
    const auto x = of_all(0);
    void* memory[3]{};
    for (auto& each : memory)
        r9v::throw_if_failed(r9v::platform::check(
            r9v::platform::host_allocate(&each, plan_count * 4), "allocation"));
    auto* const first = static_cast<unsigned*>(memory[0]);
    auto* const second = static_cast<unsigned*>(memory[1]);
    auto* const back = static_cast<unsigned*>(memory[2]);
    std::fill_n(first, plan_count, 10U);
    std::fill_n(second, plan_count, 20U);
    r9v::plan plan;
    const auto in = plan.add(r9v::copy_call::to_device(x.data(), first, plan_count * 4));
    plan.add(adding(x, 1));
    plan.add(r9v::copy_call::to_host(back, x.data(), plan_count * 4));
    plan.replay(s);
    s.synchronize();
    R9V_EXPECT(plan.captured() && back[7] == 11);
    plan.update(in, r9v::copy_call::to_device(x.data(), second, plan_count * 4));
    plan.replay(s);
    s.synchronize();
    R9V_EXPECT(back[7] == 21 && back[255] == 21 && plan.statistics().captures == 1);

    const auto y = of_all(9);
    r9v::plan filling;
    const auto fill = filling.add(r9v::fill_call{x.data(), 1, plan_count * 4});
    filling.add(adding(x, 1));
    filling.replay(s);
    R9V_EXPECT(all(x, s, 0x01010102));
    filling.update(fill, r9v::fill_call{y.data(), 2, plan_count * 2});
    filling.replay(s);
    R9V_EXPECT(all(x, s, 0x01010103));
    const auto halves = y.download(s);
    R9V_EXPECT(halves[0] == 0x02020202 && halves[127] == 0x02020202 && halves[128] == 9);
    std::printf("fills changed %s another capture\n",
                filling.statistics().captures == 1 ? "without" : "with");
    for (auto& each : memory)
        (void)r9v::platform::host_release(each);
}

inline void plan_refusals() {
    const r9v::stream s, other;
    const auto x = of_all(0);
    const auto captured = [&](auto&& step, const char* reason) {
        r9v::plan strict{{.eager_fallback = false}};
        strict.add(adding(x, 1));
        strict.add(step);
        const auto refused = strict.try_replay(s.handle());
        R9V_EXPECT(!refused.ok() && !strict.captured());
        R9V_EXPECT(contains(refused.what(), reason));
        r9v::plan mild;
        mild.add(adding(x, 1));
        mild.add(step);
        mild.replay(s);
        mild.replay(s);
        R9V_EXPECT(!mild.captured() && contains(mild.eager_reason(), reason));
        R9V_EXPECT(mild.statistics().eager_replays == 2);
    };
    // Allocation, waiting, and a fork that is not joined.
    captured([](r9v::platform::stream_handle) { const r9v::buffer<int> late{64}; },
             "step 1 cannot be captured");
    captured([](r9v::platform::stream_handle on) { (void)r9v::platform::stream_synchronize(on); },
             "step 1 cannot be captured");
    captured(
        [&](r9v::platform::stream_handle on) {
            const r9v::event fork;
            fork.record(on);
            fork.make_wait(other.handle());
            r9v::throw_if_failed(queue_affine(other.handle(), x.data(), x.data(), 1, 0, 64));
        },
        "cannot be captured");
    captured(
        [](r9v::platform::stream_handle) -> r9v::status {
            static int calls = 0; // refuses in captures alone: calls 1 and 2 are the captures
            return ++calls <= 2 ? r9v::status{r9v::error{"r9v: the pool is empty. Grow it."}}
                                : r9v::status{};
        },
        "the pool is empty");
    s.synchronize();
    other.synchronize();
    R9V_EXPECT(all(x, s, 8));
    R9V_EXPECT(r9v::platform::take_last_error() == r9v::platform::success);

    // What fails eagerly too says so at each replay.
    r9v::plan broken;
    broken.add([](r9v::platform::stream_handle) { throw std::runtime_error{"never works"}; });
    R9V_EXPECT(throws<r9v::error>([&] { broken.replay(s); }));
    R9V_EXPECT(contains(broken.try_replay(s.handle()).what(), "never works"));
}

inline void plan_wrong_steps() {
    const auto x = of_all(0);
    r9v::plan plan, other;
    const auto step = plan.add(adding(x, 1));
    other.add(r9v::fill_call{x.data(), 0, 4});
    R9V_EXPECT(throws<r9v::error>([&] { other.update(step, adding(x, 2)); }));
    R9V_EXPECT(throws<r9v::error>([&] { plan.update({}, adding(x, 2)); }));
    R9V_EXPECT(contains(other.try_update(step, adding(x, 2)).what(), "same plan"));
    R9V_EXPECT(plan.try_update(step, adding(x, 2)).ok());
}

inline void plan_across_streams() {
    const r9v::stream a, b;
    const auto x = of_all(1);
    r9v::plan plan;
    plan.add(r9v::call(affine, plan_count / 64, 64, x.data(), x.data(), 3U, 1U, plan_count));
    unsigned expected = 1;
    for (int i = 0; i < 12;
         ++i) { // a plan never overlaps itself, so the order is that of the calls
        plan.replay(i % 2 == 0 ? a : b);
        expected = 3 * expected + 1;
    }
    a.synchronize();
    R9V_EXPECT(all(x, b, expected));

    // Steps added later, and a plan inside another capture.
    plan.add(adding(x, 5));
    plan.replay(a);
    expected = 3 * expected + 1 + 5;
    R9V_EXPECT(all(x, a, expected) && plan.statistics().captures == 2);
    r9v::plan outer;
    outer.add([&](r9v::platform::stream_handle on) { return plan.try_replay(on); });
    outer.replay(a);
    outer.replay(b);
    expected = 3 * (3 * expected + 6) + 6;
    R9V_EXPECT(all(x, b, expected) && outer.captured() && outer.statistics().nodes == 2);
    r9v::plan nothing;
    nothing.replay(a);
    R9V_EXPECT(nothing.captured() && nothing.statistics().nodes == 0);
}

/// Tells when it goes, and what memory held then.
struct owner {
    owner(const unsigned* watched, unsigned* seen, int* gone)
        : watched_{watched},
          seen_{seen},
          gone_{gone} {}
    owner(owner&& other) noexcept
        : watched_{std::exchange(other.watched_, nullptr)},
          seen_{other.seen_},
          gone_{other.gone_} {}
    ~owner() {
        if (watched_ == nullptr) return;
        *seen_ = *watched_;
        ++*gone_;
    }

private:
    const unsigned* watched_;
    unsigned* seen_;
    int* gone_;
};

inline void plan_lifetimes() {
    const r9v::stream s;
    void* pinned = nullptr;
    r9v::throw_if_failed(
        r9v::platform::check(r9v::platform::host_allocate(&pinned, plan_count * 4), "allocation"));
    auto* const back = static_cast<unsigned*>(pinned);
    *back = 0;
    unsigned seen = 0;
    int gone = 0;
    {
        r9v::plan plan;
        auto x = of_all(41);
        plan.add(adding(x, 1));
        plan.add(r9v::copy_call::to_host(back, x.data(), plan_count * 4));
        plan.keep(std::move(x));
        plan.keep(owner{back, &seen, &gone});
        plan.replay(s);
        R9V_EXPECT(gone == 0);
    }
    R9V_EXPECT(gone == 1 && seen == 42); // it waited for the replay before it let go
    (void)r9v::platform::host_release(pinned);
}

inline void plan_growth() {
    const r9v::stream s;
    const auto x = of_all(0), y = of_all(0);
    r9v::plan plan;
    const auto first = plan.add(adding(x, 1));
    const auto second = plan.add(adding(x, 1));
    const auto run = [&](unsigned replays) {
        for (unsigned i = 0; i < replays; ++i) {
            plan.update(first, adding(i % 2 == 0 ? x : y, 1));
            if (i % 3 == 0) plan.update(second, adding(x, i % 5));
            plan.replay(s);
            if (i % 512 == 511) s.synchronize(); // otherwise the queue itself grows
        }
        s.synchronize();
    };
    expect_no_growth("plan", [&] { run(times(20'000)); }, [&] { run(times(1'000'000)); });
    const unsigned replays = times(20'000) + times(1'000'000);
    std::printf("plan: %u replays with updates\n", replays);
    R9V_EXPECT(plan.statistics().replays == replays && plan.statistics().captures == 1);
    R9V_EXPECT(all(y, s, times(20'000) / 2 + times(1'000'000) / 2));
}

inline void plan_tests() {
    plan_replays_and_updates();
    plan_copies();
    plan_refusals();
    plan_wrong_steps();
    plan_across_streams();
    plan_lifetimes();
    plan_growth();
}

} // namespace battery
