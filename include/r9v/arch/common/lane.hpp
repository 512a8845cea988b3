// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Who am I, and values that cross lanes.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

inline constexpr int wave_size = 32;

[[nodiscard]] R9V_INLINE std::uint32_t thread_index() {
    return __builtin_amdgcn_workitem_id_x();
}

/// The same value, known to be the same in every lane: it may live in a scalar register.
[[nodiscard]] R9V_INLINE std::uint32_t uniform(std::uint32_t value) {
    return static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(value)));
}

[[nodiscard]] R9V_INLINE std::int32_t uniform(std::int32_t value) {
    return __builtin_amdgcn_readfirstlane(value);
}
[[nodiscard]] R9V_INLINE float uniform(float value) {
    return __builtin_bit_cast(float, uniform(__builtin_bit_cast(std::int32_t, value)));
}
[[nodiscard]] R9V_INLINE std::int64_t uniform(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t low = uniform(static_cast<std::uint32_t>(bits));
    const std::uint64_t high = uniform(static_cast<std::uint32_t>(bits >> 32));
    return static_cast<std::int64_t>(high << 32 | low);
}
template<class T>
[[nodiscard]] R9V_INLINE T* uniform(T* pointer) {
    return reinterpret_cast<T*>(uniform(reinterpret_cast<std::int64_t>(pointer)));
}

[[nodiscard]] R9V_INLINE std::uint32_t wave_index() {
    return uniform(thread_index() / wave_size);
}
[[nodiscard]] R9V_INLINE std::uint32_t lane_index() {
    return thread_index() % wave_size;
}

/// The lane's index where the optimizer must not keep what it computes from it in registers: made
/// again at every use.
[[nodiscard]] R9V_INLINE std::uint32_t fresh_lane_index() {
    std::uint32_t lane = lane_index();
    asm volatile("" : "+v"(lane));
    return lane;
}

[[nodiscard]] R9V_INLINE std::uint32_t block_x() {
    return __builtin_amdgcn_workgroup_id_x();
}
[[nodiscard]] R9V_INLINE std::uint32_t block_y() {
    return __builtin_amdgcn_workgroup_id_y();
}
[[nodiscard]] R9V_INLINE std::uint32_t block_z() {
    return __builtin_amdgcn_workgroup_id_z();
}

/// The value of the lane in the other half of the wave (lane ^ 16). All lanes must be on.
/// Pinned: clang-19 sinks cross-lane operations into divergent branches, where the lanes that they
/// read from are off.
[[nodiscard]] R9V_INLINE float other_half(float value) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    auto crossed = __builtin_amdgcn_permlanex16(bits, bits, 0x76543210u, 0xfedcba98u, false, false);
    asm volatile("" : "+v"(crossed));
    return __builtin_bit_cast(float, crossed);
}

/// The lanes where `condition` holds, a bit each.
[[nodiscard]] R9V_INLINE std::uint32_t lanes_where(bool condition) {
    return __builtin_amdgcn_ballot_w32(condition);
}

/// The value of any lane, which must be on.
[[nodiscard]] R9V_INLINE float from_lane(float value, std::uint32_t lane) {
    const int bits =
        __builtin_amdgcn_ds_bpermute(static_cast<int>(4 * lane), __builtin_bit_cast(int, value));
    return __builtin_bit_cast(float, bits);
}

} // namespace r9v::inline R9V_ABI::arch
