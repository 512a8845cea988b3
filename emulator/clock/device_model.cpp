// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "device_model.hpp"

#include <algorithm>
#include <cmath>

namespace r9v_emulator::clock {
namespace {

constexpr u32 lds_a_processor = 128 * 1024, lds_a_half = 64 * 1024;
constexpr u32 groups_a_processor = 32;
constexpr unsigned simds_a_processor = 4;
/// SIMDs may run ahead of each other by so much before their accesses meet in the memory system.
constexpr cycle lookahead = 64;

unsigned rounded(double x) {
    return static_cast<unsigned>(std::lround(x));
}

/// Dispatch was measured for one shape of workgroup; whether it goes by workgroup or by wave is not
/// known, so that other shapes get both as the ends of an interval.
double dispatch_time(const microarchitecture& a, outlook o, u32 waves) {
    const double by_wave = a.dispatch_wave_ns * waves, by_group = a.dispatch_group_ns;
    if (o == outlook::low) return std::min(by_wave, by_group);
    if (o == outlook::high) return std::max(by_wave, by_group);
    return std::sqrt(by_wave * by_group);
}

} // namespace

device_model::device_model(const launch_trace& trace, const card& c, outlook o, double ghz,
                           device_caches& kept)
    : trace_(trace),
      card_(c),
      arch_(c.arch),
      ghz_(ghz),
      memory_(c, o, ghz, kept, trace.stored_bytes),
      kept_(kept),
      wmma_after_other_(rounded(pick(arch_.wmma16_after_other_wave, o))),
      wmma_result_(rounded(pick(arch_.wmma_result, o))),
      transcendental_result_(rounded(pick(arch_.transcendental_result, o))),
      valu_to_scalar_(rounded(pick(arch_.valu_to_scalar, o))),
      branch_not_taken_(rounded(pick(arch_.branch_not_taken, o))),
      lds_wide_pass_(pick(arch_.lds_wide_pass, o)),
      dispatch_cycles_(dispatch_time(arch_, o, trace.waves_a_group) * ghz),
      groups_(trace.groups.size()),
      simds_(c.compute_units * 2),
      simd_next_(c.compute_units * 2, never),
      processors_(c.processors()),
      in_order_(c.compute_units),
      slots_a_simd_(waves_per_simd(c, trace.vgprs)) {
    result_.group_start.resize(groups_.size());
    result_.ops.resize(trace.ops.size());
    result_.resident = resident_groups(c, trace);
}

/// Free places of a workgroup's waves on the four SIMDs of a processor, evenly dealt.
bool device_model::room_for_waves(u32 processor, unsigned (&counts)[4]) const {
    const simulated_processor& p = processors_[processor];
    unsigned first = 0, last = simds_a_processor;
    if (!trace_.processor_mode) {
        const bool second =
            simds_[processor * 4].waves.size() + simds_[processor * 4 + 1].waves.size() >
            simds_[processor * 4 + 2].waves.size() + simds_[processor * 4 + 3].waves.size();
        first = second ? 2 : 0;
        last = first + 2;
        if (p.lds_used[second] + trace_.lds_bytes > lds_a_half) return false;
    } else if (p.lds_used[0] + trace_.lds_bytes > lds_a_processor) {
        return false;
    }
    std::size_t used[4];
    for (unsigned i = 0; i < simds_a_processor; ++i) {
        counts[i] = 0;
        used[i] = simds_[processor * simds_a_processor + i].waves.size();
    }
    for (u32 n = 0; n < trace_.waves_a_group; ++n) {
        unsigned best = first;
        for (unsigned i = first + 1; i < last; ++i)
            if (used[i] < used[best]) best = i;
        if (used[best] >= slots_a_simd_) return false;
        ++used[best];
        ++counts[best];
    }
    return true;
}

bool device_model::place(cycle now) {
    unsigned counts[4];
    for (u32 tried = 0; tried < processors_.size(); ++tried) {
        const u32 at = (next_processor_ + tried) % static_cast<u32>(processors_.size());
        simulated_processor& p = processors_[at];
        if (p.groups >= groups_a_processor || !room_for_waves(at, counts)) continue;
        const double start = std::max(dispatcher_free_, static_cast<double>(now));
        dispatcher_free_ = start + dispatch_cycles_;
        next_processor_ = at + 1;
        ++p.groups;
        const u32 number = next_group_++;
        const bool second_half = !trace_.processor_mode && counts[2] + counts[3] > 0;
        p.lds_used[second_half] += trace_.lds_bytes;
        simulated_group& g = groups_[number];
        g.live = g.members = trace_.waves_a_group;
        g.processor = at;
        result_.group_start[number] = start;
        u32 index = 0;
        for (unsigned simd = 0; index < trace_.waves_a_group; simd = (simd + 1) % 4) {
            if (!counts[simd]) continue;
            --counts[simd];
            start_wave(number, index++, at * simds_a_processor + simd, static_cast<cycle>(start));
        }
        return true;
    }
    return false;
}

void device_model::dispatch(cycle now) {
    while (next_group_ < groups_.size() && place(now)) {
    }
}

void device_model::start_wave(u32 group, u32 index, u32 simd, cycle at) {
    if (free_waves_.empty()) {
        free_waves_.push_back(static_cast<u32>(waves_.size()));
        waves_.emplace_back();
    }
    const u32 number = free_waves_.back();
    free_waves_.pop_back();
    waves_[number].start(trace_.groups[group]->waves[index], group, simd, at);
    simulated_simd& s = simds_[simd];
    s.waves.push_back({at, number, 0, false});
    simd_next_[simd] = std::min(simd_next_[simd], at);
    result_.waves_a_simd = std::max(result_.waves_a_simd, static_cast<u32>(s.waves.size()));
}

void device_model::end_wave(u32 index, cycle at) {
    simulated_wave& w = waves_[index];
    simulated_simd& s = simds_[w.simd];
    std::erase_if(s.waves, [&](const resident_wave& r) { return r.wave == index; });
    free_waves_.push_back(index);
    last_ = std::max(last_, at);
    simulated_group& g = groups_[w.group];
    if (--g.live) {
        // A wave that has ended no longer counts for the barrier.
        --g.members;
        if (g.arrived && g.arrived >= g.members) {
            --g.arrived;
            arrive(w, at);
        }
        return;
    }
    simulated_processor& p = processors_[g.processor];
    --p.groups;
    const bool second_half = !trace_.processor_mode && w.simd % 4 >= 2;
    p.lds_used[second_half] -= trace_.lds_bytes;
    dispatch(at);
}

void device_model::wake(u32 index, cycle at) {
    simulated_wave& w = waves_[index];
    w.next = at;
    for (resident_wave& r : simds_[w.simd].waves)
        if (r.wave == index) r.next = at;
    simd_next_[w.simd] = std::min(simd_next_[w.simd], at);
}

void device_model::next_instruction(simulated_wave& w) {
    const std::vector<code_run>& runs = w.trace->runs;
    w.took_branch = false;
    w.slot += trace_.ops[trace_.op_of_slot[w.slot]].advance;
    if (++w.in_run < runs[w.run].count) return;
    w.in_run = 0;
    ++w.run;
    if (w.run == runs.size()) return;
    w.took_branch = true;
    w.slot = runs[w.run].first;
}

bool device_model::waits_for_vector_alu(const simulated_wave& w) const {
    const unit what = trace_.ops[trace_.op_of_slot[w.slot]].what;
    return what == unit::valu || what == unit::transcendental || what == unit::wmma;
}

/// Issues from the SIMD's waves, the one of highest priority and then the oldest first, up to
/// `until`.
void device_model::run_simd(u32 simd, cycle until) {
    simulated_simd& s = simds_[simd];
    for (;;) {
        cycle now = never;
        for (const resident_wave& r : s.waves)
            now = std::min(now, r.next);
        simd_next_[simd] = now;
        if (now > until || now == never) return;
        // Candidates may turn out to wait longer; try_issue() then moves their time on.
        std::size_t chosen = s.waves.size();
        const cycle room = queue_room(s);
        for (std::size_t n = 0; n < s.waves.size(); ++n) {
            resident_wave& r = s.waves[n];
            if (r.next > now) continue;
            if (r.queues && room > now) {
                r.next = room;
                continue;
            }
            if (chosen == s.waves.size() || r.priority > s.waves[chosen].priority) chosen = n;
        }
        if (chosen == s.waves.size()) continue;
        const u32 index = s.waves[chosen].wave;
        const bool issued = try_issue(s, index, now);
        if (chosen >= s.waves.size() || s.waves[chosen].wave != index) continue; // it has ended
        resident_wave& r = s.waves[chosen];
        r.next = waves_[index].next;
        r.priority = waves_[index].priority;
        r.queues = !issued && waves_[index].registers_seen && waits_for_vector_alu(waves_[index]);
    }
}

replay_result device_model::run() {
    dispatch(0);
    for (;;) {
        u32 first = 0;
        cycle soonest = never, second = never;
        for (u32 n = 0; n < simd_next_.size(); ++n) {
            const cycle next = simd_next_[n];
            if (next < soonest) {
                second = soonest;
                soonest = next;
                first = n;
            } else if (next < second) {
                second = next;
            }
        }
        if (soonest == never) break;
        run_simd(first, second == never ? soonest + lookahead : second + lookahead);
    }
    result_.cycles = static_cast<double>(last_);
    result_.traffic = memory_.traffic();
    kept_.base += result_.cycles + 100000;
    return std::move(result_);
}

u32 resident_groups(const card& c, const launch_trace& trace) {
    const u32 slots = waves_per_simd(c, trace.vgprs);
    const u32 parts = trace.processor_mode ? 1 : 2;
    u32 groups = slots * (simds_a_processor / parts) / std::max(1u, trace.waves_a_group);
    const u32 lds = trace.processor_mode ? lds_a_processor : lds_a_half;
    if (trace.lds_bytes) groups = std::min(groups, lds / trace.lds_bytes);
    groups = std::min(groups * parts, groups_a_processor);
    return std::max(1u, groups) * c.processors();
}

replay_result replay(const launch_trace& trace, const card& c, outlook o, double ghz,
                     device_caches& kept) {
    return device_model(trace, c, o, ghz, kept).run();
}

} // namespace r9v_emulator::clock
