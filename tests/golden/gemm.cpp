// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// GEMM programs through r9v::reference against the golden values. All inputs are exact in half and
// bf16, so the results may differ by the rounding of the store alone.
#include <r9v/gemm.hpp>

#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

constexpr index_t m = 9;
constexpr index_t n = 20;
constexpr index_t k = 40;
constexpr index_t batches = 2;

const golden_file& file() {
    static const golden_file values{"gemm.txt"};
    return values;
}

template<class T>
std::vector<T> values(const std::string& name) {
    std::vector<T> made;
    for (const double value : file()[name])
        made.push_back(r9v::from_double<T>(value));
    return made;
}

/// The tensors that programs of element type T are made of.
template<class T>
struct inputs {
    std::vector<T> x_values = values<T>("x");
    std::vector<T> w_values = values<T>("w");
    std::vector<T> v_values = values<T>("v");
    std::vector<float> bias_values = values<float>("bias");
    std::vector<float> second_bias_values = values<float>("second_bias");
    std::vector<float> row_values = values<float>("row");
    std::vector<float> column_values = values<float>("columns");
    std::vector<T> residual_values = values<T>("residual");

    host_tensor<const T, 2> x{x_values.data(), {m, k}};
    host_tensor<const T, 2> w{w_values.data(), {n, k}};
    host_tensor<const T, 2> v{v_values.data(), {n, k}};
    host_tensor<const T, 3> xs{x_values.data(), {batches, m, k}};
    host_tensor<const T, 3> ws{w_values.data(), {batches, n, k}};
    host_tensor<const T, 2> x_upright{x_values.data(), {k, m}};
    host_tensor<const T, 2> w_upright{w_values.data(), {k, n}};
    host_tensor<const float, 1> bias{bias_values.data(), {n}};
    host_tensor<const float, 1> second_bias{second_bias_values.data(), {n}};
    host_tensor<const float, 1> row{row_values.data(), {m}};
    host_tensor<const float, 1> columns{column_values.data(), {k}};
    host_tensor<const T, 2> residual{residual_values.data(), {m, n}};
};

/// Runs `program | store(y)` and compares y, of element type Y, with the golden values. Narrow
/// results have to be equal, since the golden values are on their grid.
template<class Y = float, class Program>
void expect_program(const std::string& name, const Program& program) {
    const auto& wanted = file()[name];
    std::vector<Y> y(m * n, r9v::from_double<Y>(-99));
    ASSERT_EQ(wanted.size(), y.size());
    launch(r9v::reference, program | r9v::store(host_tensor{y.data(), {m, n}}));
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double relative = std::is_same_v<Y, float> ? r9v::element<float>::epsilon * 1.01 : 0;
        expect_golden(name, i, r9v::to_double(y[i]), wanted[i], relative, 1e-14);
    }
}

template<class Program>
void expect_batches(const std::string& name, const Program& program) {
    const auto& wanted = file()[name];
    std::vector<float> y(batches * m * n, -99.0f);
    ASSERT_EQ(wanted.size(), y.size());
    launch(r9v::reference, program | r9v::store(host_tensor{y.data(), {batches, m, n}}));
    for (std::size_t i = 0; i < y.size(); ++i)
        expect_golden(name, i, static_cast<double>(y[i]), wanted[i], 0, 0);
}

template<class T>
void expect_layouts_and_batches() {
    const inputs<T> in;
    expect_program("plain", gemm(in.x, in.w));
    expect_program("weights_kn", gemm(in.x, transposed(in.w_upright)));
    expect_program("rows_km", gemm(transposed(in.x_upright), in.w));
    expect_batches("batched", gemm(in.xs, in.ws));
    expect_batches("shared_weights", gemm(in.xs, in.w));
    expect_batches("shared_rows", gemm(in.x, in.ws));
}

TEST(golden_gemm, layouts_and_batches) {
    expect_layouts_and_batches<r9v::half>();
    expect_layouts_and_batches<r9v::bf16>();
}

template<class T>
void expect_epilogues() {
    const inputs<T> in;
    using namespace r9v;
    expect_program("fused", gemm(in.x, in.w) | bias(in.bias) | residual(in.residual) | silu());
    expect_program("ordered", gemm(in.x, in.w) | silu() | bias(in.bias) | residual(in.residual));
    expect_program("swiglu", gemm(in.x, both(in.w, in.v)) | swiglu());
    expect_program("swiglu_biases", gemm(in.x, both(in.w, in.v)) |
                                        each(bias(in.bias), bias(in.second_bias)) | swiglu());
    expect_program("chain", gemm(in.x, in.w) | scale(1.0 / 16) | r9v::tanh() |
                                scale_shift(per_row(in.row), in.bias) | scale(2) | add(-0.5) |
                                gelu() | residual(in.residual) | clamp(-1.5, 2) | hard_swish() |
                                mul(in.residual));
}

TEST(golden_gemm, epilogues) {
    expect_epilogues<r9v::half>();
    expect_epilogues<r9v::bf16>();
}

TEST(golden_gemm, prologues) {
    const inputs<r9v::half> in;
    using namespace r9v;
    expect_program(
        "prologue",
        gemm(in.x | scale(per_row(in.row)) | add(per_column(in.columns)) | silu(), in.w));
    expect_program("prologue_exp", gemm(in.x | r9v::exp(), in.w));
}

TEST(golden_gemm, quantized_results) {
    const inputs<r9v::half> in;
    using namespace r9v;
    expect_program<std::int8_t>("int8", gemm(in.x, in.w) | quantize(0.37f, 4));
    expect_program<std::int8_t>("int8", gemm(in.x, in.w) | quantize<std::int8_t>(0.37f, 4));
    expect_program<std::int8_t>("int8_rows", gemm(in.x, in.w) | quantize(per_row(in.row)));
    expect_program<fp8_e4m3>("e4m3", gemm(in.x, in.w) | quantize(0.37f));
    expect_program<fp8_e5m2>("e5m2", gemm(in.x, in.w) | quantize(0.37f));
}

TEST(golden_gemm, taps) {
    const inputs<r9v::half> in;
    using namespace r9v;
    const auto nan = numeric::from_opaque_bits<float>(0x7fc00000u);
    std::vector<float> largest(1, nan);
    std::vector<float> largest_rows(m, nan);
    std::vector<float> sums(m, nan);
    std::vector<float> squares(m, nan);
    std::uint64_t report = 0;
    expect_program("plain", gemm(in.x, in.w) | absmax(host_tensor{largest.data(), {1}}) |
                                absmax_rows(host_tensor{largest_rows.data(), {m}}) |
                                sum_rows(host_tensor{sums.data(), {m}}) |
                                sum_squares_rows(host_tensor{squares.data(), {m}}) |
                                find_nonfinite(host_tensor{&report, {1}}));
    const auto expect = [](const std::string& name, const std::vector<float>& found) {
        ASSERT_EQ(found.size(), file()[name].size());
        for (std::size_t i = 0; i < found.size(); ++i)
            expect_golden(name, i, static_cast<double>(found[i]), file()[name][i], 6e-8, 0);
    };
    expect("absmax", largest);
    expect("absmax_rows", largest_rows);
    expect("sum_rows", sums);
    expect("sum_squares_rows", squares);
    EXPECT_FALSE(first_nonfinite(report, {1, m, n}));
}

TEST(golden_gemm, tee_and_store_see_their_places) {
    const inputs<r9v::half> in;
    std::vector<float> copy(m * n);
    expect_program("fused", gemm(in.x, in.w) | r9v::tee(host_tensor{copy.data(), {m, n}}) |
                                r9v::bias(in.bias) | r9v::residual(in.residual) | r9v::silu());
    for (std::size_t i = 0; i < copy.size(); ++i)
        expect_golden("plain", i, static_cast<double>(copy[i]), file()["plain"][i], 0, 0);
}

} // namespace
