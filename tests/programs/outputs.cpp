// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Gates, narrow result types, several outputs, statistics on the way.

#include "program_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

template<class Element, class Result, layout W = layout::row_major, class Chain>
void check_gate(const Chain& ops, error_growth growth = {}) {
    check_program<Element>(
        [=](auto memory, const shape& s) {
            auto x = memory.template input<Element>({s.m, s.k});
            auto gate = memory.template input<Element, W>({s.n, s.k});
            auto up = memory.template input<Element, W>({s.n, s.k});
            auto y = memory.template output<Result>({s.m, s.n});
            return gemm(x, both(gate, up)) | ops(memory, s) | store(y);
        },
        random_shapes(4), growth);
}

/// The gain of a product of two results: each may be as large as k times the magnitude.
constexpr error_growth product{.gain = 60};

} // namespace

TEST(programs_gates, swiglu) {
    check_gate<half, half>([](auto&, const shape&) { return swiglu() | scale(1.0f); }, product);
}
TEST(programs_gates, swiglu_kn_bf16) {
    check_gate<bf16, bf16, layout::column_major>(
        [](auto&, const shape&) { return swiglu() | scale(1.0f); }, product);
}
TEST(programs_gates, glu_with_bias_for_each) {
    check_gate<half, float>(
        [](auto& memory, const shape& s) {
            return each(bias(memory.template input<half>({s.n})),
                        bias(memory.template input<half>({s.n}))) |
                   glu();
        },
        product);
}
TEST(programs_gates, reglu_scaled) {
    check_gate<half, half>([](auto&, const shape&) { return scale(0.5f) | reglu(); }, product);
}
TEST(programs_gates, geglu_both_kinds) {
    check_gate<half, float>([](auto&, const shape&) { return geglu() | soft_cap(10.0f); }, product);
    check_gate<half, float>([](auto&, const shape&) { return geglu_tanh() | soft_cap(10.0f); },
                            product);
}
TEST(programs_gates, gated_layer_with_outputs) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto gate = memory.template input<half>({s.n, s.k});
            auto up = memory.template input<half>({s.n, s.k});
            auto h16 = memory.template output<half>({s.m, s.n});
            auto amax = memory.template output<float>({s.m});
            auto h = memory.template output<fp8_e4m3>({s.m, s.n});
            return gemm(x, both(gate, up)) | swiglu() | tee(h16) | absmax_rows(amax) | store(h);
        },
        random_shapes(4), product);
}

namespace {

template<class Result, class Chain>
void check_narrow(const Chain& ops, error_growth growth = {}) {
    check_program<half>(
        [=](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto y = memory.template output<Result>({s.m, s.n}, {.padding = 1});
            return gemm(x, w) | ops(memory, s) | store(y);
        },
        random_shapes(4), growth);
}

} // namespace

TEST(programs_quantize, fp8_e4m3_static_step) {
    check_narrow<fp8_e4m3>([](auto&, const shape&) { return silu() | quantize(0.01f); },
                           {.gain = 110});
}
TEST(programs_quantize, fp8_e5m2_per_column) {
    check_narrow<fp8_e5m2>(
        [](auto& memory, const shape& s) {
            return relu() | quantize(per_column(
                                memory.template input<float>({s.n}, {}, {.low = 0.1, .high = 1})));
        },
        {.gain = 10});
}
TEST(programs_quantize, int8_with_zero_point) {
    check_narrow<std::int8_t>(
        [](auto& memory, const shape& s) {
            return quantize(
                per_row(memory.template input<float>({s.m}, {}, {.low = 0.02, .high = 1})), 3.0f);
        },
        {.gain = 50});
}
TEST(programs_quantize, uint8_saturates) {
    check_narrow<std::uint8_t>(
        [](auto&, const shape&) { return scale(40.0f) | quantize(0.5f, 128.0f); }, {.gain = 80});
}
TEST(programs_quantize, to_a_grid_and_two_outputs) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto copy = memory.template output<std::int32_t>({s.m, s.n});
            auto y = memory.template output<std::int8_t>({s.m, s.n});
            return gemm(x, w) | quantize<std::int8_t>(0.25f, 1) | tee(copy) | store(y);
        },
        random_shapes(4), {.gain = 4});
}
// The same random bits on both sides: results differ by a unit where the sums do.
TEST(programs_quantize, stochastic_rounding) {
    check_narrow<fp8_e4m3>(
        [](auto&, const shape&) { return quantize<fp8_e4m3>(0.125f, 0, rounding::stochastic{42}); },
        {.gain = 8});
}
TEST(programs_quantize, dequantize_groups) {
    check_narrow<half>(
        [](auto& memory, const shape& s) {
            return dequantize(per_group(memory.template input<float>({s.m, (s.n + 63) / 64}), 64),
                              per_column(memory.template input<float>({s.n})));
        },
        {.gain = 2});
}

TEST(programs_taps, rows) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto largest = memory.template output<float>({s.m});
            auto sums = memory.template output<float>({s.m});
            auto squares = memory.template output<float>({s.m});
            auto y = memory.template output<half>({s.m, s.n});
            return gemm(x, w) | absmax_rows(largest) | relu() | sum_rows(sums) |
                   sum_squares_rows(squares) | store(y);
        },
        random_shapes(6), {.gain = 8 * 257});
}
TEST(programs_taps, whole_tensor_and_batches) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({index_t{2}, s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto largest = memory.template output<float>({1});
            auto sums = memory.template output<float>({index_t{2}, s.m});
            auto y = memory.template output<half>({index_t{2}, s.m, s.n});
            return gemm(x, w) | absmax(largest) | sum_rows(sums) | store(y);
        },
        random_shapes(4), {.gain = 257});
}
TEST(programs_taps, first_nonfinite) {
    for (const float poison_value : {1.0f, 3e38f}) {
        check_program<half>(
            [=](auto memory, const shape& s) {
                auto x = memory.template input<half>({s.m, s.k});
                auto w = memory.template input<half>({s.n, s.k});
                auto report = memory.template output<std::uint64_t>({1});
                auto y = memory.template output<float>({s.m, s.n});
                return gemm(x, w) | map([=](auto v, const coordinate& at) {
                           return at.row() * 7 + at.column() * 3 >= 40 ? v * poison_value * 1e3f
                                                                       : v;
                       }) |
                       find_nonfinite(report) | store(y);
            },
            {{33, 48, 17}, {128, 200, 64}, {1, 16, 8}}, {.gain = 1e42});
    }
}

} // namespace r9v_test
