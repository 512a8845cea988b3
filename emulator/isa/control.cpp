// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Control flow: branches, calls, ends, VOPD pairs, hints.
#include "control.hpp"

#include "../decode/program.hpp"
#include "scalar.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

void take_branch(wave& w, const op& o) {
    const op* target = &o + o.advance + o.offset;
    if (o.offset < 0) {
        ++w.backward_branches;
        if (--w.budget < 0) {
            w.running = false;
            w.state = wave_state::ready;
        }
        const u64 limit = w.launch->options->branch_limit;
        if (limit && w.backward_branches > limit)
            report_fatal(w, o, "no end", -1, 0,
                         "the wave took " + std::to_string(limit) + " backward branches");
    }
    if (!w.launch->code->holds(target)) report_fatal(w, o, "jump outside the code", -1, 0, "");
    w.pc = target;
}

enum class condition { always, scc0, scc1, vccz, vccnz, execz, execnz };

template<condition When>
bool holds(const wave& w) {
    switch (When) {
    case condition::scc0:
        return !w.scc;
    case condition::scc1:
        return w.scc;
    case condition::vccz:
        return w.vcc() == 0;
    case condition::vccnz:
        return w.vcc() != 0;
    case condition::execz:
        return w.exec() == 0;
    case condition::execnz:
        return w.exec() != 0;
    default:
        return true;
    }
}

template<condition When>
void branch(wave& w, const op& o) {
    if (holds<When>(w)) take_branch(w, o);
}

/// Poison decides a VCC branch unless the clean bits already settle it.
void check_vcc(wave& w, const op& o) {
    const u32 bad = w.taints[scalar(vcc_number)].plane[0];
    if (!bad) return;
    check_pending(w, o, scalar(vcc_number), 1, false);
    const u32 still = w.taints[scalar(vcc_number)].plane[0];
    if (still && !(w.vcc() & ~still)) report_poison(w, o, "a branch", still);
}

template<condition When>
void branch_strict(wave& w, const op& o) {
    constexpr bool scc = When == condition::scc0 || When == condition::scc1;
    constexpr bool vcc = When == condition::vccz || When == condition::vccnz;
    if constexpr (scc) {
        if (w.scc_taint) {
            report_poison(w, o, "a branch", 0);
            w.scc_taint = false;
        }
    }
    if constexpr (vcc) check_vcc(w, o);
    branch<When>(w, o);
}

template<condition When>
constexpr instruction branch_op(std::string_view name) {
    return {name, format::branch, op_class::branch, &branch<When>, &branch_strict<When>};
}

void end_program(wave& w, const op&) {
    w.running = false;
    w.state = wave_state::ended;
}

void trap(wave& w, const op& o) {
    report_fatal(w, o, "trap", -1, 0,
                 "s_trap " + std::to_string(o.aux) + ": an assertion or abort");
}

u64 next_address(const wave& w) {
    return w.launch->code->address_of(w.pc);
}

void jump_to(wave& w, u64 address) {
    const op* target = w.launch->code->at(address);
    if (!target) report_fatal(w, *w.current, "jump outside the code", -1, address, "");
    w.pc = target;
}

constexpr instruction hint(std::string_view name) {
    return {name, format::immediate, op_class::other, &do_nothing, &do_nothing};
}

void acquire_memory(wave& w, const op&) {
    acquire(w);
}

constexpr instruction table[] = {
    branch_op<condition::always>("s_branch"),
    branch_op<condition::scc0>("s_cbranch_scc0"),
    branch_op<condition::scc1>("s_cbranch_scc1"),
    branch_op<condition::vccz>("s_cbranch_vccz"),
    branch_op<condition::vccnz>("s_cbranch_vccnz"),
    branch_op<condition::execz>("s_cbranch_execz"),
    branch_op<condition::execnz>("s_cbranch_execnz"),
    {"s_endpgm", format::immediate, op_class::branch, &end_program, &end_program},
    {"s_trap", format::immediate, op_class::other, &trap, &trap},
    scalar_op("s_getpc_b64", [](wave& w) -> u64 { return next_address(w); }),
    scalar_op("s_setpc_b64", [](wave& w, u64 to) { jump_to(w, to); }),
    scalar_op("s_swappc_b64",
              [](wave& w, u64 to) -> u64 {
                  const u64 back = next_address(w);
                  jump_to(w, to);
                  return back;
              }),
    scalar_op("s_call_b64",
              [](wave& w, simm16 by) -> u64 {
                  const u64 back = next_address(w);
                  jump_to(w, back + static_cast<u64>(4 * static_cast<i64>(by.value)));
                  return back;
              }),
    hint("s_nop"),
    hint("s_delay_alu"),
    hint("s_clause"),
    hint("s_setprio"),
    hint("s_wait_alu"),
    hint("s_code_end"),
    hint("s_icache_inv"),
    hint("s_wait_event"),
    hint("s_version"),
    hint("s_singleuse_vdst"),
    hint("s_atc_probe"),
    hint("s_atc_probe_buffer"),
    hint("s_sethalt"),
    hint("s_setkill"),
    hint("s_incperflevel"),
    hint("s_decperflevel"),
    hint("s_ttracedata"),
    hint("s_ttracedata_imm"),
    hint("v_nop"),
    hint("s_prefetch_inst"),
    hint("s_prefetch_inst_pc_rel"),
    hint("s_prefetch_data"),
    hint("s_prefetch_data_pc_rel"),
    hint("s_buffer_prefetch_data"),
    hint("s_dcache_inv"),
    {"global_inv", format::immediate, op_class::other, &do_nothing, &acquire_memory},
    hint("global_wb"),
    hint("global_wbinv"),
};

} // namespace

void do_nothing(wave&, const op&) {}

bool is_graphics(std::string_view text) {
    for (const std::string_view part :
         {"image_", "tbuffer_", "_format_", "export", "v_interp_", "_param_load", "_bvh_"})
        if (text.substr(0, text.find(' ')).find(part) != text.npos) return true;
    return false;
}

const instruction* no_operation() {
    static constexpr instruction nothing{"s_nop", format::immediate, op_class::other, &do_nothing,
                                         &do_nothing};
    return &nothing;
}

void unknown_instruction(wave& w, const op& o) {
    const program& code = *w.launch->code;
    report_fatal(w, o, "unknown instruction", -1, 0,
                 is_graphics(w.launch->code->text_at(code.address_of(&o)))
                     ? "images, exports and interpolation belong to graphics; the emulator runs "
                       "compute kernels"
                     : "the emulator has no such instruction, or not with these operands");
}

void run_pair(wave& w, const op& o) {
    if (o.aux) std::memcpy(w.v[first_temporary], w.v[o.aux - 1], sizeof w.v[0]);
    o.info->plain(w, o);
    const op& second = (&o)[1];
    second.fn(w, second);
}

void run_pair_strict(wave& w, const op& o) {
    if (o.aux) {
        std::memcpy(w.v[first_temporary], w.v[o.aux - 1], sizeof w.v[0]);
        check_pending(w, o, static_cast<u16>(o.aux - 1), 1, false);
        w.taints[first_temporary] = w.taints[o.aux - 1];
    }
    o.info->strict(w, o);
    const op& second = (&o)[1];
    second.fn(w, second);
}

instruction_table control_table() {
    return table;
}

} // namespace r9v_emulator
