// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The state of waves, SIMDs and workgroups during a replay.
#pragma once

#include "replay.hpp"
#include <array>
#include <limits>

namespace r9v_emulator::clock {

using cycle = u64;
constexpr cycle never = std::numeric_limits<cycle>::max() / 2;

/// When the accesses of one counter come back, oldest first.
class return_queue {
public:
    void push(cycle at) {
        if (size_ == ring_.size()) drop();
        last_ = in_order_ ? std::max(last_, at) : at;
        ring_[(head_ + size_++) % ring_.size()] = last_;
        latest_ = std::max(latest_, at);
    }
    /// When no more than `count` are outstanding.
    cycle down_to(u32 count) {
        cycle at = 0;
        while (size_ > count) {
            at = std::max(at, ring_[head_]);
            drop();
        }
        return at;
    }
    /// Scalar loads return in any order.
    void clear(bool in_order) {
        head_ = size_ = 0;
        last_ = latest_ = 0;
        in_order_ = in_order;
    }
    cycle all() const { return latest_; }

private:
    void drop() {
        head_ = (head_ + 1) % static_cast<u32>(ring_.size());
        --size_;
    }
    std::array<cycle, 64> ring_{};
    u32 head_ = 0, size_ = 0;
    cycle last_ = 0, latest_ = 0;
    bool in_order_ = true;
};

struct simulated_group {
    u32 live = 0, members = 0, arrived = 0;
    u32 processor = 0;
    u32 completed = 0;
    cycle completed_at = 0, last_arrival = 0;
    std::vector<u32> waiting; ///< waves
};

struct simulated_wave {
    void start(const wave_trace& from, u32 of_group, u32 on_simd, cycle at);

    const wave_trace* trace = nullptr;
    u32 group = 0, simd = 0;
    u32 run = 0, in_run = 0, slot = 0;
    std::size_t data = 0;
    cycle next = 0;   ///< cannot issue before
    cycle before = 0; ///< when it issued last
    stall reason = stall::queue;
    u32 priority = 0;
    u32 barriers_waited = 0;
    bool took_branch = false;
    bool arrived = false;        ///< gfx11: at the barrier that it waits for
    bool registers_seen = false; ///< `next` allows for what the next instruction reads
    return_queue loads, stores, locals, scalars;
    // Cycle from which a vector instruction may start on the register, and, for scalar registers,
    // from which a scalar one may issue.
    std::array<u32, scc_index + 1> vector_ready{};
    std::array<u32, scalar_count + 1> scalar_ready{};
};

/// What the choice of the next wave looks at.
struct resident_wave {
    cycle next;
    u32 wave, priority;
    bool queues = false; ///< waits for nothing but room in the vector ALU's queue
};

struct simulated_simd {
    std::vector<resident_wave> waves; ///< oldest first
    std::array<cycle, 16> queue{};    ///< when the last operations started
    u32 queued = 0;
    cycle free = 0; ///< the vector ALU
    cycle transcendental_free = 0;
    u32 last_wave = ~0u;
    unit last_unit = unit::other;
    std::array<cycle, 6> port{};
};

inline void simulated_wave::start(const wave_trace& from, u32 of_group, u32 on_simd, cycle at) {
    trace = &from;
    group = of_group;
    simd = on_simd;
    run = in_run = priority = barriers_waited = 0;
    slot = from.runs.empty() ? 0 : from.runs.front().first;
    data = 0;
    next = before = at;
    reason = stall::queue;
    took_branch = arrived = registers_seen = false;
    for (return_queue* q : {&loads, &stores, &locals})
        q->clear(true);
    scalars.clear(false);
    vector_ready.fill(0);
    scalar_ready.fill(0);
}

struct simulated_processor {
    u32 groups = 0;
    u32 lds_used[2] = {0, 0}; ///< bytes; of both halves in [0] in WGP mode
    double lds_free[2] = {0, 0};
};

} // namespace r9v_emulator::clock
