// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// WMMA of gfx1100: operands in both halves of the wave, rows of D in turn between the halves.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

struct wmma_case {
    std::string name, modifiers;
    u32 bits; ///< of an element of A and B
    double (*value)(u32 code, bool is_signed);
    std::string result; ///< f32, f16, bf16, i32
    bool a_signed = false, b_signed = false, upper = false;
};
double half_value(u32 c, bool) {
    return static_cast<double>(from_half(c));
}
double bf16_value(u32 c, bool) {
    return static_cast<double>(f32(c << 16));
}
double byte_value(u32 c, bool is_signed) {
    return is_signed ? static_cast<double>(static_cast<i8>(c)) : static_cast<double>(c);
}
double nibble_value(u32 c, bool is_signed) {
    return is_signed && c > 7 ? static_cast<double>(c) - 16 : static_cast<double>(c);
}

const std::vector<wmma_case> cases = {
    {"v_wmma_f32_16x16x16_f16", "", 16, half_value, "f32"},
    {"v_wmma_f32_16x16x16_bf16", "", 16, bf16_value, "f32"},
    {"v_wmma_f16_16x16x16_f16", "", 16, half_value, "f16"},
    {"v_wmma_f16_16x16x16_f16", " op_sel:[0,0,1]", 16, half_value, "f16", false, false, true},
    {"v_wmma_bf16_16x16x16_bf16", "", 16, bf16_value, "bf16"},
    {"v_wmma_bf16_16x16x16_bf16", " op_sel:[0,0,1]", 16, bf16_value, "bf16", false, false, true},
    {"v_wmma_i32_16x16x16_iu8", " neg_lo:[1,0,0]", 8, byte_value, "i32", true},
    {"v_wmma_i32_16x16x16_iu8", " neg_lo:[0,1,0] clamp", 8, byte_value, "i32", false, true},
    {"v_wmma_i32_16x16x16_iu4", " neg_lo:[1,1,0]", 4, nibble_value, "i32", true, true},
    {"v_wmma_i32_16x16x16_iu4", "", 4, nibble_value, "i32"},
};

std::string range(u32 first, u32 count) {
    return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

/// A in v20.., B in v30.., C and D in v40...
std::string body(const wmma_case& c) {
    std::string s = "  s_load_b128 s[4:7], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n"
                    "  s_waitcnt lgkmcnt(0)\n";
    for (u32 r = 0; r < 24; ++r)
        s += "  global_load_b32 v" + std::to_string(20 + r / 8 * 10 + r % 8) +
             ", v10, s[4:5] offset:" + std::to_string(128 * r) + "\n";
    const u32 registers = c.bits / 2;
    s += "  s_waitcnt vmcnt(0)\n  " + c.name + " " + range(40, 8) + ", " + range(20, registers) +
         ", " + range(30, registers) + ", " + range(40, 8) + c.modifiers + "\n";
    for (u32 r = 0; r < 8; ++r)
        s += "  global_store_b32 v10, v" + std::to_string(40 + r) +
             ", s[6:7] offset:" + std::to_string(128 * r) + "\n";
    return s;
}

u32 random_word(const wmma_case& c, std::mt19937_64& random) {
    const u32 x = static_cast<u32>(random());
    if (c.bits < 16) return x;
    return c.value == half_value ? (x & 0x83ff83ffu) | 0x38003800u
                                 : (x & 0x807f807fu) | 0x3f003f00u;
}

/// A register r of operand `from` at [r * 32 + lane], A first, then B, then C.
std::vector<u32> make(const wmma_case& c, std::mt19937_64& random) {
    std::vector<u32> input(24 * lanes);
    for (u32 r = 0; r < 24; ++r)
        for (u32 l = 0; l < lanes; ++l) {
            u32& x = input[r * lanes + l];
            if (r < 16)
                x = l < 16 ? random_word(c, random) : input[r * lanes + l - 16];
            else
                x = c.result == "f32"   ? bits(static_cast<float>(random() % 64) * 0.25f)
                    : c.result == "i32" ? static_cast<u32>(random())
                                        : random_word(c, random);
        }
    return input;
}

void check(const wmma_case& c, const std::vector<u32>& input, const std::vector<u32>& out) {
    const auto code = [&](u32 operand, u32 lane, u32 k) {
        return input[(8 * operand + k * c.bits / 32) * lanes + lane] >> (k * c.bits % 32) &
               ((1u << c.bits) - 1);
    };
    const bool narrow = c.result == "f16" || c.result == "bf16";
    const auto value = [&](u32 x) {
        if (narrow) return c.value(x, false);
        return c.result == "f32" ? static_cast<double>(f32(x))
                                 : static_cast<double>(static_cast<i32>(x));
    };
    for (u32 row = 0; row < 16; ++row) {
        for (u32 column = 0; column < 16; ++column) {
            const u32 lane = 16 * (row % 2) + column, r = row / 2, shift = c.upper ? 16 : 0;
            u32 before = input[(16 + r) * lanes + lane], after = out[r * lanes + lane];
            if (narrow) {
                // The other half of the register stays.
                ASSERT_EQ(before >> (16 - shift) & 0xffff, after >> (16 - shift) & 0xffff)
                    << c.name;
                before = before >> shift & 0xffff;
                after = after >> shift & 0xffff;
            }
            double sum = value(before), size = std::fabs(sum);
            for (u32 k = 0; k < 16; ++k) {
                const double product =
                    c.value(code(0, row, k), c.a_signed) * c.value(code(1, column, k), c.b_signed);
                sum += product;
                size += std::fabs(product);
            }
            if (c.result == "i32") {
                if (c.modifiers.ends_with("clamp"))
                    sum = std::fmin(std::fmax(sum, -2147483648.0), 2147483647.0);
                ASSERT_EQ(after, static_cast<u32>(static_cast<i64>(sum))) << c.name << c.modifiers;
            } else {
                const double step = c.result == "f16" ? 0x1p-11 : c.result == "bf16" ? 0x1p-8 : 0;
                ASSERT_NEAR(value(after), sum, size * 0x1p-20 + std::fabs(sum) * step)
                    << c.name << c.modifiers << " " << row << " " << column;
            }
        }
    }
}

TEST(matrix, wmma_of_gfx1100) {
    workbench bench("gfx1100");
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n), body(cases[n]));
    ASSERT_TRUE(bench.build());
    std::printf("seed 30001\n");
    std::mt19937_64 random(30001);
    const u64 to = bench.device().allocate(8 * 128);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto input = make(cases[n], random);
        const u64 from = bench.upload(input);
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].name << describe(result.faults);
        EXPECT_EQ(result.counts.wmma_cycles, cases[n].bits == 4 ? 16u : 32u);
        check(cases[n], input, bench.download<u32>(to, 8 * lanes));
    }
}

/// Halves of the wave that differ are a mistake of the program.
TEST(matrix, operands_of_gfx1100_must_be_duplicated) {
    workbench bench("gfx1100");
    bench.add("k", body(cases[0]));
    ASSERT_TRUE(bench.build());
    std::mt19937_64 random(30002);
    auto input = make(cases[0], random);
    input[3 * lanes + 21] ^= 1; // A, register 3, lane 21
    const u64 from = bench.upload(input), to = bench.device().allocate(8 * 128);
    const auto result = bench.run("k", 1, lanes, addresses({from, to}));
    ASSERT_EQ(result.faults.size(), 1u);
    EXPECT_EQ(result.faults[0].kind, "WMMA operand not duplicated");
    EXPECT_NE(result.faults[0].detail.find("v23 differs in lanes 5 and 21"), std::string::npos);
}

} // namespace
} // namespace instructions
