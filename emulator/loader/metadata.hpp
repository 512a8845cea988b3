// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the metadata note of a code object says about its kernels.
#pragma once

#include "loader/bytes.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace r9v_emulator::loader {

/// What the runtime writes into one piece of the argument buffer.
enum class argument_kind : std::uint8_t {
    value, ///< the caller's bytes: scalars, structs and pointers alike
    dynamic_lds_pointer,
    block_count_x,
    block_count_y,
    block_count_z,
    group_size_x,
    group_size_y,
    group_size_z,
    remainder_x,
    remainder_y,
    remainder_z,
    global_offset_x,
    global_offset_y,
    global_offset_z,
    grid_dims,
    dynamic_lds_size,
    private_base,
    shared_base,
    hostcall_buffer,
    heap,
    queue_pointer,
    none, ///< present in the layout, always zero
};

struct argument {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    argument_kind kind = argument_kind::none;
};

struct kernel_metadata {
    std::string name;                ///< mangled
    std::string descriptor;          ///< symbol of the kernel descriptor, normally name + ".kd"
    std::vector<argument> arguments; ///< the caller's, in order
    std::vector<argument> hidden;    ///< the runtime's
    std::uint32_t kernarg_bytes = 0;
    std::uint32_t lds_bytes = 0;
    std::uint32_t scratch_bytes = 0;
    std::uint32_t vgprs = 0, sgprs = 0;
    std::uint32_t vgpr_spills = 0, sgpr_spills = 0;
    std::uint32_t max_threads = 1024;
    std::uint32_t wavefront_size = 32;
    bool uses_dynamic_stack = false;
};

struct object_metadata {
    std::string target; ///< amdgcn-amd-amdhsa--gfx1201
    std::vector<kernel_metadata> kernels;
};

/// Reads the MessagePack payload of the AMDGPU metadata note.
object_metadata parse_metadata(bytes note);

} // namespace r9v_emulator::loader
