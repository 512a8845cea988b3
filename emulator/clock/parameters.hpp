// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the clock knows of a card. A number that was measured stands alone; one that nobody has
// published is an interval, from the end that makes kernels fast to the end that makes them slow.
#pragma once

#include "../wave/types.hpp"
#include <string_view>

namespace r9v_emulator::clock {

struct interval {
    double low, mid, high; ///< low: the fast end
};

/// Which end of the intervals a replay takes.
enum class outlook : u8 { low, mid, high };
constexpr unsigned outlooks = 3;

/// Cycles of the shader clock, unless named otherwise. docs/emulator.md has the sources.
struct microarchitecture {
    unsigned generation; ///< 12: RDNA4, 11: RDNA3
    // Vector ALU.
    unsigned issue_to_execution = 5; ///< issue to end of a one-cycle operation: 6
    unsigned queue_depth = 8;        ///< operations issued ahead of execution
    unsigned valu_result = 4;        ///< end of an operation to the start of one that needs it
    unsigned transcendental_unit = 4;
    unsigned wmma_after_transcendental = 6; ///< of the same wave
    interval wmma16_after_other_wave{1, 2, 3};
    unsigned wmma8_after_other_wave = 1;
    interval wmma_result{4, 8, 12};
    interval transcendental_result{4, 7, 10};
    interval valu_to_scalar{6, 10, 14}; ///< end of a compare to a branch on it
    unsigned valu_to_address = 12;      ///< end of an operation to an access that needs it
    // Scalar ALU and branches.
    unsigned scalar_result = 4, scalar_multiply = 6;
    unsigned compare_to_branch = 10, taken_branch = 9;
    interval branch_not_taken{1, 3, 5};
    unsigned barrier = 13;
    // LDS.
    unsigned lds_latency = 31;            ///< on top of the cycles it is served
    interval lds_wide_pass{1, 1.25, 1.5}; ///< cycles a pass of a 16-byte access (ideal: 1)
    // Memory: latency from issue to data, no queue.
    interval l0_latency{90, 120, 150}, l2_latency{180, 250, 320};
    interval infinity_latency{300, 400, 520}, dram_latency{500, 700, 1000};
    interval scalar_latency{40, 60, 100}; ///< hit in the scalar cache
    interval page_walk{0, 400, 1250};     ///< first touch of 2 MiB
    unsigned l0_line = 1;                 ///< cycles a line in the L0
    unsigned link_bytes = 64;             ///< a cycle between a CU and L2
    interval l2_bytes_cycle{4096, 2048, 1024};
    interval infinity_gbs{3000, 2000, 1200};
    unsigned l0_bytes = 32768, scalar_cache_bytes = 16384, fabric_bytes = 256;
    bool in_order_return = false; ///< across waves of a CU
    // The device.
    interval dram_share{0.87, 0.785, 0.70};
    double dispatch_group_ns = 2.06, dispatch_wave_ns = 0.257;
    interval launch_us{2.0, 3.2, 5.0}; ///< between the starts of two kernels, at least
    interval kernel_gap_us{0.5, 1, 2}; ///< from the end of a kernel to the start of the next
    interval copy_start_us{4, 8, 15};
    unsigned registers = 1536, register_granule = 24, slots = 16;
};

struct card {
    std::string_view key, name;
    microarchitecture arch;
    unsigned compute_units;
    double boost_ghz;
    double wmma16_ghz, wmma8_ghz; ///< under nothing but WMMA, which draws the most power
    double dram_gbs;
    unsigned l2_kib, infinity_mib;
    interval pcie_gbs;
    double tflops_f16, tflops_8bit, tflops_f32; ///< nominal, dense

    unsigned processors() const { return compute_units / 2; }
};

/// The card of a key (9070xt, r9700, 9060xt, 7900xtx, 7900xt), or nullptr.
const card* find_card(std::string_view key);

inline double pick(const interval& i, outlook o) {
    return o == outlook::low ? i.low : o == outlook::mid ? i.mid : i.high;
}

/// Waves that one SIMD holds of a kernel with so many vector registers.
unsigned waves_per_simd(const card& c, unsigned vgprs);

} // namespace r9v_emulator::clock
