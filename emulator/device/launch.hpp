// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The boundary between the two halves of the emulator: loader/ and hip/ describe a kernel launch
// with these values, decode/, isa/, wave/ and check/ execute it and answer with counts and reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace r9v_emulator {

class memory;
namespace clock {
struct launch_trace;
} // namespace clock

/// Instruction set of a code object: gfx1200 and gfx1201, or gfx1100 to gfx1103.
enum class generation : std::uint8_t { rdna4, rdna3 };

/// One kernel of a loaded code object: its descriptor (AMDHSA kernel descriptor, code object v5)
/// and the segment of device memory that its instructions live in.
struct kernel_image {
    std::string name;         ///< mangled symbol, without ".kd"
    std::string display_name; ///< demangled
    generation isa = generation::rdna4;
    std::uint64_t entry = 0;      ///< device address of the first instruction
    std::uint64_t end = 0;        ///< past its last instruction; 0 where the symbol has no size
    std::uint64_t code_begin = 0; ///< device address range of the code segment
    std::uint64_t code_end = 0;
    std::uint32_t lds_bytes = 0;     ///< static LDS
    std::uint32_t scratch_bytes = 0; ///< per lane
    std::uint32_t kernarg_bytes = 0;
    std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    std::uint16_t properties = 0;       ///< which user SGPRs are set up, wave32, dynamic stack
    std::uint32_t vgprs = 0, sgprs = 0; ///< allocated, from the metadata note
    std::uint32_t max_threads = 1024;   ///< .max_flat_workgroup_size
    std::string
        object_path; ///< code object on disk for a symbolizer, written on demand; may be empty
    const void* object_bytes = nullptr; ///< the ELF image in host memory (alive while loaded)
    std::uint64_t object_size = 0;
    std::uint64_t load_bias = 0; ///< device address = ELF virtual address + load_bias
};

/// Whether kernels of one device may use memory of another one, asked where they do.
using peer_access = bool (*)(unsigned device, unsigned peer);

struct launch_request {
    unsigned device = 0;         ///< which of the memory's devices runs it
    peer_access peers = nullptr; ///< null: none may
    const kernel_image* kernel = nullptr;
    std::uint32_t blocks[3] = {1, 1, 1};
    std::uint32_t threads[3] = {1, 1, 1}; ///< per block
    std::uint32_t dynamic_lds_bytes = 0;
    std::uint64_t kernarg = 0;         ///< device address of the argument buffer, filled
    std::uint64_t dispatch_packet = 0; ///< device address of a filled 64-byte AQL packet
    /// Called on s_sendmsg (with the message number), for printf and other host calls; may be null.
    void (*on_message)(void* context, std::uint32_t message) = nullptr;
    void* message_context = nullptr;
};

/// How an execution checks: strict tracks poison, waits, races and bounds; plain checks bounds
/// only.
struct execution_options {
    bool strict = true;
    bool report_poison_store =
        true; ///< a global store of poison is an error (else memory carries it)
    /// Whether a value that a kernel read before another wave overwrote it is an error, where
    /// nothing orders the two; code may read what it then does not use.
    bool report_overwritten_reads = false;
    unsigned host_threads = 2;
    std::uint64_t seed = 0;               ///< order of workgroups and waves
    bool profile = false;                 ///< fill launch_result::profile
    std::uint64_t branch_limit = 0;       ///< taken backward branches a wave may make; 0: no limit
    std::vector<std::uint64_t> dropped;   ///< code addresses to skip, for mutation tests
    clock::launch_trace* trace = nullptr; ///< filled for the clock, where set
    std::uint64_t trace_minimum = 1;      ///< workgroups that the trace shall hold at least
    std::uint64_t trace_budget = 0;       ///< wave instructions beyond which it takes no more
};

/// What one launch did, summed over its waves. An instruction is counted once per wave.
struct launch_counts {
    std::uint64_t waves = 0;
    std::uint64_t wmma = 0;           ///< matrix instructions (WMMA and SWMMAC)
    std::uint64_t wmma_cycles = 0;    ///< 16 for f16/bf16, 8 for 8-bit and 4-bit types
    std::uint64_t valu = 0;           ///< other vector ALU; a VOPD pair counts once
    std::uint64_t valu_cycles = 0;    ///< 1 each, 2 for 64-bit shifts, 4 for 64-bit multiplies
    std::uint64_t transcendental = 0; ///< exp, log, rcp, rsq, sqrt, sin, cos (not in valu)
    std::uint64_t salu = 0;
    std::uint64_t branches = 0;
    std::uint64_t smem = 0;
    std::uint64_t global_loads = 0, global_stores = 0, global_atomics = 0; ///< instructions
    std::uint64_t scratch_accesses = 0;
    std::uint64_t global_bytes_loaded = 0, global_bytes_stored = 0; ///< active lanes x width
    std::uint64_t global_lines_loaded = 0,
                  global_lines_stored = 0; ///< distinct 128-byte lines, per instruction
    std::uint64_t lds_loads = 0, lds_stores = 0;
    std::uint64_t lds_load_passes = 0,
                  lds_load_passes_ideal = 0; ///< 32 banks x 4 bytes, 128/width lanes a pass
    std::uint64_t lds_store_passes = 0, lds_store_passes_ideal = 0;
    std::uint64_t waits = 0, barriers = 0, other = 0;
};

/// One mistake found while executing.
struct fault {
    std::string kind;        ///< "out of bounds", "use before wait", "LDS race", ...
    std::string kernel;      ///< display name
    std::string instruction; ///< text as disassembled
    std::uint64_t pc = 0;
    std::string source; ///< file:line where known
    std::uint32_t block[3] = {0, 0, 0};
    int wave = -1, lane = -1;
    std::uint64_t address = 0;
    std::string detail;       ///< e.g. which allocation was missed and by how much
    std::string text() const; ///< the whole report as printed
};

/// How often one instruction was executed, summed over waves.
struct instruction_profile {
    std::uint64_t pc = 0;
    std::string text;
    std::uint64_t executed = 0;
};

struct launch_result {
    launch_counts counts;
    std::vector<instruction_profile> profile; ///< executed instructions by address, if asked for
    std::vector<fault> faults; ///< empty when clean; execution stops at the first fault of a kind
                               ///< that cannot continue
};

/// Runs one grid to its end on the calling thread and `options.host_threads - 1` helpers.
launch_result execute(memory& device_memory, const launch_request& request,
                      const execution_options& options);

struct listed_instruction {
    std::uint64_t pc = 0;
    std::string text;
};

/// The instructions of a kernel from its entry to the last one reachable in a straight line.
std::vector<listed_instruction> list_instructions(memory& device_memory,
                                                  const kernel_image& kernel);
/// Of these, the waits (s_wait_*), barriers (s_barrier_*) and cache operations (global_inv, ...).
std::vector<listed_instruction> list_waits(memory& device_memory, const kernel_image& kernel);

/// Drops what was decoded of a code segment; call before its memory is released.
void forget_code(memory& device_memory, std::uint64_t code_begin);

} // namespace r9v_emulator
