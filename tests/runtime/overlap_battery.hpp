// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The overlap ring and fork() on a GPU.
#pragma once

#include "gpu_battery.hpp"

namespace battery {

using slot = r9v::overlap_ring::slot_type;

constexpr int ring_count = 1000;
constexpr std::size_t ring_bytes = ring_count * sizeof(unsigned);

inline void fill_with(r9v::host_block& block, unsigned first) {
    const auto values = block.as<unsigned>();
    std::iota(values.begin(), values.end(), first);
}

inline r9v::status compute(const slot& at) {
    return queue_affine(at.stream, at.output_as<unsigned>(), at.input_as<unsigned>(), 3, 1,
                        ring_count);
}

inline bool is_result(const unsigned* values, unsigned first) {
    for (unsigned i = 0; i < ring_count; ++i) {
        if (values[i] != 3 * (first + i) + 1) return false;
    }
    return true;
}
inline bool is_result(const r9v::host_block& block, unsigned first) {
    return block.size() == ring_bytes && is_result(block.as<unsigned>().data(), first);
}

inline r9v::overlap_options ring_options(int slots) {
    return {.slot_count = slots, .input_bytes = ring_bytes, .output_bytes = ring_bytes};
}

inline void ring_results() {
    for (int slots = 1; slots <= 8; ++slots) {
        r9v::overlap_ring ring{ring_options(slots)};
        std::vector<r9v::overlap_future> futures;
        std::vector<unsigned> ended;
        for (unsigned item = 0; item < 20; ++item) {
            futures.push_back(ring.submit([=](auto& in) { fill_with(in, item * 10'000); }, compute,
                                          [&, item](const auto& out) {
                                              if (is_result(out, item * 10'000))
                                                  ended.push_back(item);
                                          }));
        }
        for (auto& each : futures)
            each.get();
        bool in_order = ended.size() == 20;
        for (unsigned i = 0; in_order && i < 20; ++i)
            in_order = ended[i] == i;
        R9V_EXPECT(in_order);
        const auto s = ring.statistics();
        R9V_EXPECT(s.compute.count == 20 && s.upload.count == 20 && s.download.count == 20);
    }
}

inline void ring_failures() {
    for (int stage = 0; stage < 3; ++stage) {
        for (const unsigned bad : {0U, 6U, 11U}) {
            r9v::overlap_ring ring{ring_options(3)};
            std::vector<r9v::overlap_future> futures;
            std::vector<int> right(12, 0);
            for (unsigned item = 0; item < 12; ++item) {
                const auto trap = [=](int here) {
                    if (stage == here && item == bad) throw std::runtime_error{"trap"};
                };
                r9v::overlap_future future;
                const auto taken = ring.try_submit(
                    future,
                    [=](r9v::host_block& in) {
                        trap(0);
                        fill_with(in, item);
                    },
                    [=](slot& at) {
                        r9v::throw_if_failed(compute(at));
                        trap(1);
                    },
                    [=, &right](const r9v::host_block& out) {
                        trap(2);
                        right[item] = is_result(out, item) ? 1 : 0;
                    });
                if (taken) futures.push_back(std::move(future));
            }
            R9V_EXPECT(futures.size() > bad);
            for (unsigned item = 0; item < futures.size(); ++item) {
                if (item == bad) {
                    R9V_EXPECT(throws<std::runtime_error>([&] { futures[item].get(); }));
                } else {
                    futures[item].get();
                    R9V_EXPECT(right[item] == 1);
                }
            }
            R9V_EXPECT(!ring.open());
            ring.restart();
            bool good = false;
            ring.submit([](auto& in) { fill_with(in, 9); }, compute,
                        [&](const auto& out) { good = is_result(out, 9); })
                .get();
            R9V_EXPECT(good);
        }
    }
}

inline void ring_memory_kinds() {
    r9v::overlap_ring ring{ring_options(3)};
    std::vector<unsigned> pageable(ring_count), pageable_back(ring_count);
    void* pinned = nullptr;
    void* pinned_back = nullptr;
    r9v::throw_if_failed(r9v::platform::check(r9v::platform::host_allocate(&pinned, ring_bytes),
                                              "allocation of pinned memory"));
    r9v::throw_if_failed(r9v::platform::check(
        r9v::platform::host_allocate(&pinned_back, ring_bytes), "allocation of pinned memory"));
    std::iota(pageable.begin(), pageable.end(), 50U);
    std::memcpy(pinned, pageable.data(), ring_bytes);
    auto first = ring.submit(r9v::host_source{pageable.data(), ring_bytes}, compute,
                             r9v::host_target{pageable_back.data(), ring_bytes});
    std::fill(pageable.begin(), pageable.end(), 0U);
    auto second = ring.submit(r9v::host_source{pinned, ring_bytes}, compute,
                              r9v::host_target{pinned_back, ring_bytes});
    first.get();
    second.get();
    R9V_EXPECT(is_result(pageable_back.data(), 50));
    R9V_EXPECT(is_result(static_cast<unsigned*>(pinned_back), 50));
    R9V_EXPECT(ring.statistics().staged_copies == 2 && ring.statistics().direct_copies == 2);
    (void)r9v::platform::host_release(pinned);
    (void)r9v::platform::host_release(pinned_back);
}

inline void ring_producers() {
    r9v::overlap_ring ring{ring_options(4)};
    std::atomic<int> right = 0;
    std::vector<std::thread> producers;
    for (unsigned p = 0; p < 4; ++p) {
        producers.emplace_back([&, p] {
            for (unsigned i = 0; i < 10; ++i) {
                const unsigned first = p * 100'000 + i;
                ring.submit([=](auto& in) { fill_with(in, first); }, compute,
                            [&, first](const auto& out) { right += is_result(out, first) ? 1 : 0; })
                    .get();
            }
        });
    }
    for (auto& each : producers)
        each.join();
    R9V_EXPECT(right == 40);
}

inline void ring_trace() {
    auto options = ring_options(3);
    options.trace_items = 6;
    r9v::overlap_ring ring{options};
    for (int i = 0; i < 10; ++i)
        (void)ring.submit([](auto& in) { fill_with(in, 1); }, compute, [](const auto&) {});
    ring.drain();
    const auto json = ring.trace_json();
    R9V_EXPECT(json.find("\"download 9\"") != std::string::npos);
    R9V_EXPECT(json.find("\"download 3\"") == std::string::npos);
}

inline void ring_growth() {
    r9v::overlap_ring ring{ring_options(3)};
    unsigned wrong = 0;
    const auto run = [&](unsigned items) {
        for (unsigned item = 0; item < items; ++item) {
            (void)ring.submit([=](auto& in) { fill_with(in, item); }, compute,
                              [&, item](const auto& out) { wrong += !is_result(out, item); });
        }
        ring.drain();
    };
    expect_no_growth("ring", [&] { run(times(10'000)); }, [&] { run(times(100'000)); });
    std::printf("ring: %llu items\n", static_cast<unsigned long long>(ring.statistics().completed));
    R9V_EXPECT(wrong == 0);
}

inline void fork_tests() {
    const r9v::stream main, side, third;
    const r9v::buffer<unsigned> a{std::vector<unsigned>(64, 1U)}, b{std::vector<unsigned>(64, 2U)},
        c{std::vector<unsigned>(64, 0U)};
    const auto branches = [&](r9v::platform::stream_handle s, const r9v::fork_events& events) {
        r9v::overlap(
            events, s, side.handle(),
            [&](auto on) { return queue_affine(on, a.data(), a.data(), 2, 1, 64); },
            [&](auto on) { return queue_affine(on, b.data(), b.data(), 3, 0, 64); });
        r9v::runtime::stream_sink to{s};
        r9v::throw_if_failed(queue_affine(s, c.data(), a.data(), 1, 0, 64));
        r9v::throw_if_failed(r9v::call(add, 1, 64, c.data(), 100U, 64).send_to(to));
        r9v::throw_if_failed(queue_affine(s, c.data(), b.data(), 1, 7, 64));
    };
    const r9v::fork_events events;
    branches(main.handle(), events);
    R9V_EXPECT(c.download(main)[5] == 13 && a.download(main)[5] == 3);

    r9v::plan plan{{.eager_fallback = false}}; // a fork is captured as two branches
    plan.add([&](r9v::platform::stream_handle s) { branches(s, events); });
    plan.replay(main);
    plan.replay(main);
    R9V_EXPECT(plan.captured());
    R9V_EXPECT(b.download(main)[63] == 54 && a.download(main)[63] == 15);

    // A failure joins the streams all the same.
    R9V_EXPECT(throws<std::logic_error>([&] {
        r9v::overlap(
            main, third, [](auto) { throw std::logic_error{"main"}; },
            [&](auto on) { return queue_affine(on, b.data(), b.data(), 1, 1, 64); });
    }));
    R9V_EXPECT(b.download(main)[0] == 55);
    const auto refused = r9v::try_overlap(
        events, main.handle(), side.handle(), [](auto) {},
        [](auto) -> r9v::status { return r9v::error{"r9v: no. Try again."}; });
    R9V_EXPECT(contains(refused.what(), "no. Try again."));
}

inline void ring_tests() {
    ring_results();
    ring_failures();
    ring_memory_kinds();
    ring_producers();
    ring_trace();
    ring_growth();
}

} // namespace battery
