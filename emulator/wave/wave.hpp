// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The state of one wave of 32 lanes, of the workgroup that holds it, and of the launch.
#pragma once

#include "../device/launch.hpp"
#include "../device/memory.hpp"
#include "op.hpp"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace r9v_emulator {

class program;
namespace clock {
class recorder;
struct group_trace;
} // namespace clock
struct group;
struct launch_state;
struct worker;
class global_order;

enum class wave_state : u8 { ready, waiting, asleep, ended };

/// An access that was issued and not yet waited for.
struct outstanding {
    u16 first = 0;    ///< vector register
    u8 count = 0;     ///< registers, 0 for stores
    bool lds = false; ///< touches LDS storage
    const op* by = nullptr;
};

/// Accesses of one counter, oldest first; they retire in order.
class outstanding_queue {
public:
    static constexpr u32 limit = 63;
    u32 size() const { return size_; }
    const outstanding& at(u32 i) const { return ring_[(head_ + i) % ring_.size()]; }
    void push(const outstanding& entry) { ring_[(head_ + size_++) % ring_.size()] = entry; }
    outstanding pop() {
        const outstanding front = ring_[head_];
        head_ = (head_ + 1) % static_cast<u32>(ring_.size());
        --size_;
        return front;
    }
    void clear() { head_ = size_ = 0; }

private:
    std::array<outstanding, limit + 1> ring_;
    u32 head_ = 0, size_ = 0;
};

struct wave {
    alignas(64) u32 v[vector_count][lanes];
    alignas(64) taint taints[taint_count];
    u32 s[scalar_count];

    const op* pc;
    const op* current;
    bool running;
    wave_state state;
    u8 scc;
    bool scc_taint;
    bool stored; ///< to memory that others see
    u32 id;      ///< in its workgroup
    u32 initial_exec;
    i32 budget; ///< taken backward branches until the wave yields
    u64 backward_branches;
    u32 mode;           ///< float mode, as hwreg(HW_REG_MODE)
    bool mode_changed;  ///< from the usual one or to it, so the interpreter loop changes
    u32 signals, waits; ///< workgroup barriers signalled, and passed
    u32 named_signals[17], named_waits[17];
    u32 waiting_for; ///< barrier number + 1, 0 for the workgroup's
    u32 joined;      ///< named barrier joined, 0 for none

    group* owner;
    worker* host;
    launch_state* launch;

    // Strict mode only.
    outstanding_queue loads, locals;
    u32 stores;
    u8 pending[vector_count];        ///< accesses outstanding that write the register
    u8 pending_locals[vector_count]; ///< of these, how many count in dscnt
    taint after[vector_count];       ///< taint once nothing is outstanding
    u32 releases;                    ///< times its accesses were made known to other workgroups
    bool unreleased;                 ///< has accessed memory since
    u64 acquired;                    ///< it knows of all releases up to this one
    u64 scalars_pending[3];          ///< bit per scalar register
    taint after_scalar[scalar_count];
    const op* scalar_load_by;

    std::vector<u8> scratch; ///< [lane][byte], its shadow alongside
    std::vector<u8> scratch_shadow;

    u32 exec() const { return s[exec_number]; }
    u32 vcc() const { return s[vcc_number]; }
};

/// A wave that took no part: it stored nothing and met no barrier, as behind `if (i >= n) return;`.
inline bool left_early(const wave& w) {
    return !w.stored && w.signals == 0;
}

/// LDS accesses are ordered when the first one's wave has signalled after it and the second one's
/// wave has waited since: a signature holds the wave and its count of signals plus one.
struct lds_state {
    std::vector<u8> bytes;
    std::vector<u8> shadow;                      ///< as the shadow plane of device memory
    std::vector<u32> writers, readers;           ///< a signature per dword
    std::vector<u32> byte_writers, byte_readers; ///< per byte, once sub-dword accesses are seen
    u32 size = 0;
};

struct barrier_state {
    u32 members = 0, signalled = 0, completed = 0;
};

struct group {
    launch_state* launch = nullptr;
    u64 number = 0;
    u32 block[3] = {0, 0, 0};
    std::vector<std::unique_ptr<wave>> waves;
    u32 wave_count = 0;
    u32 live = 0;
    lds_state lds;
    barrier_state barriers[17];          ///< 0: the workgroup's, 1..16 named
    clock::group_trace* trace = nullptr; ///< where the clock records this workgroup
};

/// What one host thread holds.
struct worker {
    launch_state* launch = nullptr;
    launch_counts counts;
    u64 by_class[static_cast<unsigned>(op_class::count)] = {};
    u64 cycles_by_class[static_cast<unsigned>(op_class::count)] = {};
    u64 clock = 0;
    std::vector<u64> profile; ///< per dword of code
    std::vector<std::unique_ptr<group>> spare;
    u64 random = 0;
};

struct launch_state {
    memory* device = nullptr;
    const launch_request* request = nullptr;
    const execution_options* options = nullptr;
    program* code = nullptr;
    u64 arena_begin = 0, arena_bytes = 0;
    std::byte* arena = nullptr;
    u8* shadow = nullptr;
    u32 lds_bytes = 0;
    u32 scratch_stride = 0; ///< bytes a lane
    u32 vector_registers = 256;
    std::atomic<u64> next_group{0};
    u64 groups = 1;
    global_order* order = nullptr; ///< of accesses to device memory; null where nobody asks
    std::atomic<bool> stop{false};
    clock::recorder* record = nullptr;
    std::mutex fault_mutex;
    std::vector<fault> faults;
    std::string unordered_read; ///< the first read of what another wave wrote at any time
};

/// Thrown to end a launch after a fault that execution cannot go on from.
struct launch_stopped {};

// LDS and scratch as they appear in the flat address space.
constexpr u64 shared_aperture = u64{0x00010000} << 32;
constexpr u64 private_aperture = u64{0x00020000} << 32;

} // namespace r9v_emulator
