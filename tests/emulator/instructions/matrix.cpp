// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// WMMA of every type against sums in the layout of AMD's matrix instruction calculator.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

struct matrix_case {
    std::string text;
    unsigned a_registers, d_registers, depth;
    std::function<double(const u32* registers, u32 position)> element; ///< of one lane
    std::string result;                                                ///< f32, f16, bf16, i32
    bool clamp = false;
    std::function<double(const u32* registers, u32 position)> b_element = element;
};

double bf(u32 x) {
    return static_cast<double>(f32((x & 0xffff) << 16));
}
double half_element(const u32* r, u32 e) {
    return static_cast<double>(from_half(r[e / 2] >> (16 * (e % 2)) & 0xffff));
}
double bf16_element(const u32* r, u32 e) {
    return bf(r[e / 2] >> (16 * (e % 2)));
}
double signed_byte(const u32* r, u32 e) {
    return static_cast<i8>(r[e / 4] >> (8 * (e % 4)));
}
double unsigned_byte(const u32* r, u32 e) {
    return static_cast<double>(r[e / 4] >> (8 * (e % 4)) & 255);
}
double signed_nibble(const u32* r, u32 e) {
    return static_cast<double>(static_cast<i32>(r[e / 8] << (28 - 4 * (e % 8))) >> 28);
}
double e4m3(const u32* r, u32 e) {
    const u32 c = r[e / 4] >> (8 * (e % 4)) & 255, exponent = c >> 3 & 15, fraction = c & 7;
    const double m = exponent ? std::ldexp(8 + fraction, static_cast<int>(exponent) - 10)
                              : std::ldexp(fraction, -9);
    return c & 128 ? -m : m;
}
double e5m2(const u32* r, u32 e) {
    return static_cast<double>(from_half((r[e / 4] >> (8 * (e % 4)) & 255) << 8));
}

u32 random_operand(const matrix_case& c, std::mt19937_64& random) {
    u32 x = static_cast<u32>(random());
    if (c.text.find("f16") != std::string::npos && c.text.find("bf16") == std::string::npos)
        return (x & 0x83ff83ffu) | 0x38003800u | (x & 0x04000400u); // halves between 0.5 and 2
    if (c.text.find("bf16") != std::string::npos) return (x & 0x807f807fu) | 0x3f003f00u;
    if (c.text.find("fp8") != std::string::npos || c.text.find("bf8") != std::string::npos)
        return x & 0xbfbfbfbfu; // no NaN, no infinity
    return x;
}

std::string range(unsigned first, unsigned count) {
    return count == 1
               ? "v" + std::to_string(first)
               : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

/// Registers of the kernel: A at v20, B at v24, C and D at v32, each register r at offset 128 r.
std::string body(const matrix_case& c, const std::string& accumulator) {
    std::string s =
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n";
    for (unsigned r = 0; r < 16; ++r)
        s += "  global_load_b32 v" +
             std::to_string((r < 4   ? 20
                             : r < 8 ? 20
                                     : 24) +
                            r) +
             ", v10, s[0:1] offset:" + std::to_string(128 * r) + "\n";
    s += "  s_wait_loadcnt 0x0\n  " + c.text.substr(0, c.text.find(' ')) + " " +
         range(32, c.d_registers) + ", " + range(20, c.a_registers) + ", " +
         range(24, c.a_registers) + ", " +
         (accumulator.empty() ? range(32, c.d_registers) : accumulator) +
         (c.text.find(' ') == std::string::npos ? "" : c.text.substr(c.text.find(' '))) + "\n";
    for (unsigned r = 0; r < c.d_registers; ++r)
        s += "  global_store_b32 v10, v" + std::to_string(32 + r) +
             ", s[2:3] offset:" + std::to_string(128 * r) + "\n";
    return s;
}

double accumulator_value(const matrix_case& c, const std::vector<u32>& in, u32 lane, u32 row) {
    const u32 v = row % 8;
    const auto reg = [&](u32 n) {
        return in[(8 + n) * lanes + lane];
    };
    if (c.result == "f32") return static_cast<double>(f32(reg(v)));
    if (c.result == "i32") return static_cast<i32>(reg(v));
    const u32 h = reg(v / 2) >> (16 * (v % 2)) & 0xffff;
    return c.result == "f16" ? static_cast<double>(from_half(h)) : bf(h);
}

void check(const matrix_case& c, const std::vector<u32>& in, const std::vector<u32>& out,
           bool zero) {
    for (u32 row = 0; row < 16; ++row) {
        for (u32 column = 0; column < 16; ++column) {
            const u32 lane = 16 * (row / 8) + column;
            double sum = zero ? 0 : accumulator_value(c, in, lane, row), size = std::fabs(sum);
            for (u32 h = 0; h < 2; ++h) {
                u32 a[4], b[4];
                for (u32 r = 0; r < 4; ++r) {
                    a[r] = in[r * lanes + 16 * h + row];
                    b[r] = in[(4 + r) * lanes + 16 * h + column];
                }
                for (u32 e = 0; e < c.depth / 2; ++e) {
                    const double p = c.element(a, e) * c.b_element(b, e);
                    sum += p;
                    size += std::fabs(p);
                }
            }
            const auto reg = [&](u32 n) {
                return out[n * lanes + lane];
            };
            const u32 v = row % 8;
            if (c.result == "i32") {
                const double wrapped =
                    c.clamp ? std::fmin(std::fmax(sum, -2147483648.0), 2147483647.0) : sum;
                ASSERT_EQ(reg(v), static_cast<u32>(static_cast<i64>(wrapped)))
                    << c.text << row << " " << column;
            } else if (c.result == "f32") {
                ASSERT_NEAR(static_cast<double>(f32(reg(v))), sum, size * 0x1p-20)
                    << c.text << row << " " << column;
            } else {
                const u32 h = reg(v / 2) >> (16 * (v % 2)) & 0xffff;
                const double got = c.result == "f16" ? static_cast<double>(from_half(h)) : bf(h);
                ASSERT_NEAR(got, sum,
                            std::fabs(sum) * (c.result == "f16" ? 0x1p-11 : 0x1p-8) +
                                size * 0x1p-20)
                    << c.text;
            }
        }
    }
}

const std::vector<matrix_case> cases = {
    {"v_wmma_f32_16x16x16_f16", 4, 8, 16, half_element, "f32"},
    {"v_wmma_f32_16x16x16_bf16", 4, 8, 16, bf16_element, "f32"},
    {"v_wmma_f16_16x16x16_f16", 4, 4, 16, half_element, "f16"},
    {"v_wmma_bf16_16x16x16_bf16", 4, 4, 16, bf16_element, "bf16"},
    {"v_wmma_f32_16x16x16_fp8_fp8", 2, 8, 16, e4m3, "f32"},
    {"v_wmma_f32_16x16x16_bf8_bf8", 2, 8, 16, e5m2, "f32"},
    {"v_wmma_f32_16x16x16_fp8_bf8", 2, 8, 16, e4m3, "f32", false, e5m2},
    {"v_wmma_f32_16x16x16_bf8_fp8", 2, 8, 16, e5m2, "f32", false, e4m3},
    {"v_wmma_i32_16x16x16_iu8 neg_lo:[1,1,0]", 2, 8, 16, signed_byte, "i32"},
    {"v_wmma_i32_16x16x16_iu8", 2, 8, 16, unsigned_byte, "i32"},
    {"v_wmma_i32_16x16x16_iu8 clamp", 2, 8, 16, unsigned_byte, "i32", true},
    {"v_wmma_i32_16x16x16_iu4 neg_lo:[1,1,0]", 1, 8, 16, signed_nibble, "i32"},
    {"v_wmma_i32_16x16x32_iu4 neg_lo:[1,1,0]", 2, 8, 32, signed_nibble, "i32"},
};

TEST(matrix, wmma) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n) {
        bench.add("c" + std::to_string(n), body(cases[n], ""));
        bench.add("z" + std::to_string(n), body(cases[n], "0"));
    }
    ASSERT_TRUE(bench.build());
    std::printf("seed 14001\n");
    std::mt19937_64 random(14001);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const matrix_case& c = cases[n];
        std::vector<u32> input(16 * lanes);
        for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = random_operand(c, random);
            if (i < 8 * lanes) continue;
            if (c.result == "f32")
                input[i] = bits(static_cast<float>(static_cast<i32>(random())) * 0x1p-28f);
            if (c.result == "i32") input[i] = static_cast<u32>(random());
        }
        const u64 from = bench.upload(input), to = bench.device().allocate(8 * 128);
        for (const bool zero : {false, true}) {
            const auto result =
                bench.run((zero ? "z" : "c") + std::to_string(n), 1, lanes, addresses({from, to}));
            ASSERT_TRUE(result.faults.empty()) << c.text << describe(result.faults);
            EXPECT_EQ(result.counts.wmma, 1u);
            EXPECT_EQ(result.counts.wmma_cycles, c.a_registers == 4 ? 16u : 8u);
            check(c, input, bench.download<u32>(to, c.d_registers * lanes), zero);
        }
    }
}

} // namespace
} // namespace instructions
