// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;
using r9v::layout;

constexpr r9v::extents size{2, 5, 21};

/// Expects the op that `make()` gives to turn x at (b, r, c) into `formula(x, b, r, c)`.
template<class Math = r9v::reference_math, class Make, class Formula>
void expect_op(Make make, Formula formula) {
    const grid x = random_grid(size, 11);
    const auto wanted = [&](index_t b, index_t r, index_t c) {
        return formula(x.at(b, r, c), b, r, c);
    };
    expect_values(evaluated<Math>(make, x), size, wanted, 3);
}

/// Numbers along the rows or columns, with batches: what most tests of parameters need.
template<class Make, class Formula>
void expect_parameters(Make make, Formula formula) {
    const auto v = random_values(42, 5);
    const auto at = [&](index_t i) {
        return static_cast<double>(v[static_cast<std::size_t>(i)]);
    };
    const float* p = v.data();
    expect_op([&] { return make(0.75f); },
              [&](double x, index_t, index_t, index_t) { return formula(x, 0.75); });
    expect_op([&] { return make(r9v::per_row(host_tensor{p, {2, 5}})); },
              [&](double x, index_t b, index_t r, index_t) { return formula(x, at(5 * b + r)); });
    expect_op([&] { return make(r9v::per_column(host_tensor{p, {2, 21}})); },
              [&](double x, index_t b, index_t, index_t c) { return formula(x, at(21 * b + c)); });
}

/// Every span and rank that parameters have.
template<class Math>
void expect_every_parameter() {
    const auto v = random_values(200, 5);
    const auto at = [&](index_t i) {
        return static_cast<double>(v[static_cast<std::size_t>(i)]);
    };
    const float* p = v.data();
    const auto expect = [](auto parameter, auto value) {
        expect_op<Math>(
            [&] { return r9v::scale(parameter); },
            [&](double x, index_t b, index_t r, index_t c) { return x * value(b, r, c); });
    };
    expect(0.75f, [](index_t, index_t, index_t) { return 0.75; });
    expect(r9v::per_tensor(host_tensor{p, {1}}), [&](index_t, index_t, index_t) { return at(0); });
    expect(r9v::per_row(host_tensor{p, {5}}), [&](index_t, index_t r, index_t) { return at(r); });
    expect(r9v::per_row(host_tensor{p, {2, 5}}),
           [&](index_t b, index_t r, index_t) { return at(5 * b + r); });
    expect(r9v::per_column(host_tensor{p, {21}}),
           [&](index_t, index_t, index_t c) { return at(c); });
    expect(r9v::per_column(host_tensor{p, {2, 21}}),
           [&](index_t b, index_t, index_t c) { return at(21 * b + c); });
    expect(r9v::per_group(host_tensor{p, {5, 3}}, 8),
           [&](index_t, index_t r, index_t c) { return at(3 * r + c / 8); });
    expect(r9v::per_group(host_tensor{p, {2, 5, 2}}, 16),
           [&](index_t b, index_t r, index_t c) { return at(10 * b + 2 * r + c / 16); });
}

TEST(arithmetic, parameters_of_every_kind) {
    expect_every_parameter<r9v::reference_math>();
    expect_every_parameter<float_math>();
}

TEST(arithmetic, add_and_mul_take_parameters) {
    expect_parameters([](auto p) { return r9v::add(p); }, [](double x, double p) { return x + p; });
    expect_parameters([](auto p) { return r9v::mul(p); }, [](double x, double p) { return x * p; });
}

TEST(arithmetic, scale_shift_takes_parameters) {
    expect_parameters([](auto p) { return r9v::scale_shift(p, 2); },
                      [](double x, double p) { return x * p + 2; });
    expect_parameters([](auto p) { return r9v::scale_shift(0.5, p); },
                      [](double x, double p) { return x * 0.5 + p; });
}

TEST(arithmetic, prelu_and_clamp_take_parameters) {
    expect_parameters([](auto p) { return r9v::prelu(p); },
                      [](double x, double p) { return x > 0 ? x : p * x; });
    expect_parameters([](auto p) { return r9v::clamp(p, 100); },
                      [](double x, double p) { return x > p ? x : p; });
    expect_parameters([](auto p) { return r9v::clamp(-100, p); },
                      [](double x, double p) { return x < p ? x : p; });
}

TEST(arithmetic, bare_vectors_go_along_the_columns) {
    const auto s = random_values(42, 6);
    const auto t = random_values(21, 7);
    const auto at = [](const std::vector<float>& v, index_t i) {
        return static_cast<double>(v[static_cast<std::size_t>(i)]);
    };
    const host_tensor scales{s.data(), {2, 21}};
    const host_tensor shifts{t.data(), {21}};
    expect_op(
        [&] { return r9v::scale_shift(scales, shifts); },
        [&](double x, index_t b, index_t, index_t c) { return x * at(s, 21 * b + c) + at(t, c); });
    expect_op([&] { return r9v::prelu(shifts); },
              [&](double x, index_t, index_t, index_t c) { return x > 0 ? x : x * at(t, c); });
    expect_op([&] { return r9v::bias(shifts); },
              [&](double x, index_t, index_t, index_t c) { return x + at(t, c); });
    expect_op([&] { return r9v::bias(scales); },
              [&](double x, index_t b, index_t, index_t c) { return x + at(s, 21 * b + c); });
}

TEST(arithmetic, matrices_of_every_layout) {
    const auto v = random_values<r9v::half>(2000, 8);
    const auto at = [&](index_t i) {
        return r9v::to_double(v[static_cast<std::size_t>(i)]);
    };
    const r9v::half* p = v.data();
    const host_tensor<const r9v::half, 3> packed{p, {2, 5, 21}};
    const host_tensor<const r9v::half, 2> shared{p, {5, 21}};
    const host_tensor<const r9v::half, 3> padded{p, {2, 5, 21}, {150, 27, 1}};
    const host_tensor<const r9v::half, 3, layout::column_major> columns{p, {2, 5, 21}, {140, 1, 6}};
    const host_tensor<const r9v::half, 3, layout::strided> strided{p, {2, 5, 21}, {500, 90, 4}};

    const auto expect_view = [&](const auto& view, index_t batch, index_t row, index_t column) {
        const auto y = [=](index_t b, index_t r, index_t c) {
            return at(b * batch + r * row + c * column);
        };
        expect_op([&] { return r9v::add(view); },
                  [&](double x, index_t b, index_t r, index_t c) { return x + y(b, r, c); });
        expect_op([&] { return r9v::residual(view); },
                  [&](double x, index_t b, index_t r, index_t c) { return x + y(b, r, c); });
        expect_op([&] { return r9v::mul(view); },
                  [&](double x, index_t b, index_t r, index_t c) { return x * y(b, r, c); });
    };
    expect_view(packed, 105, 21, 1);
    expect_view(shared, 0, 21, 1);
    expect_view(padded, 150, 27, 1);
    expect_view(columns, 140, 1, 6);
    expect_view(strided, 500, 90, 4);
}

TEST(arithmetic, operands_of_every_element_type) {
    const auto expect_type = [&]<class T>(T) {
        const auto v = random_values<T>(21, 9);
        expect_op([&] { return r9v::bias(host_tensor{v.data(), {21}}); },
                  [&](double x, index_t, index_t, index_t c) {
                      return x + r9v::to_double(v[static_cast<std::size_t>(c)]);
                  });
    };
    expect_type(float{});
    expect_type(r9v::half{});
    expect_type(r9v::bf16{});
    expect_type(r9v::fp8_e4m3{});
    expect_type(r9v::fp8_e5m2{});
    expect_type(std::int8_t{});
    expect_type(std::int32_t{});
}

TEST(arithmetic, ops_run_in_the_order_written) {
    const auto v = random_values(21, 10);
    const host_tensor b{v.data(), {21}};
    const auto at = [&](index_t c) {
        return static_cast<double>(v[static_cast<std::size_t>(c)]);
    };
    expect_op([&] { return r9v::bias(b) | r9v::scale(2) | r9v::square(); },
              [&](double x, index_t, index_t, index_t c) { return 4 * (x + at(c)) * (x + at(c)); });
    expect_op([&] { return r9v::square() | r9v::scale(2) | r9v::bias(b); },
              [&](double x, index_t, index_t, index_t c) { return 2 * x * x + at(c); });
}

} // namespace
