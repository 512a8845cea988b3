// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// v_cmp over all types and conditions, v_cmpx, classes.
#include "bench.hpp"

namespace instructions {
namespace {

using in = const lane_input&;

template<class T>
T value(in i, int n) {
    if constexpr (sizeof(T) == 8)
        return std::bit_cast<T>(pair(i.v[2 * n], i.v[2 * n + 1]));
    else if constexpr (sizeof(T) == 4)
        return std::bit_cast<T>(i.v[n]);
    else
        return static_cast<T>(i.v[n] & 0xffff);
}

template<class T>
bool holds(const std::string& condition, T a, T b) {
    const bool less = a < b, equal = a == b, greater = a > b,
               unordered = !less && !equal && !greater;
    if (condition == "lt") return less;
    if (condition == "eq") return equal;
    if (condition == "le") return less || equal;
    if (condition == "gt") return greater;
    if (condition == "ne") return !equal;
    if (condition == "lg") return less || greater;
    if (condition == "ge") return greater || equal;
    if (condition == "o") return !unordered;
    if (condition == "u") return unordered;
    if (condition == "nge") return less || unordered;
    if (condition == "nlg") return equal || unordered;
    if (condition == "ngt") return less || equal || unordered;
    if (condition == "nle") return greater || unordered;
    if (condition == "neq") return !equal;
    return greater || equal || unordered; // nlt
}

template<class T, class F>
void add_conditions(std::vector<vector_case>& cases, const std::string& type,
                    const std::vector<std::string>& conditions, F read) {
    const std::string a = sizeof(T) == 8 ? "v[1:2]" : "v1", b = sizeof(T) == 8 ? "v[3:4]" : "v2";
    for (const std::string& c : conditions) {
        const auto expect = [=](in i) {
            return truth(holds<T>(c, read(i, 0), read(i, 1)));
        };
        cases.push_back(
            {"v_cmp_" + c + "_" + type + "_e64 s20, " + a + ", " + b, expect, match::bits, true});
        cases.push_back({"v_cmp_" + c + "_" + type + "_e32 vcc_lo, " + a + ", " + b +
                             "\n s_mov_b32 s20, vcc_lo",
                         expect, match::bits, true});
        cases.push_back({"v_cmpx_" + c + "_" + type + "_e32 " + a + ", " + b +
                             "\n s_mov_b32 s20, exec_lo\n s_mov_b32 exec_lo, -1",
                         expect, match::bits, true});
    }
}

const std::vector<std::string> whole = {"lt", "eq", "le", "gt", "ne", "ge"};
const std::vector<std::string> real = {"lt", "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                       "u",  "nge", "nlg", "ngt", "nle", "neq", "nlt"};

TEST(compare, integers) {
    std::vector<vector_case> cases;
    add_conditions<i32>(cases, "i32", whole, value<i32>);
    add_conditions<u32>(cases, "u32", whole, value<u32>);
    add_conditions<i16>(cases, "i16", whole, value<i16>);
    add_conditions<u16>(cases, "u16", whole, value<u16>);
    add_conditions<i64>(cases, "i64", whole, value<i64>);
    add_conditions<u64>(cases, "u64", whole, value<u64>);
    run_vector_cases(cases, input_kind::bits, 10001);
}

TEST(compare, floats) {
    std::vector<vector_case> cases;
    add_conditions<float>(cases, "f32", real, value<float>);
    cases.push_back({"v_cmp_lt_f32_e64 s20, -v1, |v2|",
                     [](in i) { return truth(-f32(i.v[0]) < std::fabs(f32(i.v[1]))); }, match::bits,
                     true});
    run_vector_cases(cases, input_kind::floats, 10002);
    cases.clear();
    add_conditions<float>(cases, "f16", real,
                          [](in i, int n) { return from_half(i.v[n] & 0xffff); });
    run_vector_cases(cases, input_kind::halves, 10003);
    cases.clear();
    add_conditions<double>(cases, "f64", real, value<double>);
    run_vector_cases(cases, input_kind::doubles, 10004);
}

TEST(compare, classes) {
    const auto class_of = [](float x) {
        const u32 b = bits(x);
        const bool negative = b >> 31;
        switch (std::fpclassify(x)) {
        case FP_NAN:
            return b >> 22 & 1 ? 1 : 0;
        case FP_INFINITE:
            return negative ? 2 : 9;
        case FP_NORMAL:
            return negative ? 3 : 8;
        case FP_SUBNORMAL:
            return negative ? 4 : 7;
        default:
            return negative ? 5 : 6;
        }
    };
    std::vector<vector_case> cases;
    for (unsigned bit = 0; bit < 10; ++bit)
        cases.push_back(
            {"v_mov_b32 v7, " + std::to_string(1u << bit) + "\n v_cmp_class_f32 s20, v1, v7",
             [=](in i) { return truth(class_of(f32(i.v[0])) == static_cast<int>(bit)); },
             match::bits, true});
    run_vector_cases(cases, input_kind::floats, 10005);
}

} // namespace
} // namespace instructions
