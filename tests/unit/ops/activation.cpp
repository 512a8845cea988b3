// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::activation_kind;
using r9v::index_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double logistic(double x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double softplus_of(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
double hard_sigmoid_of(double x) {
    return std::min(std::max(x + 3, 0.0), 6.0) / 6;
}

/// An activation: its op, its kind, and the textbook formula written another way.
struct subject {
    std::string name;
    activation_kind kind;
    std::function<double(double)> formula;
    bool gated = false; ///< x * gate(x): NaN at minus infinity
};

const std::vector<subject>& subjects() {
    using enum activation_kind;
    static const std::vector<subject> all{
        {"identity", identity,
         [](double x) {
             return x;
         }},
        {"relu", relu,
         [](double x) {
             return x > 0 ? x : 0;
         }},
        {"relu6", relu6,
         [](double x) {
             return x > 6 ? 6 : x > 0 ? x : 0;
         }},
        {"leaky_relu", leaky_relu,
         [](double x) {
             return x > 0 ? x : 0.01f * x;
         }},
        {"elu", elu,
         [](double x) {
             return x > 0 ? x : std::expm1(x);
         }},
        {"silu", silu, [](double x) { return x * logistic(x); }, true},
        {"gelu", gelu, [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }, true},
        {"gelu_tanh", gelu_tanh,
         [](double x) {
             const double z = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
             return x * logistic(2 * z);
         },
         true},
        {"quick_gelu", quick_gelu, [](double x) { return x * logistic(1.702 * x); }, true},
        {"sigmoid", sigmoid, logistic},
        {"tanh", tanh,
         [](double x) {
             return std::tanh(x);
         }},
        {"hard_swish", hard_swish, [](double x) { return x * hard_sigmoid_of(x); }, true},
        {"hard_sigmoid", hard_sigmoid, hard_sigmoid_of},
        {"mish", mish, [](double x) { return x * std::tanh(softplus_of(x)); }, true},
        {"softplus", softplus,
         [](double x) {
             return x > 20 ? x : softplus_of(x);
         }},
        {"abs", abs,
         [](double x) {
             return x < 0 ? -x : x;
         }},
        {"square", square,
         [](double x) {
             return x * x;
         }},
        {"exp", exp,
         [](double x) {
             return std::exp(x);
         }},
    };
    return all;
}

/// Values of every size and both signs, 3 rows of 11.
grid samples() {
    grid made{{1, 3, 11}, {}};
    for (const double x : {0.0, 1e-30, 1e-6, 0.01, 0.3, 0.7, 1.0, 1.5, 2.0, 2.9, 3.1, 4.0, 5.5, 6.5,
                           9.0, 15.0, 25.0}) {
        made.values.push_back(x);
        if (made.values.size() < 33) made.values.push_back(-x);
    }
    return made;
}

void expect_close(double found, double wanted, double x, const std::string& name) {
    if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(found)) << name << " of " << x << " gives " << found;
    } else if (std::isinf(wanted)) {
        EXPECT_EQ(found, wanted) << name << " of " << x;
    } else {
        const double tolerance = 3e-7 * std::fabs(wanted) + 1e-7 * std::min(1.0, std::fabs(x));
        EXPECT_NEAR(found, wanted, tolerance) << name << " of " << x;
    }
}

template<class Math>
double value_of(activation_kind kind, double x) {
    using real = typename Math::real;
    const r9v::run<real, 1> one{{static_cast<real>(x)}};
    return static_cast<double>(r9v::activation(kind)(Math{}, one, r9v::coordinate{})[0]);
}

TEST(activation, follows_the_formula) {
    const grid x = samples();
    for (const subject& s : subjects()) {
        const auto found = evaluated([&] { return r9v::activation(s.kind); }, x);
        for (std::size_t i = 0; i < found.size(); ++i)
            expect_close(static_cast<double>(found[i]), s.formula(x.values[i]), x.values[i],
                         s.name);
    }
}

TEST(activation, in_float_follows_the_formula) {
    const grid x = samples();
    for (const subject& s : subjects()) {
        const auto found = evaluated<float_math>([&] { return r9v::activation(s.kind); }, x);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double wanted = s.formula(x.values[i]);
            EXPECT_NEAR(static_cast<double>(found[i]), wanted,
                        4e-6 * std::fabs(wanted) + 4e-7 * std::min(1.0, std::fabs(x.values[i])))
                << s.name << " of " << x.values[i];
        }
    }
}

TEST(activation, is_stable_for_large_values) {
    for (const subject& s : subjects()) {
        for (const double x : {1e4, -1e4, 88.0, -88.0, 100.0, -100.0, 1e15, -1e15}) {
            if (s.kind == activation_kind::exp && std::fabs(x) > 80) continue; // grows beyond float
            expect_close(value_of<float_math>(s.kind, x), s.formula(x), x, s.name);
            expect_close(value_of<r9v::reference_math>(s.kind, x), s.formula(x), x, s.name);
        }
    }
}

TEST(activation, has_limits_at_infinity) {
    for (const subject& s : subjects()) {
        // The formulas of the curves x * gate(x) give NaN at infinities that the curves do not.
        const double above = s.gated ? infinity : s.formula(infinity);
        const double below = s.gated ? nan : s.formula(-infinity);
        expect_close(value_of<r9v::reference_math>(s.kind, infinity), above, infinity, s.name);
        expect_close(value_of<r9v::reference_math>(s.kind, -infinity), below, -infinity, s.name);
        expect_close(value_of<float_math>(s.kind, infinity), above, infinity, s.name);
        expect_close(value_of<float_math>(s.kind, -infinity), below, -infinity, s.name);
    }
}

TEST(activation, of_nan_is_nan) {
    for (const subject& s : subjects()) {
        EXPECT_TRUE(std::isnan(value_of<r9v::reference_math>(s.kind, nan))) << s.name;
        EXPECT_TRUE(std::isnan(value_of<float_math>(s.kind, nan))) << s.name;
    }
    const grid x{{1, 1, 1}, {nan}};
    EXPECT_TRUE(std::isnan(evaluated([] { return r9v::clamp(-1, 1); }, x)[0]));
    EXPECT_TRUE(std::isnan(evaluated([] { return r9v::prelu(0.5f); }, x)[0]));
    EXPECT_TRUE(std::isnan(evaluated([] { return r9v::soft_cap(3.0f); }, x)[0]));
}

/// Each function is the op that its kind names.
TEST(activation, kinds_and_functions_agree) {
    using enum activation_kind;
    const grid x = samples();
    const auto same = [&](activation_kind kind, auto op) {
        EXPECT_EQ(evaluated([&] { return r9v::activation(kind); }, x),
                  evaluated([&] { return op; }, x));
    };
    same(relu, r9v::relu());
    same(relu6, r9v::relu6());
    same(leaky_relu, r9v::leaky_relu());
    same(elu, r9v::elu());
    same(silu, r9v::silu());
    same(gelu, r9v::gelu());
    same(gelu_tanh, r9v::gelu_tanh());
    same(quick_gelu, r9v::quick_gelu());
    same(sigmoid, r9v::sigmoid());
    same(tanh, r9v::tanh());
    same(hard_swish, r9v::hard_swish());
    same(hard_sigmoid, r9v::hard_sigmoid());
    same(mish, r9v::mish());
    same(softplus, r9v::softplus());
    same(abs, r9v::abs());
    same(square, r9v::square());
    same(exp, r9v::exp());
}

TEST(activation, takes_numbers) {
    const grid x = samples();
    const auto expect = [&](auto op, auto formula) {
        expect_values(
            evaluated([&] { return op; }, x), x.size,
            [&](index_t b, index_t r, index_t c) { return formula(x.at(b, r, c)); }, 3);
    };
    expect(r9v::leaky_relu(0.25f), [](double v) { return v > 0 ? v : 0.25 * v; });
    expect(r9v::elu(1.5f), [](double v) { return v > 0 ? v : 1.5 * std::expm1(v); });
    expect(r9v::softplus(2.0f, 8.0f),
           [](double v) { return 2 * v > 8 ? v : std::log1p(std::exp(2 * v)) / 2; });
    expect(r9v::soft_cap(3.0f), [](double v) { return 3 * std::tanh(v / 3); });
    expect(r9v::clamp(-1, 2.5), [](double v) { return v < -1 ? -1 : v > 2.5 ? 2.5 : v; });
    expect(r9v::prelu(0.125f), [](double v) { return v > 0 ? v : 0.125 * v; });
}

TEST(activation, soft_cap_reaches_its_cap) {
    for (const double x : {1e4, infinity}) {
        const grid ends{{1, 1, 2}, {x, -x}};
        const auto found = evaluated<float_math>([] { return r9v::soft_cap(30.0f); }, ends);
        EXPECT_EQ(found[0], 30.0f);
        EXPECT_EQ(found[1], -30.0f);
    }
}

} // namespace
