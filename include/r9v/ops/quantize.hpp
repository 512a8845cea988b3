// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// To the grid of a narrow type and back: quantize gives x / step + zero_point, dequantize
// (x - zero_point) * step. Steps and zero points are parameters: numbers, or tensors per tensor,
// row, column or group.
#pragma once

#include <r9v/numeric/convert.hpp>
#include <r9v/numeric/random.hpp>
#include <r9v/ops/check.hpp>

namespace r9v::inline R9V_ABI {

/// How quantize<T>() rounds.
namespace rounding {

/// To the nearest value, ties to even.
struct nearest {};

/// To one of the two neighbours, the nearer the likelier, so that the mean of many is the value.
/// The choice depends on the seed and the position in the result alone: neither tile nor GPU
/// changes it, and a replayed graph repeats it.
struct stochastic {
    std::uint64_t seed = 0;
};

/// The store behind rounds.
struct by_store {};

} // namespace rounding

namespace detail {

/// No zero point: nothing is added.
struct no_zero_point {
    static constexpr space memory = space::none;
};

template<class T>
inline constexpr bool has_zero_point = !std::is_same_v<T, no_zero_point>;

/// x / step. Devices multiply by the reciprocal (within 1.5 units in the last place of the
/// quotient); the reference divides.
template<class Math, class Real>
[[nodiscard]] R9V_HD Real quotient(Math math, Real x, Real step) {
    if constexpr (Math::is_reference) {
        return x / step;
    } else {
        return x * math.reciprocal(step);
    }
}

/// The random bits of the block of four columns that `column` is in.
[[nodiscard]] R9V_HD constexpr numeric::random_words
random_columns(std::uint64_t seed, const coordinate& at, std::uint32_t column) {
    const auto row = static_cast<std::uint64_t>(at.row());
    return numeric::philox4x32(
        {{column / 4, static_cast<std::uint32_t>(row),
          static_cast<std::uint32_t>(row >> 32) | static_cast<std::uint32_t>(at.head()) << 16,
          static_cast<std::uint32_t>(at.batch())}},
        static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// Random bits of `Width` neighbouring columns. A run starts at a multiple of its length, so it
/// covers whole blocks of four or lies within one.
template<int Width>
R9V_HD constexpr void random_run(std::uint64_t seed, const coordinate& at,
                                 std::uint32_t (&bits)[Width]) {
    const auto column = static_cast<std::uint32_t>(at.column());
    if constexpr (Width >= 4) {
        R9V_UNROLL
        for (int block = 0; block < Width / 4; ++block) {
            const auto drawn =
                random_columns(seed, at, column + 4 * static_cast<std::uint32_t>(block));
            R9V_UNROLL
            for (int i = 0; i < 4; ++i)
                bits[4 * block + i] = drawn.word[i];
        }
    } else {
        // Selects instead of an index that only run time knows, which would go through memory.
        const auto drawn = random_columns(seed, at, column);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            const std::uint32_t slot = (column + static_cast<std::uint32_t>(i)) % 4;
            const std::uint32_t low = slot % 2 == 0 ? drawn.word[0] : drawn.word[1];
            const std::uint32_t high = slot % 2 == 0 ? drawn.word[2] : drawn.word[3];
            bits[i] = slot < 2 ? low : high;
        }
    }
}

} // namespace detail

/// x / step + zero_point, on the grid of T unless the store rounds.
template<class T, class Step, class ZeroPoint, class Rounding>
struct quantize_op {
    static constexpr auto role = r9v::role::quantize;
    static constexpr space memory = joined_memory(Step::memory, ZeroPoint::memory);
    Step step;
    ZeroPoint zero_point;
    Rounding round;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto divisor = step.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = detail::quotient(math, x[i], divisor[i]);
        if constexpr (detail::has_zero_point<ZeroPoint>) {
            const auto zero = zero_point.template load<Width>(math, at);
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] += zero[i];
        }
        return rounded(math, x, at);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "quantize step", step);
        detail::visit_parameter(visit, "quantize zero point", zero_point);
    }

private:
    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    rounded(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        using real = typename Math::real;
        if constexpr (std::is_same_v<Rounding, rounding::nearest>) {
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] = math.template round_to<T>(x[i]);
        } else if constexpr (std::is_same_v<Rounding, rounding::stochastic>) {
            std::uint32_t bits[Width];
            detail::random_run<Width>(round.seed, at, bits);
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] = static_cast<real>(
                    to_float(from_float_stochastic<T>(static_cast<float>(x[i]), bits[i])));
        }
        return x;
    }
};

/// (x - zero_point) * step.
template<class Step, class ZeroPoint>
struct dequantize_op {
    static constexpr auto role = detail::parameter_role<Step, ZeroPoint>;
    static constexpr space memory = joined_memory(Step::memory, ZeroPoint::memory);
    Step step;
    ZeroPoint zero_point;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        if constexpr (detail::has_zero_point<ZeroPoint>) {
            const auto zero = zero_point.template load<Width>(math, at);
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                x[i] -= zero[i];
        }
        const auto factor = step.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] *= factor[i];
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "dequantize step", step);
        detail::visit_parameter(visit, "dequantize zero point", zero_point);
    }
};

/// x / step; the store behind rounds and saturates to its element type.
template<class Step>
[[nodiscard]] constexpr auto quantize(const Step& step) {
    constexpr auto broken = detail::broken_parameters_rule<Step>();
    if constexpr (detail::report_parameters<broken>()) {
        return quantize_op<void, detail::parameter_of<Step>, detail::no_zero_point,
                           rounding::by_store>{detail::to_parameter(step), {}, {}};
    } else {
        return rejected{};
    }
}

/// x / step + zero_point; the store behind rounds and saturates to its element type.
template<class Step, class ZeroPoint>
[[nodiscard]] constexpr auto quantize(const Step& step, const ZeroPoint& zero_point) {
    constexpr auto broken = detail::broken_parameters_rule<Step, ZeroPoint>();
    if constexpr (detail::report_parameters<broken>()) {
        return quantize_op<void, detail::parameter_of<Step>, detail::parameter_of<ZeroPoint>,
                           rounding::by_store>{
            detail::to_parameter(step), detail::to_parameter(zero_point), {}};
    } else {
        return rejected{};
    }
}

/// x / step + zero_point, rounded here to the values of T, saturating: `quantize<std::int8_t>(step,
/// 0, rounding::stochastic{seed})`. A tee() and a store() behind it then see the same values.
template<class T, class Step, class ZeroPoint, class Rounding = rounding::nearest>
[[nodiscard]] constexpr auto quantize(const Step& step, const ZeroPoint& zero_point,
                                      const Rounding& round = {}) {
    constexpr bool known = is_element<T>;
    constexpr bool rounds = std::is_same_v<Rounding, rounding::nearest> ||
                            std::is_same_v<Rounding, rounding::stochastic>;
    static_assert(known, "r9v: quantize<T>() does not know this type. Use float, half, bf16, "
                         "fp8_e4m3, fp8_e5m2, int8, uint8 or int32.");
    static_assert(!known || rounds, "r9v: quantize<T>() rounds in one of two ways. Pass "
                                    "rounding::nearest{} or rounding::stochastic{seed}.");
    if constexpr (known && rounds) {
        constexpr auto broken = detail::broken_parameters_rule<Step, ZeroPoint>();
        if constexpr (detail::report_parameters<broken>()) {
            return quantize_op<T, detail::parameter_of<Step>, detail::parameter_of<ZeroPoint>,
                               Rounding>{detail::to_parameter(step),
                                         detail::to_parameter(zero_point), round};
        } else {
            return rejected{};
        }
    } else {
        return rejected{};
    }
}

/// x * step.
template<class Step>
[[nodiscard]] constexpr auto dequantize(const Step& step) {
    constexpr auto broken = detail::broken_parameters_rule<Step>();
    if constexpr (detail::report_parameters<broken>()) {
        return dequantize_op<detail::parameter_of<Step>, detail::no_zero_point>{
            detail::to_parameter(step), {}};
    } else {
        return rejected{};
    }
}

/// (x - zero_point) * step.
template<class Step, class ZeroPoint>
[[nodiscard]] constexpr auto dequantize(const Step& step, const ZeroPoint& zero_point) {
    constexpr auto broken = detail::broken_parameters_rule<Step, ZeroPoint>();
    if constexpr (detail::report_parameters<broken>()) {
        return dequantize_op<detail::parameter_of<Step>, detail::parameter_of<ZeroPoint>>{
            detail::to_parameter(step), detail::to_parameter(zero_point)};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
