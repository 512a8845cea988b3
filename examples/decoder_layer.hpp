// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A decoder layer as in LLaMA ("LLaMA: Open and Efficient Foundation Language Models", Touvron et
// al., 2023; grouped queries as in its second version) in nine kernels, over a cache in pages. One
// function computes prompts and decoding steps, and both at once.
#pragma once

#include <r9v/attention.hpp>
#include <r9v/cache.hpp>
#include <r9v/gemm.hpp>
#include <r9v/norm.hpp>

#include "paged_cache.hpp"

namespace example {

// snippet: decoder_programs
auto rms_normalized(const auto& x, const auto& gamma, const auto& y) {
    return r9v::rms_norm(x, {.epsilon = 1e-5f}) | r9v::mul(r9v::per_column(gamma)) | r9v::store(y);
}
// y = x w'
auto product(const auto& x, const auto& w, const auto& y) {
    return r9v::gemm(x, w) | r9v::store(y);
}
// y = r + x w'
auto product_onto(const auto& x, const auto& w, const auto& r, const auto& y) {
    return r9v::gemm(x, w) | r9v::residual(r) | r9v::store(y);
}
// y = silu(x gate') * (x up')
auto gated_product(const auto& x, const auto& gate, const auto& up, const auto& y) {
    return r9v::gemm(x, r9v::both(gate, up)) | r9v::swiglu() | r9v::store(y);
}
// Queries [heads, tokens, head size], turned by their positions where they stand.
auto turned(const auto& q, const auto& positions) {
    return r9v::rotate(r9v::one_batch(q), r9v::rotary(positions, {.theta = 10000})) |
           r9v::store(r9v::one_batch(q));
}
// Keys, turned, and values into their slots of the cache.
auto appended(const auto& k, const auto& v, const auto& positions, const auto& slots,
              const auto& keys, const auto& values) {
    return r9v::append_key_value(k, v, r9v::rotary(positions, {.theta = 10000})) |
           r9v::store(r9v::cache_slots(keys, values, slots));
}
// Every token sees its sequence up to itself. q and y are [heads, tokens, head size].
auto cached_attention(const auto& q, const auto& keys, const auto& values, const auto& step,
                      const auto& y) {
    const auto factor = 1 / std::sqrt(static_cast<float>(q.extents[2]));
    return r9v::attention<32>(r9v::packed(q, step.offsets(), step.longest),
                              r9v::paged(keys, step.table(), step.lengths()),
                              r9v::paged(values, step.table(), step.lengths()),
                              r9v::scale(factor) | r9v::causal(r9v::bottom_right)) |
           r9v::store(r9v::one_batch(y));
}
// end snippet

struct decoder_sizes {
    int heads = 8;
    int key_heads = 2;
    int head_size = 32;
    int inner = 640;
    int pages = 16;
    int page_size = 8;
    int most_tokens = 80; ///< of one step

    [[nodiscard]] int width() const { return heads * head_size; }
    [[nodiscard]] int projected() const { return (heads + 2 * key_heads) * head_size; }
};

/// Weights as layers store them: [outputs, inputs]. The projections to q, k and v are one matrix.
template<class Place>
struct decoder_weights {
    explicit decoder_weights(const decoder_sizes& of)
        : qkv{{of.projected(), of.width()}, weights(of.projected() * of.width(), 10, 23)},
          out{{of.width(), of.width()}, weights(of.width() * of.width(), 10, 24)},
          gate{{of.inner, of.width()}, weights(of.inner * of.width(), 10, 25)},
          up{{of.inner, of.width()}, weights(of.inner * of.width(), 10, 26)},
          down{{of.width(), of.inner}, weights(of.width() * of.inner, 11, 27)},
          gamma1{{of.width()}, pattern<float>(of.width(), 9, 21, 1)},
          gamma2{{of.width()}, pattern<float>(of.width(), 9, 22, 1)} {}

    stored<Place, r9v::half, 2> qkv, out, gate, up, down;
    stored<Place, float, 1> gamma1, gamma2;

private:
    static auto weights(int count, int exponent, unsigned seed) {
        return pattern<r9v::half>(count, exponent, seed);
    }
};

/// The layer's weights, its cache, and memory for what passes between its kernels.
template<class Place>
struct decoder_layer {
    explicit decoder_layer(const decoder_sizes& of)
        : size{of},
          w{of},
          keys{{of.pages, of.key_heads, of.page_size, of.head_size}},
          values{{of.pages, of.key_heads, of.page_size, of.head_size}},
          normed{{of.most_tokens, of.width()}},
          qkv{{of.most_tokens, of.projected()}},
          context{{of.most_tokens, of.width()}},
          attended{{of.most_tokens, of.width()}},
          inner{{of.most_tokens, of.inner}} {}

    // snippet: decoder
    /// x and y are [step.tokens, width].
    void run(auto& place, const auto& x, const auto& step, const auto& y) const {
        const auto n = rows(normed, step), h = rows(attended, step), c = rows(context, step);
        const auto q = heads_of(qkv, step, 0, size.heads);
        const auto k = heads_of(qkv, step, size.heads, size.key_heads);
        const auto v = heads_of(qkv, step, size.heads + size.key_heads, size.key_heads);

        place.run(rms_normalized(x, w.gamma1(), n));
        place.run(product(n, w.qkv(), rows(qkv, step)));
        place.run(turned(q, step.positions()));
        place.run(appended(k, v, step.positions(), step.slots(), keys(), values()));
        place.run(
            cached_attention(q, keys(), values(), step, heads_of(context, step, 0, size.heads)));
        place.run(product_onto(c, w.out(), x, h));
        place.run(rms_normalized(h, w.gamma2(), n));
        place.run(gated_product(n, w.gate(), w.up(), rows(inner, step)));
        place.run(product_onto(rows(inner, step), w.down(), h, y));
    }

    /// The rows of this step's tokens.
    [[nodiscard]] static auto rows(const auto& memory, const auto& step) {
        return r9v::slice(memory(), 0, 0, step.tokens);
    }
    /// Some heads of a row, as [heads, tokens, head size].
    [[nodiscard]] auto heads_of(const auto& memory, const auto& step, int first, int count) const {
        const auto all =
            memory.as({size.most_tokens, memory().extents[1] / size.head_size, size.head_size});
        return r9v::heads_first(r9v::slice(r9v::slice(all, 0, 0, step.tokens), 1, first, count));
    }
    // end snippet

    decoder_sizes size;
    decoder_weights<Place> w;
    stored<Place, r9v::half, 4> keys, values; // [page, head, row, head size]
    stored<Place, r9v::half, 2> normed, qkv, context, attended, inner;
};

} // namespace example
