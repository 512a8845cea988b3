// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar loads of all widths, through addresses and buffer descriptors, and accesses by lane
// number.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 words = 32;

struct load_case {
    std::string text; ///< to s[16:31], which start as zeros; s[4:7] describes the first 64 bytes
    std::function<void(const std::vector<u8>& in, u32* out)> expected; ///< 16 words
};

void run(const std::vector<load_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n) {
        std::string body = "  s_load_b128 s[0:3], s[0:1], 0x0\n  s_movk_i32 s8, 0x10\n"
                           "  s_wait_kmcnt 0x0\n  s_mov_b64 s[4:5], s[0:1]\n  s_movk_i32 s6, 0x40\n"
                           "  s_mov_b32 s7, 0x31004000\n";
        for (u32 i = 16; i < 32; ++i)
            body += "  s_mov_b32 s" + std::to_string(i) + ", 0\n";
        body += "  " + cases[n].text + "\n  s_wait_kmcnt 0x0\n  v_mov_b32 v1, 0\n";
        for (u32 i = 16; i < 32; ++i)
            body += "  v_mov_b32 v2, s" + std::to_string(i) +
                    "\n  global_store_b32 v1, v2, s[2:3] "
                    "offset:" +
                    std::to_string(4 * (i - 16)) + "\n";
        bench.add("c" + std::to_string(n), body);
    }
    ASSERT_TRUE(bench.build());
    std::printf("seed 25001\n");
    std::mt19937 random(25001);
    std::vector<u8> input(4 * words);
    for (u8& x : input)
        x = static_cast<u8>(random());
    const u64 from = bench.upload(input), to = bench.device().allocate(64);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, 1, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << describe(result.faults);
        u32 want[16] = {};
        cases[n].expected(input, want);
        const auto out = bench.download<u32>(to, 16);
        for (u32 i = 0; i < 16; ++i)
            ASSERT_EQ(out[i], want[i]) << cases[n].text << " word " << i;
    }
}

u32 word_at(const std::vector<u8>& in, std::size_t at) {
    u32 x = 0;
    std::memcpy(&x, &in[at], 4);
    return x;
}
std::string registers(u32 count) {
    return count == 1 ? "s16" : "s[16:" + std::to_string(15 + count) + "]";
}

TEST(scalar_memory, words) {
    std::vector<load_case> cases;
    for (const u32 count : {1u, 2u, 3u, 4u, 8u, 16u}) {
        const std::string name = "load_b" + std::to_string(32 * count) + " " + registers(count);
        const auto from = [=](std::size_t at) {
            return [=](const std::vector<u8>& in, u32* out) {
                for (u32 i = 0; i < count; ++i)
                    out[i] = word_at(in, at + 4 * i);
            };
        };
        cases.push_back({"s_" + name + ", s[0:1], 0x8", from(8)});
        cases.push_back({"s_" + name + ", s[0:1], s8 offset:0x4", from(20)});
        // Words past the descriptor's 64 bytes read as zero.
        cases.push_back(
            {"s_buffer_" + name + ", s[4:7], 0x18", [=](const std::vector<u8>& in, u32* out) {
                 for (u32 i = 0; i < count; ++i)
                     out[i] = 0x18 + 4 * i < 64 ? word_at(in, 0x18 + 4 * i) : 0;
             }});
    }
    run(cases);
}

TEST(scalar_memory, bytes_and_halves) {
    std::vector<load_case> cases;
    for (const std::string where : {"s_load_", "s_buffer_load_"}) {
        const std::string base = where == "s_load_" ? " s16, s[0:1], " : " s16, s[4:7], ";
        const auto add = [&](const std::string& type, std::size_t at, auto value) {
            cases.push_back({where + type + base + std::to_string(at),
                             [=](const std::vector<u8>& in, u32* out) {
                                 out[0] = value(&in[at]);
                             }});
        };
        add("u8", 5, [](const u8* p) { return u32{p[0]}; });
        add("i8", 6, [](const u8* p) { return static_cast<u32>(i32{static_cast<i8>(p[0])}); });
        add("u16", 10, [](const u8* p) { return static_cast<u32>(p[0] | p[1] << 8); });
        add("i16", 14,
            [](const u8* p) { return static_cast<u32>(i32{static_cast<i16>(p[0] | p[1] << 8)}); });
    }
    cases.push_back({"s_buffer_load_u8 s16, s[4:7], 64", [](const std::vector<u8>&, u32*) {
                     }});
    cases.push_back({"s_buffer_load_i16 s16, s[4:7], 63", [](const std::vector<u8>&, u32*) {
                     }});
    run(cases);
}

TEST(scalar_memory, vector_accesses_by_lane) {
    workbench bench;
    bench.add("k", "  s_load_b128 s[0:3], s[0:1], 0x0\n  s_wait_kmcnt 0x0\n"
                   "  global_load_addtid_b32 v1, s[0:1] offset:8\n  s_wait_loadcnt 0x0\n"
                   "  v_not_b32 v1, v1\n  global_store_addtid_b32 v1, s[2:3] offset:4\n");
    ASSERT_TRUE(bench.build());
    std::vector<u32> input(40);
    for (u32 i = 0; i < 40; ++i)
        input[i] = i * 0x01010101u;
    const u64 from = bench.upload(input), to = bench.upload(std::vector<u32>(33, 0));
    const auto result = bench.run("k", 1, 32, addresses({from, to}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 33);
    EXPECT_EQ(out[0], 0u);
    for (u32 l = 0; l < 32; ++l)
        EXPECT_EQ(out[l + 1], ~input[l + 2]);
}

} // namespace
} // namespace instructions
