// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What each kind of instruction waits for, and what it takes.
#include "device_model.hpp"
#include <cmath>
#include <cstring>

namespace r9v_emulator::clock {
namespace {

constexpr unsigned scc_slot = scalar_count; ///< in simulated_wave::scalar_ready

bool is_vector_unit(unit what) {
    return what == unit::valu || what == unit::transcendental || what == unit::wmma;
}

unsigned scalar_slot(u16 index) {
    return index == scc_index ? scc_slot : index - scalar_first;
}

cycle later(cycle a, cycle b) {
    return a > b ? a : b;
}

/// Takes the later of both times and notes what the wave waited for.
void wait_for(simulated_wave& w, cycle& at, cycle until, stall why) {
    if (until <= at) return;
    at = until;
    w.reason = why;
}

} // namespace

unsigned device_model::occupancy(const timed_op& o) const {
    return arch_.generation == 11 && o.what == unit::wmma ? rdna3_occupancy(o) : o.occupancy;
}

/// When the registers of the instruction allow it to issue.
cycle device_model::registers_ready(simulated_wave& w, const timed_op& o) const {
    const bool vector_unit = is_vector_unit(o.what);
    cycle ready = 0;
    for (unsigned i = 0; i < o.reads; ++i) {
        const register_range& r = o.read[i];
        for (unsigned n = 0; n < r.count; ++n) {
            const u16 index = static_cast<u16>(r.first + n);
            if (!vector_unit && !is_vector(index)) {
                ready = later(ready, w.scalar_ready[scalar_slot(index)]);
                continue;
            }
            // Kept as the start of a vector operation that needs the register.
            const cycle start = w.vector_ready[index];
            if (!start) continue;
            if (vector_unit)
                ready = later(ready, start - arch_.issue_to_execution);
            else
                ready = later(ready, start - arch_.valu_result + arch_.valu_to_address);
        }
    }
    // EXEC decides which lanes take part.
    if (vector_unit || o.memory) ready = later(ready, w.scalar_ready[exec_number]);
    return ready;
}

/// The queue is full until the operation `queue_depth` before this one has started.
cycle device_model::queue_room(const simulated_simd& s) const {
    return later(s.port[vector_port], s.queue[s.queued % arch_.queue_depth]);
}

cycle device_model::earliest(simulated_simd& s, simulated_wave& w, const timed_op& o) {
    cycle at = w.next;
    if (!w.registers_seen) {
        w.registers_seen = true;
        wait_for(w, at, registers_ready(w, o), stall::dependency);
    }
    if (o.what == unit::branch && o.reads && o.read[0].first == scc_index)
        wait_for(w, at, w.scalar_ready[scc_slot] + arch_.compare_to_branch - arch_.scalar_result,
                 stall::branch);
    switch (o.what) {
    case unit::valu:
    case unit::transcendental:
    case unit::wmma:
        wait_for(w, at, queue_room(s), stall::queue);
        break;
    case unit::salu:
    case unit::signal:
        wait_for(w, at, s.port[scalar_port], stall::queue);
        break;
    case unit::branch:
        wait_for(w, at, s.port[branch_port], stall::queue);
        break;
    case unit::lds:
        wait_for(w, at, s.port[local_port], stall::queue);
        break;
    case unit::load:
    case unit::store:
        wait_for(w, at, s.port[memory_port], stall::queue);
        break;
    case unit::wait:
        if (o.waits.load != wait_counts::none)
            wait_for(w, at, w.loads.down_to(o.waits.load), stall::load);
        if (o.waits.store != wait_counts::none)
            wait_for(w, at, w.stores.down_to(o.waits.store), stall::store);
        if (o.waits.local != wait_counts::none)
            wait_for(w, at, w.locals.down_to(o.waits.local), stall::local);
        if (o.waits.scalar == 0) wait_for(w, at, w.scalars.down_to(0), stall::scalar);
        break;
    case unit::end:
        wait_for(w, at, w.stores.all(), stall::store);
        break;
    default:
        break;
    }
    return at;
}

void device_model::finish_vector(simulated_simd& s, u32 index, const timed_op& o, cycle now) {
    simulated_wave& w = waves_[index];
    cycle start = later(now + arch_.issue_to_execution, s.free);
    cycle bubble = 0;
    const bool other_wave = s.last_wave != index && s.last_wave != ~0u;
    if (o.what == unit::wmma && s.last_unit != unit::wmma && start <= s.free + 1) {
        if (s.last_unit == unit::transcendental && !other_wave)
            bubble = arch_.wmma_after_transcendental;
        else if (other_wave)
            bubble = o.eight_bit ? arch_.wmma8_after_other_wave : wmma_after_other_;
    }
    start += bubble;
    result_.bubbles += static_cast<double>(bubble);
    const unsigned taken = occupancy(o);
    unsigned extra = arch_.valu_result;
    if (o.what == unit::transcendental) {
        start = later(start, s.transcendental_free);
        s.transcendental_free = start + arch_.transcendental_unit;
        extra = transcendental_result_;
        result_.transcendental_busy += taken;
    } else if (o.what == unit::wmma) {
        extra = wmma_result_;
        (o.eight_bit ? result_.wmma8_busy : result_.wmma16_busy) += taken;
    } else {
        result_.valu_busy += taken;
    }
    const cycle end = start + taken;
    s.queue[s.queued % arch_.queue_depth] = start;
    ++s.queued;
    s.free = end;
    s.last_wave = index;
    s.last_unit = o.what;
    s.port[vector_port] = now + 1;
    for (unsigned i = 0; i < o.writes; ++i)
        for (unsigned n = 0; n < o.write[i].count; ++n) {
            const u16 r = static_cast<u16>(o.write[i].first + n);
            w.vector_ready[r] = static_cast<u32>(end + extra);
            if (!is_vector(r))
                w.scalar_ready[scalar_slot(r)] = static_cast<u32>(end + valu_to_scalar_);
        }
    last_ = later(last_, end);
}

void device_model::finish_scalar(simulated_wave& w, const timed_op& o, cycle now) {
    const unsigned latency = o.occupancy > 1 ? arch_.scalar_multiply : arch_.scalar_result;
    for (unsigned i = 0; i < o.writes; ++i)
        for (unsigned n = 0; n < o.write[i].count; ++n) {
            const u16 r = static_cast<u16>(o.write[i].first + n);
            w.scalar_ready[scalar_slot(r)] = static_cast<u32>(now + latency);
            w.vector_ready[r] = static_cast<u32>(now + latency + arch_.issue_to_execution);
        }
}

access_header device_model::take_access(simulated_wave& w, std::span<const u32>& lines) const {
    access_header h;
    std::memcpy(&h, &w.trace->data[w.data], sizeof h);
    lines = {&w.trace->data[w.data] + 1, h.lines};
    w.data += 1 + h.lines;
    return h;
}

/// LDS serves each half of the processor, one pass over its 32 banks a cycle.
void device_model::serve_local(simulated_wave& w, const timed_op& o, access_header h, cycle now) {
    double& free = processors_[w.simd / 4].lds_free[w.simd % 4 / 2];
    const double pass = o.wide_local ? lds_wide_pass_ : 1;
    const double work = std::max(pass * h.passes, static_cast<double>(o.issue));
    const double begin = std::max(free, static_cast<double>(now));
    free = begin + work;
    result_.lds_busy += work;
    w.locals.push(static_cast<cycle>(std::ceil(free)) + arch_.lds_latency);
}

void device_model::finish_local(simulated_wave& w, const timed_op& o, cycle now) {
    std::span<const u32> lines;
    serve_local(w, o, take_access(w, lines), now);
}

void device_model::finish_memory(simulated_wave& w, const timed_op& o, cycle now) {
    std::span<const u32> lines;
    const access_header h = take_access(w, lines);
    if (h.passes) serve_local(w, o, h, now); // a flat access that went to LDS
    const unsigned cu = cu_of(w);
    double done = static_cast<double>(now) + 1;
    const bool atomic = o.cls == op_class::global_atomic;
    for (const u32 line : lines) {
        const auto at = static_cast<double>(now);
        const double arrives = atomic                  ? memory_.atomic(cu, line, at)
                               : o.what == unit::store ? memory_.store(cu, line, at)
                                                       : memory_.load(cu, line, at);
        done = std::max(done, arrives);
    }
    result_.l0_busy += static_cast<double>(lines.size()) * arch_.l0_line;
    cycle back = static_cast<cycle>(std::ceil(done));
    if (!o.returns) {
        w.stores.push(back);
        return;
    }
    if (arch_.in_order_return) back = in_order_[cu] = later(in_order_[cu], back);
    w.loads.push(back);
}

void device_model::finish_scalar_load(simulated_wave& w, const timed_op&, cycle now) {
    std::span<const u32> lines;
    take_access(w, lines);
    double done = static_cast<double>(now) + 1;
    for (const u32 line : lines)
        done = std::max(done, memory_.scalar_load(w.simd / 4, line, static_cast<double>(now)));
    w.scalars.push(static_cast<cycle>(std::ceil(done)));
}

void device_model::arrive(simulated_wave& w, cycle now) {
    simulated_group& g = groups_[w.group];
    g.last_arrival = later(g.last_arrival, now);
    if (++g.arrived < g.members) return;
    g.arrived = 0;
    ++g.completed;
    // From the last arrival to the instruction after the wait.
    g.completed_at = g.last_arrival + arch_.barrier - 1;
    for (const u32 index : g.waiting)
        wake(index, later(g.completed_at, waves_[index].before + 1));
    g.waiting.clear();
}

bool device_model::pass_barrier(u32 index, cycle now) {
    simulated_wave& w = waves_[index];
    simulated_group& g = groups_[w.group];
    if (g.completed > w.barriers_waited) {
        if (g.completed_at <= now) {
            ++w.barriers_waited;
            w.arrived = false;
            return true;
        }
        w.next = g.completed_at;
    } else {
        w.next = never;
        g.waiting.push_back(index);
    }
    w.reason = stall::barrier;
    return false;
}

bool device_model::try_issue(simulated_simd& s, u32 index, cycle now) {
    simulated_wave& w = waves_[index];
    if (w.run == w.trace->runs.size()) { // the trace ends without s_endpgm after a fault
        end_wave(index, now);
        return true;
    }
    const u32 number = trace_.op_of_slot[w.slot];
    const timed_op& o = trace_.ops[number];
    const cycle at = earliest(s, w, o);
    if (at > now) {
        w.next = at;
        return false;
    }
    const bool waits = o.what == unit::barrier_wait || o.what == unit::barrier;
    if (o.what == unit::barrier && !w.arrived) {
        w.arrived = true;
        arrive(w, now);
    }
    if (waits && !pass_barrier(index, now)) return false;

    note(w, number, now);
    w.next = now + o.issue;
    w.registers_seen = false;
    next_instruction(w);
    execute(s, index, o, now);
    return true;
}

/// Where the wave's time went since its last instruction.
void device_model::note(simulated_wave& w, u32 number, cycle now) {
    op_time& time = result_.ops[number];
    const cycle passed = now - w.before;
    ++time.executed;
    time.cycles += passed;
    if (passed > 1) result_.stalls[static_cast<unsigned>(w.reason)] += passed - 1;
    w.before = now;
    w.reason = stall::queue;
}

void device_model::execute(simulated_simd& s, u32 index, const timed_op& o, cycle now) {
    simulated_wave& w = waves_[index];
    switch (o.what) {
    case unit::valu:
    case unit::transcendental:
    case unit::wmma:
        finish_vector(s, index, o, now);
        break;
    case unit::salu:
        finish_scalar(w, o, now);
        s.port[scalar_port] = now + 1;
        break;
    case unit::signal:
        finish_scalar(w, o, now);
        s.port[scalar_port] = now + 1;
        arrive(w, now);
        break;
    case unit::branch:
        s.port[branch_port] = now + 1;
        w.next = now + (w.took_branch ? arch_.taken_branch : branch_not_taken_);
        w.reason = stall::branch;
        break;
    case unit::scalar_memory:
        finish_scalar_load(w, o, now);
        break;
    case unit::lds:
        s.port[local_port] = now + o.issue;
        finish_local(w, o, now);
        break;
    case unit::load:
    case unit::store:
        s.port[memory_port] = now + o.issue;
        finish_memory(w, o, now);
        break;
    case unit::sleep:
        w.next = now + 64u * std::max<u32>(1, o.immediate & 0x7f);
        break;
    case unit::priority:
        w.priority = o.immediate & 3;
        break;
    case unit::invalidate:
        memory_.invalidate(cu_of(w));
        break;
    case unit::end:
        end_wave(index, now);
        break;
    default:
        break;
    }
}

} // namespace r9v_emulator::clock
