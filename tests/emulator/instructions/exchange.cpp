// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Compare and swap in every address space, and LDS exchanges of two operands or two addresses.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

/// Per lane 16 bytes of input in v[5:8]; v10 is 16 times the lane, s[2:3] the output, which starts
/// as the input, as LDS does. At the end v[1:4] goes to the output's second half.
const std::string begin =
    "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 4, v0\n  s_wait_kmcnt 0x0\n"
    "  v_add_co_u32 v14, vcc_lo, s2, v10\n  v_add_co_ci_u32_e64 v15, vcc_lo, s3, 0, vcc_lo\n"
    "  s_mov_b64 s[4:5], s[2:3]\n  s_movk_i32 s6, 0x400\n  s_mov_b32 s7, 0x31004000\n"
    "  global_load_b128 v[5:8], v10, s[0:1]\n  v_mov_b32 v1, 0\n  v_mov_b32 v2, 0\n"
    "  v_mov_b32 v3, 0\n  v_mov_b32 v4, 0\n  s_wait_loadcnt 0x0\n"
    "  global_store_b128 v10, v[5:8], s[2:3]\n  ds_store_b128 v10, v[5:8]\n"
    "  ds_store_b128 v10, v[5:8] offset:512\n  s_wait_storecnt 0x0\n  s_wait_dscnt 0x0\n"
    // Even lanes compare with what is there, odd ones with something else.
    "  v_and_b32 v16, 1, v0\n  v_xor_b32 v12, v5, v16\n  v_mov_b32 v13, v6\n"
    "  v_mov_b32 v11, v7\n  v_mov_b32 v16, v7\n  v_mov_b32 v17, v8\n  v_mov_b32 v18, v12\n"
    "  v_mov_b32 v19, v13\n";
const std::string finish = "  s_wait_loadcnt 0x0\n  s_wait_storecnt 0x0\n  s_wait_dscnt 0x0\n"
                           "  global_store_b128 v10, v[1:4], s[2:3] offset:512\n";
const std::string to_memory = "  ds_load_b128 v[20:23], v10\n  s_wait_dscnt 0x0\n"
                              "  global_store_b128 v10, v[20:23], s[2:3]\n";

struct outcome {
    u32 memory[4], returned[4];
};
struct exchange_case {
    std::string text;
    std::function<void(u32 lane, outcome&)> expected; ///< memory starts as the input
};

void run(const std::vector<exchange_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n), begin + cases[n].text + finish, {.lds_bytes = 2048});
    ASSERT_TRUE(bench.build());
    std::printf("seed 24001\n");
    std::mt19937 random(24001);
    std::vector<u32> input(4 * lanes);
    for (u32& x : input)
        x = static_cast<u32>(random());
    const u64 from = bench.upload(input), to = bench.device().allocate(1024);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << describe(result.faults);
        const auto out = bench.download<u32>(to, 8 * lanes);
        for (u32 l = 0; l < lanes; ++l) {
            outcome want{};
            std::copy_n(&input[4 * l], 4, want.memory);
            cases[n].expected(l, want);
            for (u32 i = 0; i < 4; ++i) {
                ASSERT_EQ(out[4 * l + i], want.memory[i]) << cases[n].text << l << " " << i;
                ASSERT_EQ(out[4 * (l + lanes) + i], want.returned[i])
                    << cases[n].text << l << " " << i;
            }
        }
    }
}

/// Registers: the new value first, then the expected one.
TEST(exchange, compare_and_swap) {
    std::vector<exchange_case> cases;
    const std::string sources = "  v_mov_b32 v1, v11\n  v_mov_b32 v2, v12\n";
    const std::string wide_sources = "  v_mov_b32 v1, v16\n  v_mov_b32 v2, v17\n"
                                     "  v_mov_b32 v3, v18\n  v_mov_b32 v4, v19\n";
    const auto swapped = [](u32 l, outcome& o) {
        const u32 old = o.memory[0];
        if (l % 2 == 0) o.memory[0] = o.memory[2];
        o.returned[0] = old;
    };
    const auto wide_swapped = [](u32 l, outcome& o) {
        o.returned[0] = o.memory[0];
        o.returned[1] = o.memory[1];
        if (l % 2 == 0) o.memory[0] = o.memory[2], o.memory[1] = o.memory[3];
    };
    cases.push_back(
        {"  global_atomic_cmpswap_b32 v1, v10, v[11:12], s[2:3] th:TH_ATOMIC_RETURN\n", swapped});
    cases.push_back(
        {"  flat_atomic_cmpswap_b32 v1, v[14:15], v[11:12] th:TH_ATOMIC_RETURN\n", swapped});
    cases.push_back({"  global_atomic_cmpswap_b64 v[1:2], v10, v[16:19], s[2:3] "
                     "th:TH_ATOMIC_RETURN\n",
                     wide_swapped});
    cases.push_back({"  flat_atomic_cmpswap_b64 v[1:2], v[14:15], v[16:19] th:TH_ATOMIC_RETURN\n",
                     wide_swapped});
    cases.push_back({sources + "  buffer_atomic_cmpswap_b32 v[1:2], v10, s[4:7], null offen "
                               "th:TH_ATOMIC_RETURN\n  s_wait_loadcnt 0x0\n  v_mov_b32 v2, 0\n",
                     swapped});
    cases.push_back({wide_sources + "  buffer_atomic_cmpswap_b64 v[1:4], v10, s[4:7], null offen "
                                    "th:TH_ATOMIC_RETURN\n  s_wait_loadcnt 0x0\n  v_mov_b32 v3, 0\n"
                                    "  v_mov_b32 v4, 0\n",
                     wide_swapped});
    cases.push_back({"  ds_cmpstore_rtn_b32 v1, v10, v11, v12\n" + to_memory, swapped});
    cases.push_back(
        {"  ds_cmpstore_rtn_b64 v[1:2], v10, v[16:17], v[18:19]\n" + to_memory, wide_swapped});
    cases.push_back({"  ds_cmpstore_b32 v10, v11, v12\n" + to_memory, [=](u32 l, outcome& o) {
                         swapped(l, o);
                         o.returned[0] = 0;
                     }});
    cases.push_back(
        {"  ds_cmpstore_b64 v10, v[16:17], v[18:19]\n" + to_memory, [=](u32 l, outcome& o) {
             wide_swapped(l, o);
             o.returned[0] = o.returned[1] = 0;
         }});
    run(cases);
}

TEST(exchange, local) {
    std::vector<exchange_case> cases = {
        {"  ds_storexchg_rtn_b32 v1, v10, v8 offset:4\n" + to_memory,
         [](u32, outcome& o) {
             o.returned[0] = o.memory[1];
             o.memory[1] = o.memory[3];
         }},
        {"  ds_storexchg_rtn_b64 v[1:2], v10, v[6:7] offset:8\n" + to_memory,
         [](u32, outcome& o) {
             o.returned[0] = o.memory[2], o.returned[1] = o.memory[3];
             o.memory[3] = o.memory[2], o.memory[2] = o.memory[1];
         }},
        {"  ds_storexchg_2addr_rtn_b32 v[1:2], v10, v8, v5 offset0:1 offset1:2\n" + to_memory,
         [](u32, outcome& o) {
             o.returned[0] = o.memory[1], o.returned[1] = o.memory[2];
             o.memory[1] = o.memory[3], o.memory[2] = o.memory[0];
         }},
        {"  ds_storexchg_2addr_rtn_b64 v[1:4], v10, v[7:8], v[5:6] offset0:0 offset1:1\n" +
             to_memory,
         [](u32, outcome& o) {
             std::copy_n(o.memory, 4, o.returned);
             std::swap(o.memory[0], o.memory[2]);
             std::swap(o.memory[1], o.memory[3]);
         }},
        {"  ds_storexchg_2addr_stride64_rtn_b32 v[1:2], v10, v8, v7 offset0:0 offset1:2\n" +
             to_memory,
         [](u32, outcome& o) {
             o.returned[0] = o.returned[1] = o.memory[0];
             o.memory[0] = o.memory[3];
         }},
        {"  ds_storexchg_2addr_stride64_rtn_b64 v[1:4], v10, v[7:8], v[5:6] offset0:0 "
         "offset1:1\n" +
             to_memory,
         [](u32, outcome& o) {
             for (u32 i = 0; i < 4; ++i)
                 o.returned[i] = o.memory[i % 2];
             o.memory[0] = o.memory[2], o.memory[1] = o.memory[3];
         }},
        {"  ds_condxchg32_rtn_b64 v[1:2], v10, v[7:8]\n" + to_memory,
         [](u32, outcome& o) {
             for (u32 i = 0; i < 2; ++i) {
                 o.returned[i] = o.memory[i];
                 if (o.memory[2 + i] >> 31) o.memory[i] = o.memory[2 + i] & 0x7fffffff;
             }
         }},
    };
    for (const bool returned : {false, true}) {
        const std::string name = returned ? "  ds_mskor_rtn_b" : "  ds_mskor_b";
        cases.push_back({name + "32 " + (returned ? "v1, " : "") + "v10, v7, v8\n" + to_memory,
                         [=](u32, outcome& o) {
                             o.returned[0] = returned ? o.memory[0] : 0;
                             o.memory[0] = (o.memory[0] & ~o.memory[2]) | o.memory[3];
                         }});
        cases.push_back(
            {name + "64 " + (returned ? "v[1:2], " : "") + "v10, v[6:7], v[7:8]\n" + to_memory,
             [=](u32, outcome& o) {
                 for (u32 i = 0; i < 2; ++i)
                     o.returned[i] = returned ? o.memory[i] : 0;
                 const u32 first = (o.memory[0] & ~o.memory[1]) | o.memory[2];
                 o.memory[1] = (o.memory[1] & ~o.memory[2]) | o.memory[3];
                 o.memory[0] = first;
             }});
    }
    run(cases);
}

} // namespace
} // namespace instructions
