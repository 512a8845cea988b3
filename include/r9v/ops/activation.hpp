// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Activations as ops. The functions themselves, with their behaviour at the edges, are in
// curves.hpp.
#pragma once

#include <r9v/ops/check.hpp>
#include <r9v/ops/curves.hpp>

namespace r9v::inline R9V_ABI {

/// A function of one value as an op.
template<class Curve>
struct pointwise {
    static constexpr auto role = r9v::role::map;
    Curve curve{};

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate&) const {
        if constexpr (requires { math.apply(curve, x); }) {
            return math.apply(curve, x); // the policy has a way for whole runs
        } else {
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] = curve(math, x[i]);
            return x;
        }
    }
};

[[nodiscard]] constexpr auto relu() {
    return pointwise<curves::relu>{};
}
[[nodiscard]] constexpr auto relu6() {
    return pointwise<curves::relu6>{};
}
[[nodiscard]] constexpr auto leaky_relu(float slope = 0.01f) {
    return pointwise<curves::leaky_relu>{{slope}};
}
[[nodiscard]] constexpr auto elu(float alpha = 1.0f) {
    return pointwise<curves::elu>{{alpha}};
}
[[nodiscard]] constexpr auto silu() {
    return pointwise<curves::silu>{};
}
/// With the error function.
[[nodiscard]] constexpr auto gelu() {
    return pointwise<curves::gelu>{};
}
/// With tanh: PyTorch's approximate="tanh".
[[nodiscard]] constexpr auto gelu_tanh() {
    return pointwise<curves::gelu_tanh>{};
}
[[nodiscard]] constexpr auto quick_gelu() {
    return pointwise<curves::quick_gelu>{};
}
[[nodiscard]] constexpr auto sigmoid() {
    return pointwise<curves::sigmoid>{};
}
[[nodiscard]] constexpr auto tanh() {
    return pointwise<curves::tanh>{};
}
[[nodiscard]] constexpr auto hard_swish() {
    return pointwise<curves::hard_swish>{};
}
[[nodiscard]] constexpr auto hard_sigmoid() {
    return pointwise<curves::hard_sigmoid>{};
}
[[nodiscard]] constexpr auto mish() {
    return pointwise<curves::mish>{};
}
/// log(1 + exp(beta x)) / beta, and x itself where beta x > threshold. beta > 0.
[[nodiscard]] constexpr auto softplus(float beta = 1.0f, float threshold = 20.0f) {
    return pointwise<curves::softplus>{{beta, threshold}};
}
[[nodiscard]] constexpr auto abs() {
    return pointwise<curves::abs>{};
}
[[nodiscard]] constexpr auto square() {
    return pointwise<curves::square>{};
}
[[nodiscard]] constexpr auto exp() {
    return pointwise<curves::exp>{};
}
/// cap * tanh(x / cap): keeps values between -cap and cap, smoothly. cap > 0.
[[nodiscard]] constexpr auto soft_cap(float cap) {
    return pointwise<curves::soft_cap>{{cap}};
}

/// x where x > 0, slope * x elsewhere; the slope is a parameter.
template<class Slope>
struct prelu_op {
    static constexpr auto role = detail::parameter_role<Slope>;
    static constexpr space memory = Slope::memory;
    Slope slope;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        using real = typename Math::real;
        const auto factor = slope.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.select(x[i] > real{0}, x[i], factor[i] * x[i]);
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "prelu", slope);
    }
};

/// `slope` is a number, a parameter, or a tensor of rank 1 [columns] or 2 [batches, columns].
template<class T>
[[nodiscard]] constexpr auto prelu(const T& slope) {
    using slope_type = detail::along_columns_of<T>;
    constexpr auto broken = detail::broken_parameters_rule<slope_type>();
    if constexpr (detail::report_parameters<broken>()) {
        return prelu_op<detail::parameter_of<slope_type>>{
            detail::to_parameter(detail::along_columns(slope))};
    } else {
        return rejected{};
    }
}

/// min(max(x, low), high); NaN stays NaN.
template<class Low, class High>
struct clamp_op {
    static constexpr auto role = detail::parameter_role<Low, High>;
    static constexpr space memory = joined_memory(Low::memory, High::memory);
    Low low;
    High high;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto least = low.template load<Width>(math, at);
        const auto most = high.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.min(math.max(x[i], least[i]), most[i]);
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "clamp low", low);
        detail::visit_parameter(visit, "clamp high", high);
    }
};

/// Numbers or parameters. Where low > high, the result is high.
template<class Low, class High>
[[nodiscard]] constexpr auto clamp(const Low& low, const High& high) {
    constexpr auto broken = detail::broken_parameters_rule<Low, High>();
    if constexpr (detail::report_parameters<broken>()) {
        return clamp_op<detail::parameter_of<Low>, detail::parameter_of<High>>{
            detail::to_parameter(low), detail::to_parameter(high)};
    } else {
        return rejected{};
    }
}

/// The activations without parameters, or with their usual ones: leaky_relu has slope 0.01, elu
/// alpha 1, softplus beta 1 and threshold 20.
enum class activation_kind {
    identity,
    relu,
    relu6,
    leaky_relu,
    elu,
    silu,
    gelu,
    gelu_tanh,
    quick_gelu,
    sigmoid,
    tanh,
    hard_swish,
    hard_sigmoid,
    mish,
    softplus,
    abs,
    square,
    exp,
};

/// One activation of many, chosen at run time: the same for all values, so it costs one scalar
/// jump a run. Engines that hold graphs compile one kernel instead of one for each activation.
struct activation_op {
    static constexpr auto role = r9v::role::map;
    activation_kind kind = activation_kind::identity;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, const run<typename Math::real, Width>& x, const coordinate& at) const {
        using enum activation_kind;
        switch (kind) {
        case identity:
            return x;
        case relu:
            return pointwise<curves::relu>{}(math, x, at);
        case relu6:
            return pointwise<curves::relu6>{}(math, x, at);
        case leaky_relu:
            return pointwise<curves::leaky_relu>{}(math, x, at);
        case elu:
            return pointwise<curves::elu>{}(math, x, at);
        case silu:
            return pointwise<curves::silu>{}(math, x, at);
        case gelu:
            return pointwise<curves::gelu>{}(math, x, at);
        case gelu_tanh:
            return pointwise<curves::gelu_tanh>{}(math, x, at);
        case quick_gelu:
            return pointwise<curves::quick_gelu>{}(math, x, at);
        case sigmoid:
            return pointwise<curves::sigmoid>{}(math, x, at);
        case tanh:
            return pointwise<curves::tanh>{}(math, x, at);
        case hard_swish:
            return pointwise<curves::hard_swish>{}(math, x, at);
        case hard_sigmoid:
            return pointwise<curves::hard_sigmoid>{}(math, x, at);
        case mish:
            return pointwise<curves::mish>{}(math, x, at);
        case softplus:
            return pointwise<curves::softplus>{}(math, x, at);
        case abs:
            return pointwise<curves::abs>{}(math, x, at);
        case square:
            return pointwise<curves::square>{}(math, x, at);
        case exp:
            return pointwise<curves::exp>{}(math, x, at);
        }
        return x;
    }
};

[[nodiscard]] constexpr auto activation(activation_kind kind) {
    return activation_op{kind};
}

} // namespace r9v::inline R9V_ABI
