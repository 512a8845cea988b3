// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "timed_op.hpp"

#include "../decode/program.hpp"
#include "../isa/control.hpp"
#include "../isa/instruction.hpp"
#include <algorithm>
#include <array>
#include <string_view>

namespace r9v_emulator::clock {
namespace {

constexpr u8 double_precision_cycles = 32; // 1/32 of the single-precision rate

bool any_prefix(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](auto p) { return name.starts_with(p); });
}

void read(timed_op& to, u16 first, unsigned count, bool address = false) {
    const bool counts = is_vector(first) || is_scalar(first) || first == scc_index;
    if (!counts || first == scalar(null_number) || count == 0 || to.reads == std::size(to.read))
        return;
    to.read[to.reads++] = {first, static_cast<u8>(count), address};
}

void write(timed_op& to, u16 first, unsigned count) {
    const bool counts = first < scalar(discard_number) || first == scc_index;
    if (!counts || count == 0 || to.writes == std::size(to.write)) return;
    to.write[to.writes++] = {first, static_cast<u8>(count), false};
}

unit unit_of(const op& o) {
    const std::string_view name = o.info->name;
    switch (o.cls) {
    case op_class::wmma:
        return unit::wmma;
    case op_class::valu:
        return unit::valu;
    case op_class::transcendental:
        return unit::transcendental;
    case op_class::salu:
        return unit::salu;
    case op_class::branch:
        return name == "s_endpgm" ? unit::end : unit::branch;
    case op_class::smem:
        return unit::scalar_memory;
    case op_class::wait:
        return unit::wait;
    case op_class::barrier:
        if (name == "s_barrier") return unit::barrier;
        if (name.starts_with("s_barrier_signal")) return unit::signal;
        return name == "s_barrier_wait" ? unit::barrier_wait : unit::salu;
    default:
        break;
    }
    switch (o.info->layout) {
    case format::memory_lds:
        return unit::lds;
    case format::memory_global:
    case format::memory_flat:
    case format::memory_scratch:
    case format::memory_buffer:
        return o.info->src[1] == kind::none ? unit::load : unit::store;
    case format::scalar_memory:
        return unit::scalar_memory;
    case format::vector:
    case format::dual:
        return unit::valu;
    default:
        break;
    }
    if (name.starts_with("s_sleep")) return unit::sleep;
    if (name == "s_setprio") return unit::priority;
    if (name == "global_inv" || name == "buffer_gl0_inv") return unit::invalidate;
    return unit::other;
}

void vector_operands(const op& o, timed_op& to) {
    const instruction& info = *o.info;
    for (int i = 0; i < 4; ++i) {
        unsigned words = words_of(info.src[i]);
        if (info.src[i] == kind::none) break;
        if (to.what == unit::wmma && i == 2) words = words_of(info.dst);
        read(to, o.src[i], words);
    }
    const bool masks_only = info.mask_out && info.dst == kind::none;
    write(to, o.dst, masks_only ? 1 : words_of(info.dst));
    if (info.mask_out && !masks_only) write(to, o.dst2, 1);
}

/// Scalar operations that leave SCC alone, and those that read it.
bool keeps_scc(std::string_view name) {
    return any_prefix(name,
                      {"s_mov", "s_cmov", "s_mul",    "s_cselect", "s_pack", "s_sext",  "s_get",
                       "s_set", "s_swap", "s_bitset", "s_bitrep",  "s_brev", "s_ff",    "s_ctz",
                       "s_clz", "s_cls",  "s_cvt",    "s_barrier", "s_fm",   "s_add_f", "s_sub_f"});
}
bool reads_scc(std::string_view name) {
    return any_prefix(name, {"s_cselect", "s_cmov", "s_addc", "s_subb", "s_add_co_ci",
                             "s_sub_co_ci", "s_cbranch_scc"});
}

void scalar_operands(const op& o, timed_op& to) {
    const instruction& info = *o.info;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i)
        read(to, o.src[i], words_of(info.src[i]));
    write(to, o.dst, words_of(info.dst));
    if (reads_scc(info.name)) read(to, scc_index, 1);
    if (info.layout == format::scalar_alu && !keeps_scc(info.name)) write(to, scc_index, 1);
    to.occupancy = info.name.starts_with("s_mul") ? 2 : 1;
}

void memory_operands(const op& o, timed_op& to) {
    const instruction& info = *o.info;
    const bool pair = info.layout == format::memory_flat ||
                      (info.layout == format::memory_global &&
                       (o.src[2] == no_operand || o.src[2] == scalar(null_number)));
    read(to, o.src[0], pair ? 2 : 1, true);
    if (o.src[2] != no_operand)
        read(to, o.src[2], info.layout == format::memory_buffer ? 4 : 2, true);
    read(to, o.src[1], words_of(info.src[1]), true);
    if (info.src[3] != kind::none || info.layout == format::memory_buffer)
        read(to, o.src[3], std::max(1u, words_of(info.src[3])), true);
    to.memory = true;
    const unsigned words = std::max(1u, words_of(info.src[1]));
    const bool store = info.src[1] != kind::none;
    // Handing over data costs one cycle a register and one more (measured: 2, 3, 4, 5).
    to.issue = store && o.cls != op_class::other ? static_cast<u8>(words + 1) : u8{1};
    to.returns =
        info.dst != kind::none && (o.cls != op_class::global_atomic || (o.flags & flag_returns));
    to.wide_local = to.what == unit::lds && std::max(words_of(info.dst), words) == 4;
}

wait_counts waits_of(const op& o) {
    const std::string_view name = o.info->name;
    const auto low = static_cast<u8>(o.aux & 0x3f), high = static_cast<u8>(o.aux >> 8 & 0x3f);
    wait_counts w;
    if (name == "s_wait_loadcnt") w.load = low;
    if (name == "s_wait_storecnt") w.store = low;
    if (name == "s_wait_dscnt") w.local = low;
    if (name == "s_wait_kmcnt") w.scalar = low;
    if (name == "s_wait_loadcnt_dscnt") w.load = high, w.local = low;
    if (name == "s_wait_storecnt_dscnt") w.store = high, w.local = low;
    if (name == "s_wait_idle") w.load = w.store = w.local = w.scalar = 0;
    if (name == "s_waitcnt") { // gfx11: vmcnt 15:10, lgkmcnt 9:4
        const auto vector = static_cast<u8>(o.aux >> 10 & 0x3f);
        const auto rest = static_cast<u8>(o.aux >> 4 & 0x3f);
        if (vector != 0x3f) w.load = vector;
        if (rest != 0x3f) w.local = w.scalar = rest;
    }
    if (name == "s_waitcnt_vscnt") w.store = low;
    if (name == "s_waitcnt_vmcnt") w.load = low;
    if (name == "s_waitcnt_lgkmcnt") w.local = w.scalar = low;
    return w;
}

void branch_operands(const op& o, timed_op& to) {
    const std::string_view name = o.info->name;
    if (reads_scc(name)) read(to, scc_index, 1);
    if (name.find("vcc") != name.npos) read(to, scalar(vcc_number), 1);
    if (name.find("exec") != name.npos) read(to, scalar(exec_number), 1);
}

bool double_precision(const instruction& info) {
    return info.dst == kind::f64 || info.src[0] == kind::f64;
}

timed_op describe(const op& o) {
    timed_op to;
    to.what = unit_of(o);
    to.cls = o.cls;
    to.advance = o.advance;
    to.immediate = static_cast<u16>(o.aux);
    if (o.info->name == "s_nop") to.issue = static_cast<u8>((o.aux & 0xf) + 1);
    switch (to.what) {
    case unit::valu:
    case unit::transcendental:
    case unit::wmma:
        to.occupancy = o.cycles;
        if (double_precision(*o.info)) to.occupancy = double_precision_cycles;
        to.four_bit = to.what == unit::wmma && o.info->name.find("_iu4") != o.info->name.npos;
        to.eight_bit = to.what == unit::wmma && (o.cycles == 8 || to.four_bit ||
                                                 o.info->name.find("_iu8") != o.info->name.npos);
        vector_operands(o, to);
        break;
    case unit::salu:
    case unit::signal:
        scalar_operands(o, to);
        break;
    case unit::branch:
        branch_operands(o, to);
        break;
    case unit::scalar_memory:
        read(to, o.src[0], words_of(o.info->src[0]), true);
        read(to, o.src[1], 1, true);
        to.memory = true;
        to.returns = true;
        break;
    case unit::lds:
    case unit::load:
    case unit::store:
        memory_operands(o, to);
        break;
    case unit::wait:
        to.waits = waits_of(o);
        break;
    default:
        break;
    }
    return to;
}

void merge_second_half(const op& second, timed_op& to) {
    const timed_op other = describe(second);
    for (unsigned i = 0; i < other.reads; ++i)
        read(to, other.read[i].first, other.read[i].count);
    for (unsigned i = 0; i < other.writes; ++i)
        write(to, other.write[i].first, other.write[i].count);
}

} // namespace

timed_op time_op(const program& code, u32 slot) {
    const op& o = *code.at(code.begin() + 4 * u64{slot});
    timed_op to = describe(o);
    to.slot = slot;
    if (o.fn == &run_pair || o.fn == &run_pair_strict) merge_second_half((&o)[1], to);
    return to;
}

unsigned rdna3_occupancy(const timed_op& o) {
    return o.four_bit ? 16 : 32;
}

} // namespace r9v_emulator::clock
