// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Atomics on global memory and LDS.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

/// Each lane works on 16 bytes of its own: input at s[0:1] + 16 * lane, output at s[2:3] + 16 *
/// lane.
std::string setup() {
    return "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 4, v0\n  v_mov_b32 v1, 0\n"
           "  v_mov_b32 v2, 0\n  v_mov_b32 v3, 0\n  v_mov_b32 v4, 0\n  s_wait_kmcnt 0x0\n"
           "  v_add_co_u32 v12, vcc_lo, s0, v10\n  v_add_co_ci_u32_e64 v13, vcc_lo, s1, 0, vcc_lo\n"
           "  v_add_co_u32 v14, vcc_lo, s2, v10\n  v_add_co_ci_u32_e64 v15, vcc_lo, s3, 0, "
           "vcc_lo\n";
}
const std::string wait = "  s_wait_loadcnt 0x0\n  s_wait_dscnt 0x0\n";
const std::string save = "  global_store_b128 v10, v[1:4], s[2:3]\n";

std::vector<u8> random_bytes(u64 seed, std::size_t n) {
    std::mt19937_64 random(seed);
    std::vector<u8> bytes(n);
    for (u8& b : bytes)
        b = static_cast<u8>(random());
    return bytes;
}

u32 word_at(const u8* p, unsigned bytes = 4) {
    u32 x = 0;
    for (unsigned b = 0; b < bytes; ++b)
        x |= static_cast<u32>(p[b]) << (8 * b);
    return x;
}

struct atomic_case {
    std::string name, data; ///< data: registers
    std::function<u64(u64 memory, u64 data)> next;
    bool wide = false;
};

float add_f(u32 a, u32 b) {
    return f32(a) + f32(b);
}

const std::vector<atomic_case> atomics = {
    {"add_u32", "",
     [](u64 m, u64 d) {
         return static_cast<u32>(m + d);
     }},
    {"sub_u32", "",
     [](u64 m, u64 d) {
         return static_cast<u32>(m - d);
     }},
    {"min_i32", "",
     [](u64 m, u64 d) {
         return static_cast<i32>(m) < static_cast<i32>(d) ? m : d;
     }},
    {"max_u32", "",
     [](u64 m, u64 d) {
         return m > d ? m : d;
     }},
    {"and_b32", "",
     [](u64 m, u64 d) {
         return m & d;
     }},
    {"xor_b32", "",
     [](u64 m, u64 d) {
         return m ^ d;
     }},
    {"inc_u32", "",
     [](u64 m, u64 d) {
         return m >= d ? 0 : m + 1;
     }},
    {"dec_u32", "",
     [](u64 m, u64 d) {
         return m == 0 || m > d ? d : m - 1;
     }},
    {"add_f32", "",
     [](u64 m, u64 d) {
         return bits(add_f(static_cast<u32>(m), static_cast<u32>(d)));
     }},
    {"add_u64", "", [](u64 m, u64 d) { return m + d; }, true},
    {"max_u64", "", [](u64 m, u64 d) { return m > d ? m : d; }, true},
    {"or_b64", "", [](u64 m, u64 d) { return m | d; }, true},
};

/// Every lane on its own word: old value returned, new value in memory, for global and LDS.
TEST(atomics, old_and_new_values) {
    workbench bench;
    for (const atomic_case& c : atomics) {
        const std::string data = c.wide ? "v[7:8]" : "v7", old = c.wide ? "v[3:4]" : "v3";
        bench.add("g_" + c.name,
                  setup() +
                      "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n"
                      "  global_store_b64 v10, v[5:6], s[2:3]\n  s_wait_storecnt 0x0\n"
                      "  global_atomic_" +
                      c.name + " " + old + ", v10, " + data +
                      ", s[2:3] th:TH_ATOMIC_RETURN\n"
                      "  s_wait_loadcnt 0x0\n  global_store_b64 v10, v[3:4], s[2:3] offset:8\n");
        const std::size_t split = c.name.find('_');
        bench.add("l_" + c.name,
                  setup() +
                      "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n"
                      "  ds_store_b64 v10, v[5:6]\n  ds_" +
                      c.name.substr(0, split) + "_rtn" + c.name.substr(split) + " " + old +
                      ", v10, " + data + "\n  ds_load_b64 v[1:2], v10\n  s_wait_dscnt 0x0\n" + save,
                  {.lds_bytes = 512});
    }
    ASSERT_TRUE(bench.build());
    const auto input = random_bytes(13003, lanes * 16);
    const u64 from = bench.upload(input), to = bench.device().allocate(lanes * 16);
    for (const atomic_case& c : atomics) {
        for (const std::string place : {"g_", "l_"}) {
            const auto result = bench.run(place + c.name, 1, lanes, addresses({from, to}));
            ASSERT_TRUE(result.faults.empty()) << c.name << describe(result.faults);
            const auto out = bench.download<u32>(to, lanes * 4);
            for (u32 l = 0; l < lanes; ++l) {
                const u8* in = &input[16 * l];
                const u64 old = c.wide ? pair(word_at(in), word_at(in + 4)) : word_at(in);
                const u64 data = c.wide ? pair(word_at(in + 8), word_at(in + 12)) : word_at(in + 8);
                const u64 next = c.next(old, data);
                const u64 got = c.wide ? pair(out[4 * l], out[4 * l + 1]) : out[4 * l];
                const u64 before = c.wide ? pair(out[4 * l + 2], out[4 * l + 3]) : out[4 * l + 2];
                const bool both_nan = c.name == "add_f32" &&
                                      f32(static_cast<u32>(got)) != f32(static_cast<u32>(got)) &&
                                      f32(static_cast<u32>(next)) != f32(static_cast<u32>(next));
                ASSERT_TRUE(got == next || both_nan) << place << c.name << " lane " << l;
                ASSERT_EQ(before, old) << place << c.name;
            }
        }
    }
}

/// All lanes of many workgroups on one counter: nothing is lost, and every value is seen once.
TEST(atomics, contended) {
    workbench bench;
    bench.add(
        "k",
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_mov_b32 v1, 0\n  v_mov_b32 v2, 1\n  s_wait_kmcnt "
        "0x0\n"
        "  global_atomic_add_u32 v3, v1, v2, s[0:1] th:TH_ATOMIC_RETURN\n  s_wait_loadcnt 0x0\n"
        "  v_lshlrev_b32 v3, 2, v3\n  global_store_b32 v3, v2, s[2:3]\n"
        "  v_mov_b32 v4, v3\n  v_mov_b32 v5, 0\n"
        "  global_atomic_cmpswap_b32 v1, v[4:5], s[0:1] offset:4\n");
    ASSERT_TRUE(bench.build());
    const u64 counter = bench.upload(std::vector<u32>{0, 77}),
              seen = bench.upload(std::vector<u32>(64 * 128, 0));
    const auto result = bench.run("k", 64, 128, addresses({counter, seen}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    EXPECT_EQ(bench.download<u32>(counter, 2), (std::vector<u32>{64 * 128, 77}));
    EXPECT_EQ(bench.download<u32>(seen, 64 * 128), std::vector<u32>(64 * 128, 1));
    EXPECT_EQ(result.counts.global_atomics, 2u * 64 * 4);
}

} // namespace
} // namespace instructions
