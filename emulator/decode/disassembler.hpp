// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// LLVM's disassembler for gfx1201 and gfx1100, one instruction at a time.
#pragma once

#include "../device/launch.hpp"
#include <cstdint>
#include <span>
#include <string>

namespace r9v_emulator {

struct disassembled {
    std::string text; ///< empty when the bytes are no instruction
    unsigned bytes = 0;
};

disassembled disassemble(std::span<const std::byte> code, std::uint64_t address, generation isa);

} // namespace r9v_emulator
