// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "setup.hpp"

#include "../check/check.hpp"
#include "../decode/program.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

// Bits of the kernel descriptor's properties, in the order in which user SGPRs are handed out.
enum : u16 {
    private_buffer = 1,
    dispatch_pointer = 2,
    queue_pointer = 4,
    kernarg_pointer = 8,
    dispatch_id = 16,
    flat_scratch_init = 32,
    private_size = 64,
    dynamic_stack = 1 << 11
};

void set_scalar_pair(wave& w, unsigned& at, u64 value) {
    w.s[at] = static_cast<u32>(value);
    w.s[at + 1] = static_cast<u32>(value >> 32);
    w.taints[scalar(at)] = w.taints[scalar(at + 1)] = taint{};
    at += 2;
}

/// gfx11 puts the workgroup's ids into the scalars behind the user's, as far as they are enabled.
void workgroup_ids_rdna3(wave& w, const group& g, u32 rsrc2) {
    unsigned at = rsrc2 >> 1 & 31;
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (!(rsrc2 >> (7 + axis) & 1)) continue;
        w.s[at] = g.block[axis];
        w.taints[scalar(at++)] = taint{};
    }
}

void user_scalars(wave& w, const launch_request& request) {
    const kernel_image& kernel = *request.kernel;
    unsigned at = 0;
    if (kernel.properties & private_buffer) {
        set_scalar_pair(w, at, 0);
        set_scalar_pair(w, at, 0);
    }
    if (kernel.properties & dispatch_pointer) set_scalar_pair(w, at, request.dispatch_packet);
    if (kernel.properties & queue_pointer) set_scalar_pair(w, at, 0);
    if (kernel.properties & kernarg_pointer) set_scalar_pair(w, at, request.kernarg);
    if (kernel.properties & dispatch_id) set_scalar_pair(w, at, 0);
    if (kernel.properties & flat_scratch_init) set_scalar_pair(w, at, 0);
    if (kernel.properties & private_size) {
        w.s[at] = scratch_bytes(kernel);
        w.taints[scalar(at)] = taint{};
    }
}

/// Workgroup ids: x in ttmp9, y and z in the halves of ttmp7. A kernel that did not enable z reads
/// ttmp7 unmasked.
void workgroup_ids(wave& w, const group& g, u32 rsrc2) {
    const bool z = rsrc2 >> 9 & 1;
    w.s[ttmp_number + 9] = g.block[0];
    w.s[ttmp_number + 7] = z ? g.block[1] | g.block[2] << 16 : g.block[1];
    for (unsigned n = 0; n < 16; ++n)
        w.taints[scalar(ttmp_number + n)] = taint{};
}

/// v0 packs the workitem ids of as many dimensions as the kernel enabled, 10 bits each.
void workitem_ids(wave& w, const launch_request& request, u32 rsrc2) {
    const u32 dimensions = rsrc2 >> 11 & 3;
    const u32 x = request.threads[0], y = request.threads[1];
    u32 id = w.id * lanes;
    u32 ix = id % x, iy = id / x % y, iz = id / x / y;
    for (unsigned l = 0; l < lanes; ++l) {
        w.v[0][l] = ix | (dimensions >= 1 ? iy << 10 : 0) | (dimensions >= 2 ? iz << 20 : 0);
        if (++ix == x) {
            ix = 0;
            if (++iy == y) iy = 0, ++iz;
        }
    }
    w.taints[0] = taint{};
    for (unsigned l = 0; l < lanes; ++l)
        w.v[lane_offsets][l] = 4 * l;
}

void poison_registers(wave& w, u32 vector_registers) {
    const taint bad = taint::every(all_lanes);
    for (u32 n = 0; n < vector_registers; ++n)
        w.taints[n] = bad;
    for (unsigned n = 0; n < null_number; ++n)
        w.taints[scalar(n)] = taint::of(all_lanes, 0, 0, 0);
    w.taints[scalar(m0_number)] = taint::of(all_lanes, 0, 0, 0);
    for (unsigned n : {null_number, exec_number, exec_number + 1})
        w.taints[scalar(n)] = taint{};
    for (unsigned n = discard_number; n < scalar_count; ++n)
        w.taints[scalar(n)] = taint{};
    for (u16 n = constant_index; n < taint_count; ++n)
        w.taints[n] = taint{};
}

void reset_strict(wave& w, const launch_state& launch) {
    poison_registers(w, launch.vector_registers);
    w.loads.clear();
    w.locals.clear();
    w.stores = 0;
    std::memset(w.pending, 0, sizeof w.pending);
    std::memset(w.pending_locals, 0, sizeof w.pending_locals);
    std::memset(w.scalars_pending, 0, sizeof w.scalars_pending);
    w.scalar_load_by = nullptr;
    w.scc_taint = true;
}

u32 mode_from(u32 rsrc1) {
    // FLOAT_MODE: round modes in bits 13:12 and 15:14, denormals in 17:16 and 19:18; FP16_OVFL.
    return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 26 & 1) << 23;
}

void start_wave(launch_state& launch, worker& host, group& g, wave& w, u32 threads, bool strict) {
    const launch_request& request = *launch.request;
    const kernel_image& kernel = *request.kernel;
    w.owner = &g;
    w.host = &host;
    w.launch = &launch;
    w.pc = w.current = launch.code->at(kernel.entry);
    w.running = false;
    w.state = wave_state::ready;
    w.scc = 0;
    w.scc_taint = w.stored = w.mode_changed = false;
    w.budget = 0;
    w.backward_branches = 0;
    w.signals = w.waits = w.waiting_for = w.joined = 0;
    w.releases = 0;
    w.unreleased = false;
    w.acquired = 0;
    std::memset(w.named_signals, 0, sizeof w.named_signals);
    std::memset(w.named_waits, 0, sizeof w.named_waits);
    std::memset(w.s, 0, sizeof w.s);
    w.mode = mode_from(kernel.rsrc1);
    const u32 left = threads - w.id * lanes;
    w.initial_exec = left >= lanes ? all_lanes : (1u << left) - 1;
    w.s[exec_number] = w.initial_exec;
    if (strict)
        reset_strict(w, launch);
    else
        std::memset(w.pending, 0, sizeof w.pending);
    user_scalars(w, request);
    if (kernel.isa == generation::rdna3)
        workgroup_ids_rdna3(w, g, kernel.rsrc2);
    else
        workgroup_ids(w, g, kernel.rsrc2);
    workitem_ids(w, request, kernel.rsrc2);
    const std::size_t scratch = std::size_t{launch.scratch_stride} * lanes;
    w.scratch.resize(scratch);
    w.scratch_shadow.assign(scratch, static_cast<u8>(shadow::unwritten));
}

void start_lds(launch_state& launch, group& g, bool strict) {
    lds_state& lds = g.lds;
    lds.size = launch.lds_bytes;
    lds.bytes.resize(lds.size + 16);
    lds.shadow.assign(lds.size + 16, static_cast<u8>(shadow::unwritten));
    if (!strict) return;
    lds.writers.resize(lds.size / 4 + 4);
    lds.readers.resize(lds.size / 4 + 4);
    begin_lds_checks(g);
}

} // namespace

u32 scratch_bytes(const kernel_image& kernel) {
    constexpr u32 stack = 16384;
    const u32 bytes = (kernel.properties & dynamic_stack) ? std::max(kernel.scratch_bytes, stack)
                                                          : kernel.scratch_bytes;
    return (bytes + 15) / 16 * 16;
}

void start_group(launch_state& launch, worker& host, group& g, u64 number, bool strict) {
    const launch_request& request = *launch.request;
    g.launch = &launch;
    g.number = number;
    g.block[0] = static_cast<u32>(number % request.blocks[0]);
    g.block[1] = static_cast<u32>(number / request.blocks[0] % request.blocks[1]);
    g.block[2] = static_cast<u32>(number / request.blocks[0] / request.blocks[1]);
    const u32 threads = request.threads[0] * request.threads[1] * request.threads[2];
    g.wave_count = (threads + lanes - 1) / lanes;
    g.live = g.wave_count;
    for (barrier_state& barrier : g.barriers)
        barrier = barrier_state{};
    g.barriers[0].members = g.wave_count;
    while (g.waves.size() < g.wave_count)
        g.waves.push_back(std::make_unique<wave>());
    start_lds(launch, g, strict);
    for (u32 n = 0; n < g.wave_count; ++n) {
        g.waves[n]->id = n;
        start_wave(launch, host, g, *g.waves[n], threads, strict);
    }
}

} // namespace r9v_emulator
