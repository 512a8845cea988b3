// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What tests may ask the emulator beyond HIP: counts, faults, options, single instructions.
// Only programs linked to the emulator have these; nothing under include/r9v uses them.
#pragma once

#include "device/launch.hpp"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator {

/// One finished launch.
struct launch_record {
    std::string kernel; ///< demangled
    launch_counts counts;
    std::vector<instruction_profile> profile; ///< filled where options().profile is set
    std::uint32_t blocks[3] = {0, 0, 0};
    std::uint32_t threads[3] = {0, 0, 0};
    std::uint32_t lds_bytes = 0;     ///< static and dynamic
    std::uint32_t scratch_bytes = 0; ///< per lane
    std::uint32_t vgprs = 0, sgprs = 0;
};

/// All launches since the start or since reset_counts().
struct launch_totals {
    struct of_kernel {
        std::uint64_t launches = 0;
        launch_counts counts;
    };

    std::uint64_t launches = 0;
    launch_counts counts;
    std::map<std::string, of_kernel> kernels; ///< by demangled name
};

/// The most recent launch of this process, on any stream. Synchronize first.
launch_record last_launch();
launch_counts last_counts();

launch_totals totals();
void reset_counts();

/// The faults since the last call. Taking them makes the device usable again (HIP calls no longer
/// answer the fault's error code) and lets the process end with its own exit status.
std::vector<fault> take_faults();

/// Modelled time, from the fast to the slow end of what is not known of the hardware.
struct modelled_interval {
    double low = 0, mid = 0, high = 0;
};
/// One instruction of a modelled launch: how often the replayed waves executed it, and a wave's
/// cycles from the instruction before to this one, each time.
struct modelled_instruction {
    std::uint64_t pc = 0;
    std::string text;
    std::uint64_t executed = 0;
    modelled_interval cycles;
};
struct modelled_launch {
    std::string kernel, bound;
    modelled_interval microseconds;
    double ghz = 0;            ///< shader clock under this load
    double sampled = 1;        ///< share of the instructions that were replayed
    double sampling_error = 0; ///< of the time, relative
    std::uint64_t replayed_waves = 0;
    std::vector<modelled_instruction> code; ///< by address
};

/// Starts or stops the clock (R9V_EMULATOR_CLOCK) for launches from now on.
void set_clock(bool on);
/// Models the last launch, which the clock has recorded, on a card (9070xt, r9700, 9060xt,
/// 7900xtx), with caches that are cold, or as a first execution leaves them.
modelled_launch model_last_launch(std::string_view card = "9070xt", bool warm = false);

/// The options of launches that start from now on.
execution_options options();
void set_options(const execution_options& changed);

/// The names of the kernels on the device whose demangled name contains `part`. A program's code is
/// placed on the device when one of its kernels is first launched or asked about.
std::vector<std::string> kernels_named(std::string_view part);
/// The instructions of the one kernel whose demangled name contains `part`; empty where there is
/// none or more than one. Give their addresses to execution_options::dropped to leave them out.
std::vector<listed_instruction> instructions_of(std::string_view part);
/// Of these, the waits and barriers.
std::vector<listed_instruction> waits_of(std::string_view part);

/// Sets options for a scope.
class scoped_options {
public:
    explicit scoped_options(const execution_options& changed) : before_(options()) {
        set_options(changed);
    }
    ~scoped_options() { set_options(before_); }
    scoped_options(const scoped_options&) = delete;
    scoped_options& operator=(const scoped_options&) = delete;

private:
    execution_options before_;
};

} // namespace r9v_emulator
