// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An op whose tensor may be missing, for engines that only learn at run time whether a layer has a
// bias or a residual.
#pragma once

#include <r9v/numeric/bits.hpp>
#include <r9v/ops/bind.hpp>
#include <r9v/ops/check.hpp>
#include <r9v/ops/mask_range.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// What the launch fills the op's results with before it runs.
template<class Op>
inline constexpr unsigned char initial_byte_of = [] {
    if constexpr (requires { Op::initial_byte; }) {
        return Op::initial_byte;
    } else {
        return static_cast<unsigned char>(0);
    }
}();

} // namespace detail

/// `Op`, or nothing when one of its tensors is null. The choice is the same for all values: one
/// scalar branch a run.
template<class Op>
struct optional_op {
    static constexpr auto role = Op::role;
    static constexpr space memory = memory_of<Op>;
    static constexpr bool accumulates = r9v::accumulates<Op>;
    static constexpr unsigned char initial_byte = detail::initial_byte_of<Op>;
    static constexpr bool changes_kept = changes_kept_scores<Op>;
    Op op;
    bool present = false;

    R9V_HD constexpr void bind(const extents& result) {
        if constexpr (detail::binds_extents<Op>) op.bind(result);
    }
    [[nodiscard]] constexpr auto behind_masks() const
        requires requires(const Op& o) { o.behind_masks(); }
    {
        const auto behind = op.behind_masks();
        return optional_op<std::remove_const_t<decltype(behind)>>{behind, present};
    }
    /// A mask that is missing keeps everything.
    [[nodiscard]] R9V_HD constexpr column_range columns_of(const row_range& rows) const
        requires(role == r9v::role::mask)
    {
        return present ? r9v::columns_of(op, rows) : detail::everything();
    }
    /// A sink that is missing adds nothing.
    template<class Math>
        requires(role == r9v::role::sink)
    [[nodiscard]] R9V_HD typename Math::real logit(Math math, const coordinate& at) const {
        constexpr std::uint32_t minus_infinity = numeric::float_infinity | 1u << 31;
        if (present) return op.logit(math, at);
        return static_cast<typename Math::real>(numeric::from_opaque_bits<float>(minus_infinity));
    }

    template<class Math, int Width>
        requires(role == r9v::role::operand || role == r9v::role::mask)
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, const run<typename Math::real, Width>& x, const coordinate& at) const {
        if (present) return op(math, x, at);
        return x;
    }
    template<class Math, int Width>
        requires(role == r9v::role::tap)
    R9V_HD void operator()(Math math, const run<typename Math::real, Width>& x,
                           const coordinate& at) const {
        if (present) op(math, x, at);
    }
    /// Shows no tensor when there is none: the launch refuses null tensors that it sees.
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        if (present) op.visit_operands(visit);
    }
};

namespace detail {

template<class Op>
consteval bool may_be_optional() {
    if constexpr (!any_op<Op> || stateful_tap<Op>) {
        return false;
    } else if constexpr (Op::role == role::mask || Op::role == role::sink) {
        return memory_of<Op> != space::none;
    } else {
        return Op::role == role::operand || Op::role == role::tap;
    }
}

template<class Op>
[[nodiscard]] constexpr bool has_all_tensors(const Op& op) {
    bool present = true;
    op.visit_operands([&](const char*, const auto& tensor, access) {
        present = present && tensor.view.data != nullptr;
    });
    return present;
}

} // namespace detail

/// `optional(bias(b))`: does nothing when b is null. For ops that read tensors, masks and sinks
/// among them, and for tee() and find_nonfinite().
template<class Op>
[[nodiscard]] constexpr auto optional(const Op& op) {
    if constexpr (is_rejected<Op>) {
        return rejected{};
    } else {
        constexpr bool right = detail::may_be_optional<Op>();
        static_assert(right, "r9v: optional() takes an op with a tensor that may be null. Write "
                             "optional(bias(t)), optional(residual(t)) or optional(tee(t)).");
        if constexpr (right) {
            return optional_op<Op>{op, detail::has_all_tensors(op)};
        } else {
            return rejected{};
        }
    }
}

} // namespace r9v::inline R9V_ABI
