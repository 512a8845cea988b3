// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How poison spreads through scalar instructions: per bit through logic and moves, else all bits.
#include "check.hpp"

namespace r9v_emulator {
namespace {

u32 value_of(const wave& w, const op& o, int i, unsigned word) {
    const u16 index = o.src[i];
    if (is_scalar(index)) return w.s[index - scalar_first + word];
    return static_cast<u32>(o.constant[i] >> (32 * word));
}

u32 bits_of(const wave& w, const op& o, int i, unsigned word) {
    return o.src[i] >= constant_index ? 0 : w.taints[o.src[i] + word].plane[0];
}

/// Poison of one result word of a bitwise instruction.
u32 word_taint(const wave& w, const op& o, unsigned word) {
    const u32 a = bits_of(w, o, 0, word), b = bits_of(w, o, 1, word);
    const u32 x = value_of(w, o, 0, word), y = value_of(w, o, 1, word);
    switch (o.info->taint_rule) {
    case rule::bytes_and:
        return (a & (b | y)) | (b & (a | x));
    case rule::bytes_or:
        return (a & (b | ~y)) | (b & (a | ~x));
    case rule::and_not:
        return (a & (b | ~y)) | (b & (a | x));
    case rule::or_not:
        return (a & (b | y)) | (b & (a | ~x));
    case rule::select:
        return w.scc ? a : b;
    default:
        return a | b;
    }
}

void check_operands(wave& w, const op& o) {
    const instruction& info = *o.info;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i)
        check_pending(w, o, o.src[i], words_of(info.src[i]), false);
    if (info.dst != kind::none) check_pending(w, o, o.dst, words_of(info.dst), true);
}

bool bitwise(rule r) {
    return r == rule::bytes || r == rule::bytes_and || r == rule::bytes_or || r == rule::and_not ||
           r == rule::or_not || r == rule::select;
}

} // namespace

void propagate_scalar(wave& w, const op& o, bool reads_scc, bool writes_scc) {
    check_operands(w, o);
    const instruction& info = *o.info;
    u32 any = reads_scc && w.scc_taint ? all_lanes : 0;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i)
        for (unsigned n = 0; n < words_of(info.src[i]); ++n)
            any |= bits_of(w, o, i, n);
    u32 result[2] = {any ? all_lanes : 0, any ? all_lanes : 0};
    if (bitwise(info.taint_rule)) {
        for (unsigned n = 0; n < words_of(info.dst); ++n)
            result[n] = w.scc_taint && reads_scc ? all_lanes : word_taint(w, o, n);
        any = result[0] | (words_of(info.dst) == 2 ? result[1] : 0);
    }
    if (writes_scc) w.scc_taint = any != 0;
    for (unsigned n = 0; n < words_of(info.dst); ++n) {
        const u16 index = static_cast<u16>(o.dst + n);
        if (index >= scalar(discard_number)) continue;
        const bool decides = index == scalar(exec_number) || index == scalar(m0_number);
        if (decides && result[n]) {
            report_poison(w, o, index == scalar(exec_number) ? "EXEC" : "M0", 0);
            result[n] = 0;
        }
        w.taints[index] = taint::of(result[n], 0, 0, 0);
    }
}

} // namespace r9v_emulator
