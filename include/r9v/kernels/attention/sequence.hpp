// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One sequence of an attention program as kernels and reference see it: its sizes, which the device
// reads, and the coordinates of its scores and results.
#pragma once

#include <r9v/kernels/attention/problem.hpp>
#include <r9v/ops/bind.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Sizes of sequence `index`, and where its results stand.
struct attention_sequence {
    index_t index;
    index_t queries;
    index_t keys;
    index_t batch;     ///< of the result: the sequence, or 0 for packed queries
    index_t first_row; ///< row of the result of query 0

    /// The score of a query and a key. Bases are the same for a whole wave, offsets are a lane's.
    [[nodiscard]] R9V_HD constexpr coordinate score(index_t head, index_t query, index_t key,
                                                    std::int32_t query_offset = 0,
                                                    std::int32_t key_offset = 0) const {
        return {index, query, key, query_offset, key_offset, head};
    }
    /// A value of the result, or of q in its prologue.
    [[nodiscard]] R9V_HD constexpr coordinate result(index_t head, index_t query, index_t column,
                                                     std::int32_t query_offset = 0,
                                                     std::int32_t column_offset = 0) const {
        return {batch, first_row + query, column, query_offset, column_offset, head};
    }
};

template<class Head>
[[nodiscard]] R9V_HD constexpr attention_sequence sequence_of(const Head& head, index_t index) {
    constexpr bool is_packed = decltype(head.q.rows)::form == sequence_form::packed;
    return {index, head.q.rows.length(index), head.k.length(index), is_packed ? 0 : index,
            is_packed ? head.q.rows.first_row(index) : 0};
}

/// The score ops with the sizes of one sequence: what masks align with.
template<class Head>
[[nodiscard]] R9V_HD constexpr typename Head::scores_type scores_of(const Head& head,
                                                                    const attention_sequence& s) {
    auto scores = head.scores;
    r9v::bind(scores, extents{head.sequences(), s.queries, s.keys, head.heads()});
    return scores;
}

} // namespace r9v::inline R9V_ABI::kernels
