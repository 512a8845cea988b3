// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rounding and denormals as a wave's MODE register asks for them.
#pragma once

#include "../wave/wave.hpp"
#include "instruction.hpp"

namespace r9v_emulator {

/// Round to nearest even and denormals kept, for all types: what the host computes by itself.
constexpr bool is_usual_mode(u32 mode) {
    return (mode & 0xff) == 0xf0;
}

/// The SSE control word under which the host does what the instruction does in this mode. Matrix
/// and transcendental instructions have modes of their own.
u32 control_word(u32 mode, const op& o);
/// Which denormals of 16-bit operands (bit 0) and results (bit 1) are flushed; the host never does.
u8 half_flush(u32 mode, const op& o);

/// True where the instruction's results may be denormal, so that output modifiers do nothing.
bool keeps_denormal_results(u32 mode, kind k);

} // namespace r9v_emulator
