// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <cmath>
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

constexpr r9v::extents size{2, 3, 21};

template<class Make, class Formula>
void expect_gate(Make make, Formula formula) {
    const grid a = random_grid(size, 31);
    const grid b = random_grid(size, 32);
    const auto wanted = [&](index_t batch, index_t r, index_t c) {
        return formula(a.at(batch, r, c), b.at(batch, r, c), c);
    };
    expect_values(evaluated(make, a, b), size, wanted, 2);
    const auto narrow = evaluated<float_math>(make, a, b);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
        const double exact =
            formula(a.values[i], b.values[i], static_cast<index_t>(i) % size.columns);
        EXPECT_NEAR(static_cast<double>(narrow[i]), exact, 1e-6 * std::fabs(exact) + 2e-6);
    }
}

double logistic(double x) {
    return 1 / (1 + std::exp(-x));
}

TEST(gate, the_first_result_is_the_gate) {
    expect_gate([] { return r9v::glu(); },
                [](double a, double b, index_t) { return logistic(a) * b; });
    expect_gate([] { return r9v::reglu(); },
                [](double a, double b, index_t) { return a > 0 ? a * b : 0.0; });
    expect_gate(
        [] { return r9v::geglu(); },
        [](double a, double b, index_t) { return 0.5 * a * std::erfc(-a / std::sqrt(2.0)) * b; });
    expect_gate([] { return r9v::geglu_tanh(); },
                [](double a, double b, index_t) {
                    const double z = std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a);
                    return 0.5 * a * (1 + std::tanh(z)) * b;
                });
    expect_gate([] { return r9v::swiglu(); },
                [](double a, double b, index_t) { return a * logistic(a) * b; });
}

TEST(gate, maps_in_front_run_on_both) {
    expect_gate([] { return r9v::scale(0.5) | r9v::add(1) | r9v::reglu(); },
                [](double a, double b, index_t) { return std::max(a / 2 + 1, 0.0) * (b / 2 + 1); });
}

TEST(gate, each_runs_one_op_on_each) {
    const auto v = random_values(21, 33);
    const auto w = random_values(21, 34);
    const auto at = [](const auto& values, index_t c) {
        return static_cast<double>(values[static_cast<std::size_t>(c)]);
    };
    expect_gate(
        [&] {
            return r9v::each(r9v::bias(host_tensor{v.data(), {21}}),
                             r9v::bias(host_tensor{w.data(), {21}})) |
                   r9v::each(r9v::scale(2), r9v::scale(3)) | r9v::reglu() | r9v::add(1);
        },
        [&](double a, double b, index_t c) {
            return std::max(2 * (a + at(v, c)), 0.0) * 3 * (b + at(w, c)) + 1;
        });
}

TEST(gate, each_shows_the_tensors_of_both) {
    const float values[4] = {};
    const auto op = r9v::each(r9v::bias(host_tensor{values, {4}}),
                              r9v::scale(r9v::per_row(host_tensor{values, {4}})));
    std::vector<std::string> names;
    op.visit_operands([&](const char* name, const auto&, r9v::access) { names.push_back(name); });
    EXPECT_EQ(names, (std::vector<std::string>{"bias", "scale"}));
    static_assert(decltype(op)::memory == r9v::space::host);
}

} // namespace
