// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The encoder layer of examples/encoder_layer.hpp with a kernel for every op. Norms are one kernel
// with their weights, as everywhere.
#pragma once

#include "unfused_attention.hpp"
#include <examples/encoder_layer.hpp>

namespace unfused {

/// Works in the weights and the memory of a fused layer.
class encoder_layer {
public:
    explicit encoder_layer(const example::encoder_layer<example::on_device>& fused)
        : layer_{fused},
          memory_{fused.size.batch, fused.size.heads, fused.size.tokens, fused.size.tokens} {}

    void run(queue& to, const auto& x, const auto& lengths, const auto& y) const {
        const auto& w = layer_.w;
        const auto sum = layer_.sum(), h = layer_.inner();
        product(to, x, w.qkv(), w.qkv_bias(), layer_.qkv());
        const auto factor = 1 / std::sqrt(static_cast<float>(layer_.size.head_size));
        attention(to, memory_, factor, keep_prefix{lengths.data}, [&](int sequence) {
            const auto of = [&](const auto& all) {
                return r9v::at_first(all, sequence);
            };
            return std::tuple{of(layer_.part(0)), of(layer_.part(1)), of(layer_.part(2)),
                              of(layer_.heads_of_context())};
        });
        product(to, layer_.context(), w.out(), w.out_bias(), sum);
        to.bytes += residual(to.handle, sum, x);
        to.run(example::normalized(sum, w.gamma1(), w.beta1(), y));
        product(to, y, w.up(), w.up_bias(), h);
        to.bytes += gelu(to.handle, h);
        product(to, h, w.down(), w.down_bias(), sum);
        to.bytes += residual(to.handle, sum, y);
        to.run(example::normalized(sum, w.gamma2(), w.beta2(), y));
    }

private:
    static void product(queue& to, const auto& x, const auto& w, const auto& b, const auto& y) {
        to.run(r9v::gemm(x, w) | r9v::store(y));
        to.bytes += bias(to.handle, y, b);
    }

    const example::encoder_layer<example::on_device>& layer_;
    score_memory memory_;
};

} // namespace unfused
