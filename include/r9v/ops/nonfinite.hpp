// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A tap that finds the first NaN or infinity, and what its report means.
#pragma once

#include <r9v/numeric/convert.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/ops/operand.hpp>
#include <r9v/ops/role.hpp>

namespace r9v::inline R9V_ABI {

/// Where the first value that is not finite stands; converts to false when all are finite.
struct nonfinite_position {
    bool found = false;
    index_t batch = 0;
    index_t row = 0;
    index_t column = 0;
    index_t head = 0;

    [[nodiscard]] constexpr explicit operator bool() const { return found; }
    friend constexpr bool operator==(const nonfinite_position&,
                                     const nonfinite_position&) = default;
};

/// What the report of find_nonfinite() says about a result with these extents. "First" is in the
/// order of batches, then heads, then rows, then columns.
[[nodiscard]] constexpr nonfinite_position first_nonfinite(std::uint64_t report,
                                                           const extents& result) {
    const auto rows = static_cast<std::uint64_t>(result.rows);
    const auto columns = static_cast<std::uint64_t>(result.columns);
    const auto heads = static_cast<std::uint64_t>(result.heads);
    if (report == ~std::uint64_t{0} || rows == 0 || columns == 0 || heads == 0) return {};
    return {true, static_cast<index_t>(report / columns / rows / heads),
            static_cast<index_t>(report / columns % rows), static_cast<index_t>(report % columns),
            static_cast<index_t>(report / columns / rows % heads)};
}

/// Writes the smallest linear index of a NaN or infinity. The test works on bits, so it survives
/// -ffast-math. A program without such a value pays one comparison a value and no memory access.
template<any_tensor View>
struct find_nonfinite_op {
    static constexpr auto role = r9v::role::tap;
    static constexpr space memory = View::memory;
    static constexpr bool accumulates = true;
    /// The launch fills the report with it: no index is that large.
    static constexpr unsigned char initial_byte = 0xff;
    operand<span::scalar, View> to;
    index_t heads = 1;
    index_t rows = 0;
    index_t columns = 0;

    R9V_HD constexpr void bind(const extents& result) {
        heads = result.heads;
        rows = result.rows;
        columns = result.columns;
    }

    template<class Math, int Width>
    R9V_HD void operator()(Math math, const run<typename Math::real, Width>& x,
                           const coordinate& at) const {
        bool finite = true;
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            finite = finite & is_finite(x[i]); // not &&: no branch for each value
        if (!finite) {
            int first = Width;
            R9V_UNROLL
            for (int i = Width - 1; i >= 0; --i)
                first = is_finite(x[i]) ? first : i;
            const index_t place = (at.batch() * heads + at.head()) * rows + at.row();
            const index_t position = place * columns + at.column() + first;
            math.atomic_min(to.element_at(at), static_cast<std::uint64_t>(position));
        }
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("find_nonfinite", to, access::accumulate);
    }
};

namespace detail {

template<class View>
consteval bool is_report() {
    if constexpr (any_tensor<View>) {
        return std::is_same_v<typename View::element_type, std::uint64_t> && View::rank == 1;
    } else {
        return false;
    }
}

} // namespace detail

/// `... | find_nonfinite(report) | ...`: report is a tensor<std::uint64_t, 1> with one element,
/// which first_nonfinite(value, {batches, rows, columns, heads}) turns into a position.
template<class View>
[[nodiscard]] constexpr auto find_nonfinite(const View& report) {
    constexpr bool right = detail::is_report<View>();
    static_assert(right, "r9v: find_nonfinite() takes a report of one 64-bit number. Pass a "
                         "tensor<std::uint64_t, 1> with one element.");
    if constexpr (right) {
        return find_nonfinite_op<View>{{report}};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
