// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The forms in which sequences of queries, keys and values stand in memory: padded to one length,
// with lengths, packed behind one another, in pages. Lengths, offsets and block tables are read on
// the device; the host knows only bounds.
//
// Axes are always [sequence, head, row, dim] in this order; `heads_first(t)` shows tensors that
// have the heads behind the rows. The last axis is contiguous.
#pragma once

#include <r9v/kernels/attention/rows.hpp>
#include <r9v/ops/grammar.hpp>
#include <r9v/tensor/transform.hpp>

namespace r9v::inline R9V_ABI {

enum class sequence_form {
    dense,   ///< a tensor [sequence, head, row, dim]; all sequences are equally long
    limited, ///< the same, of which only the first rows of each sequence exist
    packed,  ///< [head, total, dim], sequences behind one another
    paged,   ///< [page, head, row, dim], found through a block table
};

namespace detail {

/// The same view of elements that nobody writes, so that both kinds compile one kernel.
template<any_tensor View>
using read_only = std::conditional_t<
    View::memory == space::device,
    tensor<const typename View::value_type, View::rank, View::element_layout>,
    host_tensor<const typename View::value_type, View::rank, View::element_layout>>;

template<space Memory, int Rank>
using index_tensor = std::conditional_t<Memory == space::device, tensor<const std::int32_t, Rank>,
                                        host_tensor<const std::int32_t, Rank>>;

/// `value`, but not below 0 and not above `most`.
[[nodiscard]] R9V_HD constexpr index_t limited_to(index_t value, index_t most) {
    return value < 0 ? 0 : value > most ? most : value;
}

} // namespace detail

/// What every form offers: how many sequences and heads there are, how long the longest may be, and
/// where the rows of one of them stand.
template<any_tensor View>
struct dense_sequences {
    static constexpr sequence_form form = sequence_form::dense;
    static constexpr space memory = View::memory;
    using view_type = View;
    using element = typename View::value_type;
    View view;

    [[nodiscard]] R9V_HD constexpr index_t sequences() const { return view.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return view.extents[1]; }
    [[nodiscard]] R9V_HD constexpr index_t longest() const { return view.extents[2]; }
    [[nodiscard]] R9V_HD constexpr index_t dim() const { return view.extents[3]; }
    [[nodiscard]] R9V_HD constexpr index_t row_stride() const { return view.strides[2]; }

    [[nodiscard]] R9V_HD constexpr index_t length(index_t) const { return view.extents[2]; }
    /// Row of the tensor in which sequence `sequence` begins.
    [[nodiscard]] R9V_HD constexpr index_t first_row(index_t) const { return 0; }
    [[nodiscard]] R9V_HD constexpr strided_rows<element> rows(index_t sequence,
                                                              index_t head) const {
        return {view.data + sequence * view.strides[0] + head * view.strides[1], view.strides[2],
                view.extents[2]};
    }
};

/// `lengths` is int32 [sequences].
template<any_tensor View>
struct limited_sequences {
    static constexpr sequence_form form = sequence_form::limited;
    static constexpr space memory = View::memory;
    using view_type = View;
    using element = typename View::value_type;
    View view;
    detail::index_tensor<memory, 1> lengths;

    [[nodiscard]] R9V_HD constexpr index_t sequences() const { return view.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return view.extents[1]; }
    [[nodiscard]] R9V_HD constexpr index_t longest() const { return view.extents[2]; }
    [[nodiscard]] R9V_HD constexpr index_t dim() const { return view.extents[3]; }
    [[nodiscard]] R9V_HD constexpr index_t row_stride() const { return view.strides[2]; }

    [[nodiscard]] R9V_HD constexpr index_t length(index_t sequence) const {
        return detail::limited_to(lengths(sequence), view.extents[2]);
    }
    [[nodiscard]] R9V_HD constexpr index_t first_row(index_t) const { return 0; }
    [[nodiscard]] R9V_HD constexpr strided_rows<element> rows(index_t sequence,
                                                              index_t head) const {
        return {view.data + sequence * view.strides[0] + head * view.strides[1], view.strides[2],
                length(sequence)};
    }
};

/// `offsets` is int32 [sequences + 1], ascending; `most` bounds the length of every sequence: rows
/// beyond it are not seen.
template<any_tensor View>
struct packed_sequences {
    static constexpr sequence_form form = sequence_form::packed;
    static constexpr space memory = View::memory;
    using view_type = View;
    using element = typename View::value_type;
    View view;
    detail::index_tensor<memory, 1> offsets;
    index_t most = 0;

    [[nodiscard]] R9V_HD constexpr index_t sequences() const {
        return offsets.extents[0] > 0 ? offsets.extents[0] - 1 : 0;
    }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return view.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t longest() const { return most; }
    [[nodiscard]] R9V_HD constexpr index_t dim() const { return view.extents[2]; }
    [[nodiscard]] R9V_HD constexpr index_t row_stride() const { return view.strides[1]; }
    /// Rows of all sequences together.
    [[nodiscard]] R9V_HD constexpr index_t total() const { return view.extents[1]; }

    [[nodiscard]] R9V_HD constexpr index_t length(index_t sequence) const {
        const index_t begin = first_row(sequence);
        const index_t end = detail::limited_to(offsets(sequence + 1), total());
        return detail::limited_to(end - begin, most);
    }
    [[nodiscard]] R9V_HD constexpr index_t first_row(index_t sequence) const {
        return detail::limited_to(offsets(sequence), total());
    }
    [[nodiscard]] R9V_HD constexpr strided_rows<element> rows(index_t sequence,
                                                              index_t head) const {
        return {view.data + head * view.strides[0] + first_row(sequence) * view.strides[1],
                view.strides[1], length(sequence)};
    }
};

/// `table` is int32 [sequences, most pages], `lengths` int32 [sequences].
template<any_tensor View>
struct paged_sequences {
    static constexpr sequence_form form = sequence_form::paged;
    static constexpr space memory = View::memory;
    using view_type = View;
    using element = typename View::value_type;
    View view;
    detail::index_tensor<memory, 2> table;
    detail::index_tensor<memory, 1> lengths;
    tile::divisor page_size;

    [[nodiscard]] R9V_HD constexpr index_t sequences() const { return table.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return view.extents[1]; }
    [[nodiscard]] R9V_HD constexpr index_t longest() const {
        return table.extents[1] * view.extents[2];
    }
    [[nodiscard]] R9V_HD constexpr index_t dim() const { return view.extents[3]; }
    [[nodiscard]] R9V_HD constexpr index_t row_stride() const { return view.strides[2]; }

    [[nodiscard]] R9V_HD constexpr index_t length(index_t sequence) const {
        return detail::limited_to(lengths(sequence), longest());
    }
    [[nodiscard]] R9V_HD constexpr index_t first_row(index_t) const { return 0; }
    [[nodiscard]] R9V_HD constexpr paged_rows<element> rows(index_t sequence, index_t head) const {
        return {view.data + head * view.strides[1],       view.strides[2], view.strides[0],
                table.data + sequence * table.strides[0], page_size,       length(sequence)};
    }
};

/// Queries with the ops that run on them as they are loaded.
template<class Rows, class Chain>
struct query_source {
    static constexpr space memory = joined_memory(Rows::memory, Chain::memory);
    Rows rows;
    Chain prologue;
};

template<class T>
inline constexpr bool is_sequences = false;
template<class View>
inline constexpr bool is_sequences<dense_sequences<View>> = true;
template<class View>
inline constexpr bool is_sequences<limited_sequences<View>> = true;
template<class View>
inline constexpr bool is_sequences<packed_sequences<View>> = true;
template<class View>
inline constexpr bool is_sequences<paged_sequences<View>> = true;

template<class T>
inline constexpr bool is_query_source = false;
template<class Rows, class Chain>
inline constexpr bool is_query_source<query_source<Rows, Chain>> = true;

namespace detail {

enum class form_rule { kept, source, not_a_tensor, rank, layout, indices, index_rank, memory };

template<class T>
inline constexpr bool is_index_tensor = [] {
    if constexpr (any_tensor<T>) {
        return std::is_same_v<typename T::value_type, std::int32_t> &&
               T::element_layout == layout::row_major;
    } else {
        return false;
    }
}();

/// What is wrong with a tensor of rank `Rank` and the int32 tensors that describe it.
template<int Rank, class View, class... Indices>
consteval form_rule broken_form_rule() {
    if constexpr (is_source<View>) {
        return form_rule::source;
    } else if constexpr (!any_tensor<View>) {
        return form_rule::not_a_tensor;
    } else if constexpr (View::rank != Rank) {
        return form_rule::rank;
    } else if constexpr (View::element_layout != layout::row_major) {
        return form_rule::layout;
    } else if constexpr (!(is_index_tensor<Indices> && ...)) {
        return form_rule::indices;
    } else if constexpr (!(same_memory(View::memory, Indices::memory) && ...)) {
        return form_rule::memory;
    } else {
        return form_rule::kept;
    }
}

template<form_rule Broken>
constexpr bool report_form() {
    static_assert(Broken != form_rule::source,
                  "r9v: keys and values are read as they are. Put ops on q, or write k in a "
                  "program of its own.");
    static_assert(Broken != form_rule::not_a_tensor,
                  "r9v: sequences stand in tensors. Write with_lengths(tensor, lengths), "
                  "packed(tensor, offsets, longest) or paged(tensor, block_table, lengths).");
    static_assert(Broken != form_rule::layout,
                  "r9v: attention reads rows of contiguous elements. Pass tensors of "
                  "layout::row_major, whose last axis is contiguous; heads_first(t) moves the "
                  "heads.");
    static_assert(Broken != form_rule::indices,
                  "r9v: lengths, offsets and block tables are row-major tensors of int32. Pass "
                  "tensor<std::int32_t, 1> for lengths and offsets and tensor<std::int32_t, 2> for "
                  "a block table.");
    static_assert(Broken != form_rule::memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    return Broken == form_rule::kept;
}

/// The rule for ranks of the index tensors.
template<class T, int Rank>
inline constexpr bool has_rank = [] {
    if constexpr (any_tensor<T>) {
        return T::rank == Rank;
    } else {
        return true; // reported elsewhere
    }
}();

} // namespace detail

/// Keys or values of which only the first lengths[sequence] rows of each sequence exist: t is
/// [sequence, head, row, dim], lengths int32 [sequence] on the device. What stands behind a length
/// is never read. causal(bottom_right) aligns with the lengths.
template<class View, class Lengths>
[[nodiscard]] constexpr auto with_lengths(const View& t, const Lengths& lengths) {
    constexpr auto broken = detail::broken_form_rule<4, View, Lengths>();
    constexpr bool ranks = detail::has_rank<Lengths, 1>;
    static_assert(broken != detail::form_rule::rank,
                  "r9v: with_lengths() takes a tensor of rank 4 [sequence, head, row, dim]. Pass "
                  "batches of equal extents, or packed(t, offsets, longest).");
    static_assert(broken != detail::form_rule::kept || ranks,
                  "r9v: lengths have rank 1 [sequences]. Pass one int32 for each sequence.");
    if constexpr (detail::report_form<broken>() && broken == detail::form_rule::kept && ranks) {
        return limited_sequences<detail::read_only<View>>{t, lengths};
    } else {
        return rejected{};
    }
}

/// Sequences of different lengths behind one another: t is [head, total, dim], or that with ops
/// behind it for queries; offsets is int32 [sequences + 1] on the device, sequence s being rows
/// offsets[s] to offsets[s + 1]. `longest` is at least the length of the longest sequence: rows
/// beyond it are neither read nor computed. Programs see packed queries as one batch whose rows are
/// the tensor's; score ops see each sequence by itself.
template<class View, class Offsets>
[[nodiscard]] constexpr auto packed(const View& t, const Offsets& offsets, index_t longest) {
    if constexpr (is_source<View>) {
        const auto rows = packed(t.view, offsets, longest);
        if constexpr (is_rejected<std::remove_const_t<decltype(rows)>>) {
            return rejected{};
        } else {
            return query_source<std::remove_const_t<decltype(rows)>,
                                std::remove_const_t<decltype(t.prologue)>>{rows, t.prologue};
        }
    } else {
        constexpr auto broken = detail::broken_form_rule<3, View, Offsets>();
        constexpr bool ranks = detail::has_rank<Offsets, 1>;
        static_assert(broken != detail::form_rule::rank,
                      "r9v: packed() takes a tensor of rank 3 [head, total, dim]. Pass "
                      "heads_first(t) for one stored [total, head, dim].");
        static_assert(broken != detail::form_rule::kept || ranks,
                      "r9v: offsets have rank 1 [sequences + 1]. Pass the begin of each sequence "
                      "and the end of the last.");
        if constexpr (detail::report_form<broken>() && broken == detail::form_rule::kept && ranks) {
            return packed_sequences<detail::read_only<View>>{t, offsets, longest};
        } else {
            return rejected{};
        }
    }
}

/// Keys or values in pages: t is [page, head, row, dim] with any number of rows in a page,
/// block_table int32 [sequence, most pages] and lengths int32 [sequence] on the device. Row r of
/// sequence s is row r % size of page block_table[s, r / size]. Table entries behind a length, and
/// rows behind it in its last page, are never read.
template<class View, class Table, class Lengths>
[[nodiscard]] constexpr auto paged(const View& t, const Table& block_table,
                                   const Lengths& lengths) {
    constexpr auto broken = detail::broken_form_rule<4, View, Table, Lengths>();
    constexpr bool ranks = detail::has_rank<Table, 2> && detail::has_rank<Lengths, 1>;
    static_assert(broken != detail::form_rule::rank,
                  "r9v: paged() takes a tensor of rank 4 [page, head, row, dim]. Pass "
                  "heads_first(t) for one stored [page, row, head, dim].");
    static_assert(broken != detail::form_rule::kept || ranks,
                  "r9v: a block table has rank 2 [sequences, most pages] and lengths have rank 1 "
                  "[sequences]. Pass int32 tensors of these ranks.");
    if constexpr (detail::report_form<broken>() && broken == detail::form_rule::kept && ranks) {
        const index_t size = t.extents[2];
        const bool usable = size > 0 && size < (index_t{1} << 31);
        return paged_sequences<detail::read_only<View>>{
            t, block_table, lengths, tile::divisor{usable ? static_cast<std::uint32_t>(size) : 1u}};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
