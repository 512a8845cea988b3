// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// SWMMAC of every type: A and B are built as whole matrices, packed into registers by the layout of
// AMD's matrix instruction calculator, and multiplied on the host. Also the signs of float operands
// of WMMA.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

struct number_format {
    const char* name;
    u32 bits;
    double (*value)(u32 code, bool is_signed);
};
double half_value(u32 c, bool) {
    return static_cast<double>(from_half(c));
}
double bf16_value(u32 c, bool) {
    return static_cast<double>(f32(c << 16));
}
double e4m3(u32 c, bool) {
    const u32 exponent = c >> 3 & 15, fraction = c & 7;
    const double m = exponent ? std::ldexp(8 + fraction, static_cast<int>(exponent) - 10)
                              : std::ldexp(fraction, -9);
    return c & 128 ? -m : m;
}
double e5m2(u32 c, bool) {
    return static_cast<double>(from_half(c << 8));
}
double byte_value(u32 c, bool is_signed) {
    return is_signed ? static_cast<double>(static_cast<i8>(c)) : static_cast<double>(c);
}
double nibble_value(u32 c, bool is_signed) {
    return is_signed && c > 7 ? static_cast<double>(c) - 16 : static_cast<double>(c);
}
const number_format f16{"f16", 16, half_value}, bf16{"bf16", 16, bf16_value}, fp8{"fp8", 8, e4m3},
    bf8{"bf8", 8, e5m2}, iu8{"iu8", 8, byte_value}, iu4{"iu4", 4, nibble_value};

struct sparse_case {
    std::string name, modifiers;
    number_format a, b;
    u32 depth;
    std::string result; ///< f32, f16, bf16, i32
    bool a_signed = false, b_signed = false, clamp = false;
    u32 key = 0;
};

u32 random_code(const number_format& f, std::mt19937_64& random) {
    const u32 x = static_cast<u32>(random()) & ((1u << f.bits) - 1);
    if (f.bits != 16) return f.name[0] == 'i' ? x : x & 0xbf; // no NaN, no infinity
    return f.name[0] == 'f' ? (x & 0x83ff) | 0x3800 | (x & 0x400) : (x & 0x807f) | 0x3f00;
}

/// Where a lane half h keeps k of a dense operand: its element number, or none of this half.
struct place {
    u32 half, element;
};
place place_of(u32 k, u32 depth, u32 bits) {
    if (bits == 16) return {k / 8 % 2, k / 16 * 8 + k % 8};
    return {k / (depth / 2), k % (depth / 2)};
}

struct registers {
    u32 word[8][lanes] = {};
    void put(u32 lane, u32 element, u32 bits, u32 code) {
        word[element * bits / 32][lane] |= code << (element * bits % 32);
    }
};

struct problem {
    std::vector<u32> a, b;  ///< codes, [row][k] and [column][k]; A has zeros where dropped
    std::vector<bool> kept; ///< of A
    registers a_packed, b_packed;
    u32 index[lanes] = {};
    registers c;
};

/// Two of each four of A are kept, at random places.
problem make(const sparse_case& c, std::mt19937_64& random) {
    problem p;
    p.a.resize(16 * c.depth);
    p.b.resize(16 * c.depth);
    p.kept.resize(16 * c.depth);
    for (u32 row = 0; row < 16; ++row) {
        for (u32 k = 0; k < c.depth; ++k) {
            p.b[row * c.depth + k] = random_code(c.b, random);
            const place at = place_of(k, c.depth, c.b.bits);
            p.b_packed.put(16 * at.half + row, at.element, c.b.bits, p.b[row * c.depth + k]);
        }
        for (u32 k = 0; k < c.depth; k += 4) {
            const u32 first = random() % 3,
                      second = first + 1 + static_cast<u32>(random() % (3 - first));
            const place at = place_of(k, c.depth, c.a.bits);
            const u32 lane = 16 * at.half + row;
            p.index[lane] |= (first | second << 2) << (at.element);
            for (const u32 n : {0u, 1u}) {
                const u32 code = random_code(c.a, random);
                const std::size_t to = row * c.depth + k + (n ? second : first);
                p.a[to] = code;
                p.kept[to] = true;
                p.a_packed.put(lane, at.element / 2 + n, c.a.bits, code);
            }
        }
    }
    for (u32 l = 0; l < lanes; ++l) {
        // With a key, the other half of the index register holds something else.
        if (c.depth != 64) p.index[l] = c.key ? p.index[l] << 16 | 0x1b1b : p.index[l] | 0x1b1b0000;
        for (auto& word : p.c.word)
            word[l] = c.result == "f32"   ? bits(static_cast<float>(random() % 64) * 0.25f)
                      : c.result == "i32" ? static_cast<u32>(random())
                      : c.result == "f16" ? 0x3c004200u + static_cast<u32>(random() % 256)
                                          : 0x3f804040u;
    }
    return p;
}

std::string range(u32 first, u32 count) {
    return count == 1
               ? "v" + std::to_string(first)
               : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}
/// A in v20.., B in v30.., the index in v40, C and D in v50...
std::string body(const sparse_case& c) {
    std::string s =
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n";
    const u32 bases[] = {20, 30, 50};
    for (u32 r = 0; r < 25; ++r)
        s += "  global_load_b32 v" + std::to_string(r == 24 ? 40 : bases[r / 8] + r % 8) +
             ", v10, s[0:1] offset:" + std::to_string(128 * r) + "\n";
    const u32 d = c.result == "f16" || c.result == "bf16" ? 4 : 8;
    s += "  s_wait_loadcnt 0x0\n  " + c.name + " " + range(50, d) + ", " +
         range(20, c.depth * c.a.bits / 128) + ", " + range(30, c.depth * c.b.bits / 64) + ", v40" +
         c.modifiers + "\n";
    for (u32 r = 0; r < 8; ++r)
        s += "  global_store_b32 v10, v" + std::to_string(50 + r) +
             ", s[2:3] offset:" + std::to_string(128 * r) + "\n";
    return s;
}

void check(const sparse_case& c, const problem& p, const std::vector<u32>& out) {
    for (u32 row = 0; row < 16; ++row) {
        for (u32 column = 0; column < 16; ++column) {
            const u32 lane = 16 * (row / 8) + column, v = row % 8;
            const bool narrow = c.result == "f16" || c.result == "bf16";
            const u32 before =
                narrow ? p.c.word[v / 2][lane] >> 16 * (v % 2) & 0xffff : p.c.word[v][lane];
            const u32 after =
                narrow ? out[v / 2 * lanes + lane] >> 16 * (v % 2) & 0xffff : out[v * lanes + lane];
            const auto value = [&](u32 x) {
                return c.result == "f32"   ? static_cast<double>(f32(x))
                       : c.result == "i32" ? static_cast<double>(static_cast<i32>(x))
                       : c.result == "f16" ? half_value(x, false)
                                           : bf16_value(x, false);
            };
            double sum = value(before), size = std::fabs(sum);
            for (u32 k = 0; k < c.depth; ++k) {
                if (!p.kept[row * c.depth + k]) continue;
                const double product = c.a.value(p.a[row * c.depth + k], c.a_signed) *
                                       c.b.value(p.b[column * c.depth + k], c.b_signed);
                sum += product;
                size += std::fabs(product);
            }
            if (c.result == "i32") {
                if (c.clamp) sum = std::fmin(std::fmax(sum, -2147483648.0), 2147483647.0);
                ASSERT_EQ(after, static_cast<u32>(static_cast<i64>(sum)))
                    << c.name << c.modifiers << " " << row << " " << column;
            } else {
                const double step = c.result == "f16" ? 0x1p-11 : c.result == "bf16" ? 0x1p-8 : 0;
                ASSERT_NEAR(value(after), sum, size * 0x1p-20 + std::fabs(sum) * step)
                    << c.name << c.modifiers << " " << row << " " << column;
            }
        }
    }
}

const std::vector<sparse_case> cases = {
    {"v_swmmac_f32_16x16x32_f16", "", f16, f16, 32, "f32"},
    {"v_swmmac_f32_16x16x32_f16", " index_key:1", f16, f16, 32, "f32", false, false, false, 1},
    {"v_swmmac_f32_16x16x32_bf16", " index_key:1", bf16, bf16, 32, "f32", false, false, false, 1},
    {"v_swmmac_f16_16x16x32_f16", "", f16, f16, 32, "f16"},
    {"v_swmmac_bf16_16x16x32_bf16", "", bf16, bf16, 32, "bf16"},
    {"v_swmmac_f32_16x16x32_fp8_fp8", "", fp8, fp8, 32, "f32"},
    {"v_swmmac_f32_16x16x32_fp8_bf8", " index_key:1", fp8, bf8, 32, "f32", false, false, false, 1},
    {"v_swmmac_f32_16x16x32_bf8_fp8", "", bf8, fp8, 32, "f32"},
    {"v_swmmac_f32_16x16x32_bf8_bf8", "", bf8, bf8, 32, "f32"},
    {"v_swmmac_i32_16x16x32_iu8", " neg_lo:[1,0,0]", iu8, iu8, 32, "i32", true},
    {"v_swmmac_i32_16x16x32_iu8", " index_key:1 neg_lo:[0,1,0] clamp", iu8, iu8, 32, "i32", false,
     true, true, 1},
    {"v_swmmac_i32_16x16x32_iu4", " neg_lo:[1,1,0]", iu4, iu4, 32, "i32", true, true},
    {"v_swmmac_i32_16x16x32_iu4", " index_key:1", iu4, iu4, 32, "i32", false, false, false, 1},
    {"v_swmmac_i32_16x16x64_iu4", " neg_lo:[1,0,0]", iu4, iu4, 64, "i32", true},
};

std::vector<u32> input_of(const problem& p) {
    std::vector<u32> input;
    for (const registers* r : {&p.a_packed, &p.b_packed, &p.c})
        for (const auto& word : r->word)
            input.insert(input.end(), std::begin(word), std::end(word));
    input.insert(input.end(), std::begin(p.index), std::end(p.index));
    return input;
}

TEST(matrix, sparse) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n), body(cases[n]));
    ASSERT_TRUE(bench.build());
    std::printf("seed 28001\n");
    std::mt19937_64 random(28001);
    const u64 to = bench.device().allocate(8 * 128);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            const problem p = make(cases[n], random);
            const u64 from = bench.upload(input_of(p));
            const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
            ASSERT_TRUE(result.faults.empty()) << cases[n].name << describe(result.faults);
            EXPECT_EQ(result.counts.wmma, 1u);
            check(cases[n], p, bench.download<u32>(to, 8 * lanes));
        }
    }
}

/// What no index picks does not matter: infinities in B outside of the kept places of A.
TEST(matrix, sparse_ignores_what_is_not_picked) {
    workbench bench;
    bench.add("k", body(cases[0]));
    ASSERT_TRUE(bench.build());
    std::mt19937_64 random(28002);
    problem p = make(cases[0], random);
    for (u32& index : p.index)
        index = 0x4444; // the first and the second of each four, in every row
    registers dense;
    for (u32 column = 0; column < 16; ++column)
        for (u32 k = 0; k < 32; ++k) {
            const place at = place_of(k, 32, 16);
            dense.put(16 * at.half + column, at.element, 16, k % 4 < 2 ? 0x3c00 : 0x7c00);
        }
    p.b_packed = dense;
    for (auto& word : p.c.word)
        std::fill(std::begin(word), std::end(word), 0u);
    const u64 from = bench.upload(input_of(p)), to = bench.device().allocate(8 * 128);
    const auto result = bench.run("k", 1, lanes, addresses({from, to}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    for (const u32 x : bench.download<u32>(to, 8 * lanes))
        EXPECT_TRUE(std::isfinite(f32(x)));
}

/// Signs of the halves of A and B, sign and absolute value of C: as with operands changed before.
TEST(matrix, signs_of_float_operands) {
    const std::string load =
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n";
    std::string loads, stores;
    for (u32 r = 0; r < 16; ++r)
        loads += "  global_load_b32 v" + std::to_string(20 + r) +
                 ", v10, s[0:1] offset:" + std::to_string(128 * r) + "\n";
    for (u32 r = 0; r < 8; ++r)
        stores += "  global_store_b32 v10, v" + std::to_string(40 + r) +
                  ", s[2:3] offset:" + std::to_string(128 * r) + "\n";
    const std::string wait = "  s_wait_loadcnt 0x0\n";
    const auto wmma = [](const std::string& type, const std::string& modifiers) {
        return "  v_wmma_f32_16x16x16_" + type + " v[40:47], v[20:23], v[24:27], v[28:35]" +
               modifiers + "\n";
    };
    std::string changed;
    for (u32 r = 20; r < 24; ++r)
        changed += "  v_xor_b32 v" + std::to_string(r) + ", 0x8000, v" + std::to_string(r) + "\n";
    for (u32 r = 24; r < 28; ++r)
        changed +=
            "  v_xor_b32 v" + std::to_string(r) + ", 0x80000000, v" + std::to_string(r) + "\n";
    for (u32 r = 28; r < 36; ++r)
        changed +=
            "  v_or_b32 v" + std::to_string(r) + ", 0x80000000, v" + std::to_string(r) + "\n";
    workbench bench;
    for (const std::string type : {"f16", "bf16"}) {
        bench.add(type + "_given", load + loads + wait + changed + wmma(type, "") + stores);
        bench.add(type + "_asked",
                  load + loads + wait + wmma(type, " neg_lo:[1,0,1] neg_hi:[0,1,1]") + stores);
    }
    ASSERT_TRUE(bench.build());
    std::mt19937_64 random(28003);
    std::vector<u32> input(16 * lanes);
    for (u32& x : input)
        x = (static_cast<u32>(random()) & 0x83ff83ffu) | 0x38003800u;
    const u64 from = bench.upload(input), given = bench.device().allocate(1024),
              asked = bench.device().allocate(1024);
    for (const std::string type : {"f16", "bf16"}) {
        ASSERT_TRUE(bench.run(type + "_given", 1, lanes, addresses({from, given})).faults.empty());
        ASSERT_TRUE(bench.run(type + "_asked", 1, lanes, addresses({from, asked})).faults.empty());
        EXPECT_EQ(bench.download<u32>(given, 256), bench.download<u32>(asked, 256)) << type;
    }
}

} // namespace
} // namespace instructions
