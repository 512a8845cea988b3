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
    template<class T>
    using array = typename Place::template array<T>;
    array<r9v::half> qkv, out, up, down;
    array<float> qkv_bias, out_bias, up_bias, down_bias, gamma1, beta1, gamma2, beta2;

    explicit encoder_weights(const encoder_sizes& of)
        : qkv{pattern<r9v::half>(3 * of.width() * of.width(), 10, 1)},
          out{pattern<r9v::half>(of.width() * of.width(), 10, 3)},
          up{pattern<r9v::half>(of.inner * of.width(), 10, 7)},
          down{pattern<r9v::half>(of.width() * of.inner, 11, 9)},
          qkv_bias{pattern<float>(3 * of.width(), 9, 2)},
          out_bias{pattern<float>(of.width(), 9, 4)},
          up_bias{pattern<float>(of.inner, 9, 8)},
          down_bias{pattern<float>(of.width(), 9, 10)},
          gamma1{pattern<float>(of.width(), 9, 5, 1)},
          beta1{pattern<float>(of.width(), 9, 6)},
          gamma2{pattern<float>(of.width(), 9, 11, 1)},
          beta2{pattern<float>(of.width(), 9, 12)} {}
};

/// The layer's weights, and memory for what passes between its kernels.
template<class Place>
class encoder_layer {
    template<class T>
    using array = typename Place::template array<T>;

public:
    explicit encoder_layer(const encoder_sizes& of)
        : size{of},
          w{of},
          qkv_{of.rows() * 3 * of.width()},
          context_{of.rows() * of.width()},
          sum_{of.rows() * of.width()},
          inner_{of.rows() * of.inner} {}

    // snippet: encoder
    /// In place: x is [batch * tokens, width], lengths the tokens of each sequence.
    void run(Place& place, const auto& x, const auto& lengths) {
        const int rows = size.rows(), width = size.width(), inner = size.inner;
        const auto qkv = qkv_.view({rows, 3 * width}), h = inner_.view({rows, inner});
        const auto context = context_.view({rows, width}), sum = sum_.view({rows, width});

        place.run(projection(x, w.qkv.view({3 * width, width}), w.qkv_bias.view({3 * width}), qkv));
        place.run(padded_attention(part(0), part(1), part(2), lengths, heads_of_context()));
        place.run(projection_onto(context, w.out.view({width, width}), w.out_bias.view({width}), x,
                                  sum));
        place.run(normalized(sum, w.gamma1.view({width}), w.beta1.view({width}), x));
        place.run(expansion(x, w.up.view({inner, width}), w.up_bias.view({inner}), h));
        place.run(
            projection_onto(h, w.down.view({width, inner}), w.down_bias.view({width}), x, sum));
        place.run(normalized(sum, w.gamma2.view({width}), w.beta2.view({width}), x));
    }

    /// q, k or v as [batch, heads, tokens, head size], where the projection left it.
    auto part(int which) {
        const auto all = qkv_.view({size.batch, size.tokens, 3 * size.heads, size.head_size});
        return r9v::heads_first(r9v::slice(all, 2, which * size.heads, size.heads));
    }
    auto heads_of_context() {
        return r9v::heads_first(
            context_.view({size.batch, size.tokens, size.heads, size.head_size}));
    }
    // end snippet

    encoder_sizes size;
    encoder_weights<Place> w;

private:
    array<r9v::half> qkv_, context_, sum_, inner_;
};

} // namespace example
