// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The attention head: o = softmax(scores(q k^T)) v for each sequence and head, products accumulated
// in f32, and what can be read off it: sizes, dims, element types.
#pragma once

#include <r9v/kernels/attention/forms.hpp>
#include <r9v/kernels/attention/scores.hpp>

namespace r9v::inline R9V_ABI {

/// The largest dims that a program's kernels are compiled for.
struct attention_dims {
    int key = 128;   ///< length of the rows of q and k
    int value = 128; ///< length of the rows of v and of the result

    /// Whole fragments of 16: what registers and LDS hold. The rest of a row counts as zeros.
    [[nodiscard]] R9V_HD constexpr int padded_key() const { return (key + 15) / 16 * 16; }
    [[nodiscard]] R9V_HD constexpr int padded_value() const { return (value + 15) / 16 * 16; }
    friend constexpr bool operator==(const attention_dims&, const attention_dims&) = default;
};

/// `Query` is a query_source, `Keys` and `Values` are sequences of one form, `Scores` is a chain.
template<class Query, class Keys, class Values, class Scores, attention_dims Dims>
struct attention_head {
    using query_type = Query;
    using keys_type = Keys;
    using values_type = Values;
    using scores_type = Scores;
    using element = typename Keys::element;
    static constexpr attention_dims dims = Dims;
    static constexpr scores_traits scoring = scores_traits_of<Scores>;
    static constexpr int results = 1;
    static constexpr space memory =
        joined_memory(Query::memory, joined_memory(Keys::memory, Scores::memory));

    Query q;
    Keys k;
    Values v;
    Scores scores;

    [[nodiscard]] static constexpr bool gives(row_statistic s) {
        return s == row_statistic::log_sum_exp;
    }

    [[nodiscard]] R9V_HD constexpr index_t sequences() const { return q.rows.sequences(); }
    [[nodiscard]] R9V_HD constexpr index_t heads() const { return q.rows.heads(); }
    [[nodiscard]] R9V_HD constexpr index_t key_heads() const { return k.heads(); }
    /// Length of the rows of q and k, and of v.
    [[nodiscard]] R9V_HD constexpr index_t key_dim() const { return k.dim(); }
    [[nodiscard]] R9V_HD constexpr index_t value_dim() const { return v.dim(); }

    /// What the chain behind the head sees. Packed queries are one batch of all tokens.
    [[nodiscard]] R9V_HD constexpr extents result() const {
        if constexpr (decltype(q.rows)::form == sequence_form::packed) {
            return {1, q.rows.total(), value_dim(), heads()};
        } else {
            return {sequences(), q.rows.longest(), value_dim(), heads()};
        }
    }
    /// What the prologue of q sees: the same rows, with the columns of q.
    [[nodiscard]] R9V_HD constexpr extents query_extents() const {
        extents of_q = result();
        of_q.columns = key_dim();
        return of_q;
    }
    /// Bounds of what score ops see: batches are sequences, rows queries and columns keys.
    [[nodiscard]] R9V_HD constexpr extents most_scores() const {
        return {sequences(), q.rows.longest(), k.longest(), heads()};
    }
};

template<class T>
inline constexpr bool is_attention_head = false;
template<class Query, class Keys, class Values, class Scores, attention_dims Dims>
inline constexpr bool is_attention_head<attention_head<Query, Keys, Values, Scores, Dims>> = true;

namespace detail {

template<class T>
constexpr auto to_sequences(const T& t) {
    if constexpr (any_tensor<T>) {
        return dense_sequences<read_only<T>>{t};
    } else {
        return t;
    }
}

/// Queries in any form that attention takes, with their ops; `rejected` stays.
template<class T>
constexpr auto to_query(const T& q) {
    if constexpr (any_tensor<T>) {
        return query_source<dense_sequences<read_only<T>>, chain<>>{{q}, {}};
    } else if constexpr (is_source<T>) {
        using view = std::remove_cvref_t<decltype(q.view)>;
        using prologue = std::remove_cvref_t<decltype(q.prologue)>;
        return query_source<dense_sequences<read_only<view>>, prologue>{{q.view}, q.prologue};
    } else if constexpr (is_sequences<T>) {
        return query_source<T, chain<>>{q, {}};
    } else {
        return q;
    }
}

/// One op as a chain of one; the rules of fragments apply.
template<class T>
constexpr auto to_scores(const T& scores) {
    if constexpr (is_chain<T>) {
        return scores;
    } else {
        return append_checked<place::fragment, no_head, space::none>(chain<>{}, scores);
    }
}

enum class attention_rule {
    kept,
    refused_before,
    dims,
    large_dims,
    source,
    not_a_tensor,
    rank,
    layout,
    element,
    same_element,
    query_form,
    same_form,
    mixed_memory,
    prologue,
    score_roles,
};

template<class T>
inline constexpr bool was_rejected = is_rejected<T>;
template<class... Ops>
inline constexpr bool was_rejected<chain<Ops...>> = chain<Ops...>::has_rejected;
template<class View, class Chain>
inline constexpr bool was_rejected<source<View, Chain>> = Chain::has_rejected;
template<class Rows, class Chain>
inline constexpr bool was_rejected<query_source<Rows, Chain>> = Chain::has_rejected;

/// Whether a tensor has the rank of a dense one; other forms have checked theirs.
template<class T>
inline constexpr bool has_sequence_rank = [] {
    if constexpr (any_tensor<T>) {
        return T::rank == 4;
    } else if constexpr (is_source<T>) {
        return decltype(T::view)::rank == 4;
    } else {
        return true;
    }
}();

template<class T>
inline constexpr bool has_row_layout = [] {
    if constexpr (any_tensor<T>) {
        return T::element_layout == layout::row_major;
    } else if constexpr (is_source<T>) {
        return decltype(T::view)::element_layout == layout::row_major;
    } else {
        return true;
    }
}();

template<class T>
inline constexpr bool is_attention_element = std::is_same_v<T, half> || std::is_same_v<T, bf16>;

template<class... Ops>
consteval bool are_score_ops(chain<Ops...>*) {
    return ((Ops::role == role::map || Ops::role == role::operand || Ops::role == role::mask ||
             Ops::role == role::sink) &&
            ...);
}

constexpr bool is_usable_dim(int dim) {
    return dim >= 8 && dim % 8 == 0;
}

template<attention_dims Dims>
consteval attention_rule broken_dims_rule() {
    if constexpr (!is_usable_dim(Dims.key) || !is_usable_dim(Dims.value)) {
        return attention_rule::dims;
    } else if constexpr (Dims.key > 256 || Dims.value > 256) {
        return attention_rule::large_dims;
    } else {
        return attention_rule::kept;
    }
}

/// Rules between q, k and v in their forms.
template<class Query, class Keys, class Values, class Scores>
consteval attention_rule broken_forms_rule() {
    using rows = decltype(Query::rows);
    if constexpr (!is_attention_element<typename rows::element> ||
                  !is_attention_element<typename Keys::element> ||
                  !is_attention_element<typename Values::element>) {
        return attention_rule::element;
    } else if constexpr (!std::is_same_v<typename rows::element, typename Keys::element> ||
                         !std::is_same_v<typename Keys::element, typename Values::element>) {
        return attention_rule::same_element;
    } else if constexpr (rows::form != sequence_form::dense &&
                         rows::form != sequence_form::packed) {
        return attention_rule::query_form;
    } else if constexpr (Keys::form != Values::form) {
        return attention_rule::same_form;
    } else if constexpr (!same_memory(rows::memory, Keys::memory) ||
                         !same_memory(Keys::memory, Values::memory) ||
                         !same_memory(Keys::memory, Scores::memory)) {
        return attention_rule::mixed_memory;
    } else if constexpr (decltype(Query::prologue)::has_mask ||
                         decltype(Query::prologue)::has_sink ||
                         decltype(Query::prologue)::has_tap) {
        return attention_rule::prologue;
    } else if constexpr (!are_score_ops(static_cast<Scores*>(nullptr))) {
        return attention_rule::score_roles;
    } else {
        return attention_rule::kept;
    }
}

template<attention_dims Dims, class Query, class Key, class Value, class Scores>
consteval attention_rule broken_attention_rule() {
    if constexpr (was_rejected<Query> || was_rejected<Key> || was_rejected<Value> ||
                  was_rejected<Scores>) {
        return attention_rule::refused_before;
    } else if constexpr (broken_dims_rule<Dims>() != attention_rule::kept) {
        return broken_dims_rule<Dims>();
    } else if constexpr (is_source<Key> || is_source<Value> || is_query_source<Key> ||
                         is_query_source<Value>) {
        return attention_rule::source;
    } else if constexpr (!(any_tensor<Query> || is_source<Query> || is_sequences<Query> ||
                           is_query_source<Query>) ||
                         !(any_tensor<Key> || is_sequences<Key>) ||
                         !(any_tensor<Value> || is_sequences<Value>)) {
        return attention_rule::not_a_tensor;
    } else if constexpr (!has_sequence_rank<Query> || !has_sequence_rank<Key> ||
                         !has_sequence_rank<Value>) {
        return attention_rule::rank;
    } else if constexpr (!has_row_layout<Query> || !has_row_layout<Key> || !has_row_layout<Value>) {
        return attention_rule::layout;
    } else {
        return broken_forms_rule<decltype(to_query(std::declval<const Query&>())),
                                 decltype(to_sequences(std::declval<const Key&>())),
                                 decltype(to_sequences(std::declval<const Value&>())), Scores>();
    }
}

template<attention_rule Broken>
constexpr bool report_attention() {
    static_assert(Broken != attention_rule::dims,
                  "r9v: head dims are multiples of 8. Write attention<128>(q, k, v), or "
                  "attention<192, 128>(q, k, v) where values have another one; shorter rows run "
                  "too.");
    static_assert(Broken != attention_rule::large_dims,
                  "r9v: attention has kernels for head dims up to 256. Split the heads.");
    static_assert(Broken != attention_rule::source,
                  "r9v: keys and values are read as they are. Put ops on q, or write k in a "
                  "program of its own.");
    static_assert(Broken != attention_rule::not_a_tensor,
                  "r9v: attention() takes tensors. Write attention(q, k, v), or k and v as "
                  "with_lengths(t, lengths), packed(t, offsets, longest) or paged(t, block_table, "
                  "lengths).");
    static_assert(Broken != attention_rule::rank,
                  "r9v: attention() takes tensors of rank 4 [batch, head, row, dim]. Pass "
                  "heads_first(t) for one stored [batch, row, head, dim], and packed(t, offsets, "
                  "longest) for sequences behind one another.");
    static_assert(Broken != attention_rule::layout,
                  "r9v: attention reads rows of contiguous elements. Pass tensors of "
                  "layout::row_major, whose last axis is contiguous; heads_first(t) moves the "
                  "heads.");
    static_assert(Broken != attention_rule::element,
                  "r9v: attention() has no kernel for this element type. Use half (_Float16, "
                  "__half) or bf16 for q, k and v.");
    static_assert(Broken != attention_rule::same_element,
                  "r9v: q, k and v have different element types. Convert them to one first.");
    static_assert(Broken != attention_rule::query_form,
                  "r9v: queries are a tensor or packed(t, offsets, longest). Lengths and pages "
                  "belong to k and v.");
    static_assert(Broken != attention_rule::same_form,
                  "r9v: k and v stand in different forms. Give both the same: tensors, "
                  "with_lengths(), packed() or paged().");
    static_assert(Broken != attention_rule::mixed_memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    static_assert(Broken != attention_rule::prologue,
                  "r9v: ops on q are maps and operands. Pass masks and sinks behind v, as in "
                  "attention(q, k, v, causal(bottom_right)), and taps behind the program.");
    static_assert(Broken != attention_rule::score_roles,
                  "r9v: scores take maps, operands, masks and sink(). Move taps, gates, "
                  "quantize() and store() behind attention(q, k, v, ...).");
    return Broken == attention_rule::kept;
}

} // namespace detail

/// softmax(scores) v, where a score is the product of a row of q with a row of k after the ops of
/// `score_ops` (an op or a fragment: scale, soft_cap, map, alibi, masks, sink). Nothing is implied:
/// write scale(1 / sqrt(dim)). Score ops see (batch, head, query, key) of their own sequence.
///
/// q is [batch, head, query, dim], k [batch, key head, key, dim], v [batch, key head, key, value
/// dim]; rows are contiguous, other strides free. Heads are a multiple of key heads. q may be
/// packed(t, offsets, longest) and have ops, which run while it is loaded; k and v may be
/// with_lengths(), packed() or paged(), both alike. half or bf16; products accumulate in f32,
/// probabilities are rounded to the element type before they meet v.
///
/// `Dim` and `ValueDim` are the largest dims that the kernels are built for, multiples of 8 up to
/// 256: name the model's own. Rows may be shorter by multiples of 8.
///
/// The result is [batch, head, query, value dim]; for packed queries [1, head, total, value dim]. A
/// query for which nothing is kept gives zeros, and -infinity to log_sum_exp_rows(t).
template<int Dim = 128, int ValueDim = Dim, class Query, class Key, class Value,
         class Scores = chain<>>
[[nodiscard]] constexpr auto attention(const Query& q, const Key& k, const Value& v,
                                       const Scores& score_ops = {}) {
    const auto scores = detail::to_scores(score_ops);
    using chain_type = std::remove_const_t<decltype(scores)>;
    constexpr attention_dims dims{Dim, ValueDim};
    constexpr auto broken = detail::broken_attention_rule<dims, Query, Key, Value, chain_type>();
    if constexpr (detail::report_attention<broken>() && broken == detail::attention_rule::kept) {
        const auto query = detail::to_query(q);
        const auto keys = detail::to_sequences(k);
        const auto values = detail::to_sequences(v);
        using head = attention_head<std::remove_const_t<decltype(query)>,
                                    std::remove_const_t<decltype(keys)>,
                                    std::remove_const_t<decltype(values)>, chain_type, dims>;
        return program<head, chain<>>{{query, keys, values, scores}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
