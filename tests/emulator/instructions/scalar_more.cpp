// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar instructions by families: compares, bit operations, masks, floats, moves.
#include "scalar_bench.hpp"

namespace instructions {
namespace {

using in = scalar_in;
using strings = std::vector<std::string>;

bool relation(const std::string& name, double a, double b) {
    const bool ordered = a == a && b == b;
    if (name == "eq") return a == b;
    if (name == "lt") return a < b;
    if (name == "le") return a <= b;
    if (name == "gt") return a > b;
    if (name == "ge") return a >= b;
    if (name == "lg") return a < b || a > b;
    if (name == "o") return ordered;
    if (name == "u") return !ordered;
    if (name == "neq") return a != b;
    if (name == "nlg") return !(a < b || a > b);
    return !relation(name.substr(1), a, b);
}

TEST(scalar, compares) {
    std::vector<scalar_case> cases;
    const auto add = [&](const strings& names, const std::string& type, auto value) {
        for (const std::string& name : names)
            cases.push_back({"s_cmp_" + name + "_" + type + " s8, s9", [=](in i) {
                                 return scalar_output{0, relation(name, value(i.a), value(i.b))};
                             }});
    };
    const strings whole = {"eq", "lg", "gt", "ge", "lt", "le"};
    const strings real = {"lt", "eq",  "le",  "gt",  "lg",  "ge",  "o",
                          "u",  "nge", "nlg", "ngt", "nle", "neq", "nlt"};
    add(whole, "i32", [](u32 x) { return static_cast<double>(s(x)); });
    add(whole, "u32", [](u32 x) { return static_cast<double>(x); });
    add(real, "f32", [](u32 x) { return static_cast<double>(f32(x)); });
    add(real, "f16", [](u32 x) { return static_cast<double>(from_half(x & 0xffff)); });
    for (const bool want : {false, true}) {
        const std::string digit = want ? "1" : "0";
        cases.push_back({"s_bitcmp" + digit + "_b32 s8, s9", [=](in i) {
                             return scalar_output{0, (i.a >> (i.b & 31) & 1) == want};
                         }});
        cases.push_back({"s_bitcmp" + digit + "_b64 s[8:9], s10", [=](in i) {
                             return scalar_output{0, (first(i) >> (i.c & 63) & 1) == want};
                         }});
        cases.push_back(
            {std::string("s_cmp_") + (want ? "eq" : "lg") + "_u64 s[8:9], s[10:11]", [=](in i) {
                 return scalar_output{0, (first(i) == second(i)) == want};
             }});
    }
    run_scalar_cases(cases);
}

u64 reversed(u64 x, unsigned bits) {
    u64 r = 0;
    for (unsigned n = 0; n < bits; ++n)
        if (x >> n & 1) r |= u64{1} << (bits - 1 - n);
    return r;
}
/// Bits ahead of the first one that differs from the sign; -1 where none does.
u32 sign_bits(u64 x, unsigned bits) {
    for (unsigned n = 1; n < bits; ++n)
        if ((x >> (bits - 1 - n) & 1) != (x >> (bits - 1) & 1)) return n;
    return 0xffffffff;
}
i64 field_signed(u64 x, u32 control) {
    const u32 at = control & 63, width = control >> 16 & 127;
    if (width == 0) return 0;
    const i64 moved = static_cast<i64>(x) >> at;
    if (width >= 64) return moved;
    return static_cast<i64>(static_cast<u64>(moved) << (64 - width)) >> (64 - width);
}

TEST(scalar, bits_of_both_widths) {
    std::vector<scalar_case> cases = {
        {"s_lshl_b64 s[12:13], s[8:9], s10",
         [](in i) {
             return nonzero(first(i) << (i.c & 63));
         }},
        {"s_lshr_b32 s12, s8, s9",
         [](in i) {
             return nonzero(i.a >> (i.b & 31));
         }},
        {"s_bfm_b64 s[12:13], s8, s9",
         [](in i) {
             return scalar_output{((u64{1} << (i.a & 63)) - 1) << (i.b & 63), true};
         }},
        {"s_bfe_i64 s[12:13], s[8:9], s10",
         [](in i) {
             return nonzero(static_cast<u64>(field_signed(first(i), i.c)));
         }},
        {"s_brev_b64 s[12:13], s[8:9]",
         [](in i) {
             return scalar_output{reversed(first(i), 64), true};
         }},
        {"s_bcnt0_i32_b32 s12, s8",
         [](in i) {
             return nonzero(static_cast<u64>(32 - std::popcount(i.a)));
         }},
        {"s_bcnt0_i32_b64 s12, s[8:9]",
         [](in i) {
             return nonzero(static_cast<u64>(64 - std::popcount(first(i))));
         }},
        {"s_ctz_i32_b64 s12, s[8:9]",
         [](in i) {
             const u32 n = static_cast<u32>(std::countr_zero(first(i)));
             return scalar_output{n == 64 ? 0xffffffff : n, true};
         }},
        {"s_cls_i32 s12, s8",
         [](in i) {
             return scalar_output{sign_bits(i.a, 32), true};
         }},
        {"s_cls_i32_i64 s12, s[8:9]",
         [](in i) {
             return scalar_output{sign_bits(first(i), 64), true};
         }},
        {"s_bitset0_b64 s[8:9], s10\n s_mov_b64 s[12:13], s[8:9]",
         [](in i) {
             return scalar_output{first(i) & ~(u64{1} << (i.c & 63)), true};
         }},
        {"s_bitset1_b64 s[8:9], s10\n s_mov_b64 s[12:13], s[8:9]",
         [](in i) {
             return scalar_output{first(i) | u64{1} << (i.c & 63), true};
         }},
        {"s_bitreplicate_b64_b32 s[12:13], s8",
         [](in i) {
             u64 r = 0;
             for (unsigned n = 0; n < 64; ++n)
                 r |= u64{i.a >> (n / 2) & 1} << n;
             return scalar_output{r, true};
         }},
        {"s_pack_hh_b32_b16 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a >> 16 | (i.b & 0xffff0000u), true};
         }},
        {"s_xor_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(first(i) ^ second(i));
         }},
        {"s_nand_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(~(first(i) & second(i)));
         }},
        {"s_nor_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(~(first(i) | second(i)));
         }},
        {"s_xnor_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(~(first(i) ^ second(i)));
         }},
        {"s_and_not1_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(first(i) & ~second(i));
         }},
        {"s_or_not1_b32 s12, s8, s9",
         [](in i) {
             return nonzero(static_cast<u32>(i.a | ~i.b));
         }},
        {"s_absdiff_i32 s12, s8, s9",
         [](in i) {
             const i64 d = i64{s(i.a)} - s(i.b);
             return nonzero(static_cast<u32>(d < 0 ? -d : d));
         }},
        {"s_sub_co_i32 s12, s8, s9",
         [](in i) {
             const i64 r = i64{s(i.a)} - s(i.b);
             return scalar_output{static_cast<u32>(r), r != s(static_cast<u32>(r))};
         }},
        {"s_min_u32 s12, s8, s9",
         [](in i) {
             return scalar_output{std::min(i.a, i.b), i.a < i.b};
         }},
        {"s_max_i32 s12, s8, s9",
         [](in i) {
             return scalar_output{static_cast<u32>(std::max(s(i.a), s(i.b))), s(i.a) > s(i.b)};
         }},
    };
    for (const unsigned by : {1u, 3u, 4u})
        cases.push_back({"s_lshl" + std::to_string(by) + "_add_u32 s12, s8, s9", [=](in i) {
                             const u64 r = (u64{i.a} << by) + i.b;
                             return scalar_output{static_cast<u32>(r), r >> 32 != 0};
                         }});
    for (const bool taken : {false, true}) {
        const std::string set = taken ? "s_cmp_eq_u32 s8, s8\n " : "s_cmp_lg_u32 s8, s8\n ";
        cases.push_back({set + "s_cmovk_i32 s8, 0x8001\n s_mov_b32 s12, s8", [=](in i) {
                             return scalar_output{taken ? 0xffff8001u : i.a, taken};
                         }});
        cases.push_back({set + "s_cmov_b32 s8, s9\n s_mov_b32 s12, s8", [=](in i) {
                             return scalar_output{taken ? i.b : i.a, taken};
                         }});
        cases.push_back(
            {set + "s_cmov_b64 s[8:9], s[10:11]\n s_mov_b64 s[12:13], s[8:9]", [=](in i) {
                 return scalar_output{taken ? second(i) : first(i), taken};
             }});
    }
    run_scalar_cases(cases);
}

template<class T>
T combined(const std::string& name, T a, T e) {
    if (name == "and") return a & e;
    if (name == "or") return a | e;
    if (name == "xor") return a ^ e;
    if (name == "nand") return ~(a & e);
    if (name == "nor") return ~(a | e);
    if (name == "xnor") return ~(a ^ e);
    if (name == "and_not0") return ~a & e;
    if (name == "and_not1") return a & ~e;
    if (name == "or_not0") return ~a | e;
    return a | ~e;
}

/// Which half of the outcome a case looks at: the register written, or EXEC.
TEST(scalar, exec_masks) {
    std::vector<scalar_case> cases;
    const std::string one = "\n s_mov_b32 exec_lo, 1\n s_mov_b32 exec_hi, 0";
    const strings names = {"and",  "or",       "xor",      "nand",    "nor",
                           "xnor", "and_not0", "and_not1", "or_not0", "or_not1"};
    for (const std::string& name : names) {
        cases.push_back({"s_mov_b32 exec_lo, s8\n s_" + name +
                             "_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo" + one,
                         [=](in i) {
                             const u32 made = combined(name, i.b, i.a);
                             return scalar_output{pair(i.a, made), made != 0};
                         }});
        for (const bool register_written : {false, true})
            cases.push_back(
                {"s_mov_b64 exec, s[8:9]\n s_" + name + "_saveexec_b64 s[12:13], s[10:11]\n" +
                     (register_written ? "" : " s_mov_b64 s[12:13], exec") + one,
                 [=](in i) {
                     const u64 made = combined(name, second(i), first(i));
                     return scalar_output{register_written ? first(i) : made, made != 0};
                 }});
    }
    for (const std::string name : {"and_not0", "and_not1"}) {
        cases.push_back({"s_mov_b32 exec_lo, s8\n s_" + name +
                             "_wrexec_b32 s12, s9\n s_mov_b32 s13, exec_lo" + one,
                         [=](in i) {
                             const u32 made = combined(name, i.b, i.a);
                             return scalar_output{pair(made, made), made != 0};
                         }});
        cases.push_back(
            {"s_mov_b64 exec, s[8:9]\n s_" + name + "_wrexec_b64 s[12:13], s[10:11]" + one,
             [=](in i) {
                 return nonzero(combined(name, second(i), first(i)));
             }});
    }
    const auto quads = [](u64 a, unsigned bits, bool whole) {
        u64 r = 0;
        for (unsigned q = 0; q < bits; q += 4)
            if (a >> q & 15) r |= whole ? u64{15} << q : u64{1} << (q / 4);
        return r;
    };
    for (const bool whole : {false, true}) {
        const std::string name = whole ? "s_wqm_b" : "s_quadmask_b";
        const std::string sparse = "s_and_b64 s[8:9], s[8:9], s[10:11]\n ";
        cases.push_back({sparse + name + "32 s12, s8", [=](in i) {
                             return nonzero(quads(i.a & i.c, 32, whole));
                         }});
        cases.push_back({sparse + name + "64 s[12:13], s[8:9]", [=](in i) {
                             return nonzero(quads(first(i) & second(i), 64, whole));
                         }});
    }
    run_scalar_cases(cases);
}

double minimum_number(double a, double b) {
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
u32 half_bits_of(double x) {
    return round_to_half(x);
}

/// Operands are finite and at most 2 in size: bit 30, or bit 14 of a half, is cleared.
TEST(scalar, floats) {
    const std::string single = "s_and_b32 s8, s8, 0xbfffffff\n s_and_b32 s9, s9, 0xbfffffff\n "
                               "s_and_b32 s10, s10, 0xbfffffff\n ";
    const std::string narrow =
        "s_and_b32 s8, s8, 0xbfff\n s_and_b32 s9, s9, 0xbfff\n s_and_b32 s10, s10, 0xbfff\n ";
    std::vector<scalar_case> cases;
    const auto f = [](u32 x) {
        return f32(x & 0xbfffffffu);
    };
    const auto h = [](u32 x) {
        return static_cast<double>(from_half(x & 0xbfff));
    };
    const auto add = [&](const std::string& text, auto value) {
        cases.push_back({single + text,
                         [=](in i) {
                             return scalar_output{
                                 bits(static_cast<float>(value(f(i.a), f(i.b), f(i.c)))), true};
                         },
                         false});
    };
    const auto add_half = [&](const std::string& text, auto value) {
        cases.push_back(
            {narrow + text,
             [=](in i) { return scalar_output{half_bits_of(value(h(i.a), h(i.b), h(i.c))), true}; },
             false});
    };
    const auto lower = [](auto a, auto b, auto) {
        return minimum_number(static_cast<double>(a), static_cast<double>(b));
    };
    const auto upper = [](auto a, auto b, auto) {
        return -minimum_number(-static_cast<double>(a), -static_cast<double>(b));
    };
    add("s_add_f32 s12, s8, s9", [](float a, float b, float) { return a + b; });
    add("s_sub_f32 s12, s8, s9", [](float a, float b, float) { return a - b; });
    add("s_fmaak_f32 s12, s8, s9, 0x3fc00000",
        [](float a, float b, float) { return std::fma(a, b, 1.5f); });
    add("s_fmamk_f32 s12, s8, 0x3fc00000, s9",
        [](float a, float b, float) { return std::fma(a, 1.5f, b); });
    add("s_ceil_f32 s12, s8", [](float a, float, float) { return std::ceil(a); });
    add("s_floor_f32 s12, s8", [](float a, float, float) { return std::floor(a); });
    add("s_trunc_f32 s12, s8", [](float a, float, float) { return std::trunc(a); });
    add("s_rndne_f32 s12, s8", [](float a, float, float) { return std::nearbyint(a); });
    for (const std::string name : {"s_min_num_f", "s_minimum_f"}) {
        add(name + "32 s12, s8, s9", lower);
        add_half(name + "16 s12, s8, s9", lower);
    }
    for (const std::string name : {"s_max_num_f", "s_maximum_f"}) {
        add(name + "32 s12, s8, s9", upper);
        add_half(name + "16 s12, s8, s9", upper);
    }
    add_half("s_add_f16 s12, s8, s9", [](double a, double b, double) { return a + b; });
    add_half("s_sub_f16 s12, s8, s9", [](double a, double b, double) { return a - b; });
    add_half("s_mul_f16 s12, s8, s9", [](double a, double b, double) { return a * b; });
    add_half("s_fmac_f16 s10, s8, s9\n s_mov_b32 s12, s10",
             [](double a, double b, double c) { return std::fma(a, b, c); });
    add_half("s_ceil_f16 s12, s8", [](double a, double, double) { return std::ceil(a); });
    add_half("s_floor_f16 s12, s8", [](double a, double, double) { return std::floor(a); });
    add_half("s_trunc_f16 s12, s8", [](double a, double, double) { return std::trunc(a); });
    add_half("s_rndne_f16 s12, s8", [](double a, double, double) { return std::nearbyint(a); });
    cases.push_back({narrow + "s_cvt_f32_f16 s12, s8",
                     [=](in i) { return scalar_output{bits(static_cast<float>(h(i.a))), true}; },
                     false});
    cases.push_back(
        {"s_and_b32 s8, s8, 0xbfffffff\n s_cvt_hi_f32_f16 s12, s8",
         [=](in i) { return scalar_output{bits(static_cast<float>(h(i.a >> 16))), true}; }, false});
    cases.push_back({single + "s_cvt_pk_rtz_f16_f32 s12, s8, s9",
                     [=](in i) {
                         const auto toward_zero = [](float x) {
                             const u32 r = round_to_half(static_cast<double>(x));
                             return std::fabs(from_half(r)) > std::fabs(x) ? r - 1 : r;
                         };
                         return scalar_output{toward_zero(f(i.a)) | toward_zero(f(i.b)) << 16,
                                              true};
                     },
                     false});
    // To integers over the whole range: saturated, NaN gives 0.
    cases.push_back({"s_cvt_i32_f32 s12, s8",
                     [](in i) {
                         const double x = std::trunc(static_cast<double>(f32(i.a)));
                         const double r = std::fmin(std::fmax(x, -2147483648.0), 2147483647.0);
                         return scalar_output{x != x ? 0 : static_cast<u32>(static_cast<i64>(r)),
                                              true};
                     },
                     false});
    cases.push_back({"s_cvt_u32_f32 s12, s8",
                     [](in i) {
                         const double x = std::trunc(static_cast<double>(f32(i.a)));
                         const double r = std::fmin(std::fmax(x, 0.0), 4294967295.0);
                         return scalar_output{x != x ? 0 : static_cast<u32>(r), true};
                     },
                     false});
    run_scalar_cases(cases);
}

} // namespace
} // namespace instructions
