// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Holding the compiler's scheduler by hand, and hiding values from its optimizer.
#pragma once

#include <r9v/arch/common/vector.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::arch {

/// Nothing moves across. One behind every matrix instruction of a main loop, with what should issue
/// beside it, makes the order of the source the order of the machine code.
R9V_INLINE void schedule_fence() {
    __builtin_amdgcn_sched_barrier(0);
}

/// Ends copy number `Copy` of code that has one for each register: compilers would merge the ends
/// of copies that differ in nothing else, by an index into registers, which have none.
template<int Copy>
R9V_INLINE void keep_apart() {
    asm volatile("; copy %0" : : "n"(Copy));
}

/// Kinds of instructions, for schedule_group.
inline constexpr int vector_kind = 0x2;
inline constexpr int matrix_kind = 0x8;
inline constexpr int local_load_kind = 0x100;
inline constexpr int transcendental_kind = 0x400;

/// The next `Count` instructions of a kind stand here, behind those of the groups before it. Groups
/// of one pipeline share `Pipeline`. They order what stands above them, up to the fence before. A
/// fence must follow: clang-19 forgets the order of LDS accesses and a barrier around groups.
template<int Kind, int Count, int Pipeline>
R9V_INLINE void schedule_group() {
    __builtin_amdgcn_sched_group_barrier(Kind, Count, Pipeline);
}

/// `Products` matrix instructions, each of a fragment loaded from LDS, `Ahead` loads before the
/// first: as many loads as registers are meant for stay in flight.
template<int Products, int Ahead, int Pipeline>
R9V_INLINE void schedule_products() {
    constexpr int ahead = Ahead < Products ? Ahead : Products;
    schedule_group<local_load_kind, ahead, Pipeline>();
    [&]<int... Is>(std::integer_sequence<int, Is...>) {
        ((schedule_group<matrix_kind, Is * 0 + 1, Pipeline>(),
          schedule_group<local_load_kind, Is * 0 + 1, Pipeline>()),
         ...);
    }(std::make_integer_sequence<int, Products - ahead>{});
    schedule_group<matrix_kind, ahead, Pipeline>();
}

/// The same lane value, of which the optimizer no longer knows where it came from. In a loop it
/// keeps the zero-extension of an offset inside, so that loads use a scalar base and this offset
/// instead of 64-bit lane addresses (two vector instructions each).
R9V_INLINE void hide(std::uint32_t& lane_value) {
    asm("" : "+v"(lane_value));
}

[[nodiscard]] R9V_INLINE std::uint32_t hidden(std::uint32_t lane_value) {
    hide(lane_value);
    return lane_value;
}

/// The same for a vector, once where it is made.
R9V_INLINE void hide(floats8& lane_values) {
    asm volatile("" : "+v"(lane_values));
}
/// The same for a base that the whole wave shares. The operands are results of instructions: what
/// -O0 has put on the stack returns in vector registers.
R9V_INLINE void hide(global_bytes& base) {
    const auto bits = reinterpret_cast<std::uint64_t>((const void*)base); // NOLINT
    std::int32_t low;
    std::int32_t high;
    asm volatile("" : "=s"(low) : "0"(__builtin_amdgcn_readfirstlane(static_cast<int>(bits))));
    asm volatile(""
                 : "=s"(high)
                 : "0"(__builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32))));
    const std::uint64_t hidden =
        std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
    base = (global_bytes) reinterpret_cast<const void*>(hidden); // NOLINT
}

/// 1.0f in a scalar register, which the optimizer does not know to be one.
[[nodiscard]] R9V_INLINE float hidden_one() {
    float one;
    asm("s_mov_b32 %0, 1.0" : "=s"(one));
    return one;
}

} // namespace r9v::inline R9V_ABI::arch
