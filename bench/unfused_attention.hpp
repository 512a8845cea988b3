// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention as separate programs: scores = q k', times a factor, masked, softmax, times v. Scores
// and probabilities go through memory in f16. Batched products take one key head of one sequence,
// or all heads of a sequence where each has its own keys, and read heads where they stand: nothing
// is copied.
#pragma once

#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/softmax.hpp>

#include "unfused_queue.hpp"
#include <tuple>

namespace unfused {

/// Takes scores away where `keep(sequence, query, key)` is false.
template<class Keep>
struct mask_op {
    Keep keep;
    unsigned heads, queries, packs; // packs of keys in a row

    template<class T>
    __device__ void operator()(pack<T>& scores, long long at, unsigned group) const {
        const auto row = static_cast<unsigned>(at / packs);
        for (int i = 0; i < width; ++i) {
            const unsigned key = group * width + static_cast<unsigned>(i);
            if (!keep(row / queries / heads, row % queries, key))
                scores.values[i] = from_float<T>(-__builtin_inff());
        }
    }
    __device__ void operator()(float& score, long long at, unsigned key) const {
        const auto row = static_cast<unsigned>(at / packs);
        if (!keep(row / queries / heads, row % queries, key)) score = -__builtin_inff();
    }
};

/// Keys in front of a sequence's length.
struct keep_prefix {
    const std::int32_t* lengths;
    __device__ bool operator()(unsigned sequence, unsigned, unsigned key) const {
        return static_cast<int>(key) < lengths[sequence];
    }
};
/// Keys up to the query's own: the first query stands at key first[sequence].
struct keep_causal_from {
    const std::int32_t* first;
    __device__ bool operator()(unsigned sequence, unsigned query, unsigned key) const {
        return key <= query + static_cast<unsigned>(first[sequence]);
    }
};

/// Scores and probabilities of every sequence and head. They begin as zeros: what no sequence
/// writes is masked or not used.
struct score_memory {
    score_memory(int sequences_, int heads_, int queries_, int keys_)
        : sequences{sequences_},
          heads{heads_},
          queries{queries_},
          keys{keys_},
          scores{std::vector<r9v::half>(size())},
          weights{std::vector<r9v::half>(size())} {}

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(sequences) * static_cast<std::size_t>(heads) *
               static_cast<std::size_t>(queries) * static_cast<std::size_t>(keys);
    }
    [[nodiscard]] auto rows(const r9v::buffer<r9v::half>& of) const {
        return of.view({sequences * heads * queries, keys});
    }
    /// Some heads of one sequence, for as many queries and keys as it has.
    [[nodiscard]] auto part(const r9v::buffer<r9v::half>& of, r9v::index_t sequence,
                            r9v::index_t first_head, r9v::index_t count, r9v::index_t queries_,
                            r9v::index_t keys_) const {
        const auto all = r9v::at_first(of.view({sequences, heads, queries, keys}), sequence);
        return r9v::slice(r9v::slice(r9v::slice(all, 0, first_head, count), 1, 0, queries_), 2, 0,
                          keys_);
    }

    int sequences, heads, queries, keys;
    r9v::buffer<r9v::half> scores, weights;
};

/// One head [rows, dim] seen `count` times.
[[nodiscard]] inline auto repeated(const r9v::tensor<r9v::half, 3>& heads, r9v::index_t head,
                                   r9v::index_t count) {
    auto one = r9v::slice(heads, 0, head, 1);
    one.extents[0] = count;
    one.strides[0] = 0;
    return one;
}

/// `of(sequence)` gives the heads [head, row, dim] of q, k, v and y of one sequence.
template<class Of, class Keep>
void attention(queue& to, const score_memory& m, float factor, const Keep& keep, const Of& of) {
    const auto group = [&](int sequence, const auto& visit) {
        const auto& [q, k, v, y] = of(sequence);
        const r9v::index_t key_heads = k.extents[0], ratio = q.extents[0] / key_heads;
        if (ratio == 1) {
            visit(q, k, v, y, 0);
            return;
        }
        for (r9v::index_t head = 0; head < key_heads; ++head)
            visit(r9v::slice(q, 0, head * ratio, ratio), repeated(k, head, ratio),
                  repeated(v, head, ratio), r9v::slice(y, 0, head * ratio, ratio), head * ratio);
    };
    for (int sequence = 0; sequence < m.sequences; ++sequence)
        group(sequence, [&](auto q, auto k, auto, auto, r9v::index_t head) {
            to.run(r9v::gemm(q, k) | r9v::store(m.part(m.scores, sequence, head, q.extents[0],
                                                       q.extents[1], k.extents[1])));
        });
    const auto scores = m.rows(m.scores);
    const auto packs = static_cast<unsigned>(m.keys % width == 0 ? m.keys / width : m.keys);
    to.bytes += scale(to.handle, scores, factor);
    to.bytes += apply(to.handle, scores,
                      mask_op<Keep>{keep, static_cast<unsigned>(m.heads),
                                    static_cast<unsigned>(m.queries), packs});
    to.run(r9v::softmax(scores) | r9v::store(m.rows(m.weights)));
    for (int sequence = 0; sequence < m.sequences; ++sequence)
        group(sequence, [&](auto q, auto, auto v, auto y, r9v::index_t head) {
            const auto weights =
                m.part(m.weights, sequence, head, q.extents[0], q.extents[1], v.extents[1]);
            to.run(r9v::gemm(weights, r9v::transposed(v)) | r9v::store(y));
        });
}

} // namespace unfused
