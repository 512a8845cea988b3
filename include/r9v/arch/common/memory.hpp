// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads and stores of 1 to 16 bytes: a base that the whole wave shares, in scalar registers, and a
// byte offset of the lane.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

namespace detail {

template<int Bytes>
struct word_of;
template<>
struct word_of<1> {
    using type = std::uint8_t;
};
template<>
struct word_of<2> {
    using type = std::uint16_t;
};
template<>
struct word_of<4> {
    using type = std::uint32_t;
};
template<>
struct word_of<8> {
    using type = words2;
};
template<>
struct word_of<16> {
    using type = words4;
};

} // namespace detail

/// Unsigned integers of 1, 2 and 4 bytes, vectors of 32-bit words of 8 and 16.
template<int Bytes>
using word = typename detail::word_of<Bytes>::type;

namespace detail {

// Global memory is read and written at any alignment: amdhsa runs in unaligned access mode.
template<int Bytes>
struct unaligned_word {
    using type __attribute__((aligned(1))) = word<Bytes>;
};

} // namespace detail

template<int Bytes, class Offset>
[[nodiscard]] R9V_INLINE word<Bytes> load_global(global_bytes base, Offset offset) {
    using at = const __attribute__((address_space(1))) typename detail::unaligned_word<Bytes>::type;
    return *(at*)(base + offset); // NOLINT
}

template<int Bytes, class Offset>
R9V_INLINE void store_global(global_bytes base, Offset offset, word<Bytes> value) {
    using at = __attribute__((address_space(1))) typename detail::unaligned_word<Bytes>::type;
    *(at*)(base + offset) = value; // NOLINT
}

/// The same from memory that nothing writes while the kernel runs: loaded once, however many stores
/// stand between two uses.
template<int Bytes, class Offset>
[[nodiscard]] R9V_INLINE word<Bytes> load_constant(global_bytes base, Offset offset) {
    using bytes = const __attribute__((address_space(4))) char*;
    using at = const __attribute__((address_space(4))) typename detail::unaligned_word<Bytes>::type;
    return *(at*)((bytes)(const void*)base + offset); // NOLINT
}

/// A word that the whole wave shares, at a multiple of 4 bytes, by the scalar unit.
[[nodiscard]] R9V_INLINE std::uint32_t load_uniform(global_bytes base, std::uint32_t offset) {
    using bytes = const __attribute__((address_space(4))) char*;
    using at = const __attribute__((address_space(4))) std::uint32_t*;
    return *(at)((bytes)(const void*)base + offset); // NOLINT
}

/// Bytes as 32-bit words, in accesses of up to 16 bytes.
template<int Bytes, bool Constant, class Offset>
R9V_INLINE void load_words(global_bytes base, Offset offset, std::uint32_t (&words)[Bytes / 4]) {
    constexpr int access = Bytes < 16 ? Bytes : 16;
    R9V_UNROLL
    for (int at = 0; at < Bytes; at += access) {
        const word<access> loaded = Constant ? load_constant<access>(base + at, offset)
                                             : load_global<access>(base + at, offset);
        __builtin_memcpy(words + at / 4, &loaded, access);
    }
}

template<int Bytes, class Offset>
R9V_INLINE void store_words(global_bytes base, Offset offset,
                            const std::uint32_t (&words)[Bytes / 4]) {
    constexpr int access = Bytes < 16 ? Bytes : 16;
    R9V_UNROLL
    for (int at = 0; at < Bytes; at += access) {
        word<access> stored;
        __builtin_memcpy(&stored, words + at / 4, access);
        store_global<access>(base + at, offset, stored);
    }
}

[[nodiscard]] R9V_INLINE words4 load_local(local_bytes base, std::uint32_t offset) {
    return *(__attribute__((address_space(3))) words4*)(base + offset); // NOLINT
}

/// The same from any multiple of 2 bytes, in one access: LDS allows unaligned ones as well.
[[nodiscard]] R9V_INLINE words4 load_local_unaligned(local_bytes base, std::uint32_t offset) {
    using words __attribute__((aligned(2))) = words4;
    return *(__attribute__((address_space(3))) words*)(base + offset); // NOLINT
}

R9V_INLINE void store_local(local_bytes base, std::uint32_t offset, words4 value) {
    *(__attribute__((address_space(3))) words4*)(base + offset) = value; // NOLINT
}

/// Eight floats in two accesses, `low` and `high` bytes from the base.
[[nodiscard]] R9V_INLINE floats8 load_local_floats(local_bytes base, std::uint32_t low,
                                                   std::uint32_t high) {
    const words4 parts[2] = {load_local(base, low), load_local(base, high)};
    floats8 values;
    __builtin_memcpy(&values, parts, sizeof values);
    return values;
}

R9V_INLINE void store_local_floats(local_bytes base, std::uint32_t low, std::uint32_t high,
                                   floats8 values) {
    words4 parts[2];
    __builtin_memcpy(parts, &values, sizeof values);
    store_local(base, low, parts[0]);
    store_local(base, high, parts[1]);
}

[[nodiscard]] R9V_INLINE float load_local_float(local_bytes base, std::uint32_t offset) {
    return *(__attribute__((address_space(3))) float*)(base + offset); // NOLINT
}

[[nodiscard]] R9V_INLINE std::uint16_t load_local_short(local_bytes base, std::uint32_t offset) {
    return *(__attribute__((address_space(3))) std::uint16_t*)(base + offset); // NOLINT
}

R9V_INLINE void store_local_short(local_bytes base, std::uint32_t offset, std::uint16_t value) {
    *(__attribute__((address_space(3))) std::uint16_t*)(base + offset) = value; // NOLINT
}

/// *target = the larger (smaller) of *target and value, seen by the whole device.
template<class T>
R9V_INLINE void atomic_max(T* target, T value) {
    __hip_atomic_fetch_max(target, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template<class T>
R9V_INLINE void atomic_min(T* target, T value) {
    __hip_atomic_fetch_min(target, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

} // namespace r9v::inline R9V_ABI::arch
