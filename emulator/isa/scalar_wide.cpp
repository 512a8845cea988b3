// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar instructions on the full 64 bits of EXEC, which wave32 code may use, too: its upper half
// is a register like any other then, and no lane looks at it.
#include "../check/check.hpp"
#include "scalar.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

u64 full_exec(const wave& w) {
    return w.s[exec_number] | static_cast<u64>(w.s[exec_number + 1]) << 32;
}
void set_full_exec(wave& w, u64 value) {
    w.s[exec_number] = static_cast<u32>(value);
    w.s[exec_number + 1] = static_cast<u32>(value >> 32);
    w.scc = value != 0;
    w.scc_taint = false;
}

using combination = u64 (*)(u64 source, u64 exec);

/// The old EXEC goes to the destination, or the new one.
template<combination Combine, bool New, bool Strict>
void write_exec(wave& w, const op& o) {
    if constexpr (Strict) {
        check_pending(w, o, o.src[0], 2, false);
        check_pending(w, o, o.dst, 2, true);
        if (o.src[0] < constant_index &&
            (w.taints[o.src[0]].plane[0] | w.taints[o.src[0] + 1].plane[0]))
            report_poison(w, o, "EXEC", 0);
        w.taints[o.dst] = w.taints[o.dst + 1] = taint{};
    }
    const u64 old = full_exec(w), source = scalar_source<u64>(w, o, 0);
    set_full_exec(w, Combine(source, old));
    const u64 kept = New ? full_exec(w) : old;
    write_scalar(w, o.dst, static_cast<u32>(kept));
    write_scalar(w, static_cast<u16>(o.dst + 1), static_cast<u32>(kept >> 32));
}

template<combination Combine, bool New = false>
constexpr instruction exec_op(std::string_view name) {
    instruction e{name, format::scalar_alu, op_class::salu, &write_exec<Combine, New, false>,
                  &write_exec<Combine, New, true>};
    e.dst = e.src[0] = kind::b64;
    return e;
}

u64 both(u64 s, u64 e) {
    return s & e;
}
u64 either(u64 s, u64 e) {
    return s | e;
}
u64 differ(u64 s, u64 e) {
    return s ^ e;
}
u64 not_both(u64 s, u64 e) {
    return ~(s & e);
}
u64 neither(u64 s, u64 e) {
    return ~(s | e);
}
u64 same(u64 s, u64 e) {
    return ~(s ^ e);
}
u64 without_source(u64 s, u64 e) {
    return ~s & e;
}
u64 without_exec(u64 s, u64 e) {
    return s & ~e;
}
u64 or_without_source(u64 s, u64 e) {
    return ~s | e;
}
u64 or_without_exec(u64 s, u64 e) {
    return s | ~e;
}

u64 whole_quads(u64 a) {
    u64 r = 0;
    for (unsigned q = 0; q < 64; q += 4)
        if (a >> q & 15) r |= u64{15} << q;
    return r;
}
u64 quads(u64 a) {
    u64 r = 0;
    for (unsigned q = 0; q < 16; ++q)
        if (a >> (4 * q) & 15) r |= u64{1} << q;
    return r;
}

/// Source and destination move by two fields of M0.
template<bool Strict>
void move_relative_both(wave& w, const op& o) {
    const u32 m0 = w.s[m0_number], by = m0 & 0x3ff, to_by = m0 >> 16 & 0x3ff;
    const u32 from = o.src[0] + by, to = o.dst + to_by;
    if (from >= scalar(vcc_number + 2) || to >= scalar(vcc_number + 2))
        report_fatal(w, o, "register out of range", -1, 0, "M0 is " + std::to_string(m0));
    if constexpr (Strict) {
        check_pending(w, o, static_cast<u16>(from), 1, false);
        check_pending(w, o, static_cast<u16>(to), 1, true);
        if (w.taints[scalar(m0_number)].plane[0]) report_poison(w, o, "M0", 0);
        w.taints[to] = w.taints[from];
    }
    w.s[to - scalar_first] = w.s[from - scalar_first];
}

constexpr scalar_options sets{.writes_scc = true};
constexpr instruction table[] = {
    exec_op<both>("s_and_saveexec_b64"),
    exec_op<either>("s_or_saveexec_b64"),
    exec_op<differ>("s_xor_saveexec_b64"),
    exec_op<not_both>("s_nand_saveexec_b64"),
    exec_op<neither>("s_nor_saveexec_b64"),
    exec_op<same>("s_xnor_saveexec_b64"),
    exec_op<without_source>("s_and_not0_saveexec_b64"),
    exec_op<without_exec>("s_and_not1_saveexec_b64"),
    exec_op<or_without_source>("s_or_not0_saveexec_b64"),
    exec_op<or_without_exec>("s_or_not1_saveexec_b64"),
    exec_op<without_source, true>("s_and_not0_wrexec_b64"),
    exec_op<without_exec, true>("s_and_not1_wrexec_b64"),
    scalar_op<sets>("s_wqm_b64",
                    [](wave& w, u64 a) {
                        const u64 r = whole_quads(a);
                        w.scc = r != 0;
                        return r;
                    }),
    scalar_op<sets>("s_quadmask_b64",
                    [](wave& w, u64 a) {
                        const u64 r = quads(a);
                        w.scc = r != 0;
                        return r;
                    }),
    {"s_movrelsd_2_b32",
     format::scalar_alu,
     op_class::salu,
     &move_relative_both<false>,
     &move_relative_both<true>,
     kind::b32,
     {kind::b32}},
};

} // namespace

instruction_table scalar_wide_table() {
    return table;
}

} // namespace r9v_emulator
