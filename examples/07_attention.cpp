// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention over prompts in which several documents follow one another: causal, with a window, a
// soft cap on the scores, and a mask of our own that keeps documents apart and says which keys a
// kernel need not look at.
#include <r9v/attention.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include "transformer.hpp"

using namespace r9v;

// snippet: functor
/// Keeps the keys from the first token of the query's own document on; causal() takes away what
/// comes after the query.
template<any_tensor View>
struct own_document {
    View first; // [batch, token]: where the token's document begins

    R9V_HD bool operator()(index_t batch, index_t, index_t query, index_t key) const {
        return key >= first(batch, query);
    }

    /// The same for neighbouring queries, so that kernels skip the documents before: documents
    /// follow one another, so the first query's begins first.
    R9V_HD column_range columns(const row_range& rows) const {
        const index_t tokens = first.extents[1];
        if (rows.begin >= tokens || rows.begin >= rows.end) return {};
        const index_t last = (rows.end < tokens ? rows.end : tokens) - 1;
        return {first(rows.batch, rows.begin), tokens, first(rows.batch, last), tokens};
    }
};
// end snippet

// snippet: programs
// q, k, v and y are [batch, heads, tokens, 64]; k and v may have fewer heads.
auto causal_attention(const auto& q, const auto& k, const auto& v, const auto& y) {
    return attention<64>(q, k, v, scale(0.125f) | causal(bottom_right)) | store(y);
}
auto document_attention(const auto& q, const auto& k, const auto& v, const auto& first,
                        const auto& normalizers, const auto& y) {
    const auto scores = scale(0.125f) | soft_cap(30.0f) | causal(bottom_right) | window(48) |
                        keep_if(own_document{first});
    return attention<64>(q, k, v, scores) | log_sum_exp_rows(normalizers) | store(y);
}
// end snippet

const int batch = 2, tokens = 100, heads = 4, key_heads = 2, dim = 64;

/// Documents of 37 tokens, and of 23 in the second prompt.
std::vector<std::int32_t> first_tokens() {
    std::vector<std::int32_t> first;
    for (const int length : {37, 23})
        for (int token = 0; token < tokens; ++token)
            first.push_back(token - token % length);
    return first;
}

struct results {
    std::vector<half> causal, documents;
    std::vector<float> normalizers;
};

/// Both programs, wherever they run. Heads stand behind the tokens, as projections write them.
template<class Place>
results results_of(Place& place) {
    using example::pattern, example::stored;
    const int rows = batch * tokens;
    const stored<Place, half, 4> q{{batch, tokens, heads, dim},
                                   pattern<half>(rows * heads * dim, 5, 1)};
    const stored<Place, half, 4> k{{batch, tokens, key_heads, dim},
                                   pattern<half>(rows * key_heads * dim, 5, 2)};
    const stored<Place, half, 4> v{{batch, tokens, key_heads, dim},
                                   pattern<half>(rows * key_heads * dim, 6, 3)};
    const stored<Place, half, 4> y{{batch, tokens, heads, dim}};
    const stored<Place, std::int32_t, 2> first{{batch, tokens}, first_tokens()};
    const stored<Place, float, 3> normalizers{{batch, heads, tokens}};

    results r;
    place.run(
        causal_attention(heads_first(q()), heads_first(k()), heads_first(v()), heads_first(y())));
    r.causal = place.download(y.memory());
    place.run(document_attention(heads_first(q()), heads_first(k()), heads_first(v()), first(),
                                 normalizers(), heads_first(y())));
    r.documents = place.download(y.memory());
    r.normalizers = place.download(normalizers.memory());
    return r;
}

int main() {
    const stream s;
    example::on_device device{s};
    example::on_host host;
    const results of_device = results_of(device), truth = results_of(host);
    const bool causal_right = example::agree("causal", of_device.causal, truth.causal, 2e-3);
    const bool documents_right =
        example::agree("documents, window, soft cap", of_device.documents, truth.documents, 2e-3);
    const bool normalizers_right =
        example::agree("  log of the sums", of_device.normalizers, truth.normalizers, 1e-4);
    return causal_right && documents_right && normalizers_right ? 0 : 1;
}
