// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops of one value against the golden values, in double.
#include <r9v/ops.hpp>

#include <algorithm>
#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;

const golden_file& file() {
    static const golden_file values{"ops.txt"};
    return values;
}

template<class Op>
double value_of(const Op& op, double x) {
    return op(r9v::reference_math{}, r9v::run<double, 1>{{x}}, r9v::coordinate{})[0];
}

/// `exact` ops have to give the golden value; the others may differ by some units in the last place
/// of a double, or of what they subtract from each other near 0.
template<class Op>
void expect_op(const std::string& name, const Op& op, bool has_ends = true) {
    const auto& x = file()["x"];
    const auto& wanted = file()[name];
    ASSERT_EQ(x.size(), wanted.size()) << name;
    for (std::size_t i = 0; i < x.size(); ++i)
        expect_golden(name, i, value_of(op, x[i]), wanted[i], 1e-14,
                      4e-16 * std::min(std::fabs(x[i]), 10.0));
    if (!has_ends) return;
    const auto& ends = file()["ends"];
    for (std::size_t i = 0; i < ends.size(); ++i)
        expect_golden(name + ".ends", i, value_of(op, ends[i]), file()[name + ".ends"][i], 0, 0);
}

TEST(golden, activations) {
    expect_op("relu", r9v::relu());
    expect_op("relu6", r9v::relu6());
    expect_op("leaky_relu", r9v::leaky_relu());
    expect_op("leaky_relu_0.2", r9v::leaky_relu(0.2f));
    expect_op("elu", r9v::elu());
    expect_op("elu_1.5", r9v::elu(1.5f));
    expect_op("silu", r9v::silu());
    expect_op("gelu", r9v::gelu());
    expect_op("gelu_tanh", r9v::gelu_tanh());
    expect_op("quick_gelu", r9v::quick_gelu());
    expect_op("sigmoid", r9v::sigmoid());
    expect_op("tanh", r9v::tanh());
    expect_op("hard_swish", r9v::hard_swish());
    expect_op("hard_sigmoid", r9v::hard_sigmoid());
    expect_op("mish", r9v::mish());
    expect_op("softplus", r9v::softplus());
    expect_op("softplus_2_8", r9v::softplus(2, 8));
    expect_op("abs", r9v::abs());
    expect_op("square", r9v::square());
    expect_op("exp", r9v::exp());
    expect_op("soft_cap_30", r9v::soft_cap(30));
    expect_op("clamp_-1_2.5", r9v::clamp(-1, 2.5));
    expect_op("prelu_0.2", r9v::prelu(0.2f));
}

TEST(golden, activation_by_kind) {
    using enum r9v::activation_kind;
    const std::pair<const char*, r9v::activation_kind> kinds[] = {
        {"relu", relu},
        {"relu6", relu6},
        {"leaky_relu", leaky_relu},
        {"elu", elu},
        {"silu", silu},
        {"gelu", gelu},
        {"gelu_tanh", gelu_tanh},
        {"quick_gelu", quick_gelu},
        {"sigmoid", sigmoid},
        {"tanh", tanh},
        {"hard_swish", hard_swish},
        {"hard_sigmoid", hard_sigmoid},
        {"mish", mish},
        {"softplus", softplus},
        {"abs", abs},
        {"square", square},
        {"exp", exp},
    };
    for (const auto& [name, kind] : kinds)
        expect_op(name, r9v::activation(kind));
}

TEST(golden, arithmetic_with_numbers) {
    expect_op("scale_0.3", r9v::scale(0.3f));
    expect_op("scale_shift_0.3_-2", r9v::scale_shift(0.3f, -2));
    expect_op("add_1.5", r9v::add(1.5));
    expect_op("mul_-3", r9v::mul(-3));
    const auto cube = [](auto v) {
        return v * v * v;
    };
    expect_op("map_cube", r9v::map(cube));
}

TEST(golden, quantization) {
    expect_op("quantize_0.1", r9v::quantize(0.1f));
    expect_op("quantize_0.1_3", r9v::quantize(0.1f, 3));
    expect_op("quantize_int8_0.1_3", r9v::quantize<std::int8_t>(0.1f, 3), false);
    expect_op("quantize_e4m3_0.05", r9v::quantize<r9v::fp8_e4m3>(0.05f, 0));
    expect_op("quantize_e5m2_0.05", r9v::quantize<r9v::fp8_e5m2>(0.05f, 0));
    expect_op("dequantize_0.1", r9v::dequantize(0.1f));
    expect_op("dequantize_0.1_3", r9v::dequantize(0.1f, 3));
}

} // namespace
