// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "schedule.hpp"

#include "../check/check.hpp"
#include "../clock/trace.hpp"
#include "../decode/program.hpp"
#include "../isa/float_mode.hpp"
#include "setup.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

constexpr i32 branches_a_turn = 4096;
/// Workgroups one host thread holds at most while the ones it has only spin.
constexpr std::size_t most_resident = 1024;

/// What profiles and the clock see of each instruction.
void observe(wave& w, const op& o) {
    worker& host = *w.host;
    if (!host.profile.empty()) ++host.profile[w.launch->code->index_of(&o)];
    if (w.owner->trace) clock::record(w, o);
}

constexpr unsigned usual_control = 0x1f80; ///< nearest, denormals kept, no traps

void run_in_mode(handler run, wave& w, const op& o) {
    _mm_setcsr(control_word(w.mode, o));
    const u8 flush = half_flush(w.mode, o);
    if (!flush) return run(w, o);
    op changed = o;
    changed.flush = flush;
    changed.special = 1;
    run(w, changed);
}

/// Runs the wave for one turn: until it has to wait, or for `instructions` of them.
/// True where it could go on. The usual float mode needs no look at it; in the others each
/// instruction sets up the host's.
template<bool Observed, bool Limited, bool Usual>
bool run_wave(wave& w, u64& instructions) {
    worker& host = *w.host;
    program& code = *w.launch->code;
    w.running = true;
    do {
        if constexpr (Limited)
            if (instructions-- == 0) return true;
        const op* o = w.pc;
        handler run = __atomic_load_n(&o->fn, __ATOMIC_ACQUIRE);
        if (!run) [[unlikely]] {
            if (!code.holds(o)) {
                w.pc = w.current;
                report_fatal(w, *w.current, "jump outside the code", -1, 0,
                             "execution ran past the end of the code");
            }
            code.decode(o);
            run = o->fn;
        }
        w.pc = o + o->advance;
        w.current = o;
        const auto cls = static_cast<unsigned>(o->cls);
        ++host.by_class[cls];
        host.cycles_by_class[cls] += o->cycles;
        ++host.clock;
        if constexpr (Observed) observe(w, *o);
        if constexpr (Usual)
            run(w, *o);
        else
            run_in_mode(run, w, *o);
    } while (w.running);
    return false;
}

/// Changes between the two loops as the wave's mode does.
template<bool Observed, bool Limited>
bool run_modes(wave& w, u64 instructions) {
    bool could_go_on = false;
    do {
        w.mode_changed = false;
        if (is_usual_mode(w.mode)) {
            could_go_on = run_wave<Observed, Limited, true>(w, instructions);
        } else {
            could_go_on = run_wave<Observed, Limited, false>(w, instructions);
            _mm_setcsr(usual_control);
        }
    } while (w.mode_changed);
    return could_go_on;
}

u64 next_random(worker& host) {
    host.random = host.random * 6364136223846793005u + 1442695040888963407u;
    return host.random >> 33;
}

/// With a seed, turns have any length: long ones in which nobody interferes, and short ones.
bool run_turn(wave& w) {
    const execution_options& options = *w.launch->options;
    const bool observed = options.profile || w.owner->trace;
    if (options.seed == 0)
        return observed ? run_modes<true, false>(w, 0) : run_modes<false, false>(w, 0);
    const u64 length = u64{1} << next_random(*w.host) % 14;
    return observed ? run_modes<true, true>(w, length) : run_modes<false, true>(w, length);
}

const op& last_op(const wave& w) {
    return *w.current;
}

[[noreturn]] void report_hang(group& g) {
    for (u32 n = 0; n < g.wave_count; ++n) {
        wave& w = *g.waves[n];
        if (w.state != wave_state::waiting) continue;
        const barrier_state& barrier = g.barriers[w.waiting_for];
        report_fatal(w, last_op(w), "barrier divergence", -1, 0,
                     "the wave waits for ever: " + std::to_string(barrier.signalled) + " of " +
                         std::to_string(barrier.members) + " waves signalled, " +
                         std::to_string(g.wave_count - g.live) + " ended");
    }
    throw launch_stopped{};
}

/// A wave that ended no longer counts for the barrier; if others have signalled or wait, it has
/// left them there.
void end_wave(group& g, wave& w, bool strict) {
    --g.live;
    barrier_state& barrier = g.barriers[0];
    u32 most = 0;
    for (u32 n = 0; n < g.wave_count; ++n)
        most = std::max(most, g.waves[n]->signals);
    if (strict && w.signals < most && !left_early(w))
        report(w, last_op(w), "barrier divergence", -1, 0,
               "the wave ended after " + std::to_string(w.signals) +
                   " barrier signals; another wave has made " + std::to_string(most));
    if (barrier.members) --barrier.members;
    if (barrier.members && barrier.signalled >= barrier.members) {
        barrier.signalled = 0;
        ++barrier.completed;
    }
}

bool may_pass(group& g, wave& w) {
    const barrier_state& barrier = g.barriers[w.waiting_for];
    u32& waits = w.waiting_for == 0 ? w.waits : w.named_waits[w.waiting_for];
    if (barrier.completed <= waits) return false;
    ++waits;
    w.state = wave_state::ready;
    return true;
}

enum class progress { advanced, spinning, done };

/// Gives every wave of the group one turn.
progress run_round(group& g, u32 first, bool strict) {
    bool advanced = false, spinning = false;
    for (u32 i = 0; i < g.wave_count; ++i) {
        wave& w = *g.waves[(first + i) % g.wave_count];
        if (w.state == wave_state::ended) continue;
        if (w.state == wave_state::waiting && !may_pass(g, w)) continue;
        w.state = wave_state::ready;
        w.budget = branches_a_turn;
        if (run_turn(w)) {
            advanced = true;
            continue;
        }
        if (w.state == wave_state::ended) end_wave(g, w, strict);
        const bool still_ready = w.state == wave_state::ready || w.state == wave_state::asleep;
        spinning = spinning || still_ready;
        advanced = advanced || !still_ready;
    }
    if (g.live == 0) return progress::done;
    if (advanced) return progress::advanced;
    if (spinning) return progress::spinning;
    report_hang(g);
}

/// Workgroup `n` in the order of this launch: in runs of 16, each run turned by the seed.
u64 group_number(const launch_state& launch, u64 n) {
    const u64 seed = launch.options->seed;
    if (seed == 0) return n;
    const u64 base = n / 16 * 16, run = std::min<u64>(16, launch.groups - base);
    const u64 turn = (seed * 0x9e3779b97f4a7c15u + base) >> 40;
    return base + (n - base + turn) % run;
}

class resident_groups {
public:
    resident_groups(launch_state& launch, worker& host, bool strict)
        : launch_(launch),
          host_(host),
          strict_(strict) {}

    bool take() {
        const u64 n = launch_.next_group.fetch_add(1);
        if (n >= launch_.groups) return false;
        if (host_.spare.empty()) host_.spare.push_back(std::make_unique<group>());
        groups_.push_back(std::move(host_.spare.back()));
        host_.spare.pop_back();
        start_group(launch_, host_, *groups_.back(), group_number(launch_, n), strict_);
        groups_.back()->trace = launch_.record ? launch_.record->begin(n) : nullptr;
        return true;
    }

    /// One round over all resident groups; false when all that is left only spins.
    bool round() {
        bool advanced = false;
        for (std::size_t i = 0; i < groups_.size();) {
            group& g = *groups_[i];
            const u32 first =
                launch_.options->seed ? static_cast<u32>(next_random(host_) % g.wave_count) : 0;
            const progress p = run_round(g, first, strict_);
            advanced = advanced || p != progress::spinning;
            if (p != progress::done) {
                ++i;
                continue;
            }
            if (g.trace) launch_.record->finish(*g.trace);
            host_.spare.push_back(std::move(groups_[i]));
            groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return advanced;
    }
    bool empty() const { return groups_.empty(); }
    std::size_t size() const { return groups_.size(); }

private:
    launch_state& launch_;
    worker& host_;
    bool strict_;
    std::vector<std::unique_ptr<group>> groups_;
};

} // namespace

void run_groups(launch_state& launch, worker& host, bool strict) {
    const unsigned host_mode = _mm_getcsr();
    _mm_setcsr(usual_control);
    resident_groups resident(launch, host, strict);
    try {
        while (!launch.stop) {
            // With a seed, any number of workgroups run at one time.
            const std::size_t wanted = launch.options->seed ? 1 + next_random(host) % 4 : 1;
            bool more = true;
            while (more && resident.size() < wanted)
                more = resident.take();
            if (resident.empty()) break;
            // Waves that only spin wait for a workgroup that may not have started yet.
            if (!resident.round() && resident.size() < most_resident) resident.take();
        }
    } catch (const launch_stopped&) {
        launch.stop = true;
    }
    _mm_setcsr(host_mode);
}

} // namespace r9v_emulator
