// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an attention program must fulfil at run time, checked before anything is launched or
// written. Lengths, offsets and block tables stay on the device: what they hold is not checked, but
// limited to the tensors' extents.
#pragma once

#include <r9v/kernels/attention/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Rows of a sequence are counted in 31 bits on the device, with room for a tile.
inline constexpr index_t most_rows = (index_t{1} << 31) - 4096;

[[nodiscard]] inline status check_dim(const char* name, index_t dim, int most) noexcept {
    if (dim < 8 || dim % 8 != 0)
        return error{"r9v: %s has rows of %" PRId64
                     " elements. Head dims are multiples of 8 from 8 "
                     "on: pad the rows with zeros.",
                     name, dim};
    if (dim > most)
        return error{"r9v: %s has rows of %" PRId64 " elements but the program is built for %d. "
                     "Name the largest dim, as in attention<%" PRId64 ">(q, k, v).",
                     name, dim, most, align_up<index_t>(dim, 8)};
    return {};
}

template<class Head>
[[nodiscard]] status check_attention_heads(const Head& head) noexcept {
    const index_t heads = head.heads();
    const index_t key_heads = head.key_heads();
    if (key_heads != head.v.heads())
        return error{"r9v: k has %" PRId64 " heads but v has %" PRId64 ". Give both the same.",
                     key_heads, head.v.heads()};
    if (key_heads == 0 ? heads != 0 : heads % key_heads != 0)
        return error{"r9v: q has %" PRId64 " heads, which is no multiple of the %" PRId64 " heads "
                     "of k. Give every key head the same whole number of query heads.",
                     heads, key_heads};
    return {};
}

template<class Head>
[[nodiscard]] status check_attention_extents(const Head& head) noexcept {
    if (head.q.rows.dim() != head.k.dim())
        return error{"r9v: q has rows of %" PRId64 " elements but k has rows of %" PRId64 ". Both "
                     "need the same head dim.",
                     head.q.rows.dim(), head.k.dim()};
    if (status fits = check_dim("q", head.key_dim(), Head::dims.key); !fits) return fits;
    if (status fits = check_dim("v", head.value_dim(), Head::dims.value); !fits) return fits;
    if (status fits = check_attention_heads(head); !fits) return fits;
    if (head.sequences() != head.k.sequences() || head.sequences() != head.v.sequences())
        return error{"r9v: q has %" PRId64 " sequences, k has %" PRId64 " and v has %" PRId64
                     ". Give all the same number: it is the batch, offsets - 1, or the rows of the "
                     "block table.",
                     head.sequences(), head.k.sequences(), head.v.sequences()};
    const index_t longest =
        head.q.rows.longest() > head.k.longest() ? head.q.rows.longest() : head.k.longest();
    if (longest > most_rows)
        return error{"r9v: a sequence has up to %" PRId64 " rows. Split those of 2^31 and more.",
                     longest};
    return {};
}

/// k and v describe the same sequences.
template<class Sequences>
[[nodiscard]] status check_same_rows(const Sequences& k, const Sequences& v) noexcept {
    if (k.longest() != v.longest())
        return error{"r9v: k has up to %" PRId64 " rows but v has %" PRId64 ". Give both the same.",
                     k.longest(), v.longest()};
    if constexpr (Sequences::form == sequence_form::paged) {
        if (k.view.extents[2] != v.view.extents[2])
            return error{"r9v: pages of k have %" PRId64 " rows but pages of v have %" PRId64
                         ". Give both the same page size.",
                         k.view.extents[2], v.view.extents[2]};
    }
    return {};
}

/// Where k and v name their lengths, pages and offsets apart, the same memory is meant.
template<class Keys, class Values>
[[nodiscard]] bool has_same_indices(const Keys& k, const Values& v) noexcept {
    if constexpr (Keys::form == sequence_form::limited) {
        return k.lengths.data == v.lengths.data;
    } else if constexpr (Keys::form == sequence_form::packed) {
        return k.offsets.data == v.offsets.data;
    } else if constexpr (Keys::form == sequence_form::paged) {
        return k.lengths.data == v.lengths.data && k.table.data == v.table.data &&
               k.table.strides[0] == v.table.strides[0];
    } else {
        return true;
    }
}

/// The tensors of one form, `name` and its indices.
template<class Sequences>
void check_sequences(tensor_checks& checks, const char* name, const Sequences& t) {
    checks.input(name, t.view);
    if constexpr (Sequences::form == sequence_form::limited) {
        checks.input("lengths", t.lengths);
        if (t.lengths.extents[0] != t.sequences())
            checks.fail(error{"r9v: %s has %" PRId64 " sequences but %" PRId64 " lengths. Pass one "
                              "length for each.",
                              name, t.sequences(), t.lengths.extents[0]});
    }
    if constexpr (Sequences::form == sequence_form::packed) {
        checks.input("offsets", t.offsets);
        if (t.offsets.extents[0] < 1)
            checks.fail(error{"r9v: the offsets of %s are empty. Pass the begin of each sequence "
                              "and the end of the last.",
                              name});
        if (t.most < 0)
            checks.fail(error{"r9v: the longest sequence of %s has %" PRId64 " rows. Pass 0 or "
                              "more.",
                              name, t.most});
    }
    if constexpr (Sequences::form == sequence_form::paged) {
        checks.input("lengths", t.lengths);
        checks.input("the block table", t.table);
        if (t.lengths.extents[0] != t.sequences())
            checks.fail(error{"r9v: the block table of %s has %" PRId64 " sequences but there are "
                              "%" PRId64 " lengths. Pass one length for each.",
                              name, t.sequences(), t.lengths.extents[0]});
        if (t.view.extents[2] < 1 || t.view.extents[2] > most_rows)
            checks.fail(error{"r9v: pages of %s have %" PRId64 " rows. Pass pages of at least one "
                              "row and less than 2^31.",
                              name, t.view.extents[2]});
    }
}

} // namespace detail

/// Whether an attention program may run: extents, forms, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_attention_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const Head& head = p.head;
    detail::tensor_checks checks{head.result()};
    detail::check_sequences(checks, "q", head.q.rows);
    detail::check_sequences(checks, "k", head.k);
    detail::check_sequences(checks, "v", head.v);
    if (!checks.outcome()) return checks.outcome();
    if (status fits = detail::check_attention_extents(head); !fits) return fits;
    if (status fits = detail::check_same_rows(head.k, head.v); !fits) return fits;
    if (!detail::has_same_indices(head.k, head.v))
        return error{"r9v: k and v name different lengths, offsets or block tables. Pass the same "
                     "ones to both."};
    visit_operands(p.chain, checks);
    checks.begin_prologue(head.query_extents());
    visit_operands(head.q.prologue, checks);
    checks.begin_prologue(head.most_scores());
    visit_operands(head.scores, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
