// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Wait counters and barriers.
#include "../check/check.hpp"
#include "scalar.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

template<bool Load, bool Store, bool Local, bool Scalar>
void wait(wave& w, const op& o) {
    // The combined forms hold the load or store count in bits 13:8 and the LDS count in bits 5:0.
    constexpr bool combined = Local && (Load || Store);
    const u32 low = o.aux & 0x3f, high = o.aux >> 8 & 0x3f;
    if constexpr (Load) retire(w, w.loads, combined ? high : low);
    if constexpr (Store) w.stores = std::min(w.stores, combined ? high : low);
    if constexpr (Local) retire(w, w.locals, low);
    // Scalar loads return in any order: only a count of zero says anything.
    if constexpr (Scalar)
        if (low == 0) retire_scalar(w);
}

template<bool Load, bool Store, bool Local, bool Scalar>
constexpr instruction wait_op(std::string_view name) {
    return {name, format::immediate, op_class::wait, [](wave&, const op&) {},
            &wait<Load, Store, Local, Scalar>};
}
constexpr instruction other_wait(std::string_view name) {
    return {name, format::immediate, op_class::wait, [](wave&, const op&) {},
            [](wave&, const op&) {
            }};
}

/// Number of the named barrier, 0 for the workgroup's; no_barrier for the ones that do nothing.
constexpr u32 no_barrier = 17;
u32 barrier_number(wave& w, const op& o, i32 given) {
    if (given == -1) return 0;
    if (given >= 1 && given <= 16) return static_cast<u32>(given);
    if (given == 0 || given == -2) return no_barrier;
    report_fatal(w, o, "barrier", -1, 0, "there is no barrier " + std::to_string(given));
}

i32 barrier_operand(wave& w, const op& o) {
    if (o.src[0] == scalar(m0_number)) {
        if (w.taints[o.src[0]].plane[0]) report_poison(w, o, "a barrier number", 0);
        return static_cast<i32>(w.s[m0_number] & 31);
    }
    return static_cast<i32>(o.constant[0]);
}

void complete_if_full(barrier_state& barrier) {
    if (barrier.signalled < barrier.members || barrier.members == 0) return;
    barrier.signalled = 0;
    ++barrier.completed;
}

void check_outstanding_lds(wave& w, const op& o) {
    for (u32 i = 0; i < w.locals.size(); ++i) {
        const outstanding& entry = w.locals.at(i);
        if (!entry.lds) continue;
        report(w, o, "LDS access outstanding at a barrier", -1, 0,
               std::string(entry.by->info->name) + " was not waited for before the signal");
        return;
    }
}

/// A wave that has ended no longer counts for the barrier, so it passes without it: right on the
/// hardware, yet hardly ever meant, unless the wave had nothing to do from the start.
void check_ended_waves(wave& w, const op& o) {
    const group& g = *w.owner;
    if (g.live == g.wave_count) return;
    for (u32 n = 0; n < g.wave_count; ++n) {
        const wave& other = *g.waves[n];
        if (other.state == wave_state::ended && other.signals <= w.signals && !left_early(other))
            report(w, o, "barrier divergence", -1, 0,
                   "wave " + std::to_string(n) + " has ended after " +
                       std::to_string(other.signals) + " barrier signals; this is number " +
                       std::to_string(w.signals + 1) + " of this wave");
    }
}

template<bool Strict>
void signal_number(wave& w, const op& o, u32 number) {
    if (number == no_barrier) return;
    barrier_state& barrier = w.owner->barriers[number];
    if constexpr (Strict) {
        check_outstanding_lds(w, o);
        if (number == 0) check_ended_waves(w, o);
        if (number == 0 && w.signals > w.waits)
            report_fatal(w, o, "barrier", -1, 0, "signalled twice without a wait between");
    }
    ++barrier.signalled;
    if (number == 0)
        ++w.signals;
    else
        ++w.named_signals[number];
    complete_if_full(barrier);
}

template<bool Strict>
void signal(wave& w, const op& o) {
    signal_number<Strict>(w, o, barrier_number(w, o, barrier_operand(w, o)));
}

template<bool Strict>
void signal_isfirst(wave& w, const op& o) {
    const u32 number = barrier_number(w, o, barrier_operand(w, o));
    w.scc = number != no_barrier && w.owner->barriers[number].signalled == 0;
    w.scc_taint = false;
    signal<Strict>(w, o);
}

/// Stops the wave until the barrier has completed once more than this wave has waited for it.
template<bool Strict>
void wait_for(wave& w, const op& o, i32 given) {
    const u32 number = given == -1 ? 0 : given < 0 ? no_barrier : w.joined;
    if (number == no_barrier || (number == 0 && given != -1)) return;
    const barrier_state& barrier = w.owner->barriers[number];
    u32& waits = number == 0 ? w.waits : w.named_waits[number];
    if (Strict && number == 0 && w.signals == w.waits && w.owner->wave_count > 1)
        report_fatal(w, o, "barrier", -1, 0, "waits without having signalled");
    if (barrier.completed > waits) {
        ++waits;
        return;
    }
    // The scheduler lets the wave pass once the barrier has completed.
    w.running = false;
    w.state = wave_state::waiting;
    w.waiting_for = number;
}

template<bool Strict>
void barrier_wait(wave& w, const op& o) {
    wait_for<Strict>(w, o, o.offset);
}

/// gfx11: signals and waits in one.
template<bool Strict>
void whole_barrier(wave& w, const op& o) {
    signal_number<Strict>(w, o, 0);
    wait_for<Strict>(w, o, -1);
}

/// gfx11: vector loads in bits 15:10; LDS and scalar loads in bits 9:4. As the scalar loads among
/// these return in any order, a count above zero says of LDS alone that no more are outstanding.
void wait_counts(wave& w, const op& o) {
    retire(w, w.loads, o.aux >> 10 & 0x3f);
    retire(w, w.locals, o.aux >> 4 & 0x3f);
    if ((o.aux >> 4 & 0x3f) == 0) retire_scalar(w);
}
void wait_stores(wave& w, const op& o) {
    w.stores = std::min(w.stores, o.aux & 0x3f);
}
void wait_loads(wave& w, const op& o) {
    retire(w, w.loads, o.aux & 0x3f);
}
void wait_locals(wave& w, const op& o) {
    retire(w, w.locals, o.aux & 0x3f);
    if ((o.aux & 0x3f) == 0) retire_scalar(w);
}

/// M0: barrier number in bits 4:0, members in bits 22:16.
void init_barrier(wave& w, const op& o) {
    const u32 number = barrier_number(w, o, barrier_operand(w, o));
    if (number == no_barrier || number == 0) return;
    w.owner->barriers[number] = {w.s[m0_number] >> 16 & 0x7f, 0, 0};
}
void join_barrier(wave& w, const op& o) {
    const u32 number = barrier_number(w, o, barrier_operand(w, o));
    w.joined = number == no_barrier ? 0 : number;
    w.named_waits[w.joined] = w.owner->barriers[w.joined].completed;
}
void leave_barrier(wave& w, const op&) {
    w.scc = w.joined != 0;
    w.scc_taint = false;
    if (!w.joined) return;
    barrier_state& barrier = w.owner->barriers[w.joined];
    if (barrier.members) --barrier.members;
    complete_if_full(barrier);
    w.joined = 0;
}
void barrier_status(wave& w, const op& o) {
    const u32 number = barrier_number(w, o, barrier_operand(w, o));
    const barrier_state& barrier = w.owner->barriers[number == no_barrier ? 0 : number];
    const u32 value = barrier.signalled << 16 | barrier.members << 4 | (barrier.members ? 1 : 0);
    write_scalar(w, o.dst, value);
    if (o.dst < scalar(discard_number)) w.taints[o.dst] = taint{};
}

constexpr instruction barrier_op(std::string_view name, handler plain, handler strict,
                                 kind dst = kind::none) {
    instruction e{name, format::scalar_alu, op_class::barrier, plain, strict};
    e.dst = dst;
    e.src[0] = kind::s32;
    return e;
}

constexpr instruction table[] = {
    wait_op<true, false, false, false>("s_wait_loadcnt"),
    wait_op<false, true, false, false>("s_wait_storecnt"),
    wait_op<false, false, true, false>("s_wait_dscnt"),
    wait_op<false, false, false, true>("s_wait_kmcnt"),
    wait_op<true, false, true, false>("s_wait_loadcnt_dscnt"),
    wait_op<false, true, true, false>("s_wait_storecnt_dscnt"),
    other_wait("s_wait_samplecnt"),
    other_wait("s_wait_bvhcnt"),
    other_wait("s_wait_expcnt"),
    other_wait("s_wait_idle"),
    barrier_op("s_barrier_signal", &signal<false>, &signal<true>),
    barrier_op("s_barrier_signal_isfirst", &signal_isfirst<false>, &signal_isfirst<true>),
    {"s_barrier_wait", format::immediate, op_class::barrier, &barrier_wait<false>,
     &barrier_wait<true>},
    barrier_op("s_barrier_init", &init_barrier, &init_barrier),
    barrier_op("s_barrier_join", &join_barrier, &join_barrier),
    {"s_barrier_leave", format::immediate, op_class::barrier, &leave_barrier, &leave_barrier},
    barrier_op("s_get_barrier_state", &barrier_status, &barrier_status, kind::b32),
};

constexpr instruction rdna3_wait(std::string_view name, handler strict) {
    return {name, format::immediate, op_class::wait, [](wave&, const op&) {}, strict};
}

constexpr instruction rdna3_entries[] = {
    rdna3_wait("s_waitcnt", &wait_counts),
    rdna3_wait("s_waitcnt_vscnt", &wait_stores),
    rdna3_wait("s_waitcnt_vmcnt", &wait_loads),
    rdna3_wait("s_waitcnt_lgkmcnt", &wait_locals),
    other_wait("s_waitcnt_expcnt"),
    {"s_barrier", format::immediate, op_class::barrier, &whole_barrier<false>,
     &whole_barrier<true>},
};

} // namespace

instruction_table wait_table() {
    return table;
}
instruction_table rdna3_wait_table() {
    return rdna3_entries;
}

} // namespace r9v_emulator
