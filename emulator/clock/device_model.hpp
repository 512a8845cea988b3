// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The device during a replay. device_model.cpp holds dispatch, barriers and the order in which
// waves issue; issue.cpp what each kind of instruction waits for and takes.
#pragma once

#include "simulated.hpp"

namespace r9v_emulator::clock {

class device_model {
public:
    device_model(const launch_trace& trace, const card& c, outlook o, double ghz,
                 device_caches& kept);
    replay_result run();

private:
    enum port : u8 { vector_port, scalar_port, memory_port, local_port, branch_port, other_port };

    // Dispatch.
    void dispatch(cycle now);
    bool place(cycle now);
    bool room_for_waves(u32 processor, unsigned (&counts)[4]) const;
    void start_wave(u32 group, u32 index, u32 simd, cycle at);
    void end_wave(u32 wave, cycle at);
    u32 lds_half(u32 processor) const;

    // Order of issue.
    void run_simd(u32 simd, cycle until);
    void wake(u32 wave, cycle at);
    bool waits_for_vector_alu(const simulated_wave& w) const;
    void next_instruction(simulated_wave& w);

    /// Issues the next instruction of a wave if that can be at `now`; else sets w.next.
    bool try_issue(simulated_simd& s, u32 index, cycle now);
    void note(simulated_wave& w, u32 number, cycle now);
    void execute(simulated_simd& s, u32 index, const timed_op& o, cycle now);
    cycle earliest(simulated_simd& s, simulated_wave& w, const timed_op& o);
    cycle queue_room(const simulated_simd& s) const;
    cycle registers_ready(simulated_wave& w, const timed_op& o) const;
    void finish_vector(simulated_simd& s, u32 index, const timed_op& o, cycle now);
    void finish_scalar(simulated_wave& w, const timed_op& o, cycle now);
    void finish_local(simulated_wave& w, const timed_op& o, cycle now);
    void finish_memory(simulated_wave& w, const timed_op& o, cycle now);
    void finish_scalar_load(simulated_wave& w, const timed_op& o, cycle now);
    void serve_local(simulated_wave& w, const timed_op& o, access_header h, cycle now);
    void arrive(simulated_wave& w, cycle now);
    /// True when the barrier has completed; else the wave sleeps until it does.
    bool pass_barrier(u32 index, cycle now);
    unsigned occupancy(const timed_op& o) const;
    access_header take_access(simulated_wave& w, std::span<const u32>& lines) const;
    u32 cu_of(const simulated_wave& w) const { return w.simd / 2; }
    double to_cycles(double nanoseconds) const { return nanoseconds * ghz_; }

    const launch_trace& trace_;
    const card& card_;
    const microarchitecture& arch_;
    const double ghz_;
    memory_system memory_;
    device_caches& kept_;

    // Intervals, as this replay takes them.
    unsigned wmma_after_other_, wmma_result_, transcendental_result_, valu_to_scalar_,
        branch_not_taken_;
    double lds_wide_pass_, dispatch_cycles_;

    std::vector<simulated_wave> waves_;
    std::vector<u32> free_waves_;
    std::vector<simulated_group> groups_;
    std::vector<simulated_simd> simds_;
    std::vector<cycle> simd_next_; ///< earliest that any wave of a SIMD may issue
    std::vector<simulated_processor> processors_;
    std::vector<cycle> in_order_; ///< RDNA3: last return of a CU
    u32 next_group_ = 0, next_processor_ = 0;
    u32 slots_a_simd_;
    double dispatcher_free_ = 0;
    cycle last_ = 0;
    replay_result result_;
};

} // namespace r9v_emulator::clock
