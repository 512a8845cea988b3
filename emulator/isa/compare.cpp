// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// v_cmp and v_cmpx over all types.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <functional>

namespace r9v_emulator {
namespace {

template<class T>
struct lt {
    bool operator()(T a, T b) const { return a < b; }
};
template<class T>
struct le {
    bool operator()(T a, T b) const { return a <= b; }
};
template<class T>
struct gt {
    bool operator()(T a, T b) const { return a > b; }
};
template<class T>
struct ge {
    bool operator()(T a, T b) const { return a >= b; }
};
template<class T>
struct eq {
    bool operator()(T a, T b) const { return a == b; }
};
template<class T>
struct ne {
    bool operator()(T a, T b) const { return a != b; }
};
template<class T>
struct lg {
    bool operator()(T a, T b) const { return a < b || a > b; }
};
template<class T>
struct ordered {
    bool operator()(T a, T b) const { return a == a && b == b; }
};
template<class T>
struct unordered {
    bool operator()(T a, T b) const { return a != a || b != b; }
};
template<class T>
struct nge {
    bool operator()(T a, T b) const { return !(a >= b); }
};
template<class T>
struct nlg {
    bool operator()(T a, T b) const { return !(a < b || a > b); }
};
template<class T>
struct ngt {
    bool operator()(T a, T b) const { return !(a > b); }
};
template<class T>
struct nle {
    bool operator()(T a, T b) const { return !(a <= b); }
};
template<class T>
struct nlt {
    bool operator()(T a, T b) const { return !(a < b); }
};

/// Class bits: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal,
/// +inf
template<class T, int Mantissa>
unsigned class_bit(T x) {
    using bits = bits_of_type<T>;
    const auto b = bits_as<bits>(x);
    constexpr int width = 8 * sizeof(T);
    constexpr u64 exponent_mask = (u64{1} << (width - 1 - Mantissa)) - 1;
    const u64 exponent = static_cast<u64>(b) >> Mantissa & exponent_mask;
    const u64 fraction = b & ((u64{1} << Mantissa) - 1);
    const bool negative = b >> (width - 1) & 1;
    if (exponent == exponent_mask && fraction) return fraction >> (Mantissa - 1) & 1 ? 1 : 0;
    if (exponent == exponent_mask) return negative ? 2 : 9;
    if (exponent) return negative ? 3 : 8;
    if (fraction) return negative ? 4 : 7;
    return negative ? 5 : 6;
}
struct class_f16 {
    bool operator()(half a, u16 mask) const { return mask >> class_bit<half, 10>(a) & 1; }
};
struct class_f32 {
    bool operator()(float a, u32 mask) const { return mask >> class_bit<float, 23>(a) & 1; }
};
struct class_f64 {
    bool operator()(double a, u32 mask) const { return mask >> class_bit<double, 52>(a) & 1; }
};

#define BOTH(name, functor) vector_op("v_cmp_" name, functor), vector_op("v_cmpx_" name, functor)
#define FLOATING(suffix, type)                                                                     \
    BOTH("lt_" suffix, lt<type>{}), BOTH("eq_" suffix, eq<type>{}),                                \
        BOTH("le_" suffix, le<type>{}), BOTH("gt_" suffix, gt<type>{}),                            \
        BOTH("lg_" suffix, lg<type>{}), BOTH("ge_" suffix, ge<type>{}),                            \
        BOTH("o_" suffix, ordered<type>{}), BOTH("u_" suffix, unordered<type>{}),                  \
        BOTH("nge_" suffix, nge<type>{}), BOTH("nlg_" suffix, nlg<type>{}),                        \
        BOTH("ngt_" suffix, ngt<type>{}), BOTH("nle_" suffix, nle<type>{}),                        \
        BOTH("neq_" suffix, ne<type>{}), BOTH("nlt_" suffix, nlt<type>{})
#define INTEGER(suffix, type)                                                                      \
    BOTH("lt_" suffix, lt<type>{}), BOTH("eq_" suffix, eq<type>{}),                                \
        BOTH("le_" suffix, le<type>{}), BOTH("gt_" suffix, gt<type>{}),                            \
        BOTH("ne_" suffix, ne<type>{}), BOTH("ge_" suffix, ge<type>{})

constexpr instruction table[] = {
    FLOATING("f16", half),
    FLOATING("f32", float),
    FLOATING("f64", double),
    INTEGER("i16", i16),
    INTEGER("u16", u16),
    INTEGER("i32", i32),
    INTEGER("u32", u32),
    INTEGER("i64", i64),
    INTEGER("u64", u64),
    BOTH("class_f16", class_f16{}),
    BOTH("class_f32", class_f32{}),
    BOTH("class_f64", class_f64{}),
};

#undef BOTH
#undef FLOATING
#undef INTEGER

} // namespace

instruction_table compare_table() {
    return table;
}

} // namespace r9v_emulator
