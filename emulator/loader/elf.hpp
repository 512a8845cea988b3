// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Reads the ELF file that an AMDGPU code object is.
#pragma once

#include "loader/bytes.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator::loader {

struct elf_segment {
    std::uint64_t address = 0; ///< virtual
    std::uint64_t size = 0;    ///< in memory; zero beyond the contents
    bytes contents;
    bool executable = false;
    bool writable = false;
};

struct elf_symbol {
    std::string_view name;
    std::uint64_t address = 0; ///< virtual
    std::uint64_t size = 0;
    bool defined = false;
    bool weak = false;
    bool is_object = false; ///< a variable or a kernel descriptor
};

struct elf_relocation {
    std::uint64_t address = 0; ///< virtual address to write at
    std::uint32_t type = 0;
    std::uint32_t symbol = 0;
    std::int64_t addend = 0;
};

struct elf_image {
    std::uint32_t machine_flags = 0; ///< e_flags: the processor in the low byte
    std::uint8_t abi_version = 0;    ///< 3 = code object v5
    std::vector<elf_segment> segments;
    std::vector<elf_symbol> symbols;
    std::vector<elf_relocation> relocations;
    bytes metadata;                   ///< payload of the NT_AMDGPU_METADATA note
    std::uint64_t begin = 0, end = 0; ///< virtual address range of the segments

    /// The defined symbol `name`, or null.
    const elf_symbol* find(std::string_view name) const;
};

/// Parses a code object; throws load_error for anything that is not an AMDGPU HSA shared object of
/// code object version 4 or 5. The result refers to `image`.
elf_image parse_elf(bytes image);

/// The target of e_flags ("gfx1201"), or "unknown (0x..)".
std::string target_name(std::uint32_t machine_flags);

} // namespace r9v_emulator::loader
