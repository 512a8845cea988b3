// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Short names for the widths that instructions speak of, and the taint plane of a register.
#pragma once

#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace r9v_emulator {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
__extension__ typedef _Float16 half;

constexpr unsigned lanes = 32;
constexpr u32 all_lanes = 0xffffffffu;

template<class To, class From>
To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// Which bytes of a vector register are poison: bit l of plane b is byte b of lane l.
/// For a scalar register plane 0 has the poison bits of its 32 bits, the other planes are clear.
struct alignas(16) taint {
    u32 plane[4] = {0, 0, 0, 0};

    static taint of(u32 p0, u32 p1, u32 p2, u32 p3) { return {{p0, p1, p2, p3}}; }
    static taint every(u32 mask) { return {{mask, mask, mask, mask}}; }
    u32 any_byte() const { return plane[0] | plane[1] | plane[2] | plane[3]; }
    u32 low_half() const { return plane[0] | plane[1]; }
    u32 high_half() const { return plane[2] | plane[3]; }
};

inline __m128i load_taint(const taint& from) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(from.plane));
}
inline bool is_clear(__m128i planes) {
    return _mm_testz_si128(planes, planes) != 0;
}
inline bool is_clear(const taint& t) {
    return is_clear(load_taint(t));
}

inline taint operator|(const taint& a, const taint& b) {
    taint r;
    for (int i = 0; i < 4; ++i)
        r.plane[i] = a.plane[i] | b.plane[i];
    return r;
}
inline taint operator&(const taint& a, u32 mask) {
    taint r;
    for (int i = 0; i < 4; ++i)
        r.plane[i] = a.plane[i] & mask;
    return r;
}

} // namespace r9v_emulator
