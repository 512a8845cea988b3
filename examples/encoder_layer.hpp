// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An encoder layer as in BERT ("BERT: Pre-training of Deep Bidirectional Transformers", Devlin et
// al., 2018) in seven kernels. Norms stand behind the residuals.
#pragma once

#include <r9v/attention.hpp>
#include <r9v/gemm.hpp>
#include <r9v/norm.hpp>

#include "transformer.hpp"

namespace example {

// snippet: encoder_programs
// y = x w' + b
auto projection(const auto& x, const auto& w, const auto& b, const auto& y) {
    return r9v::gemm(x, w) | r9v::bias(b) | r9v::store(y);
}
// y = r + x w' + b
auto projection_onto(const auto& x, const auto& w, const auto& b, const auto& r, const auto& y) {
    return r9v::gemm(x, w) | r9v::bias(b) | r9v::residual(r) | r9v::store(y);
}
// y = gelu(x w' + b)
auto expansion(const auto& x, const auto& w, const auto& b, const auto& y) {
    return r9v::gemm(x, w) | r9v::bias(b) | r9v::gelu() | r9v::store(y);
}
// Every token sees the tokens of its sequence that are no padding.
auto padded_attention(const auto& q, const auto& k, const auto& v, const auto& lengths,
                      const auto& y) {
    const auto size = static_cast<float>(q.extents[3]);
    return r9v::attention<64>(q, k, v, r9v::scale(1 / std::sqrt(size)) | r9v::prefix(lengths)) |
           r9v::store(y);
}
auto normalized(const auto& x, const auto& gamma, const auto& beta, const auto& y) {
    return r9v::layer_norm(x, {.epsilon = 1e-12f}) | r9v::scale_shift(gamma, beta) | r9v::store(y);
}
// end snippet

struct encoder_sizes {
    int batch = 2;
    int tokens = 40; ///< of every sequence, padding included
    int heads = 4;
    int head_size = 64;
    int inner = 1024;

    [[nodiscard]] int width() const { return heads * head_size; }
    [[nodiscard]] int rows() const { return batch * tokens; }
};

/// Weights as layers store them: [outputs, inputs]. The projections to q, k and v are one matrix.
template<class Place>
struct encoder_weights {
    explicit encoder_weights(const encoder_sizes& of)
        : qkv{{3 * of.width(), of.width()}, weights(3 * of.width() * of.width(), 10, 1)},
          out{{of.width(), of.width()}, weights(of.width() * of.width(), 10, 3)},
          up{{of.inner, of.width()}, weights(of.inner * of.width(), 10, 7)},
          down{{of.width(), of.inner}, weights(of.width() * of.inner, 11, 9)},
          qkv_bias{{3 * of.width()}, along_columns(3 * of.width(), 2)},
          out_bias{{of.width()}, along_columns(of.width(), 4)},
          up_bias{{of.inner}, along_columns(of.inner, 8)},
          down_bias{{of.width()}, along_columns(of.width(), 10)},
          gamma1{{of.width()}, along_columns(of.width(), 5, 1)},
          beta1{{of.width()}, along_columns(of.width(), 6)},
          gamma2{{of.width()}, along_columns(of.width(), 11, 1)},
          beta2{{of.width()}, along_columns(of.width(), 12)} {}

    stored<Place, r9v::half, 2> qkv, out, up, down;
    stored<Place, float, 1> qkv_bias, out_bias, up_bias, down_bias, gamma1, beta1, gamma2, beta2;

private:
    static auto weights(int count, int exponent, unsigned seed) {
        return pattern<r9v::half>(count, exponent, seed);
    }
    static auto along_columns(int count, unsigned seed, double around = 0) {
        return pattern<float>(count, 9, seed, around);
    }
};

/// The layer's weights, and memory for what passes between its kernels.
template<class Place>
struct encoder_layer {
    explicit encoder_layer(const encoder_sizes& of)
        : size{of},
          w{of},
          qkv{{of.rows(), 3 * of.width()}},
          context{{of.rows(), of.width()}},
          sum{{of.rows(), of.width()}},
          inner{{of.rows(), of.inner}} {}

    // snippet: encoder
    /// x and y are [batch * tokens, width]; lengths are the tokens of each sequence.
    void run(auto& place, const auto& x, const auto& lengths, const auto& y) const {
        place.run(projection(x, w.qkv(), w.qkv_bias(), qkv()));
        place.run(padded_attention(part(0), part(1), part(2), lengths, heads_of_context()));
        place.run(projection_onto(context(), w.out(), w.out_bias(), x, sum()));
        place.run(normalized(sum(), w.gamma1(), w.beta1(), y));
        place.run(expansion(y, w.up(), w.up_bias(), inner()));
        place.run(projection_onto(inner(), w.down(), w.down_bias(), y, sum()));
        place.run(normalized(sum(), w.gamma2(), w.beta2(), y));
    }

    /// q, k or v as [batch, heads, tokens, head size], where the projection left it.
    [[nodiscard]] auto part(int which) const {
        const auto all = qkv.as({size.batch, size.tokens, 3 * size.heads, size.head_size});
        return r9v::heads_first(r9v::slice(all, 2, which * size.heads, size.heads));
    }
    [[nodiscard]] auto heads_of_context() const {
        return r9v::heads_first(context.as({size.batch, size.tokens, size.heads, size.head_size}));
    }
    // end snippet

    encoder_sizes size;
    encoder_weights<Place> w;
    stored<Place, r9v::half, 2> qkv, context, sum, inner;
};

} // namespace example
