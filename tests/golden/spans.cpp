// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Parameters along every span, gates and taps against the golden values, in double, in runs of
// every length.
#include <r9v/ops.hpp>

#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

constexpr index_t batches = 2;
constexpr index_t rows = 3;
constexpr index_t columns = 16;

const golden_file& file() {
    static const golden_file values{"ops.txt"};
    return values;
}

std::vector<float> floats(const std::string& name) {
    std::vector<float> values;
    for (const double value : file()[name])
        values.push_back(static_cast<float>(value));
    return values;
}

/// Calls `visit(coordinate, first element)` for every run of N.
template<int N, class Visit>
void for_each_run(Visit visit) {
    for (index_t b = 0; b < batches; ++b)
        for (index_t r = 0; r < rows; ++r)
            for (index_t c = 0; c < columns; c += N)
                visit(r9v::coordinate{.batch_base = b, .row_base = r, .column_base = c},
                      static_cast<std::size_t>((b * rows + r) * columns + c));
}

template<int N>
r9v::run<double, N> run_of(const std::vector<double>& values, std::size_t from) {
    r9v::run<double, N> x;
    for (int i = 0; i < N; ++i)
        x[i] = values[from + static_cast<std::size_t>(i)];
    return x;
}

template<int N, class Evaluate>
void expect_runs(const std::string& name, Evaluate evaluate) {
    const auto& wanted = file()[name];
    for_each_run<N>([&](const r9v::coordinate& at, std::size_t from) {
        const r9v::run<double, N> found = evaluate(at, from);
        for (int i = 0; i < N; ++i) {
            const std::size_t place = from + static_cast<std::size_t>(i);
            expect_golden(name, place, found[i], wanted.at(place), 1e-14, 4e-15);
        }
    });
}

template<int N, class Op>
void expect_op_at(const std::string& name, const Op& op) {
    expect_runs<N>(name, [&](const r9v::coordinate& at, std::size_t from) {
        return op(r9v::reference_math{}, run_of<N>(file()["grid.x"], from), at);
    });
}

template<class Op>
void expect_op(const std::string& name, const Op& op) {
    expect_op_at<1>(name, op);
    expect_op_at<2>(name, op);
    expect_op_at<4>(name, op);
    expect_op_at<8>(name, op);
}

/// The ops that take parameters, with the parameter made by `along` from a float tensor.
template<class Along>
void expect_parameter(const std::string& span, Along along, double shift = 0.25) {
    const std::vector<float> values = floats("grid." + span);
    std::vector<float> steps;
    for (const float v : values)
        steps.push_back(std::fabs(v) + 0.5f);
    const auto p = along(values.data());
    expect_op("add." + span, r9v::add(p));
    expect_op("mul." + span, r9v::mul(p));
    expect_op("mul." + span, r9v::scale(p));
    expect_op("prelu." + span, r9v::prelu(p));
    if (span == "per_column") {
        expect_op("scale_shift." + span, r9v::scale_shift(p, p));
    } else {
        expect_op("scale_shift." + span, r9v::scale_shift(p, shift));
    }
    expect_op("dequantize." + span, r9v::dequantize(p, 7));
    expect_op("quantize." + span, r9v::quantize(along(steps.data()), 7));
}

TEST(golden, parameters_along_every_span) {
    expect_parameter("per_tensor",
                     [](const float* p) { return r9v::per_tensor(host_tensor{p, {1}}); });
    expect_parameter("per_row",
                     [](const float* p) { return r9v::per_row(host_tensor{p, {rows}}); });
    expect_parameter("per_batch_row",
                     [](const float* p) { return r9v::per_row(host_tensor{p, {batches, rows}}); });
    expect_parameter("per_column",
                     [](const float* p) { return r9v::per_column(host_tensor{p, {columns}}); });
    expect_parameter("per_batch_column", [](const float* p) {
        return r9v::per_column(host_tensor{p, {batches, columns}});
    });
    expect_parameter("per_group",
                     [](const float* p) { return r9v::per_group(host_tensor{p, {rows, 2}}, 8); });
}

TEST(golden, operands) {
    const auto column = floats("grid.per_column");
    const auto batch_column = floats("grid.per_batch_column");
    expect_op("add.per_column", r9v::bias(host_tensor{column.data(), {columns}}));
    expect_op("add.per_batch_column",
              r9v::bias(host_tensor{batch_column.data(), {batches, columns}}));

    const auto matrix = floats("grid.matrix");
    const auto batch_matrix = floats("grid.batch_matrix");
    const host_tensor one{matrix.data(), {rows, columns}};
    const host_tensor many{batch_matrix.data(), {batches, rows, columns}};
    expect_op("add.matrix", r9v::add(one));
    expect_op("add.matrix", r9v::residual(one));
    expect_op("add.batch_matrix", r9v::residual(many));
    expect_op("mul.matrix", r9v::mul(one));
    expect_op("mul.batch_matrix", r9v::mul(many));
    expect_op("add.batch_matrix", r9v::optional(r9v::add(many)));
}

template<int N, class Gate>
void expect_gate_at(const std::string& name, const Gate& gate) {
    expect_runs<N>(name, [&](const r9v::coordinate& at, std::size_t from) {
        return gate(r9v::reference_math{}, run_of<N>(file()["grid.x"], from),
                    run_of<N>(file()["grid.second"], from), at);
    });
}

template<class Gate>
void expect_gate(const std::string& name, const Gate& gate) {
    expect_gate_at<1>(name, gate);
    expect_gate_at<2>(name, gate);
    expect_gate_at<4>(name, gate);
    expect_gate_at<8>(name, gate);
}

TEST(golden, gates) {
    expect_gate("glu", r9v::glu());
    expect_gate("reglu", r9v::reglu());
    expect_gate("geglu", r9v::geglu());
    expect_gate("geglu_tanh", r9v::geglu_tanh());
    expect_gate("swiglu", r9v::swiglu());
}

/// The state of a tap after all runs of N of a row, or of everything.
template<int N, class Tap>
std::vector<double> states_of(const Tap& tap) {
    std::vector<double> states;
    const auto& x = file()["grid.x"];
    const std::size_t length = Tap::scope == r9v::tap_scope::row ? columns : x.size();
    for (std::size_t from = 0; from < x.size(); from += N) {
        if (from % length == 0) states.push_back(static_cast<double>(Tap::identity));
        states.back() = tap.add(r9v::reference_math{}, states.back(), run_of<N>(x, from));
    }
    return states;
}

template<class Tap>
void expect_tap(const std::string& name, const Tap& tap) {
    const auto& wanted = file()[name];
    for (const auto& found : {states_of<1>(tap), states_of<2>(tap), states_of<8>(tap)}) {
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            expect_golden(name, i, found[i], wanted[i], 1e-14, 1e-14);
    }
}

TEST(golden, taps) {
    std::vector<float> to(batches * rows);
    expect_tap("absmax", r9v::absmax(host_tensor{to.data(), {1}}));
    expect_tap("absmax_rows", r9v::absmax_rows(host_tensor{to.data(), {batches, rows}}));
    expect_tap("sum_rows", r9v::sum_rows(host_tensor{to.data(), {batches, rows}}));
    expect_tap("sum_squares_rows", r9v::sum_squares_rows(host_tensor{to.data(), {batches, rows}}));
}

} // namespace
