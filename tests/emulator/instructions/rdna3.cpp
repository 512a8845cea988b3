// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// gfx1100: where workgroup ids arrive, its waits and barrier, and the instructions that gfx12
// lacks.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;

/// v1..v4 are a lane's four words of input, s[2:3] the output; v20 and v21 are the result.
std::string begin() {
    return "  s_load_b128 s[4:7], s[0:1], 0x0\n  v_lshlrev_b32 v10, 4, v0\n"
           "  v_lshlrev_b32 v11, 3, v0\n  s_waitcnt lgkmcnt(0)\n  s_mov_b64 s[0:1], s[4:5]\n"
           "  s_mov_b64 s[2:3], s[6:7]\n  global_load_b128 v[1:4], v10, s[0:1]\n"
           "  v_mov_b32 v20, 0\n  v_mov_b32 v21, 0\n  s_waitcnt vmcnt(0)\n"
           "  v_mov_b32 v5, v1\n  v_mov_b32 v6, v2\n";
}
const std::string finish = "  global_store_b64 v11, v[20:21], s[2:3]\n";

struct lane_case {
    std::string text;
    std::function<std::pair<u32, u32>(const u32* in, u32 lane)> expected;
};

void run(const std::vector<lane_case>& cases) {
    workbench bench("gfx1100");
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n), begin() + "  " + cases[n].text + "\n" + finish,
                  {.lds_bytes = 1024});
    ASSERT_TRUE(bench.build());
    std::printf("seed 29001\n");
    std::mt19937 random(29001);
    std::vector<u32> input(4 * lanes);
    for (u32& x : input)
        x = static_cast<u32>(random()) & 0xbfffbfff; // floats and halves are finite
    for (u32 l = 0; l < lanes; l += 3)
        input[4 * l + 1] = input[4 * l];
    const u64 from = bench.upload(input), to = bench.device().allocate(8 * lanes);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << describe(result.faults);
        const auto out = bench.download<u32>(to, 2 * lanes);
        for (u32 l = 0; l < lanes; ++l) {
            const auto [low, high] = cases[n].expected(&input[4 * l], l);
            ASSERT_EQ(out[2 * l], low) << cases[n].text << " lane " << l;
            ASSERT_EQ(out[2 * l + 1], high) << cases[n].text << " lane " << l;
        }
    }
}

using in = const u32*;
using words = std::pair<u32, u32>;

TEST(rdna3, workgroup_ids_in_scalars) {
    workbench bench("gfx1100");
    bench.add("ids", "  s_load_b64 s[0:1], s[0:1], 0x0\n  s_mul_i32 s5, s4, 6\n"
                     "  s_mul_i32 s6, s3, 2\n  s_add_u32 s5, s5, s6\n  s_add_u32 s5, s5, s2\n"
                     "  s_lshl_b32 s6, s5, 2\n  v_mov_b32 v1, s6\n  v_mov_b32 v2, s5\n"
                     "  s_waitcnt lgkmcnt(0)\n  global_store_b32 v1, v2, s[0:1]\n");
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(2 * 3 * 4 * 4);
    launch_request request;
    request.kernel = &bench.kernel("ids");
    request.blocks[0] = 2;
    request.blocks[1] = 3;
    request.blocks[2] = 4;
    request.kernarg = bench.upload(addresses({to, 0}));
    const auto result = execute(bench.device(), request, {});
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 24);
    for (u32 n = 0; n < 24; ++n)
        EXPECT_EQ(out[n], n);
}

TEST(rdna3, compares) {
    std::vector<lane_case> cases;
    const struct {
        const char* name;
        bool (*holds)(i64, i64);
    } relations[] = {{"eq",
                      [](i64 a, i64 b) {
                          return a == b;
                      }},
                     {"lg",
                      [](i64 a, i64 b) {
                          return a != b;
                      }},
                     {"gt",
                      [](i64 a, i64 b) {
                          return a > b;
                      }},
                     {"ge",
                      [](i64 a, i64 b) {
                          return a >= b;
                      }},
                     {"lt",
                      [](i64 a, i64 b) {
                          return a < b;
                      }},
                     {"le", [](i64 a, i64 b) {
                          return a <= b;
                      }}};
    for (const auto& r : relations)
        for (const i64 value : {i64{-5}, i64{-32767}, i64{0x8001}, i64{7}})
            for (const bool is_signed : {true, false}) {
                const i64 constant = is_signed ? -32767 : 0x8001;
                const std::string type = is_signed ? "_i32" : "_u32";
                const i64 a = is_signed ? value : static_cast<i64>(static_cast<u32>(value));
                cases.push_back({"s_mov_b32 s8, " + std::to_string(value) + "\n  s_cmpk_" + r.name +
                                     type +
                                     " s8, 0x8001\n  s_cselect_b32 s9, 1, 2\n"
                                     "  v_mov_b32 v20, s9",
                                 [=](in, u32) {
                                     return words{r.holds(a, constant) ? 1u : 2u, 0};
                                 }});
            }
    for (const std::string type : {"f16", "f32", "f64", "i32", "u32", "i64", "u64"}) {
        const std::string sources = type.ends_with("64") ? "v[1:2], v[3:4]" : "v1, v2";
        for (const bool always : {false, true}) {
            const std::string name = always ? "_t_" : "_f_";
            const u32 mask = always ? 0xffffffff : 0;
            cases.push_back(
                {"v_cmp" + name + type + " s8, " + sources + "\n  v_mov_b32 v20, s8", [=](in, u32) {
                     return words{mask, 0};
                 }});
            cases.push_back({"v_cmpx" + name + type + " " + sources +
                                 "\n  s_mov_b32 s8, exec_lo\n  s_mov_b32 exec_lo, -1\n"
                                 "  v_mov_b32 v20, s8",
                             [=](in, u32) {
                                 return words{mask, 0};
                             }});
        }
    }
    run(cases);
}

TEST(rdna3, arithmetic) {
    run({
        // The names that gfx12 changed.
        {"v_max_f32 v20, v1, v2\n  v_min_f32 v21, v1, v2",
         [](in i, u32) {
             return words{bits(std::fmax(f32(i[0]), f32(i[1]))),
                          bits(std::fmin(f32(i[0]), f32(i[1])))};
         }},
        {"v_mad_u64_u32 v[20:21], null, v1, v2, v[3:4]",
         [](in i, u32) {
             const u64 r = u64{i[0]} * i[1] + pair(i[2], i[3]);
             return words{static_cast<u32>(r), static_cast<u32>(r >> 32)};
         }},
        {"v_fmac_dx9_zero_f32 v3, v1, v2\n  v_mov_b32 v20, v3",
         [](in i, u32) {
             return words{bits(std::fma(f32(i[0]), f32(i[1]), f32(i[2]))), 0};
         }},
        {"v_mov_b32 v2, 0\n  v_mov_b32 v5, 0x7f800000\n  v_fmac_dx9_zero_f32 v3, v5, v2\n"
         "  v_mov_b32 v20, v3",
         [](in i, u32) {
             return words{i[2], 0};
         }},
        {"v_dual_dot2acc_f32_f16 v4, v1, v2 :: v_dual_mov_b32 v21, v3\n  v_mov_b32 v20, v4",
         [](in i, u32) {
             const auto h = [](u32 x) {
                 return from_half(x & 0xffff);
             };
             float sum = std::fma(h(i[0]), h(i[1]), f32(i[3]));
             sum = std::fma(h(i[0] >> 16), h(i[1] >> 16), sum);
             return words{bits(sum), i[2]};
         }},
    });
}

TEST(rdna3, exchanges) {
    const auto swapped = [](in i, u32 l) {
        return words{i[0], l % 3 == 0 ? i[2] : i[0]};
    };
    // v7 the new value, v8 the expected one, which every third lane has right.
    const std::string sources = "v_mov_b32 v7, v3\n  v_mov_b32 v8, v2\n"
                                "  global_store_b64 v11, v[1:2], s[2:3]\n"
                                "  s_waitcnt_vscnt null, 0x0\n  ";
    const std::string back = "\n  s_waitcnt vmcnt(0)\n  s_waitcnt_vscnt null, 0x0\n"
                             "  global_load_b32 v21, v11, s[2:3]\n  s_waitcnt_vmcnt null, 0x0";
    const std::string address = "v_add_co_u32 v12, vcc_lo, s2, v11\n"
                                "  v_add_co_ci_u32 v13, vcc_lo, s3, 0, vcc_lo\n  ";
    const std::string descriptor = "s_mov_b64 s[8:9], s[2:3]\n  s_movk_i32 s10, 0x100\n"
                                   "  s_mov_b32 s11, 0x31004000\n  ";
    const std::string local =
        "ds_store_b64 v11, v[1:2]\n  v_mov_b32 v7, v3\n  v_mov_b32 v8, v2\n  ";
    const std::string local_back = "\n  ds_load_b32 v21, v11\n  s_waitcnt_lgkmcnt null, 0x0";
    run({
        {sources + "global_atomic_cmpswap_f32 v20, v11, v[7:8], s[2:3] glc" + back, swapped},
        {sources + address +
             "flat_atomic_cmpswap_f32 v20, v[12:13], v[7:8] glc\n  "
             "s_waitcnt lgkmcnt(0)" +
             back,
         swapped},
        {sources + descriptor +
             "buffer_atomic_cmpswap_f32 v[7:8], v11, s[8:11], 0 offen glc\n  s_waitcnt vmcnt(0)\n"
             "  v_mov_b32 v20, v7" +
             back,
         swapped},
        {local + "ds_cmpstore_rtn_f32 v20, v11, v7, v8" + local_back, swapped},
        {local + "ds_cmpstore_f32 v11, v7, v8" + local_back,
         [=](in i, u32 l) {
             return words{0, swapped(i, l).second};
         }},
        {local +
             "v_mov_b32 v12, v1\n  v_mov_b32 v13, v2\n  v_not_b32 v14, v1\n  v_mov_b32 v15, v2\n"
             "  ds_cmpstore_rtn_f64 v[16:17], v11, v[14:15], v[12:13]\n  ds_load_b32 v21, v11\n"
             "  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v20, v16",
         [](in i, u32) {
             return words{i[0], ~i[0]};
         }},
        {local +
             "v_mov_b32 v12, v1\n  v_mov_b32 v13, v2\n  v_not_b32 v14, v1\n  v_mov_b32 v15, v2\n"
             "  ds_cmpstore_f64 v11, v[14:15], v[12:13]" +
             local_back,
         [](in i, u32) {
             return words{0, ~i[0]};
         }},
        {local + "ds_wrap_rtn_b32 v20, v11, v3, v4" + local_back,
         [](in i, u32) {
             return words{i[0], i[0] >= i[2] ? i[0] - i[2] : i[0] + i[3]};
         }},
    });
}

TEST(rdna3, hints_change_nothing) {
    std::vector<lane_case> cases;
    for (const std::string hint :
         {"buffer_gl0_inv", "buffer_gl1_inv", "s_gl1_inv", "s_set_inst_prefetch_distance 0x1",
          "s_waitcnt_depctr 0xfffe", "s_waitcnt_expcnt null, 0x0", "s_cbranch_cdbgsys 1",
          "s_cbranch_cdbguser 1", "s_cbranch_cdbgsys_or_user 1", "s_cbranch_cdbgsys_and_user 1"})
        cases.push_back({hint + "\n  v_mov_b32 v20, v1\n  v_mov_b32 v21, v2", [](in i, u32) {
                             return words{i[0], i[1]};
                         }});
    run(cases);
}

/// Waves exchange words through LDS, with a barrier between.
TEST(rdna3, barrier) {
    workbench bench("gfx1100");
    bench.add("k",
              "  s_load_b64 s[6:7], s[0:1], 0x0\n  v_lshlrev_b32 v1, 2, v0\n"
              "  v_xor_b32 v2, 0x1fc, v1\n  ds_store_b32 v1, v0\n  s_waitcnt lgkmcnt(0)\n"
              "  s_barrier\n  ds_load_b32 v3, v2\n  s_waitcnt lgkmcnt(0)\n"
              "  global_store_b32 v1, v3, s[6:7]\n",
              {.lds_bytes = 512});
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(512);
    const auto result = bench.run("k", 1, 128, addresses({to, 0}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 128);
    for (u32 t = 0; t < 128; ++t)
        EXPECT_EQ(out[t], 127 - t);
}

/// Each mistake of waiting is found, and the same code with the right wait is not blamed.
TEST(rdna3, waits) {
    const std::string two =
        "global_load_b32 v20, v10, s[0:1]\n  global_load_b32 v21, v10, s[0:1]\n  ";
    const struct {
        std::string text;
        bool right;
    } cases[] = {
        {two + "s_waitcnt vmcnt(1)\n  v_mov_b32 v22, v20\n  s_waitcnt vmcnt(0)", true},
        {two + "s_waitcnt vmcnt(1)\n  v_mov_b32 v22, v21", false},
        {two + "s_waitcnt lgkmcnt(0)\n  v_mov_b32 v22, v20", false},
        {"ds_load_b32 v20, v10\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v22, v20", true},
        {"ds_load_b32 v20, v10\n  s_waitcnt vmcnt(0)\n  v_mov_b32 v22, v20", false},
        // A scalar load may return after the LDS load, so a count of one says nothing of it.
        {"s_load_b32 s8, s[0:1], 0x0\n  ds_load_b32 v20, v10\n  s_waitcnt lgkmcnt(1)\n"
         "  v_mov_b32 v22, s8",
         false},
        {"s_load_b32 s8, s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v22, s8", true},
        {"ds_store_b32 v10, v1\n  s_barrier", false},
        {"ds_store_b32 v10, v1\n  s_waitcnt lgkmcnt(0)\n  s_barrier", true},
    };
    workbench bench("gfx1100");
    for (std::size_t n = 0; n < std::size(cases); ++n)
        bench.add("c" + std::to_string(n),
                  begin() + "  ds_store_b128 v10, v[1:4]\n  s_waitcnt lgkmcnt(0)\n  " +
                      cases[n].text + "\n",
                  {.lds_bytes = 1024});
    ASSERT_TRUE(bench.build());
    const u64 from = bench.upload(std::vector<u32>(4 * lanes, 7)),
              to = bench.device().allocate(8 * lanes);
    for (std::size_t n = 0; n < std::size(cases); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        EXPECT_EQ(result.faults.empty(), cases[n].right) << cases[n].text << "\n"
                                                         << describe(result.faults);
    }
}

} // namespace
} // namespace instructions
