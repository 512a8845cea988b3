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
    std::string name;
    std::function<u64(u64 memory, u64 data)> next;
    bool wide = false;
};

u32 low(u64 x) {
    return static_cast<u32>(x);
}
float num_min(float a, float b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
float num_max(float a, float b) {
    return -num_min(-a, -b);
}
/// The operation on each 16-bit half.
template<class F>
u64 each_half(u64 m, u64 d, F sum) {
    return sum(low(m) & 0xffff, low(d) & 0xffff) | sum(low(m) >> 16, low(d) >> 16) << 16;
}
u32 add_halves(u32 a, u32 b) {
    return round_to_half(static_cast<double>(from_half(a)) + static_cast<double>(from_half(b)));
}
u32 add_bf16s(u32 a, u32 b) {
    const float sum = f32(a << 16) + f32(b << 16);
    const u32 x = bits(sum);
    return sum != sum ? 0x7fc0 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

template<class T>
T part(u64 x) {
    return static_cast<T>(x);
}
/// The integer operations, alike for both widths.
template<class U>
void add_integers(std::vector<atomic_case>& to) {
    using S = std::make_signed_t<U>;
    constexpr bool wide = sizeof(U) == 8;
    const std::string bits = wide ? "64" : "32";
    const auto add = [&](const std::string& name, auto next) {
        to.push_back(
            {name + bits,
             [=](u64 m, u64 d) { return u64{static_cast<U>(next(part<U>(m), part<U>(d)))}; },
             wide});
    };
    add("add_u", [](U m, U d) { return m + d; });
    add("sub_u", [](U m, U d) { return m - d; });
    add("min_i", [](U m, U d) { return part<S>(m) < part<S>(d) ? m : d; });
    add("max_i", [](U m, U d) { return part<S>(m) > part<S>(d) ? m : d; });
    add("min_u", [](U m, U d) { return std::min(m, d); });
    add("max_u", [](U m, U d) { return std::max(m, d); });
    add("and_b", [](U m, U d) { return m & d; });
    add("or_b", [](U m, U d) { return m | d; });
    add("xor_b", [](U m, U d) { return m ^ d; });
    add("inc_u", [](U m, U d) { return m >= d ? U{0} : m + 1; });
    add("dec_u", [](U m, U d) { return m == 0 || m > d ? d : m - 1; });
}

std::vector<atomic_case> common_atomics() {
    std::vector<atomic_case> all;
    add_integers<u32>(all);
    add_integers<u64>(all);
    all.push_back({"sub_clamp_u32", [](u64 m, u64 d) {
                       return low(m) < low(d) ? 0 : m - d;
                   }});
    all.push_back({"cond_sub_u32", [](u64 m, u64 d) {
                       return low(m) < low(d) ? m : m - d;
                   }});
    all.push_back({"add_f32", [](u64 m, u64 d) {
                       return bits(f32(low(m)) + f32(low(d)));
                   }});
    all.push_back({"min_num_f32", [](u64 m, u64 d) {
                       return bits(num_min(f32(low(m)), f32(low(d))));
                   }});
    all.push_back({"max_num_f32", [](u64 m, u64 d) {
                       return bits(num_max(f32(low(m)), f32(low(d))));
                   }});
    all.push_back({"pk_add_f16", [](u64 m, u64 d) {
                       return each_half(m, d, add_halves);
                   }});
    all.push_back({"pk_add_bf16", [](u64 m, u64 d) {
                       return each_half(m, d, add_bf16s);
                   }});
    return all;
}
const auto take_data = [](u64, u64 d) {
    return d;
};
double f64_of(u64 x) {
    return std::bit_cast<double>(x);
}

/// Names as memory instructions have them; LDS has "rtn" in the middle, or nothing.
std::vector<atomic_case> atomics_of(const std::string& space) {
    std::vector<atomic_case> all = common_atomics();
    if (space != "ds") {
        all.push_back({"swap_b32", take_data});
        all.push_back({"swap_b64", take_data, true});
        return all;
    }
    all.push_back({"rsub_u32", [](u64 m, u64 d) {
                       return u64{low(d - m)};
                   }});
    all.push_back({"rsub_u64", [](u64 m, u64 d) { return d - m; }, true});
    const auto lower = [](u64 m, u64 d) {
        return f64_of(m) < f64_of(d) || f64_of(d) != f64_of(d) ? m : d;
    };
    const auto upper = [](u64 m, u64 d) {
        return f64_of(m) > f64_of(d) || f64_of(d) != f64_of(d) ? m : d;
    };
    all.push_back({"min_num_f64", lower, true});
    all.push_back({"max_num_f64", upper, true});
    return all;
}

bool both_nan(const atomic_case& c, u64 got, u64 want) {
    if (c.name.ends_with("f64")) return std::isnan(f64_of(got)) && std::isnan(f64_of(want));
    if (c.name.ends_with("bf16"))
        return each_half(got, want, [](u32 a, u32 b) -> u32 {
                   return a == b || (std::isnan(f32(a << 16)) && std::isnan(f32(b << 16)));
               }) == 0x10001;
    if (c.name.ends_with("pk_add_f16"))
        return each_half(got, want, [](u32 a, u32 b) -> u32 {
                   return a == b || (std::isnan(from_half(a)) && std::isnan(from_half(b)));
               }) == 0x10001;
    return c.name.ends_with("f32") && std::isnan(f32(low(got))) && std::isnan(f32(low(want)));
}

const std::string load_input = "  global_load_b128 v[5:8], v10, s[0:1]\n  s_wait_loadcnt 0x0\n";

/// Old value to v[3:4] where `returned`, new value to v[1:2].
std::string kernel_text(const std::string& space, const atomic_case& c, bool returned) {
    const std::string data = c.wide ? "v[7:8]" : "v7", old = c.wide ? "v[3:4]" : "v3";
    if (space == "ds") {
        const std::size_t split = c.name.rfind('_');
        const std::string name =
            returned ? c.name.substr(0, split) + "_rtn" + c.name.substr(split) : c.name;
        return load_input + "  ds_store_b64 v10, v[5:6]\n  ds_" + name + " " +
               (returned ? old + ", " : "") + "v10, " + data + "\n  ds_load_b64 v[1:2], v10\n" +
               wait + save;
    }
    const std::string back = returned ? " th:TH_ATOMIC_RETURN" : "";
    const std::string name = space + "_atomic_" + c.name + " ";
    std::string text = load_input + "  global_store_b64 v10, v[5:6], s[2:3]\n"
                                    "  s_wait_storecnt 0x0\n";
    if (space == "global")
        text += name + (returned ? old + ", " : "") + "v10, " + data + ", s[2:3]" + back + "\n";
    else if (space == "flat")
        text += name + (returned ? old + ", " : "") + "v[14:15], " + data + back + "\n";
    else
        text += "  s_mov_b64 s[4:5], s[2:3]\n  s_movk_i32 s6, 0x200\n  s_mov_b32 s7, 0x31004000\n"
                "  v_mov_b32 v3, v7\n  v_mov_b32 v4, v8\n  " +
                name + old + ", v10, s[4:7], null offen" + back + "\n";
    return text + wait + "  s_wait_storecnt 0x0\n  global_load_b64 v[1:2], v10, s[2:3]\n" + wait +
           save;
}

void check_atomics(const std::string& space) {
    workbench bench;
    const auto cases = atomics_of(space);
    for (const atomic_case& c : cases)
        for (const bool returned : {false, true})
            bench.add(c.name + (returned ? "_old" : "_none"),
                      setup() + kernel_text(space, c, returned), {.lds_bytes = 512});
    ASSERT_TRUE(bench.build());
    const auto input = random_bytes(13003, lanes * 16);
    const u64 from = bench.upload(input), to = bench.device().allocate(lanes * 16);
    for (const atomic_case& c : cases) {
        for (const bool returned : {false, true}) {
            const auto result =
                bench.run(c.name + (returned ? "_old" : "_none"), 1, lanes, addresses({from, to}));
            ASSERT_TRUE(result.faults.empty()) << space << c.name << describe(result.faults);
            const auto out = bench.download<u32>(to, lanes * 4);
            for (u32 l = 0; l < lanes; ++l) {
                const u8* in = &input[16 * l];
                const u64 old = c.wide ? pair(word_at(in), word_at(in + 4)) : word_at(in);
                const u64 data = c.wide ? pair(word_at(in + 8), word_at(in + 12)) : word_at(in + 8);
                const u64 next = c.wide ? c.next(old, data) : low(c.next(old, data));
                const u64 got = c.wide ? pair(out[4 * l], out[4 * l + 1]) : out[4 * l];
                const u64 before = c.wide ? pair(out[4 * l + 2], out[4 * l + 3]) : out[4 * l + 2];
                ASSERT_TRUE(got == next || both_nan(c, got, next))
                    << space << " " << c.name << std::hex << " of " << old << " and " << data
                    << ": " << got << ", not " << next;
                if (returned) ASSERT_EQ(before, old) << space << " " << c.name;
            }
        }
    }
}

TEST(atomics, global) {
    check_atomics("global");
}
TEST(atomics, flat) {
    check_atomics("flat");
}
TEST(atomics, buffer) {
    check_atomics("buffer");
}
TEST(atomics, local) {
    check_atomics("ds");
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
