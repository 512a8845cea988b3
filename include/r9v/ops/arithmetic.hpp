// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops that combine every value with a number or a tensor's value: scale, bias, add, residual, mul,
// scale_shift.
#pragma once

#include <r9v/ops/check.hpp>

namespace r9v::inline R9V_ABI {

/// How an addition is called in messages.
enum class addition { bias, add, residual };

/// x + y; `Addend` is a parameter or an operand.
template<class Addend, addition Name>
struct add_op {
    static constexpr auto role = detail::parameter_role<Addend>;
    static constexpr space memory = Addend::memory;
    Addend addend;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto y = load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] += y[i];
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit,
                                Name == addition::bias       ? "bias"
                                : Name == addition::residual ? "residual"
                                                             : "add",
                                addend);
    }

private:
    template<int Width, class Math>
    R9V_HD auto load(Math math, const coordinate& at) const {
        if constexpr (detail::is_operand<Addend>) {
            return addend.template load_addend<Width>(math, at);
        } else {
            return addend.template load<Width>(math, at);
        }
    }
};

/// x * y; `Factor` is a parameter or an operand.
template<class Factor>
struct mul_op {
    static constexpr auto role = detail::parameter_role<Factor>;
    static constexpr space memory = Factor::memory;
    Factor factor;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto y = factor.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] *= y[i];
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, is_matrix() ? "mul" : "scale", factor);
    }

private:
    static constexpr bool is_matrix() {
        if constexpr (detail::is_operand<Factor>) {
            return Factor::along == span::matrix;
        } else {
            return false;
        }
    }
};

/// x * scale + shift.
template<class Scale, class Shift>
struct scale_shift_op {
    static constexpr auto role = detail::parameter_role<Scale, Shift>;
    static constexpr space memory = joined_memory(Scale::memory, Shift::memory);
    Scale scale;
    Shift shift;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto factor = scale.template load<Width>(math, at);
        const auto addend = shift.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.fma(x[i], factor[i], addend[i]);
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "scale_shift scale", scale);
        detail::visit_parameter(visit, "scale_shift shift", shift);
    }
};

namespace detail {

/// A matrix, or a parameter: what `add` and `mul` take.
template<class Make, class T>
[[nodiscard]] constexpr auto with_values(Make make, const T& values) {
    if constexpr (any_tensor<T>) {
        constexpr auto broken = broken_values_rule<T, 2, 4>();
        static_assert(broken != values_rule::rank,
                      "r9v: this op takes a matrix, a tensor of rank 2 [rows, columns], 3 "
                      "[batches, rows, columns] or 4 [batches, heads, rows, columns]. Write "
                      "bias(t), per_row(t) or per_column(t) for "
                      "vectors.");
        if constexpr (report_values<broken>()) {
            return make(operand<span::matrix, T>{values});
        } else {
            return rejected{};
        }
    } else {
        constexpr auto broken = broken_parameters_rule<T>();
        if constexpr (report_parameters<broken>()) {
            return make(to_parameter(values));
        } else {
            return rejected{};
        }
    }
}

} // namespace detail

/// x * factor: a number, or per_tensor(t), per_row(t), per_column(t), per_group(t, size).
template<class T>
[[nodiscard]] constexpr auto scale(const T& factor) {
    constexpr auto broken = detail::broken_parameters_rule<T>();
    if constexpr (detail::report_parameters<broken>()) {
        return mul_op<detail::parameter_of<T>>{detail::to_parameter(factor)};
    } else {
        return rejected{};
    }
}

/// x + b, one value per column: b has rank 1 [columns], or 2 [batches, columns].
template<class View>
[[nodiscard]] constexpr auto bias(const View& values) {
    constexpr auto broken = detail::broken_values_rule<View, 1, 2>();
    static_assert(broken != detail::values_rule::rank,
                  "r9v: bias() takes a tensor of rank 1 [columns] or 2 [batches, columns]. Write "
                  "add(t) or residual(t) for a matrix.");
    if constexpr (detail::report_values<broken>()) {
        return add_op<operand<span::column, View>, addition::bias>{{values}};
    } else {
        return rejected{};
    }
}

/// x + r, one value per element: r has rank 2 [rows, columns], 3 with batches in front,
/// or 4 with batches and heads. The
/// program may store into r itself: every run is read before it is written.
template<class View>
[[nodiscard]] constexpr auto residual(const View& values) {
    constexpr auto broken = detail::broken_values_rule<View, 2, 4>();
    static_assert(
        broken != detail::values_rule::rank,
        "r9v: residual() takes a tensor of rank 2 [rows, columns], 3 [batches, rows, "
        "columns] or 4 [batches, heads, rows, columns]. Write bias(t) for one value per column.");
    if constexpr (detail::report_values<broken>()) {
        return add_op<operand<span::matrix, View>, addition::residual>{{values}};
    } else {
        return rejected{};
    }
}

/// x + y: y is a matrix (rank 2 to 4 as for residual), a number, or a parameter such as
/// per_row(t).
template<class T>
[[nodiscard]] constexpr auto add(const T& values) {
    return detail::with_values(
        []<class Addend>(const Addend& addend) { return add_op<Addend, addition::add>{addend}; },
        values);
}

/// x * y, element by element: y as for `add`.
template<class T>
[[nodiscard]] constexpr auto mul(const T& values) {
    return detail::with_values(
        []<class Factor>(const Factor& factor) { return mul_op<Factor>{factor}; }, values);
}

/// x * scale + shift, as folded batch normalisation has it. Both are numbers, parameters, or
/// tensors of rank 1 [columns] or 2 [batches, columns].
template<class Scale, class Shift>
[[nodiscard]] constexpr auto scale_shift(const Scale& scale, const Shift& shift) {
    using scale_type = detail::along_columns_of<Scale>;
    using shift_type = detail::along_columns_of<Shift>;
    constexpr auto broken = detail::broken_parameters_rule<scale_type, shift_type>();
    if constexpr (detail::report_parameters<broken>()) {
        return scale_shift_op<detail::parameter_of<scale_type>, detail::parameter_of<shift_type>>{
            detail::to_parameter(detail::along_columns(scale)),
            detail::to_parameter(detail::along_columns(shift))};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
