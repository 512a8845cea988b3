// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace r9v_emulator::clock {
namespace {

constexpr double bound_from = 0.6; ///< a share from which a resource is said to bound a kernel

struct whole {
    double cycles, error;
};

/// Cycles an instruction in the steady state, from the time between the start of a workgroup and of
/// the one that takes its place; `first` and `last` bound the workgroups looked at.
double cycles_an_instruction(const replay_result& r, const launch_trace& t, std::size_t first,
                             std::size_t last, std::size_t fill) {
    double executed = 0, period = 0, window = 0;
    for (std::size_t n = first; n < first + fill; ++n)
        window += static_cast<double>(t.groups[n]->executed);
    for (std::size_t n = first; n < last; ++n) {
        period += r.group_start[n + fill] - r.group_start[n];
        executed += window;
        window += static_cast<double>(t.groups[n + fill]->executed) -
                  static_cast<double>(t.groups[n]->executed);
    }
    return executed > 0 ? period / executed : 0;
}

whole whole_launch(const replay_result& r, const launch_trace& t) {
    const std::size_t kept = t.groups.size();
    if (kept == t.total_groups) return {r.cycles, 0};
    double executed = 0;
    for (const auto& g : t.groups)
        executed += static_cast<double>(g->executed);
    const double rest = static_cast<double>(t.total_executed) - executed;
    const std::size_t fill = r.resident;
    if (kept < 2 * fill) return {r.cycles * (1 + rest / executed), 1};
    const std::size_t first = kept > 3 * fill ? kept - 2 * fill : 0, last = kept - fill;
    const std::size_t middle = (first + last) / 2;
    const double mean = cycles_an_instruction(r, t, first, last, fill);
    const double early = cycles_an_instruction(r, t, first, std::max(middle, first + 1), fill);
    const double late = cycles_an_instruction(r, t, std::min(middle, last - 1), last, fill);
    const double total = r.cycles + rest * mean;
    return {total, std::abs(early - late) / 2 * rest / total};
}

/// The shader clock falls from its boost towards what WMMA alone lets it hold.
double loaded_ghz(const card& c, const replay_result& r) {
    const double capacity = r.cycles * c.compute_units * 2;
    if (capacity <= 0) return c.boost_ghz;
    return c.boost_ghz - r.wmma16_busy / capacity * (c.boost_ghz - c.wmma16_ghz) -
           r.wmma8_busy / capacity * (c.boost_ghz - c.wmma8_ghz);
}

utilisation shares(const card& c, const launch_trace& t, const replay_result& r) {
    utilisation u;
    if (r.cycles <= 0) return u;
    const double simds = r.cycles * c.compute_units * 2, units = r.cycles * c.compute_units;
    const double wmma = r.wmma16_busy + r.wmma8_busy;
    u.wmma = wmma / simds;
    u.vector = (wmma + r.valu_busy + r.transcendental_busy + r.bubbles) / simds;
    u.transcendental = r.transcendental_busy * c.arch.transcendental_unit / simds;
    u.lds = r.lds_busy / units;
    u.l0 = r.l0_busy / units;
    u.l2 = r.traffic.l2_busy / r.cycles;
    u.infinity = r.traffic.infinity_busy / r.cycles;
    u.dram = r.traffic.dram_busy / r.cycles;
    u.dispatch = static_cast<double>(t.groups.size()) * c.boost_ghz *
                 std::sqrt(c.arch.dispatch_group_ns * c.arch.dispatch_wave_ns * t.waves_a_group) /
                 r.cycles;
    return u;
}

std::string largest_stall(const replay_result& r) {
    const auto* const most = std::ranges::max_element(r.stalls);
    return *most ? name_of(static_cast<stall>(most - r.stalls)) : "issue";
}

std::string what_bounds(const utilisation& u, const replay_result& r) {
    const std::pair<double, const char*> all[] = {
        {u.vector, u.wmma > u.vector / 2 ? "WMMA" : "vector ALU"},
        {u.transcendental, "transcendental unit"},
        {u.lds, "LDS"},
        {u.l0, "L0"},
        {u.l2, "L2 bandwidth"},
        {u.infinity, "Infinity Cache bandwidth"},
        {u.dram, "DRAM bandwidth"},
        {u.dispatch, "dispatch of workgroups"}};
    const auto& most = *std::ranges::max_element(all);
    if (most.first >= bound_from) return most.second;
    return "latency: waves wait for " + largest_stall(r);
}

} // namespace

card_state::card_state(const card& c) : card_(&c), caches_(outlooks, device_caches(c)) {}

void card_state::clear() {
    for (device_caches& kept : caches_)
        kept.clear();
}

const char* name_of(stall s) {
    switch (s) {
    case stall::load:
        return "global loads";
    case stall::local:
        return "LDS";
    case stall::scalar:
        return "scalar loads";
    case stall::store:
        return "stores";
    case stall::barrier:
        return "barriers";
    case stall::dependency:
        return "results of earlier instructions";
    case stall::queue:
        return "their turn in the vector ALU's queue";
    case stall::branch:
        return "branches";
    default:
        return "nothing";
    }
}

modelled model(const launch_trace& trace, card_state& state) {
    const card& c = state.which();
    modelled m;
    double times[outlooks] = {};
    replay_result results[outlooks];
    const auto run = [&](outlook o) {
        const auto i = static_cast<unsigned>(o);
        device_caches& kept = state.caches(o);
        results[i] = replay(trace, c, o, c.boost_ghz, kept);
        times[i] = whole_launch(results[i], trace).cycles / loaded_ghz(c, results[i]) / 1e3;
        const double more = static_cast<double>(trace.total_executed) /
                                std::max<double>(1, static_cast<double>(trace.executed())) -
                            1;
        const auto& t = results[i].traffic;
        const double misses = static_cast<double>(t.l2_lines - t.l2_hits + t.l2_written_lines);
        if (more > 0) kept.age(static_cast<u64>(more * misses));
    };
    {
        const std::jthread low([&] { run(outlook::low); });
        run(outlook::mid);
        run(outlook::high);
    }
    // The ends bound the middle, whatever order waves happened to take.
    m.microseconds = {std::min(times[0], times[1]), times[1], std::max(times[1], times[2])};
    for (unsigned i = 0; i < outlooks; ++i)
        m.ops[i] = results[i].ops;
    m.mid = std::move(results[1]);
    m.ghz = loaded_ghz(c, m.mid);
    m.sampling_error = whole_launch(m.mid, trace).error;
    m.scale = static_cast<double>(trace.total_executed) /
              std::max<double>(1, static_cast<double>(trace.executed()));
    m.sampled = 1 / m.scale;
    m.used = shares(c, trace, m.mid);
    m.bound = what_bounds(m.used, m.mid);
    return m;
}

} // namespace r9v_emulator::clock
