// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A store that doubles a map: every result goes to the 2 x 2 pixels that nearest-neighbour
// upsampling would copy it to, so that the small map is never written.
//
//     result [b, p, q, k]          stored to y [b, 2p, 2q, k]
//        a b                          a a b b
//        c d                          a a b b
//                                     c c d d
//                                     c c d d
#pragma once

#include <r9v/ops/operand.hpp>
#include <r9v/ops/store.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

/// The destination of an upsampled store, which has an extent of its own along rows and columns of
/// pixels. Only checks look at it: the op finds its places itself.
template<any_tensor View>
struct doubled_map {
    static constexpr bool doubles_pixels = true;
    View view{};
};

template<any_tensor View>
struct upsampled_store_op {
    static constexpr auto role = r9v::role::store;
    static constexpr space memory = View::memory;
    /// Pixels may be counted through: the op knows how many a row and a map have.
    static constexpr bool sees_position = false;
    View to;
    index_t heads = 1; ///< rows of pixels of the result
    index_t rows = 1;  ///< pixels of such a row

    R9V_HD constexpr void bind(const extents& result) {
        heads = result.heads;
        rows = result.rows;
    }

    template<class Math, int Width>
    R9V_HD void operator()(Math math, const run<typename Math::real, Width>& x,
                           const coordinate& at) const {
        auto* first = &to.data[upper_left(at)];
        store_run(math, first, x);
        store_run(math, first + to.strides[2], x);
        first += to.strides[1];
        store_run(math, first, x);
        store_run(math, first + to.strides[2], x);
    }
    /// Shown to those alone who know that it is twice as high and wide as the result.
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        if constexpr (requires { visit("store_upsampled", doubled_map<View>{to}, access::write); })
            visit("store_upsampled", doubled_map<View>{to}, access::write);
    }

private:
    /// Where the first of the four pixels stands.
    [[nodiscard]] R9V_HD constexpr index_t upper_left(const coordinate& at) const {
        index_t image = at.batch();
        index_t p = at.head();
        index_t q = at.row();
        if (q >= rows) { // counted through: fewer than 2^31 pixels
            const auto pixel = static_cast<std::uint32_t>(q);
            const auto a_row = static_cast<std::uint32_t>(rows);
            const auto a_map = static_cast<std::uint32_t>(heads);
            const std::uint32_t row = pixel / a_row;
            q = pixel - row * a_row;
            image = row / a_map;
            p = row - static_cast<std::uint32_t>(image) * a_map;
        }
        return image * to.strides[0] + 2 * p * to.strides[1] + 2 * q * to.strides[2] +
               at.column() * column_stride();
    }
    [[nodiscard]] R9V_HD constexpr index_t column_stride() const {
        return View::element_layout == layout::row_major ? 1 : to.strides[3];
    }
    template<class Math, int Width>
    R9V_HD void store_run(Math math, typename View::value_type* first,
                          const run<typename Math::real, Width>& x) const {
        constexpr auto here = static_cast<typename Math::offset>(0);
        if constexpr (View::element_layout == layout::row_major) {
            math.template store<Width>(first, here, x);
        } else {
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                math.template store<1>(first + i * column_stride(), here,
                                       run<typename Math::real, 1>{{x[i]}});
        }
    }
};

/// `conv2d(...) | ... | store_upsampled(y)`: every result goes to 2 x 2 neighbouring pixels of y
/// [batch, 2 * rows, 2 * columns, channels]; any strides (`slice(t, ...)`, `channels_last(t)`).
/// Rounded as store() rounds. Behind any program whose result is [batch, rows, columns, channels].
template<class View>
[[nodiscard]] constexpr auto store_upsampled(const View& to) {
    constexpr auto broken = detail::broken_destination_rule<View>();
    if constexpr (detail::report_destination<broken>()) {
        static_assert(View::rank == 4,
                      "r9v: store_upsampled() writes maps. Pass a tensor of rank 4 [batch, 2 * "
                      "rows, 2 * columns, channels].");
        if constexpr (View::rank == 4) {
            return upsampled_store_op<View>{to};
        } else {
            return rejected{};
        }
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
