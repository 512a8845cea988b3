// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// gfx11: the instructions that gfx12 renamed, and the ones that it dropped.
#include "arithmetic.hpp"
#include "control.hpp"
#include "scalar.hpp"
#include "tables.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

struct renamed {
    std::string_view from, to;
};
constexpr renamed names[] = {
    {"s_add_u32", "s_add_co_u32"},
    {"s_sub_u32", "s_sub_co_u32"},
    {"s_add_i32", "s_add_co_i32"},
    {"s_sub_i32", "s_sub_co_i32"},
    {"s_addc_u32", "s_add_co_ci_u32"},
    {"s_subb_u32", "s_sub_co_ci_u32"},
    {"s_addk_i32", "s_addk_co_i32"},
    {"s_min_f32", "s_min_num_f32"},
    {"s_max_f32", "s_max_num_f32"},
    {"s_min_f16", "s_min_num_f16"},
    {"s_max_f16", "s_max_num_f16"},
    {"v_mad_u64_u32", "v_mad_co_u64_u32"},
    {"v_mad_i64_i32", "v_mad_co_i64_i32"},
    {"v_min_f16", "v_min_num_f16"},
    {"v_max_f16", "v_max_num_f16"},
    {"v_min_f32", "v_min_num_f32"},
    {"v_max_f32", "v_max_num_f32"},
    {"v_min_f64", "v_min_num_f64"},
    {"v_max_f64", "v_max_num_f64"},
    {"v_pk_min_f16", "v_pk_min_num_f16"},
    {"v_pk_max_f16", "v_pk_max_num_f16"},
    {"v_min3_f16", "v_min3_num_f16"},
    {"v_max3_f16", "v_max3_num_f16"},
    {"v_med3_f16", "v_med3_num_f16"},
    {"v_min3_f32", "v_min3_num_f32"},
    {"v_max3_f32", "v_max3_num_f32"},
    {"v_med3_f32", "v_med3_num_f32"},
    {"v_minmax_f16", "v_minmax_num_f16"},
    {"v_maxmin_f16", "v_maxmin_num_f16"},
    {"v_minmax_f32", "v_minmax_num_f32"},
    {"v_maxmin_f32", "v_maxmin_num_f32"},
    {"ds_min_f32", "ds_min_num_f32"},
    {"ds_max_f32", "ds_max_num_f32"},
    {"ds_min_rtn_f32", "ds_min_num_rtn_f32"},
    {"ds_max_rtn_f32", "ds_max_num_rtn_f32"},
    {"ds_min_f64", "ds_min_num_f64"},
    {"ds_max_f64", "ds_max_num_f64"},
    {"ds_min_rtn_f64", "ds_min_num_rtn_f64"},
    {"ds_max_rtn_f64", "ds_max_num_rtn_f64"},
    {"global_atomic_min_f32", "global_atomic_min_num_f32"},
    {"global_atomic_max_f32", "global_atomic_max_num_f32"},
    {"global_atomic_csub_u32", "global_atomic_sub_clamp_u32"},
    {"flat_atomic_min_f32", "flat_atomic_min_num_f32"},
    {"flat_atomic_max_f32", "flat_atomic_max_num_f32"},
    {"buffer_atomic_min_f32", "buffer_atomic_min_num_f32"},
    {"buffer_atomic_max_f32", "buffer_atomic_max_num_f32"},
    {"buffer_atomic_csub_u32", "buffer_atomic_sub_clamp_u32"},
};

/// 0 times anything is 0; the accumulator then stays as it is.
float fma_dx9(float a, float b, float c) {
    return a == 0 || b == 0 ? c : __builtin_fmaf(a, b, c);
}

template<class T, bool Always>
struct constant_compare {
    bool operator()(T, T) const { return Always; }
};

constexpr instruction hint(std::string_view name, format layout = format::immediate) {
    return {name, layout, op_class::other, &do_nothing, &do_nothing};
}

#define COMPARE_BY(suffix, type, test)                                                             \
    scalar_op<scalar_options{.writes_scc = true}>(                                                 \
        "s_cmpk_" suffix, [](wave& w, type a, simm16 k) {                                          \
            const type b = std::is_signed_v<type> ? static_cast<type>(k.value)                     \
                                                  : static_cast<type>(static_cast<u16>(k.value));  \
            w.scc = a test b;                                                                      \
        })
#define COMPARES(suffix, type)                                                                     \
    COMPARE_BY("eq_" suffix, type, ==), COMPARE_BY("lg_" suffix, type, !=),                        \
        COMPARE_BY("gt_" suffix, type, >), COMPARE_BY("ge_" suffix, type, >=),                     \
        COMPARE_BY("lt_" suffix, type, <), COMPARE_BY("le_" suffix, type, <=)
#define CONSTANT(suffix, type)                                                                     \
    vector_op("v_cmp_f_" suffix, constant_compare<type, false>{}),                                 \
        vector_op("v_cmpx_f_" suffix, constant_compare<type, false>{}),                            \
        vector_op("v_cmp_t_" suffix, constant_compare<type, true>{}),                              \
        vector_op("v_cmpx_t_" suffix, constant_compare<type, true>{})

constexpr instruction table[] = {
    COMPARES("i32", i32),
    COMPARES("u32", u32),
    CONSTANT("f16", half),
    CONSTANT("f32", float),
    CONSTANT("f64", double),
    CONSTANT("i32", i32),
    CONSTANT("u32", u32),
    CONSTANT("i64", i64),
    CONSTANT("u64", u64),
    vector_op("v_fmac_dx9_zero_f32", [](float a, float b, float c) { return fma_dx9(a, b, c); },
              {.reads_dst = true}),
    {"buffer_gl0_inv", format::immediate, op_class::other, &do_nothing,
     [](wave& w, const op&) {
         acquire(w);
     }},
    hint("buffer_gl1_inv"),
    hint("s_gl1_inv"),
    hint("s_set_inst_prefetch_distance"),
    hint("s_waitcnt_depctr"),
    // Taken only under a debugger.
    hint("s_cbranch_cdbgsys"),
    hint("s_cbranch_cdbguser"),
    hint("s_cbranch_cdbgsys_or_user"),
    hint("s_cbranch_cdbgsys_and_user"),
};

#undef COMPARE_BY
#undef COMPARES
#undef CONSTANT

} // namespace

std::string_view rdna4_name(std::string_view rdna3_name) {
    const auto found = std::ranges::find(names, rdna3_name, &renamed::from);
    return found == std::end(names) ? std::string_view{} : found->to;
}

instruction_table rdna3_table() {
    return table;
}

} // namespace r9v_emulator
