// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Instructions under test: assembly is assembled by clang, loaded, and run on the execution core
// without HIP. `workbench` runs whole kernels, `vector_bench` single vector instructions over many
// inputs.
#pragma once

#include "device/launch.hpp"
#include "device/memory.hpp"
#include "loader/code_object.hpp"
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace instructions {

using namespace r9v_emulator;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// How a kernel is laid out.
struct kernel_options {
    unsigned vgprs = 128;
    unsigned lds_bytes = 0;
    unsigned scratch_bytes = 0;
    unsigned kernarg_bytes = 32;
    unsigned workitem_dimensions = 0;
};

/// Kernels assembled together, and the memory they run in.
class workbench {
public:
    explicit workbench(std::string processor = "gfx1201") : processor_(std::move(processor)) {}
    void add(const std::string& name, const std::string& body, const kernel_options& options = {});
    /// Assembles what was added; fails the test with the assembler's text otherwise.
    bool build();

    memory& device() { return device_; }
    const kernel_image& kernel(const std::string& name) const;
    /// `arguments` are the dwords of the argument buffer.
    launch_result run(const std::string& name, u32 blocks, u32 threads,
                      const std::vector<u32>& arguments, const execution_options& options = {});
    std::string source() const { return text_; }

    template<class T>
    u64 upload(const std::vector<T>& values, const char* label = "input") {
        const u64 address = device_.allocate(values.size() * sizeof(T), 256, label);
        device_.write(address, values.data(), values.size() * sizeof(T));
        return address;
    }
    template<class T>
    std::vector<T> download(u64 address, std::size_t count) {
        std::vector<T> values(count);
        device_.read(values.data(), address, count * sizeof(T));
        return values;
    }

private:
    memory device_{u64{1} << 30};
    std::string processor_, text_, metadata_;
    std::unique_ptr<loader::code_object> object_;
};

/// Names of the instructions that kernels of workbenches have executed so far.
std::set<std::string, std::less<>>& executed(generation isa);
/// Adds those of a launch with a profile.
void note_executed(generation isa, const launch_result& result);

/// The low and high dwords of addresses, as kernel arguments.
std::vector<u32> addresses(std::initializer_list<u64> list);
std::string describe(const std::vector<fault>& faults);

/// Inputs of one lane: v1..v6, and what the destination v20, v21 held before.
struct lane_input {
    u32 v[6];
    u32 old[2];
    bool vcc;
    u32 lane;
};
struct lane_output {
    u32 low = 0, high = 0;
    bool mask = false;
};

enum class match : u8 { bits, f32, f64, f16, packed_f16, ulp, ulp_f16 };

/// A vector instruction: text over v1..v6 with destination v20 or v[20:21] and mask s20 or vcc_lo,
/// and its meaning in plain C++.
struct vector_case {
    std::string text;
    std::function<lane_output(const lane_input&)> expected;
    match how = match::bits;
    bool writes_mask = false;
    bool wide = false; ///< writes v21 too
};

/// How often cases run, each time over other random operands: many times in long runs, else once.
unsigned fuzz_rounds();

enum class input_kind : u8 { bits, floats, halves, doubles, small_integers };
void run_vector_cases(const std::vector<vector_case>& cases, input_kind inputs, u64 seed);

inline float f32(u32 bits) {
    return std::bit_cast<float>(bits);
}
inline u32 bits(float x) {
    return std::bit_cast<u32>(x);
}
inline double f64(u32 low, u32 high) {
    return std::bit_cast<double>(low | static_cast<u64>(high) << 32);
}
inline u64 pair(u32 low, u32 high) {
    return low | static_cast<u64>(high) << 32;
}
float from_half(u32 bits);
/// Rounds a double to half in one step, by search over the neighbours.
u16 round_to_half(double x);
inline lane_output word(u32 low) {
    return {low, 0, false};
}
inline lane_output word(float x) {
    return {bits(x), 0, false};
}
inline lane_output wide(u64 x) {
    return {static_cast<u32>(x), static_cast<u32>(x >> 32), false};
}
inline lane_output wide(double x) {
    return wide(std::bit_cast<u64>(x));
}
inline lane_output truth(bool x) {
    return {0, 0, x};
}
/// A half result keeps the other half of the destination.
inline lane_output low_half(const lane_input& in, u16 x) {
    return word((in.old[0] & 0xffff0000u) | x);
}

} // namespace instructions
