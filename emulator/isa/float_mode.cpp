// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "float_mode.hpp"

#include <algorithm>
#include <iterator>

namespace r9v_emulator {
namespace {

constexpr u32 usual_word = 0x1f80, flush_results = 0x8000, flush_operands = 0x40;

bool is_half(kind k) {
    return k == kind::f16 || k == kind::packed_f16;
}
bool wide_or_half(kind k) {
    return k == kind::f64 || is_half(k);
}
bool any_source(const op& o, bool (*test)(kind)) {
    return std::any_of(std::begin(o.info->src), std::end(o.info->src), test);
}

/// f64 and f16 share the upper fields of MODE.
u32 denormals(u32 mode, bool upper) {
    return mode >> (upper ? 6 : 4) & 3;
}

} // namespace

u32 control_word(u32 mode, const op& o) {
    if (o.cls == op_class::wmma || o.cls == op_class::transcendental || !o.info) return usual_word;
    // The mode's order of roundings: nearest, up, down, toward zero.
    static constexpr u32 rounding[4] = {0x0000, 0x4000, 0x2000, 0x6000};
    const kind dst = o.info->dst;
    const bool from_upper = any_source(o, wide_or_half);
    const bool to_upper = wide_or_half(dst) || (dst != kind::f32 && from_upper);
    u32 word = usual_word | rounding[mode >> (to_upper ? 2 : 0) & 3];
    if (!(denormals(mode, from_upper) & 1)) word |= flush_operands;
    if (!(denormals(mode, to_upper) & 2)) word |= flush_results;
    return word;
}

u8 half_flush(u32 mode, const op& o) {
    if (o.info->layout != format::vector || o.cls == op_class::wmma) return 0;
    u8 flush = 0;
    if (any_source(o, is_half) && !(denormals(mode, true) & 1)) flush |= 1;
    if (is_half(o.info->dst) && !(denormals(mode, true) & 2)) flush |= 2;
    return flush;
}

bool keeps_denormal_results(u32 mode, kind k) {
    return denormals(mode, wide_or_half(k)) & 2;
}

} // namespace r9v_emulator
