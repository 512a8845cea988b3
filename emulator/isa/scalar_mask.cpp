// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar logic (masks of lanes) and compares.
#include "scalar.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

constexpr scalar_options bits{.writes_scc = true, .taints = rule::bytes};
constexpr scalar_options ands{.writes_scc = true, .taints = rule::bytes_and};
constexpr scalar_options ors{.writes_scc = true, .taints = rule::bytes_or};
constexpr scalar_options and_nots{.writes_scc = true, .taints = rule::and_not};
constexpr scalar_options or_nots{.writes_scc = true, .taints = rule::or_not};
constexpr scalar_options compares{.writes_scc = true};

template<class T>
T with_scc(wave& w, T result) {
    w.scc = result != 0;
    return result;
}

/// Old EXEC goes to the destination, EXEC takes the new mask.
template<class F>
u32 save_exec(wave& w, u32 a, F f) {
    const u32 old = w.exec();
    w.s[exec_number] = f(a, old);
    w.scc = w.exec() != 0;
    return old;
}
void set_exec(wave& w, u32 value) {
    w.s[exec_number] = value;
    w.scc = value != 0;
}

/// The mask that a saveexec puts into EXEC must not be poison.
template<class F>
struct save_exec_executor : scalar_executor<F, scalar_options{.writes_scc = true}> {
    using base = scalar_executor<F, scalar_options{.writes_scc = true}>;
    /// Bits of the new EXEC that change when the poison bits of the source do.
    static u32 poison_in_exec(wave& w, const op& o, u32 poison) {
        const u32 exec = w.exec(), value = w.s[o.src[0] - scalar_first];
        const u32 old = w.s[o.dst - scalar_first];
        const u8 scc = w.scc;
        u32 made[2];
        for (u32 flip = 0; flip < 2; ++flip) {
            w.s[o.src[0] - scalar_first] = flip ? value ^ poison : value;
            base::plain(w, o);
            made[flip] = w.exec();
            w.s[o.dst - scalar_first] = old;
            w.s[exec_number] = exec;
        }
        w.s[o.src[0] - scalar_first] = value;
        w.scc = scc;
        return made[0] ^ made[1];
    }
    static void strict(wave& w, const op& o) {
        if (o.src[0] < constant_index && w.taints[o.src[0]].plane[0]) {
            check_pending(w, o, o.src[0], 1, false);
            const u32 poison = w.taints[o.src[0]].plane[0];
            const u32 bad = poison ? poison_in_exec(w, o, poison) : 0;
            if (bad) report_poison(w, o, "EXEC", bad);
            if (poison) w.taints[o.src[0]] = taint{};
        }
        base::strict(w, o);
    }
};
template<class F>
constexpr instruction save_exec_op(std::string_view name, F) {
    instruction e = save_exec_executor<F>::entry(name);
    e.strict = &save_exec_executor<F>::strict;
    return e;
}

constexpr instruction mask_table[] = {
    scalar_op<ands>("s_and_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a & b); }),
    scalar_op<ands>("s_and_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, a & b); }),
    scalar_op<ors>("s_or_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a | b); }),
    scalar_op<ors>("s_or_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, a | b); }),
    scalar_op<bits>("s_xor_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a ^ b); }),
    scalar_op<bits>("s_xor_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, a ^ b); }),
    scalar_op<ands>("s_nand_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, ~(a & b)); }),
    scalar_op<ands>("s_nand_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, ~(a & b)); }),
    scalar_op<ors>("s_nor_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, ~(a | b)); }),
    scalar_op<ors>("s_nor_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, ~(a | b)); }),
    scalar_op<bits>("s_xnor_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, ~(a ^ b)); }),
    scalar_op<bits>("s_xnor_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, ~(a ^ b)); }),
    scalar_op<and_nots>("s_and_not1_b32",
                        [](wave& w, u32 a, u32 b) { return with_scc(w, a & ~b); }),
    scalar_op<and_nots>("s_and_not1_b64",
                        [](wave& w, u64 a, u64 b) { return with_scc(w, a & ~b); }),
    scalar_op<or_nots>("s_or_not1_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a | ~b); }),
    scalar_op<or_nots>("s_or_not1_b64", [](wave& w, u64 a, u64 b) { return with_scc(w, a | ~b); }),
    scalar_op<bits>("s_not_b32", [](wave& w, u32 a) { return with_scc(w, ~a); }),
    scalar_op<bits>("s_not_b64", [](wave& w, u64 a) { return with_scc(w, ~a); }),
    // Whole quads: any active lane of four switches all four on.
    scalar_op<compares>("s_wqm_b32",
                        [](wave& w, u32 a) {
                            u32 r = 0;
                            for (unsigned q = 0; q < 32; q += 4)
                                r |= a >> q & 15 ? 15u << q : 0;
                            return with_scc(w, r);
                        }),
    scalar_op<compares>("s_quadmask_b32",
                        [](wave& w, u32 a) {
                            u32 r = 0;
                            for (unsigned q = 0; q < 8; ++q)
                                r |= a >> (4 * q) & 15 ? 1u << q : 0;
                            return with_scc(w, r);
                        }),
    save_exec_op(
        "s_and_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return x & e; }); }),
    save_exec_op(
        "s_or_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return x | e; }); }),
    save_exec_op(
        "s_xor_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return x ^ e; }); }),
    save_exec_op(
        "s_nand_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return ~(x & e); }); }),
    save_exec_op(
        "s_nor_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return ~(x | e); }); }),
    save_exec_op(
        "s_xnor_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return ~(x ^ e); }); }),
    save_exec_op(
        "s_and_not0_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return ~x & e; }); }),
    save_exec_op(
        "s_and_not1_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return x & ~e; }); }),
    save_exec_op(
        "s_or_not0_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return ~x | e; }); }),
    save_exec_op(
        "s_or_not1_saveexec_b32",
        [](wave& w, u32 a) { return save_exec(w, a, [](u32 x, u32 e) { return x | ~e; }); }),
    save_exec_op("s_and_not0_wrexec_b32",
                 [](wave& w, u32 a) {
                     set_exec(w, ~a & w.exec());
                     return w.exec();
                 }),
    save_exec_op("s_and_not1_wrexec_b32",
                 [](wave& w, u32 a) {
                     set_exec(w, a & ~w.exec());
                     return w.exec();
                 }),
};

#define COMPARE(suffix, type)                                                                      \
    scalar_op<compares>("s_cmp_eq_" suffix, [](wave& w, type a, type b) { w.scc = a == b; }),      \
        scalar_op<compares>("s_cmp_lg_" suffix, [](wave& w, type a, type b) { w.scc = a != b; }),  \
        scalar_op<compares>("s_cmp_gt_" suffix, [](wave& w, type a, type b) { w.scc = a > b; }),   \
        scalar_op<compares>("s_cmp_ge_" suffix, [](wave& w, type a, type b) { w.scc = a >= b; }),  \
        scalar_op<compares>("s_cmp_lt_" suffix, [](wave& w, type a, type b) { w.scc = a < b; }),   \
        scalar_op<compares>("s_cmp_le_" suffix, [](wave& w, type a, type b) { w.scc = a <= b; })
#define FLOATING(suffix, type)                                                                     \
    scalar_op<compares>("s_cmp_eq_" suffix, [](wave& w, type a, type b) { w.scc = a == b; }),      \
        scalar_op<compares>("s_cmp_lg_" suffix,                                                    \
                            [](wave& w, type a, type b) { w.scc = a < b || a > b; }),              \
        scalar_op<compares>("s_cmp_gt_" suffix, [](wave& w, type a, type b) { w.scc = a > b; }),   \
        scalar_op<compares>("s_cmp_ge_" suffix, [](wave& w, type a, type b) { w.scc = a >= b; }),  \
        scalar_op<compares>("s_cmp_lt_" suffix, [](wave& w, type a, type b) { w.scc = a < b; }),   \
        scalar_op<compares>("s_cmp_le_" suffix, [](wave& w, type a, type b) { w.scc = a <= b; }),  \
        scalar_op<compares>("s_cmp_o_" suffix,                                                     \
                            [](wave& w, type a, type b) { w.scc = a == a && b == b; }),            \
        scalar_op<compares>("s_cmp_u_" suffix,                                                     \
                            [](wave& w, type a, type b) { w.scc = a != a || b != b; }),            \
        scalar_op<compares>("s_cmp_nge_" suffix,                                                   \
                            [](wave& w, type a, type b) { w.scc = !(a >= b); }),                   \
        scalar_op<compares>("s_cmp_nlg_" suffix,                                                   \
                            [](wave& w, type a, type b) { w.scc = !(a < b || a > b); }),           \
        scalar_op<compares>("s_cmp_ngt_" suffix,                                                   \
                            [](wave& w, type a, type b) { w.scc = !(a > b); }),                    \
        scalar_op<compares>("s_cmp_nle_" suffix,                                                   \
                            [](wave& w, type a, type b) { w.scc = !(a <= b); }),                   \
        scalar_op<compares>("s_cmp_neq_" suffix, [](wave& w, type a, type b) { w.scc = a != b; }), \
        scalar_op<compares>("s_cmp_nlt_" suffix,                                                   \
                            [](wave& w, type a, type b) { w.scc = !(a < b); })

constexpr instruction compare_entries[] = {
    COMPARE("i32", i32),
    COMPARE("u32", u32),
    scalar_op<compares>("s_cmp_eq_u64", [](wave& w, u64 a, u64 b) { w.scc = a == b; }),
    scalar_op<compares>("s_cmp_lg_u64", [](wave& w, u64 a, u64 b) { w.scc = a != b; }),
    scalar_op<compares>("s_bitcmp0_b32",
                        [](wave& w, u32 a, u32 b) { w.scc = !(a >> (b & 31) & 1); }),
    scalar_op<compares>("s_bitcmp1_b32", [](wave& w, u32 a, u32 b) { w.scc = a >> (b & 31) & 1; }),
    scalar_op<compares>("s_bitcmp0_b64",
                        [](wave& w, u64 a, u32 b) { w.scc = !(a >> (b & 63) & 1); }),
    scalar_op<compares>("s_bitcmp1_b64", [](wave& w, u64 a, u32 b) { w.scc = a >> (b & 63) & 1; }),
    FLOATING("f32", float),
    FLOATING("f16", half),
};

#undef COMPARE
#undef FLOATING

} // namespace

instruction_table scalar_mask_table() {
    return mask_table;
}
instruction_table scalar_compare_table() {
    return compare_entries;
}

} // namespace r9v_emulator
