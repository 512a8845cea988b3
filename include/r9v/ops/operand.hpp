// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Tensors inside ops: which coordinates an operand follows, and how a run of it is loaded or stored
// through the executor's math policy with a scalar base and a small lane offset.
#pragma once

#include <r9v/ops/role.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tensor/tensor.hpp>

namespace r9v::inline R9V_ABI {

/// Which coordinates of the result an operand follows.
enum class span {
    scalar, ///< one value: rank 1, extent 1
    head,   ///< one value per head: rank 1, or rank 2 with a batch axis in front
    column, ///< one value per column: rank 1
    row,    ///< one value per row: rank 1
    group,  ///< one value per row and group of columns: rank 2
    matrix, ///< one value per element: rank 2
}; // all but scalar: one axis more with the batches in front, two with batches and heads

enum class access { read, write, accumulate };

/// Rank of an operand without a batch axis.
constexpr int span_rank(span s) {
    return s == span::group || s == span::matrix ? 2 : 1;
}

/// A tensor that is read or written at the coordinates of the result. Under span::group,
/// 2^group_shift neighbouring columns share one value (8 or more, so that a run never straddles).
template<span Span, any_tensor View>
struct operand {
    static constexpr span along = Span;
    static constexpr space memory = View::memory;
    static constexpr bool has_head =
        Span != span::head && Span != span::scalar && View::rank == span_rank(Span) + 2;
    static constexpr bool has_batch = View::rank == span_rank(Span) + 1 || has_head;
    using view_type = View;
    using element = typename View::value_type;

    static_assert(View::rank == span_rank(Span) || has_batch,
                  "r9v: this operand has the wrong number of axes for its place.");

    View view{};
    int group_shift = 0;

    /// The base pointer that a whole wave shares.
    R9V_HD constexpr auto* base(const coordinate& at) const {
        auto* pointer = view.data;
        if constexpr (has_batch) pointer += at.batch_base * view.strides[0];
        if constexpr (has_head) pointer += at.head_base * view.strides[1];
        if constexpr (Span == span::head) pointer += at.head_base * view.strides[View::rank - 1];
        if constexpr (Span == span::column) pointer += at.column_base * column_stride();
        if constexpr (Span == span::row || Span == span::group || Span == span::matrix)
            pointer += at.row_base * row_stride();
        if constexpr (Span == span::matrix) pointer += at.column_base * column_stride();
        return pointer;
    }

    /// Elements from the base to this lane's run, in the policy's offset type.
    template<class Math>
    R9V_HD constexpr auto lane_offset(Math, const coordinate& at) const {
        using offset = typename Math::offset;
        offset sum{0};
        if constexpr (Span == span::row || Span == span::group || Span == span::matrix)
            sum += static_cast<offset>(at.row_offset) * static_cast<offset>(row_stride());
        if constexpr (Span == span::column || Span == span::matrix)
            sum += static_cast<offset>(at.column_offset) * static_cast<offset>(column_stride());
        if constexpr (Span == span::group)
            sum += static_cast<offset>(at.column() >> group_shift) *
                   static_cast<offset>(column_stride());
        return sum;
    }

    /// The run at `at`: neighbouring columns, or one value repeated where the operand does not
    /// follow the columns.
    template<int Width, class Math>
    R9V_HD run<typename Math::real, Width> load(Math math, const coordinate& at) const {
        if constexpr (Span != span::column && Span != span::matrix) {
            return broadcast<Width>(read<1>(math, base(at), lane_offset(math, at))[0]);
        } else if constexpr (View::element_layout == layout::row_major) {
            return read<Width>(math, base(at), lane_offset(math, at));
        } else {
            run<typename Math::real, Width> values;
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                values[i] = read<1>(math, base(at) + i * column_stride(), lane_offset(math, at))[0];
            return values;
        }
    }

    /// load() of values that will be added to others: policies may join conversion and addition.
    template<int Width, class Math>
    R9V_HD run<typename Math::real, Width> load_addend(Math math, const coordinate& at) const {
        if constexpr (Span == span::matrix && View::element_layout == layout::row_major &&
                      requires {
                          math.template load_addend<Width>(base(at), lane_offset(math, at));
                      }) {
            return math.template load_addend<Width>(base(at), lane_offset(math, at));
        } else {
            return load<Width>(math, at);
        }
    }

    /// Writes the run, each value rounded to the element type.
    template<int Width, class Math>
    R9V_HD void store(Math math, const coordinate& at,
                      const run<typename Math::real, Width>& x) const {
        static_assert(Span == span::matrix);
        if constexpr (View::element_layout == layout::row_major) {
            math.template store<Width>(base(at), lane_offset(math, at), x);
        } else {
            R9V_UNROLL
            for (int i = 0; i < Width; ++i)
                math.template store<1>(base(at) + i * column_stride(), lane_offset(math, at),
                                       run<typename Math::real, 1>{{x[i]}});
        }
    }

    /// The element of this row (span::row) or the only one (span::scalar), for taps.
    R9V_HD constexpr element* element_at(const coordinate& at) const {
        if constexpr (Span == span::row) {
            return base(at) + at.row_offset * row_stride();
        } else {
            return base(at);
        }
    }

    R9V_HD constexpr index_t row_stride() const {
        if constexpr (Span == span::row) {
            return view.strides[View::rank - 1];
        } else if constexpr (View::element_layout == layout::column_major) {
            return 1;
        } else {
            return view.strides[View::rank - 2];
        }
    }
    R9V_HD constexpr index_t column_stride() const {
        if constexpr (View::element_layout == layout::row_major) {
            return 1;
        } else {
            return view.strides[View::rank - 1];
        }
    }

private:
    /// Only a matrix may be memory that the program itself writes (in place). Anything else stays
    /// as it is while the program runs, and policies may load it once.
    template<int Width, class Math>
    R9V_HD static auto read(Math math, const element* from, typename Math::offset away) {
        if constexpr (Span != span::matrix &&
                      requires { math.template load_constant<Width>(from, away); }) {
            return math.template load_constant<Width>(from, away);
        } else {
            return math.template load<Width>(from, away);
        }
    }
};

} // namespace r9v::inline R9V_ABI
