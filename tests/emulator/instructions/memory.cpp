// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads, stores and atomics of every address space, and what they count.
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

struct memory_case {
    std::string text;
    std::function<void(const u8* in, u32* out)> expected; ///< out starts as zeros
};

std::vector<u8> random_bytes(u64 seed, std::size_t n) {
    std::mt19937_64 random(seed);
    std::vector<u8> bytes(n);
    for (u8& b : bytes)
        b = static_cast<u8>(random());
    return bytes;
}

void run(const std::vector<memory_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n), setup() + cases[n].text + wait + save,
                  {.lds_bytes = 4096, .scratch_bytes = 64});
    ASSERT_TRUE(bench.build());
    const auto input = random_bytes(13001, lanes * 16);
    const u64 from = bench.upload(input), to = bench.device().allocate(lanes * 16, 256, "output");
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << describe(result.faults);
        const auto out = bench.download<u32>(to, lanes * 4);
        for (u32 l = 0; l < lanes; ++l) {
            u32 want[4] = {};
            cases[n].expected(&input[16 * l], want);
            for (u32 i = 0; i < 4; ++i)
                ASSERT_EQ(out[4 * l + i], want[i])
                    << cases[n].text << " lane " << l << " word " << i;
        }
    }
}

u32 word_at(const u8* p, unsigned bytes = 4) {
    u32 x = 0;
    for (unsigned b = 0; b < bytes; ++b)
        x |= static_cast<u32>(p[b]) << (8 * b);
    return x;
}

/// The same accesses through each address space; `%` stands for address operands and offset.
void loads_of(std::vector<memory_case>& cases, const std::string& prefix,
              const std::string& address, const std::string& before, bool d16_last) {
    const auto add = [&](const std::string& name, const std::string& registers, int offset,
                         auto f) {
        cases.push_back({before + "  " + prefix + name + " " + registers + ", " + address +
                             " offset:" + std::to_string(offset) + "\n",
                         f});
    };
    const auto d16 = [&](const std::string& type, bool high) {
        // LDS writes the type first: ds_load_u8_d16_hi, the others load_d16_hi_u8.
        return d16_last ? "_load_" + (type == "b16" ? "u16" : type) + (high ? "_d16_hi" : "_d16")
                        : (high ? "_load_d16_hi_" : "_load_d16_") + type;
    };
    add("_load_b32", "v1", 4, [](const u8* in, u32* o) { o[0] = word_at(in + 4); });
    add("_load_b64", "v[1:2]", 8,
        [](const u8* in, u32* o) { o[0] = word_at(in + 8), o[1] = word_at(in + 12); });
    add("_load_b96", "v[1:3]", 0, [](const u8* in, u32* o) {
        for (int i = 0; i < 3; ++i)
            o[i] = word_at(in + 4 * i);
    });
    add("_load_b128", "v[1:4]", 0, [](const u8* in, u32* o) {
        for (int i = 0; i < 4; ++i)
            o[i] = word_at(in + 4 * i);
    });
    add("_load_u8", "v1", 3, [](const u8* in, u32* o) { o[0] = in[3]; });
    add("_load_i8", "v1", 3,
        [](const u8* in, u32* o) { o[0] = static_cast<u32>(i32{static_cast<i8>(in[3])}); });
    add("_load_u16", "v1", 6, [](const u8* in, u32* o) { o[0] = word_at(in + 6, 2); });
    add("_load_i16", "v1", 6, [](const u8* in, u32* o) {
        o[0] = static_cast<u32>(i32{static_cast<i16>(word_at(in + 6, 2))});
    });
    const std::string fill = "  v_mov_b32 v1, 0x12345678\n";
    const std::string keep = before;
    cases.push_back(
        {before + fill + "  " + prefix + d16("b16", false) + " v1, " + address + " offset:2\n",
         [](const u8* in, u32* o) {
             o[0] = 0x12340000u | word_at(in + 2, 2);
         }});
    cases.push_back(
        {before + fill + "  " + prefix + d16("b16", true) + " v1, " + address + " offset:2\n",
         [](const u8* in, u32* o) {
             o[0] = 0x5678u | word_at(in + 2, 2) << 16;
         }});
    cases.push_back(
        {before + fill + "  " + prefix + d16("u8", true) + " v1, " + address + " offset:5\n",
         [](const u8* in, u32* o) {
             o[0] = 0x5678u | static_cast<u32>(in[5]) << 16;
         }});
    cases.push_back(
        {before + fill + "  " + prefix + d16("i8", false) + " v1, " + address + " offset:5\n",
         [](const u8* in, u32* o) {
             o[0] = 0x12340000u | static_cast<u16>(static_cast<i8>(in[5]));
         }});
    cases.push_back(
        {before + fill + "  " + prefix + d16("u8", false) + " v1, " + address + " offset:5\n",
         [](const u8* in, u32* o) {
             o[0] = 0x12340000u | in[5];
         }});
    cases.push_back(
        {before + fill + "  " + prefix + d16("i8", true) + " v1, " + address + " offset:5\n",
         [](const u8* in, u32* o) {
             o[0] = 0x5678u | static_cast<u32>(static_cast<i8>(in[5])) << 16;
         }});
}

TEST(memory, loads) {
    std::vector<memory_case> cases;
    loads_of(cases, "global", "v10, s[0:1]", "", false);
    loads_of(cases, "global", "v[12:13], off", "", false);
    loads_of(cases, "flat", "v[12:13]", "", false);
    const std::string input = "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n";
    loads_of(cases, "ds", "v10", input + "  ds_store_b128 v10, v[5:8]\n", true);
    loads_of(cases, "scratch", "off, off", input + "  scratch_store_b128 off, v[5:8], off\n",
             false);
    // LDS and scratch through flat addresses.
    loads_of(cases, "flat", "v[16:17]",
             input + "  ds_store_b128 v10, v[5:8]\n  s_mov_b64 s[8:9], src_shared_base\n"
                     "  v_mov_b32 v16, v10\n  v_mov_b32 v17, s9\n",
             false);
    loads_of(cases, "flat", "v[16:17]",
             input +
                 "  scratch_store_b128 off, v[5:8], off offset:16\n"
                 "  s_mov_b64 s[8:9], src_private_base\n  v_mov_b32 v16, 16\n  v_mov_b32 v17, s9\n",
             false);
    const std::string descriptor =
        "  s_mov_b64 s[4:5], s[0:1]\n  s_movk_i32 s6, 0x200\n  s_mov_b32 s7, 0x31004000\n";
    loads_of(cases, "buffer", "v10, s[4:7], null offen", descriptor, false);
    run(cases);
}

TEST(memory, stores) {
    const std::string input = "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n";
    std::vector<memory_case> cases;
    const auto through = [&](const std::string& prefix, const std::string& place,
                             const std::string& after, const std::string& load, bool d16_last) {
        const auto add = [&](const std::string& name, const std::string& data, int offset, auto f) {
            cases.push_back({input + load.substr(0, load.find('|')) + "  " + prefix + name + " " +
                                 (place.empty()            ? data
                                  : place.starts_with("=") ? data + ", " + place.substr(1)
                                                           : place + ", " + data) +
                                 after + " offset:" + std::to_string(offset) + "\n" +
                                 load.substr(load.find('|') + 1),
                             f});
        };
        add("_store_b32", "v6", 4, [](const u8* in, u32* o) { o[1] = word_at(in + 4); });
        add("_store_b64", "v[5:6]", 8,
            [](const u8* in, u32* o) { o[2] = word_at(in), o[3] = word_at(in + 4); });
        add("_store_b96", "v[5:7]", 0, [](const u8* in, u32* o) {
            for (int i = 0; i < 3; ++i)
                o[i] = word_at(in + 4 * i);
        });
        add("_store_b128", "v[5:8]", 0, [](const u8* in, u32* o) {
            for (int i = 0; i < 4; ++i)
                o[i] = word_at(in + 4 * i);
        });
        add("_store_b8", "v5", 7,
            [](const u8* in, u32* o) { o[1] = static_cast<u32>(in[0]) << 24; });
        add("_store_b16", "v5", 2, [](const u8* in, u32* o) { o[0] = word_at(in, 2) << 16; });
        add(d16_last ? "_store_b16_d16_hi" : "_store_d16_hi_b16", "v5", 4,
            [](const u8* in, u32* o) { o[1] = word_at(in + 2, 2); });
        add(d16_last ? "_store_b8_d16_hi" : "_store_d16_hi_b8", "v5", 4,
            [](const u8* in, u32* o) { o[1] = in[2]; });
    };
    // Through LDS and scratch and back; the words around must stay zero.
    through("ds", "v10", "", "  ds_store_b128 v10, v[1:4]\n|  ds_load_b128 v[1:4], v10\n", true);
    through("scratch", "off", ", off",
            "  scratch_store_b128 off, v[1:4], off\n|  s_wait_storecnt 0x0\n  scratch_load_b128 "
            "v[1:4], off, off\n",
            false);
    const std::string back = "|  s_wait_storecnt 0x0\n  global_load_b128 v[1:4], v10, s[2:3]\n";
    through("global", "v10", ", s[2:3]", "  global_store_b128 v10, v[1:4], s[2:3]\n" + back, false);
    through("flat", "v[14:15]", "", "  global_store_b128 v10, v[1:4], s[2:3]\n" + back, false);
    through("buffer", "=v10, s[4:7], null offen", "",
            "  s_mov_b64 s[4:5], s[2:3]\n  s_movk_i32 s6, 0x200\n  s_mov_b32 s7, 0x31004000\n"
            "  global_store_b128 v10, v[1:4], s[2:3]\n" +
                back,
            false);
    run(cases);
}

TEST(memory, two_addresses) {
    const std::string input = "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n  "
                              "ds_store_b128 v10, v[5:8]\n";
    run({
        {input + "  ds_load_2addr_b32 v[1:2], v10 offset0:3 offset1:1\n",
         [](const u8* in, u32* o) {
             o[0] = word_at(in + 12), o[1] = word_at(in + 4);
         }},
        {input + "  ds_load_2addr_b64 v[1:4], v10 offset0:1 offset1:0\n",
         [](const u8* in, u32* o) {
             o[0] = word_at(in + 8), o[1] = word_at(in + 12), o[2] = word_at(in),
             o[3] = word_at(in + 4);
         }},
        {input +
             "  ds_store_2addr_b32 v10, v8, v7 offset0:0 offset1:2\n  ds_load_b128 v[1:4], v10\n",
         [](const u8* in, u32* o) {
             o[0] = word_at(in + 12), o[1] = word_at(in + 4), o[2] = word_at(in + 8),
             o[3] = word_at(in + 12);
         }},
        {input + "  ds_store_2addr_b64 v10, v[7:8], v[5:6] offset0:0 offset1:1\n"
                 "  ds_load_b128 v[1:4], v10\n",
         [](const u8* in, u32* o) {
             for (u32 i = 0; i < 4; ++i)
                 o[i] = word_at(in + 4 * ((i + 2) % 4));
         }},
        {input + "  ds_store_2addr_stride64_b64 v10, v[5:6], v[7:8] offset0:2 offset1:4\n"
                 "  ds_load_2addr_stride64_b64 v[1:4], v10 offset0:4 offset1:2\n",
         [](const u8* in, u32* o) {
             for (u32 i = 0; i < 4; ++i)
                 o[i] = word_at(in + 4 * ((i + 2) % 4));
         }},
        {input + "  ds_store_2addr_stride64_b32 v10, v5, v6 offset0:2 offset1:4\n"
                 "  ds_load_2addr_stride64_b32 v[1:2], v10 offset0:4 offset1:2\n",
         [](const u8* in, u32* o) {
             o[0] = word_at(in + 4), o[1] = word_at(in);
         }},
    });
}

TEST(memory, buffer_bounds) {
    // 512 bytes of input; a descriptor of 256 bytes leaves the upper lanes outside.
    const std::string descriptor =
        "  s_mov_b64 s[4:5], s[0:1]\n  s_movk_i32 s6, 0x100\n  s_mov_b32 s7, 0x31004000\n";
    workbench bench;
    bench.add("k", setup() + descriptor + "  buffer_load_b128 v[1:4], v10, s[4:7], null offen\n" +
                       wait + save);
    ASSERT_TRUE(bench.build());
    const auto input = random_bytes(13002, lanes * 16);
    const u64 from = bench.upload(input), to = bench.device().allocate(lanes * 16);
    const auto result = bench.run("k", 1, lanes, addresses({from, to}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, lanes * 4);
    for (u32 i = 0; i < lanes * 4; ++i)
        EXPECT_EQ(out[i], i < 64 ? word_at(&input[4 * i]) : 0u);
}

/// 16-bit elements: every group of eight lanes transposes its 8x8 block. 8-bit elements: lane (h,
/// c) gets column c, rows 8h..8h+7 of the 16x16 bytes that the lanes name.
TEST(memory, transposing_load) {
    workbench bench;
    bench.add(
        "k16",
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 4, v0\n  v_and_b32 v5, 15, v0\n"
        "  v_lshrrev_b32 v6, 4, v0\n  v_mul_u32_u24 v5, 48, v5\n  v_lshl_add_u32 v5, v6, 4, v5\n"
        "  s_wait_kmcnt 0x0\n  global_load_tr_b128 v[1:4], v5, s[0:1]\n" +
            wait + save);
    bench.add(
        "k8",
        "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 3, v0\n  v_and_b32 v5, 15, v0\n"
        "  v_lshrrev_b32 v6, 4, v0\n  v_mul_u32_u24 v5, 24, v5\n  v_lshl_add_u32 v5, v6, 3, v5\n"
        "  s_wait_kmcnt 0x0\n  global_load_tr_b64 v[1:2], v5, s[0:1]\n" +
            wait + "  global_store_b64 v10, v[1:2], s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const auto input = random_bytes(13004, 16 * 48);
    const u64 from = bench.upload(input), to = bench.device().allocate(512);
    ASSERT_TRUE(bench.run("k16", 1, lanes, addresses({from, to})).faults.empty());
    const auto out = bench.download<u16>(to, 256);
    for (u32 l = 0; l < lanes; ++l)
        for (u32 e = 0; e < 8; ++e) {
            // The lane that held this element names row `source % 16`, halves 8 * (source / 16) on.
            const u32 source = (l & ~7u) + e;
            ASSERT_EQ(out[8 * l + e],
                      word_at(&input[source % 16 * 48 + source / 16 * 16 + l % 8 * 2], 2))
                << l << " " << e;
        }
    ASSERT_TRUE(bench.run("k8", 1, lanes, addresses({from, to})).faults.empty());
    const auto bytes = bench.download<u8>(to, 256);
    for (u32 l = 0; l < lanes; ++l)
        for (u32 e = 0; e < 8; ++e)
            ASSERT_EQ(bytes[8 * l + e], input[(8 * (l / 16) + e) * 24 + l % 16]) << l << " " << e;
}

TEST(memory, counts) {
    workbench bench;
    // Rows of 64 bytes (conflicts), then of 80 (none); 32 lanes read 128 contiguous bytes and 32
    // lines.
    bench.add("k",
              "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  v_lshlrev_b32 v11, "
              "7, v0\n"
              "  v_lshlrev_b32 v12, 6, v0\n  v_mul_u32_u24 v13, 0x50, v0\n  v_mov_b32 v1, 0\n  "
              "v_mov_b32 v2, 0\n"
              "  v_mov_b32 v3, 0\n  v_mov_b32 v4, 0\n  s_wait_kmcnt 0x0\n"
              "  global_load_b32 v5, v10, s[0:1]\n  global_load_b32 v6, v11, s[0:1]\n  "
              "s_wait_loadcnt 0x0\n"
              "  ds_store_b128 v12, v[1:4]\n  ds_store_b128 v13, v[1:4]\n  ds_store_b32 v11, v1\n"
              "  ds_load_b32 v7, v10\n  s_wait_dscnt 0x0\n  v_exp_f32 v8, v1\n"
              "  v_dual_mov_b32 v8, v1 :: v_dual_mov_b32 v9, v2\n"
              "  s_mov_b32 exec_lo, 0xff\n  global_store_b64 v12, v[1:2], s[2:3] scope:SCOPE_DEV\n "
              " ds_store_b64 "
              "v13, v[1:2]\n",
              {.lds_bytes = 8192});
    ASSERT_TRUE(bench.build());
    const u64 from = bench.upload(std::vector<u32>(1024, 1)), to = bench.device().allocate(4096);
    execution_options options;
    options.profile = true;
    const auto result = bench.run("k", 3, lanes, addresses({from, to}), options);
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const launch_counts& c = result.counts;
    EXPECT_EQ(c.waves, 3u);
    EXPECT_EQ(c.global_loads, 6u);
    EXPECT_EQ(c.global_bytes_loaded, 3u * 256);
    EXPECT_EQ(c.global_lines_loaded, 3u * (1 + 32));
    EXPECT_EQ(c.global_bytes_stored, 3u * 64);
    EXPECT_EQ(c.global_lines_stored, 3u * 4);
    // 64-byte rows: 8 lanes fall on 2 groups of banks, 4 each. 80-byte rows: none share. 128-byte
    // rows of single words: all 32 in one bank. Two active passes of 16 lanes are one of 8.
    EXPECT_EQ(c.lds_store_passes, 3u * (16 + 4 + 32 + 1));
    EXPECT_EQ(c.lds_store_passes_ideal, 3u * (4 + 4 + 1 + 1));
    EXPECT_EQ(c.lds_load_passes, 3u);
    EXPECT_EQ(c.transcendental, 3u);
    EXPECT_EQ(c.valu, 3u * 9);
    EXPECT_EQ(c.lds_stores, 12u);
    EXPECT_EQ(c.smem, 3u);
    EXPECT_EQ(c.waits, 9u);
    ASSERT_EQ(result.profile.size(), 24u);
    for (const instruction_profile& p : result.profile)
        EXPECT_EQ(p.executed, 3u) << p.text;
    EXPECT_EQ(result.profile.back().text, "s_endpgm");
}

} // namespace
} // namespace instructions
