// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The activation functions, one value at a time. Constants and names are PyTorch's, and so are the
// results at the ends of the number line. NaN gives NaN in every one of them. No intermediate value
// overflows into a NaN: a curve is right at +-1e4 and beyond, in float.
//
// Curves of the form x * gate(x) (silu, quick_gelu, gelu, gelu_tanh, hard_swish, mish) give NaN at
// -infinity, as PyTorch's do: minus infinity times zero. Every other curve gives its limit.
#pragma once

#include <r9v/core/config.hpp>

namespace r9v::inline R9V_ABI::curves {

/// max(x, 0).
struct relu {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.max(x, Real{0});
    }
};

/// min(max(x, 0), 6).
struct relu6 {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.min(math.max(x, Real{0}), Real{6});
    }
};

/// x where x > 0, slope * x elsewhere.
struct leaky_relu {
    float slope = 0.01f;

    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.select(x > Real{0}, x, static_cast<Real>(slope) * x);
    }
};

/// x where x > 0, alpha * (exp(x) - 1) elsewhere.
struct elu {
    float alpha = 1.0f;

    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.select(x > Real{0}, x, static_cast<Real>(alpha) * math.expm1(x));
    }
};

/// 1 / (1 + exp(-x)).
struct sigmoid {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.sigmoid(x);
    }
};

/// x * sigmoid(x), also called swish.
struct silu {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return x * math.sigmoid(x);
    }
};

/// x * sigmoid(1.702 x).
struct quick_gelu {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return x * math.sigmoid(static_cast<Real>(1.702) * x);
    }
};

/// x * (1 + erf(x / sqrt(2))) / 2.
struct gelu {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        const Real half = static_cast<Real>(0.5) * x;
        return math.fma(half, math.erf(static_cast<Real>(0.70710678118654752440) * x), half);
    }
};

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2, as x * sigmoid of twice the argument:
/// (1 + tanh(z)) / 2 = sigmoid(2 z).
struct gelu_tanh {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        constexpr double linear = 1.59576912160573071176; // 2 sqrt(2 / pi)
        constexpr double cubic = linear * 0.044715;
        const Real slope = math.fma(x * x, static_cast<Real>(cubic), static_cast<Real>(linear));
        return x * math.sigmoid(x * slope);
    }
};

struct tanh {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.tanh(x);
    }
};

/// min(max(x + 3, 0), 6) / 6.
struct hard_sigmoid {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        const Real line = math.fma(x, static_cast<Real>(1.0 / 6.0), static_cast<Real>(0.5));
        return math.min(math.max(line, Real{0}), Real{1});
    }
};

/// x * hard_sigmoid(x).
struct hard_swish {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return x * hard_sigmoid{}(math, x);
    }
};

/// x * tanh(log(1 + exp(x))). With n = exp(x) the tanh is n (n + 2) / (n (n + 2) + 2): one exp, one
/// reciprocal, no cancellation. From x = 20 on it is 1 in float and double; n stops there, before
/// its square could overflow.
struct mish {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        const Real n = math.exp(math.min(x, Real{20}));
        const Real weight = math.fma(n, n, n + n);
        return x * (weight * math.reciprocal(weight + Real{2}));
    }
};

/// log(1 + exp(beta x)) / beta; x itself where beta x > threshold. beta is positive.
struct softplus {
    float beta = 1.0f;
    float threshold = 20.0f;

    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        const Real z = static_cast<Real>(beta) * x;
        const Real curve = math.max(z, Real{0}) + math.log1p(math.exp(-math.abs(z)));
        const Real inverse = math.reciprocal(static_cast<Real>(beta));
        return math.select(z > static_cast<Real>(threshold), x, curve * inverse);
    }
};

struct abs {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.abs(x);
    }
};

struct square {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math, Real x) const {
        return x * x;
    }
};

struct exp {
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        return math.exp(x);
    }
};

/// cap * tanh(x / cap).
struct soft_cap {
    float cap;

    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real operator()(Math math, Real x) const {
        const Real limit = static_cast<Real>(cap);
        return limit * math.tanh(x * math.reciprocal(limit));
    }
};

} // namespace r9v::inline R9V_ABI::curves
