// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Heads of row programs: each result is one row of the source, made from the whole of it. The
// factories stand in softmax.hpp and norm.hpp.
#pragma once

#include <r9v/ops/grammar.hpp>
#include <r9v/tensor/transform.hpp>

namespace r9v::inline R9V_ABI {

/// What is computed of each row.
struct row_softmax {
    static constexpr const char* name = "softmax";
};
struct row_log_softmax {
    static constexpr const char* name = "log_softmax";
};
struct row_log_sum_exp {
    static constexpr const char* name = "log_sum_exp";
};
struct row_rms_norm {
    static constexpr const char* name = "rms_norm";
    float epsilon;
};
struct row_layer_norm {
    static constexpr const char* name = "layer_norm";
    float epsilon;
};

namespace detail {

template<class Kind>
inline constexpr bool is_norm =
    std::is_same_v<Kind, row_rms_norm> || std::is_same_v<Kind, row_layer_norm>;

/// Extent of axis `from_last`, counted from the last; 1 where the view has no such axis.
template<class View>
[[nodiscard]] R9V_HD constexpr index_t extent_or_one(const View& v, int from_last) {
    return from_last < View::rank ? v.extents[View::rank - 1 - from_last] : 1;
}

} // namespace detail

/// `Source` is a source<View, prologue> with a view of rank 2 to 4, whose last axis is the row.
template<class Source, class Kind>
struct row_head {
    using source_type = Source;
    using kind_type = Kind;
    static constexpr int results = 1;
    static constexpr space memory = Source::memory;
    static constexpr bool gives_whole_rows = !std::is_same_v<Kind, row_log_sum_exp>;

    Source x;
    Kind kind;

    using view_type = decltype(Source::view);
    using prologue_type = decltype(Source::prologue);
    using element = typename view_type::value_type;

    /// Which row statistics the head computes anyway.
    [[nodiscard]] static constexpr bool gives(row_statistic s) {
        if constexpr (std::is_same_v<Kind, row_layer_norm>) {
            return s == row_statistic::mean || s == row_statistic::inverse_deviation;
        } else if constexpr (std::is_same_v<Kind, row_rms_norm>) {
            return s == row_statistic::inverse_deviation;
        } else {
            return s == row_statistic::log_sum_exp || s == row_statistic::maximum;
        }
    }

    /// What the prologue's coordinates run over.
    [[nodiscard]] constexpr extents source_extents() const {
        const view_type& v = x.view;
        return {detail::extent_or_one(v, view_type::rank == 4 ? 3 : 2), detail::extent_or_one(v, 1),
                detail::extent_or_one(v, 0), view_type::rank == 4 ? v.extents[1] : 1};
    }
    /// What the chain's coordinates run over.
    [[nodiscard]] constexpr extents result() const {
        extents all = source_extents();
        if constexpr (std::is_same_v<Kind, row_log_sum_exp>) all.columns = 1;
        return all;
    }
};

template<class T>
inline constexpr bool is_row_head = false;
template<class Source, class Kind>
inline constexpr bool is_row_head<row_head<Source, Kind>> = true;

namespace detail {

enum class row_rule { kept, refused_before, not_a_tensor, element, rank, sink, mask };

template<class Input, class Kind>
consteval row_rule broken_row_rule() {
    if constexpr (is_rejected<Input>) {
        return row_rule::refused_before;
    } else if constexpr (!is_source<Input> && !any_tensor<Input>) {
        return row_rule::not_a_tensor;
    } else {
        using view = typename view_of<Input>::type;
        using source_type = decltype(to_source(std::declval<const Input&>()));
        using prologue = decltype(source_type::prologue);
        if constexpr (prologue::has_rejected) {
            return row_rule::refused_before;
        } else if constexpr (!is_element<typename view::value_type>) {
            return row_rule::element;
        } else if constexpr (view::rank > 4) {
            return row_rule::rank;
        } else if constexpr (is_norm<Kind> && (prologue::has_mask || prologue::has_sink)) {
            return row_rule::mask;
        } else {
            return row_rule::kept;
        }
    }
}

template<row_rule Broken>
constexpr bool report_row() {
    static_assert(Broken != row_rule::not_a_tensor,
                  "r9v: a row program takes a tensor, or a tensor with ops. Write softmax(x) or "
                  "softmax(x | scale(0.125f)).");
    static_assert(Broken != row_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(Broken != row_rule::rank,
                  "r9v: a row program takes a tensor of rank 1 [columns], 2 [rows, columns], 3 "
                  "[batches, rows, columns] or 4 [batches, heads, rows, columns]. Fold the other "
                  "axes first.");
    static_assert(Broken != row_rule::mask,
                  "r9v: masks and sinks belong to a softmax. Write softmax(x | causal(...)); for a "
                  "norm, cut x with slice().");
    return Broken == row_rule::kept;
}

/// One row as a matrix of one row; other views as they are.
template<class View>
[[nodiscard]] constexpr auto as_matrix(const View& v) {
    if constexpr (View::rank == 1) {
        view_like<View, 2,
                  View::element_layout == layout::row_major ? layout::row_major : layout::strided>
            matrix;
        matrix.data = v.data;
        matrix.extents[0] = 1;
        matrix.extents[1] = v.extents[0];
        matrix.strides[0] = v.extents[0];
        matrix.strides[1] = v.strides[0];
        return matrix;
    } else {
        return v;
    }
}

/// The program without a chain, or a rejected one.
template<class Input, class Kind>
[[nodiscard]] constexpr auto row_program(const Input& x, const Kind& kind) {
    constexpr row_rule broken = broken_row_rule<Input, Kind>();
    if constexpr (report_row<broken>()) {
        const auto from = to_source(x);
        const auto view = as_matrix(from.view);
        using prologue = std::remove_const_t<decltype(from.prologue)>;
        using from_type = source<std::remove_const_t<decltype(view)>, prologue>;
        return program<row_head<from_type, Kind>, chain<>>{{{view, from.prologue}, kind}, {}};
    } else {
        return rejected_program{};
    }
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
