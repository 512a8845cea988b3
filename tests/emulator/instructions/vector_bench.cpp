// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs vector instructions over special values in every combination, and over random ones.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32, words = 8; // v1..v6, then the old v20 and v21

const u32 special_floats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                              0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x807fffff,
                              0x7f7fffff, 0x40490fdb, 0x4b000001, 0x3effffff, 0xc2280000};
const u32 special_halves[] = {0x00000000, 0x80008000, 0x3c003c00, 0xbc007c00, 0xfc000001,
                              0x7e008001, 0x7bff3555, 0x04003c01, 0x7d01fbff, 0x6400b800};
const u64 special_doubles[] = {0,
                               0x8000000000000000,
                               0x3ff0000000000000,
                               0xc045000000000000,
                               0x7ff0000000000000,
                               0x7ff8000000000000,
                               0x0000000000000001,
                               0x7fefffffffffffff,
                               0x3ca0000000000001};
const u32 special_bits[] = {0,  1,  0xffffffff, 0x80000000, 0x7fffffff,
                            31, 32, 0x8000,     0xffff,     0x00010001};

u32 random_float(std::mt19937_64& random, double spread) {
    const double x = std::ldexp(static_cast<double>(static_cast<i64>(random())) * 0x1p-63,
                                static_cast<int>(random() % static_cast<u64>(spread)) -
                                    static_cast<int>(spread / 2));
    return bits(static_cast<float>(x));
}

void fill(std::array<u32, words>& v, u32 at, input_kind kind, std::mt19937_64& random) {
    const auto pick = [&](const auto& list) {
        return list[(at + random() % 3) % std::size(list)];
    };
    for (u32 i = 0; i < words; ++i) {
        // One value in four is special, so that combinations of them occur.
        const bool special = random() % 4 == 0;
        const u32 raw = static_cast<u32>(random());
        switch (kind) {
        case input_kind::bits:
            v[i] = special ? special_bits[random() % std::size(special_bits)] : raw;
            break;
        case input_kind::floats:
            v[i] = special ? special_floats[random() % std::size(special_floats)]
                           : random_float(random, random() % 2 ? 16 : 200);
            break;
        case input_kind::halves:
            v[i] = special ? pick(special_halves)
                           : round_to_half(static_cast<double>(f32(random_float(random, 24)))) |
                                 static_cast<u32>(round_to_half(
                                     static_cast<double>(f32(random_float(random, 24)))))
                                     << 16;
            break;
        case input_kind::small_integers:
            v[i] = raw % 97;
            break;
        case input_kind::doubles:
            break;
        }
    }
    if (kind != input_kind::doubles) return;
    for (u32 i = 0; i < words; i += 2) {
        const u64 x =
            random() % 4 == 0
                ? special_doubles[random() % std::size(special_doubles)]
                : std::bit_cast<u64>(std::ldexp(static_cast<double>(static_cast<i64>(random())),
                                                static_cast<int>(random() % 80) - 100));
        v[i] = static_cast<u32>(x);
        v[i + 1] = static_cast<u32>(x >> 32);
    }
}

std::string kernel_body(const std::string& text) {
    std::string body =
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  s_mul_i32 s4, ttmp9, 1024\n"
        "  s_mul_i32 s6, ttmp9, 384\n  s_mov_b32 s5, 0\n  s_mov_b32 s7, 0\n"
        "  v_lshlrev_b32_e32 v10, 2, v0\n  s_wait_kmcnt 0x0\n"
        "  s_add_nc_u64 s[0:1], s[0:1], s[4:5]\n  s_add_nc_u64 s[2:3], s[2:3], s[6:7]\n";
    for (u32 i = 0; i < 6; ++i)
        body += "  global_load_b32 v" + std::to_string(i + 1) +
                ", v10, s[0:1] offset:" + std::to_string(i * 128) + "\n";
    body += "  global_load_b32 v20, v10, s[0:1] offset:768\n"
            "  global_load_b32 v21, v10, s[0:1] offset:896\n"
            "  s_wait_loadcnt 0x0\n  s_mov_b32 vcc_lo, 0x5a5a3c0f\n  s_mov_b32 s20, 0\n";
    body += "  " + text + "\n";
    body +=
        "  v_mov_b32_e32 v22, s20\n  v_lshrrev_b32_e32 v22, v0, v22\n  v_and_b32_e32 v22, 1, v22\n"
        "  global_store_b32 v10, v20, s[2:3]\n  global_store_b32 v10, v21, s[2:3] offset:128\n"
        "  global_store_b32 v10, v22, s[2:3] offset:256\n";
    return body;
}

bool nan32(u32 x) {
    return f32(x) != f32(x);
}
bool same_f32(u32 a, u32 b) {
    return a == b || (nan32(a) && nan32(b));
}
bool same_half(u32 a, u32 b) {
    a &= 0xffff;
    b &= 0xffff;
    return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
}
i64 ordered(u32 x) {
    return x >> 31 ? -static_cast<i64>(x & 0x7fffffff) : static_cast<i64>(x);
}
i64 ordered_half(u32 x) {
    return x & 0x8000 ? -static_cast<i64>(x & 0x7fff) : static_cast<i64>(x & 0x7fff);
}

bool agrees(match how, const lane_output& got, const lane_output& want, bool is_wide) {
    const bool high = !is_wide || got.high == want.high;
    switch (how) {
    case match::bits:
        return got.low == want.low && high;
    case match::f32:
        return same_f32(got.low, want.low);
    case match::f64: {
        const double a = f64(got.low, got.high), b = f64(want.low, want.high);
        return (got.low == want.low && high) || (a != a && b != b);
    }
    case match::f16:
        return same_half(got.low, want.low) && got.low >> 16 == want.low >> 16;
    case match::packed_f16:
        return same_half(got.low, want.low) && same_half(got.low >> 16, want.low >> 16);
    case match::ulp:
        return same_f32(got.low, want.low) || (!nan32(got.low) && !nan32(want.low) &&
                                               std::abs(ordered(got.low) - ordered(want.low)) <= 1);
    case match::ulp_f16:
        return (same_half(got.low, want.low) ||
                std::abs(ordered_half(got.low) - ordered_half(want.low)) <= 1) &&
               got.low >> 16 == want.low >> 16;
    }
    return false;
}

constexpr u32 blocks = 24;
using lane_values = std::array<u32, words>;

std::vector<lane_values> make_values(input_kind inputs, u64 seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    std::vector<lane_values> values(blocks * lanes);
    for (u32 n = 0; n < values.size(); ++n)
        fill(values[n], n, inputs, random);
    return values;
}

lane_input input_of(const lane_values& values, u32 lane) {
    lane_input in{};
    std::copy_n(values.begin(), 6, in.v);
    in.old[0] = values[6];
    in.old[1] = values[7];
    in.lane = lane;
    in.vcc = 0x5a5a3c0fu >> lane & 1;
    return in;
}

void check_case(const vector_case& c, const std::vector<lane_values>& values,
                const std::vector<u32>& output) {
    for (u32 n = 0; n < values.size(); ++n) {
        const lane_input in = input_of(values[n], n % lanes);
        const lane_output want = c.expected(in);
        const u32* at = &output[n / lanes * 96 + n % lanes];
        const lane_output got{at[0], at[32], at[64] != 0};
        const bool value_right = (c.writes_mask && !c.wide && want.low == 0 && want.high == 0) ||
                                 agrees(c.how, got, want, c.wide);
        const bool mask_right = !c.writes_mask || got.mask == want.mask;
        ASSERT_TRUE(value_right && mask_right)
            << c.text << std::hex << "\n  v1..v6 = " << in.v[0] << " " << in.v[1] << " " << in.v[2]
            << " " << in.v[3] << " " << in.v[4] << " " << in.v[5] << ", old " << in.old[0]
            << "\n  got  " << got.high << ":" << got.low << " mask " << got.mask << "\n  want "
            << want.high << ":" << want.low << " mask " << want.mask;
    }
}

void run_round(workbench& bench, const std::vector<vector_case>& cases,
               const std::vector<lane_values>& values) {
    std::vector<u32> input(blocks * 256);
    for (u32 n = 0; n < values.size(); ++n)
        for (u32 i = 0; i < words; ++i)
            input[n / lanes * 256 + i * 32 + n % lanes] = values[n][i];
    const u64 from = bench.upload(input);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const u64 to = bench.device().allocate(blocks * 384, 256, "output");
        const launch_result result =
            bench.run("case_" + std::to_string(i), blocks, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[i].text << "\n" << describe(result.faults);
        const auto output = bench.download<u32>(to, blocks * 96);
        bench.device().release(to);
        check_case(cases[i], values, output);
        if (testing::Test::HasFatalFailure()) return;
    }
    bench.device().release(from);
}

} // namespace

void run_vector_cases(const std::vector<vector_case>& cases, input_kind inputs, u64 seed) {
    workbench bench;
    for (std::size_t i = 0; i < cases.size(); ++i)
        bench.add("case_" + std::to_string(i), kernel_body(cases[i].text));
    ASSERT_TRUE(bench.build());
    for (unsigned round = 0; round < fuzz_rounds(); ++round) {
        run_round(bench, cases, make_values(inputs, seed + 100000 * u64{round}));
        if (testing::Test::HasFatalFailure()) return;
    }
}

} // namespace instructions
