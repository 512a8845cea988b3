// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Masks that read a tensor: an additive bias whose -inf means not kept, and booleans. Either may
// have one entry, or a stride of 0, along any axis, and then stands for all of it.
#pragma once

#include <r9v/ops/check.hpp>
#include <r9v/ops/mask_range.hpp>

namespace r9v::inline R9V_ABI {

/// A matrix operand whose axes may each have one entry for all positions. Its view has four axes
/// [batch, head, row, column], with a stride of 0 along axes of one entry.
template<any_tensor View>
struct broadcast_operand : operand<span::matrix, View> {
    static_assert(View::rank == 4 && View::element_layout == layout::strided);
    static constexpr bool broadcasts = true;

    /// The run at `at`. Which access it takes is the same for a whole program: a scalar branch.
    template<int Width, class Math>
    R9V_HD run<typename Math::real, Width> load_run(Math math, const coordinate& at) const {
        const auto* base = this->base(at);
        const auto away = this->lane_offset(math, at);
        const index_t step = this->view.strides[3];
        if (step == 1) return math.template load<Width>(base, away);
        if (step == 0) return broadcast<Width>(math.template load<1>(base, away)[0]);
        run<typename Math::real, Width> values;
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            values[i] = math.template load<1>(base + i * step, away)[0];
        return values;
    }
};

namespace detail {

/// `View` with its axes as [batch, head, row, column]; the ones it lacks, and those of one entry,
/// have a stride of 0. Elements are read as `Element`, which has the same bytes.
template<class Element, class View>
[[nodiscard]] constexpr auto broadcast_axes(const View& from) {
    using whole = std::conditional_t<View::memory == space::host,
                                     host_tensor<const Element, 4, layout::strided>,
                                     tensor<const Element, 4, layout::strided>>;
    // Rank 2 is [row, column], 3 has batches in front, 4 batches and heads.
    constexpr int axes[3][4] = {{-1, -1, 0, 1}, {0, -1, 1, 2}, {0, 1, 2, 3}};
    whole to;
    to.data = reinterpret_cast<const Element*>(from.data);
    for (int i = 0; i < 4; ++i) {
        const int axis = axes[View::rank - 2][i];
        to.extents[i] = axis < 0 ? 1 : from.extents[axis];
        to.strides[i] = axis < 0 || from.extents[axis] == 1 ? 0 : from.strides[axis];
    }
    return broadcast_operand<whole>{{to}};
}

} // namespace detail

/// score + bias, and not kept where the bias is -inf.
template<class Bias, bool BehindMasks = false>
struct add_mask_op {
    static constexpr auto role = r9v::role::mask;
    static constexpr space memory = Bias::memory;
    static constexpr bool changes_kept = true;
    Bias bias;

    /// The same where other masks stand in front: what they do not keep stays so, whatever the bias
    /// is there.
    [[nodiscard]] constexpr add_mask_op<Bias, true> behind_masks() const { return {bias}; }

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        using real = typename Math::real;
        const auto addend = bias.template load_run<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.select(keeps(x[i], addend[i]), x[i] + addend[i], real{not_kept});
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("add_mask", bias, access::read);
    }

private:
    template<class Real>
    [[nodiscard]] R9V_HD static constexpr bool keeps(Real x, Real addend) {
        if constexpr (BehindMasks) {
            const bool by_others = is_kept(x);
            const bool by_bias = is_kept(addend);
            return by_others & by_bias; // not &&: no branch for each value
        } else {
            return is_kept(addend);
        }
    }
};

/// Keeps the scores where a boolean is set.
template<class Kept>
struct where_op {
    static constexpr auto role = r9v::role::mask;
    static constexpr space memory = Kept::memory;
    Kept kept;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        using real = typename Math::real;
        const auto flags = kept.template load_run<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.select(flags[i] != real{0}, x[i], real{not_kept});
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("where", kept, access::read);
    }
};

namespace detail {

enum class mask_tensor { right, wrong_type, wrong_rank };

template<class T>
consteval mask_tensor judge_bias() {
    if constexpr (!any_tensor<T>) {
        return mask_tensor::wrong_type;
    } else {
        using element = typename T::value_type;
        if constexpr (!std::is_same_v<element, float> && !std::is_same_v<element, half> &&
                      !std::is_same_v<element, bf16>) {
            return mask_tensor::wrong_type;
        } else {
            return T::rank >= 2 && T::rank <= 4 ? mask_tensor::right : mask_tensor::wrong_rank;
        }
    }
}

template<class T>
consteval mask_tensor judge_booleans() {
    if constexpr (!any_tensor<T>) {
        return mask_tensor::wrong_type;
    } else {
        using element = typename T::value_type;
        if constexpr (!std::is_same_v<element, bool> && !std::is_same_v<element, std::uint8_t> &&
                      !std::is_same_v<element, std::int8_t>) {
            return mask_tensor::wrong_type;
        } else {
            return T::rank >= 2 && T::rank <= 4 ? mask_tensor::right : mask_tensor::wrong_rank;
        }
    }
}

} // namespace detail

/// score + bias, where a bias of -inf (or the lowest float) means not kept: its score is selected
/// away, whatever it is. A bias of NaN makes the score NaN. float, half or bf16; rank 2 [rows,
/// columns], 3 [batches, rows, columns] or 4 [batches, heads, rows, columns]; axes of one entry, or
/// with a stride of 0, stand for all positions.
template<class View>
[[nodiscard]] constexpr auto add_mask(const View& bias) {
    constexpr auto judged = detail::judge_bias<View>();
    static_assert(judged != detail::mask_tensor::wrong_type,
                  "r9v: add_mask() takes a tensor of float, half or bf16 that is added to the "
                  "scores. Write where(t) for booleans.");
    static_assert(judged != detail::mask_tensor::wrong_rank,
                  "r9v: add_mask() takes a tensor of rank 2 [rows, columns], 3 [batches, rows, "
                  "columns] or 4 [batches, heads, rows, columns]. Give axes that do not matter an "
                  "extent of 1.");
    if constexpr (judged == detail::mask_tensor::right) {
        return add_mask_op{detail::broadcast_axes<typename View::value_type>(bias)};
    } else {
        return rejected{};
    }
}

/// Keeps the scores where the tensor is true: bool, or 8-bit integers that are not 0. Shapes as for
/// add_mask().
template<class View>
[[nodiscard]] constexpr auto where(const View& kept) {
    constexpr auto judged = detail::judge_booleans<View>();
    static_assert(judged != detail::mask_tensor::wrong_type,
                  "r9v: where() takes a tensor of bool or 8-bit integers, which are not 0 where a "
                  "score is kept. Write add_mask(t) for a bias, keep_if(f) for a function.");
    static_assert(judged != detail::mask_tensor::wrong_rank,
                  "r9v: where() takes a tensor of rank 2 [rows, columns], 3 [batches, rows, "
                  "columns] or 4 [batches, heads, rows, columns]. Give axes that do not matter an "
                  "extent of 1.");
    if constexpr (judged == detail::mask_tensor::right) {
        return where_op{detail::broadcast_axes<std::uint8_t>(kept)};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
