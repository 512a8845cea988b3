// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rotary position embedding (Su et al., "RoFormer: Enhanced Transformer with Rotary Position
// Embedding"): pairs of columns are turned by an angle that grows with the row's position. Angles
// are computed in the kernel, or come from tables.
#pragma once

#include <r9v/ops/operand.hpp>
#include <r9v/ops/reference_math.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tensor/transform.hpp>

#include <cmath>
#include <numbers>

namespace r9v::inline R9V_ABI {

/// Which columns turn together.
enum class rotary_pairs {
    halves,     ///< column i with column i + dim / 2, as GPT-NeoX and LLaMA in Transformers
    interleaved ///< column 2i with column 2i + 1, as RoFormer and GPT-J
};

/// How far the embedding reaches and how fast it turns: pair i of dim / 2 by
/// position * theta^(-2i / dim) radians.
struct rotary_options {
    index_t dim = 0; ///< columns that turn, from the first on; even; 0 means all of them
    double theta = 10000;
    rotary_pairs pairs = rotary_pairs::halves;
};

namespace detail {

template<class T>
struct turn {
    T cosine;
    T sine;
};

/// Cosine and sine of a fraction of a turn, of which `fraction` holds 2^32 parts. The quarter is
/// taken off in integers, so what is left is exact; the series err by less than a unit of float in
/// [-pi/4, pi/4].
[[nodiscard]] R9V_HD constexpr turn<float> turn_of(std::uint32_t fraction) {
    const std::uint32_t quarter = (fraction + (1u << 29)) >> 30;
    const auto rest = static_cast<std::int32_t>(fraction - (quarter << 30));
    const float x = static_cast<float>(rest) * 1.46291808e-9f; // 2 pi / 2^32
    const float square = x * x;
    float sine = square * 2.75573192e-6f - 1.98412698e-4f;
    sine = sine * square + 8.33333333e-3f;
    sine = sine * square - 1.66666667e-1f;
    sine = sine * square * x + x;
    float cosine = square * 2.48015873e-5f - 1.38888889e-3f;
    cosine = cosine * square + 4.16666667e-2f;
    cosine = cosine * square - 0.5f;
    cosine = cosine * square + 1.0f;
    const bool swapped = (quarter & 1) != 0;
    const float c = swapped ? sine : cosine;
    const float s = swapped ? cosine : sine;
    return {((quarter + 1) & 2) != 0 ? -c : c, (quarter & 2) != 0 ? -s : s};
}

} // namespace detail

/// Angles that the kernel computes. A position turns pair i by `turns[i]` of 2^64 parts of a turn,
/// so that the product of integers is the exact remainder, however large the position is.
struct computed_angles {
    static constexpr index_t most_pairs = 128;
    static constexpr space memory = space::none;
    std::uint64_t turns[most_pairs] = {};
    double theta = 10000;
    index_t dim = 0;

    /// Cosines and sines of `Width` neighbouring pairs.
    template<int Width, class Math>
    R9V_HD void load(Math, index_t position, index_t pair, run<typename Math::real, Width>& cosines,
                     run<typename Math::real, Width>& sines) const {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            if constexpr (Math::is_reference) {
                const double angle = static_cast<double>(position) *
                                     std::pow(theta, -2.0 * static_cast<double>(pair + i) /
                                                         static_cast<double>(dim));
                cosines[i] = std::cos(angle);
                sines[i] = std::sin(angle);
            } else {
                const std::uint64_t turned = static_cast<std::uint64_t>(position) * turns[pair + i];
                const auto at = detail::turn_of(static_cast<std::uint32_t>(turned >> 32));
                cosines[i] = at.cosine;
                sines[i] = at.sine;
            }
        }
    }
};

/// Angles by tables of their cosines and sines, [positions, dim / 2].
template<any_tensor View>
struct tabled_angles {
    static constexpr space memory = View::memory;
    View cosines_of;
    View sines_of;

    template<int Width, class Math>
    R9V_HD void load(Math math, index_t position, index_t pair,
                     run<typename Math::real, Width>& cosines,
                     run<typename Math::real, Width>& sines) const {
        const index_t last = cosines_of.extents[0] - 1;
        const index_t row = position < 0 ? 0 : position > last ? last : position;
        cosines = math.template load<Width>(cosines_of.data + row * cosines_of.strides[0], pair);
        sines = math.template load<Width>(sines_of.data + row * sines_of.strides[0], pair);
    }
};

/// Positions that count up: the row, or the row of the cache that a token goes to.
struct row_positions {
    static constexpr space memory = space::none;
    [[nodiscard]] R9V_HD constexpr index_t of(index_t, index_t, index_t row) const { return row; }
};

/// Positions from memory, [batches, tokens].
template<any_tensor View>
struct given_positions {
    static constexpr space memory = View::memory;
    View view;
    [[nodiscard]] R9V_HD constexpr index_t of(index_t batch, index_t token, index_t) const {
        return static_cast<index_t>(view.data[batch * view.strides[0] + token * view.strides[1]]);
    }
};

/// What turns rows: where they stand, by which angles, and which columns.
template<class Positions, class Angles>
struct rotary_embedding {
    static constexpr space memory = joined_memory(Positions::memory, Angles::memory);
    static constexpr bool has_positions = !std::is_same_v<Positions, row_positions>;
    Positions positions;
    Angles angles;
    index_t dim = 0; ///< 0: all columns, until the head knows how many there are
    rotary_pairs pairs = rotary_pairs::halves;
};

/// Rows that stay as they are.
struct no_rotary {
    static constexpr space memory = space::none;
    static constexpr bool has_positions = true; // asks for none
    static constexpr index_t dim = 0;
};

namespace detail {

/// The embedding for rows of `columns` columns: dim is settled and the angles are made.
template<class Positions, class Angles>
[[nodiscard]] constexpr auto settled(rotary_embedding<Positions, Angles> rotary, index_t columns) {
    if (rotary.dim == 0) rotary.dim = columns;
    if constexpr (std::is_same_v<Angles, computed_angles>) {
        rotary.angles.dim = rotary.dim;
        const index_t pairs = rotary.dim / 2;
        for (index_t i = 0; i < pairs && i < computed_angles::most_pairs; ++i) {
            const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(rotary.dim);
            const double turns = std::pow(rotary.angles.theta, exponent) / (2 * std::numbers::pi);
            // Whole turns change nothing, and 2^64 parts are more than a double can name.
            const double part = turns - std::floor(turns);
            rotary.angles.turns[i] = static_cast<std::uint64_t>(part * 0x1p63) << 1;
        }
    }
    return rotary;
}
[[nodiscard]] constexpr no_rotary settled(no_rotary none, index_t) {
    return none;
}

/// Turns `Width` pairs from pair `pair` on: `load(column)` gives a run of the row, `store(column,
/// run)` takes one.
template<int Width, class Math, class Rotary, class Load, class Store>
R9V_HD void turn_pairs(Math math, const Rotary& rotary, index_t position, index_t pair, Load load,
                       Store store) {
    using values = run<typename Math::real, Width>;
    const bool interleaved = rotary.pairs == rotary_pairs::interleaved;
    const index_t first = interleaved ? 2 * pair : pair;
    const index_t second = interleaved ? first + Width : rotary.dim / 2 + pair;
    const values a = load(first);
    const values b = load(second);
    values cosines;
    values sines;
    rotary.angles.template load<Width>(math, position, pair, cosines, sines);
    // x and y become the members of the pairs; a single pair has them already.
    values x = a;
    values y = b;
    if constexpr (Width > 1) {
        if (interleaved) {
            R9V_UNROLL
            for (int i = 0; i < Width / 2; ++i) {
                x[i] = a[2 * i];
                y[i] = a[2 * i + 1];
                x[i + Width / 2] = b[2 * i];
                y[i + Width / 2] = b[2 * i + 1];
            }
        }
    }
    values turned_x;
    values turned_y;
    R9V_UNROLL
    for (int i = 0; i < Width; ++i) {
        turned_x[i] = math.fma(x[i], cosines[i], -(y[i] * sines[i]));
        turned_y[i] = math.fma(x[i], sines[i], y[i] * cosines[i]);
    }
    x = turned_x;
    y = turned_y;
    if constexpr (Width > 1) {
        if (interleaved) {
            R9V_UNROLL
            for (int i = 0; i < Width / 2; ++i) {
                x[2 * i] = turned_x[i];
                x[2 * i + 1] = turned_y[i];
                y[2 * i] = turned_x[i + Width / 2];
                y[2 * i + 1] = turned_y[i + Width / 2];
            }
        }
    }
    store(first, x);
    store(second, y);
}

enum class rotary_rule { kept, positions, tables, memory };

template<class T>
consteval bool is_position_tensor() {
    if constexpr (any_tensor<T>) {
        using element = typename T::value_type;
        return T::rank <= 2 &&
               (std::is_same_v<element, std::int32_t> || std::is_same_v<element, std::int64_t>);
    } else {
        return false;
    }
}

template<class T>
consteval bool is_angle_table() {
    if constexpr (any_tensor<T>) {
        return T::rank == 2 && T::element_layout == layout::row_major &&
               is_floating_element<typename T::value_type>;
    } else {
        return false;
    }
}

/// [tokens] or [batches, tokens] as [batches, tokens]; one row of positions serves all batches.
template<class View>
[[nodiscard]] constexpr auto per_token(const View& from) {
    using element = const typename View::value_type;
    using whole =
        std::conditional_t<View::memory == space::device, tensor<element, 2, layout::strided>,
                           host_tensor<element, 2, layout::strided>>;
    whole to;
    to.data = from.data;
    to.extents[0] = View::rank == 2 ? from.extents[0] : 1;
    to.extents[1] = from.extents[View::rank - 1];
    to.strides[0] = View::rank == 2 && from.extents[0] != 1 ? from.strides[0] : 0;
    to.strides[1] = from.strides[View::rank - 1];
    return to;
}

template<class Positions>
constexpr bool report_positions() {
    constexpr bool right = is_position_tensor<Positions>();
    static_assert(right, "r9v: positions are whole numbers. Pass a tensor of int32 or int64 of "
                         "rank 1 [tokens] or 2 [batches, tokens].");
    return right;
}

template<class Cosines, class Sines>
constexpr bool report_tables() {
    constexpr bool right = is_angle_table<Cosines>() && is_angle_table<Sines>();
    static_assert(right, "r9v: cosines and sines stand in row-major tensors of floats. Pass two "
                         "tensors of rank 2 [positions, dim / 2].");
    if constexpr (right) {
        constexpr bool alike =
            std::is_same_v<typename Cosines::value_type, typename Sines::value_type> &&
            Cosines::memory == Sines::memory;
        static_assert(alike, "r9v: cosines and sines differ in type or memory. Pass two tensors "
                             "of one kind.");
        return alike;
    } else {
        return false;
    }
}

} // namespace detail

/// Rows turn by their own position: their row in the cache that they are appended to, or in the
/// tensor that rotate() is given.
[[nodiscard]] constexpr auto rotary(const rotary_options& options) {
    rotary_embedding<row_positions, computed_angles> made{};
    made.angles.theta = options.theta;
    made.dim = options.dim;
    made.pairs = options.pairs;
    return made;
}

/// Rows turn by given positions: int32 or int64, rank 1 [tokens] or 2 [batches, tokens], read on
/// the device.
template<class Positions>
[[nodiscard]] constexpr auto rotary(const Positions& positions, const rotary_options& options) {
    if constexpr (detail::report_positions<Positions>()) {
        const auto view = detail::per_token(positions);
        using given = given_positions<std::remove_const_t<decltype(view)>>;
        rotary_embedding<given, computed_angles> made{};
        made.positions = {view};
        made.angles.theta = options.theta;
        made.dim = options.dim;
        made.pairs = options.pairs;
        return made;
    } else {
        return no_rotary{};
    }
}

/// Rows turn by angles whose cosines and sines are given for every position, [positions, dim / 2]:
/// scaled frequencies, or tables that an engine has anyway. Positions beyond the tables are limited
/// to their last row.
template<class Positions, class Cosines, class Sines>
[[nodiscard]] constexpr auto rotary(const Positions& positions, const Cosines& cosines,
                                    const Sines& sines, rotary_pairs pairs) {
    if constexpr (detail::report_positions<Positions>() &&
                  detail::report_tables<Cosines, Sines>()) {
        const auto view = detail::per_token(positions);
        using given = given_positions<std::remove_const_t<decltype(view)>>;
        using table = std::conditional_t<Cosines::memory == space::device,
                                         tensor<const typename Cosines::value_type, 2>,
                                         host_tensor<const typename Cosines::value_type, 2>>;
        rotary_embedding<given, tabled_angles<table>> made{};
        made.positions = {view};
        made.angles = {cosines, sines};
        made.dim = 2 * cosines.extents[1];
        made.pairs = pairs;
        return made;
    } else {
        return no_rotary{};
    }
}

} // namespace r9v::inline R9V_ABI
