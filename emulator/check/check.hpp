// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Strict mode: how poison spreads, what is still outstanding, and what is reported.
#pragma once

#include "../isa/instruction.hpp"
#include "../wave/wave.hpp"
#include <string>

namespace r9v_emulator {

/// Reports a mistake once per kind and instruction; throws launch_stopped when enough were found.
void report(wave& w, const op& o, std::string_view kind, int lane, u64 address,
            const std::string& detail);
/// The same, and ends the launch.
[[noreturn]] void report_fatal(wave& w, const op& o, std::string_view kind, int lane, u64 address,
                               const std::string& detail);

/// Where the instruction stands. Handlers that run one in parts use copies of it.
u64 address_of(const wave& w, const op& o);

struct lane_pointers;

int lowest_lane(u32 mask);
std::string register_name(unsigned index);

/// A vector instruction whose operands are not all clean: reports the use of registers that are
/// still outstanding and works out the taint of what it writes. Runs before the instruction.
void propagate(wave& w, const op& o);
/// Reports registers [first, first + count) that are outstanding. True when any was.
bool check_pending(wave& w, const op& o, u16 first, unsigned count, bool overwrite);
void propagate_scalar(wave& w, const op& o, bool reads_scc, bool writes_scc);

taint permuted_taint(const wave& w, const op& o, const taint& from, u32& invalid);

/// Issues an access that will write `count` registers; `after` is already set for them.
void issue(wave& w, const op& o, outstanding_queue& queue, u16 first, unsigned count, bool lds);
void retire(wave& w, outstanding_queue& queue, u32 keep);
void issue_scalar(wave& w, const op& o, unsigned first, unsigned count);
void retire_scalar(wave& w);

/// Poison in EXEC, a branch, an address and so on.
void report_poison(wave& w, const op& o, std::string_view what, u32 lane_mask, u64 address = 0);

/// LDS order checks of one lane over [offset, offset + bytes), and of all lanes in `mask`.
void check_lds_access(wave& w, const op& o, int lane, u32 offset, u32 bytes, bool write,
                      bool atomic);
void check_lds_accesses(wave& w, const op& o, u32 mask, const u32 (&offsets)[lanes], u32 bytes,
                        bool write, bool atomic);
void begin_lds_checks(group& g);

/// Strict mode, of an access to memory that other workgroups see. Answers the lanes that read what
/// another wave wrote with nothing that orders the two: what they have read is poison.
[[nodiscard]] u32 check_global_order(wave& w, const op& o, const lane_pointers& at, unsigned bytes,
                                     bool write, bool atomic);
/// Strict mode, of a scalar load: its cache does not see what vector stores of the launch wrote.
void check_scalar_order(wave& w, const op& o, u64 address, const std::byte* data, unsigned bytes);
/// The wave knows of what others released before.
void acquire(wave& w);

inline const taint& taint_at(const wave& w, u16 index) {
    return w.taints[index];
}

} // namespace r9v_emulator
