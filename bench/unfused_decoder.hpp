// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The decoder layer of examples/decoder_layer.hpp with a kernel for every op, over a cache without
// pages, which batched products can read. Norms are one kernel with their weights, as everywhere.
#pragma once

#include "unfused_attention.hpp"
#include <examples/decoder_layer.hpp>

namespace unfused {

/// What the products and the cache without pages are told about one step. The host must know the
/// lengths of sequences, to tell every product its sizes.
struct decoder_step {
    decoder_step(const example::token_step& host_, int heads, int most_keys)
        : host{host_},
          first{first_of(host_)},
          slots{slots_of(host_, most_keys)},
          scores{static_cast<int>(host_.lengths.size()), heads, host_.longest, most_keys} {}

    [[nodiscard]] r9v::index_t begin(int sequence) const {
        return host.offsets[static_cast<std::size_t>(sequence)];
    }
    [[nodiscard]] r9v::index_t count(int sequence) const {
        return host.offsets[static_cast<std::size_t>(sequence) + 1] - begin(sequence);
    }
    [[nodiscard]] r9v::index_t keys(int sequence) const {
        return host.lengths[static_cast<std::size_t>(sequence)];
    }

    example::token_step host;
    r9v::buffer<std::int32_t> first; ///< position of the first new token of each sequence
    r9v::buffer<std::int32_t> slots; ///< row of each token: sequence * most_keys + position
    score_memory scores;

private:
    static std::vector<std::int32_t> first_of(const example::token_step& host) {
        std::vector<std::int32_t> first;
        for (std::size_t s = 0; s < host.lengths.size(); ++s)
            first.push_back(host.lengths[s] - (host.offsets[s + 1] - host.offsets[s]));
        return first;
    }
    static std::vector<std::int32_t> slots_of(const example::token_step& host, int most_keys) {
        std::vector<std::int32_t> slots = host.positions;
        for (std::size_t s = 0; s < host.lengths.size(); ++s)
            for (std::int32_t token = host.offsets[s]; token < host.offsets[s + 1]; ++token)
                slots[static_cast<std::size_t>(token)] += static_cast<std::int32_t>(s) * most_keys;
        return slots;
    }
};

/// Works in the weights and the memory of a fused layer, with a cache of its own: of every sequence
/// `most_keys` rows, a multiple of 8.
class decoder_layer {
public:
    decoder_layer(const example::decoder_layer<example::on_device>& fused, int sequences,
                  int most_keys)
        : layer_{fused},
          keys_{cache(fused.size, sequences, most_keys)},
          values_{cache(fused.size, sequences, most_keys)},
          up_{{fused.size.most_tokens, fused.size.inner}} {}

    void run(queue& to, const auto& x, const auto& step, const decoder_step& apart,
             const auto& y) const {
        const auto& w = layer_.w;
        const auto n = rows(layer_.normed, step), h = rows(layer_.attended, step);
        const auto gate = rows(layer_.inner, step), up = rows(up_, step);
        to.run(example::rms_normalized(x, w.gamma1(), n));
        to.run(example::product(n, w.qkv(), rows(layer_.qkv, step)));
        attend(to, step, apart);
        to.run(example::product(rows(layer_.context, step), w.out(), h));
        to.bytes += residual(to.handle, h, x);
        to.run(example::rms_normalized(h, w.gamma2(), n));
        to.run(example::product(n, w.gate(), gate));
        to.run(example::product(n, w.up(), up));
        to.bytes += silu(to.handle, gate);
        to.bytes += gated(to.handle, gate, up);
        to.run(example::product(gate, w.down(), y));
        to.bytes += residual(to.handle, y, h);
    }

private:
    using cache_memory = example::stored<example::on_device, r9v::half, 4>;

    static cache_memory cache(const example::decoder_sizes& of, int sequences, int most_keys) {
        const auto count = static_cast<std::size_t>(sequences * of.key_heads * most_keys);
        return {{sequences, of.key_heads, most_keys, of.head_size},
                std::vector<r9v::half>(count * static_cast<std::size_t>(of.head_size))};
    }
    static auto rows(const auto& memory, const auto& step) {
        return example::decoder_layer<example::on_device>::rows(memory, step);
    }

    void attend(queue& to, const auto& step, const decoder_step& apart) const {
        const auto& of = layer_.size;
        const auto q = layer_.heads_of(layer_.qkv, step, 0, of.heads);
        const auto k = layer_.heads_of(layer_.qkv, step, of.heads, of.key_heads);
        const auto v = layer_.heads_of(layer_.qkv, step, of.heads + of.key_heads, of.key_heads);
        const auto c = layer_.heads_of(layer_.context, step, 0, of.heads);
        const auto slots = apart.slots.view({step.tokens});

        to.run(example::turned(q, step.positions()));
        to.run(example::turned(k, step.positions()));
        to.run(r9v::append_key_value(k, v) |
               r9v::store(r9v::cache_slots(keys_(), values_(), slots)));
        const auto factor = 1 / std::sqrt(static_cast<float>(of.head_size));
        const keep_causal_from keep{apart.first.data()};
        attention(to, apart.scores, factor, keep, [&](int sequence) {
            const auto of_rows = [&](const auto& all) {
                return r9v::slice(all, 1, apart.begin(sequence), apart.count(sequence));
            };
            const auto of_keys = [&](const auto& all) {
                return r9v::slice(r9v::at_first(all, sequence), 1, 0, apart.keys(sequence));
            };
            return std::tuple{of_rows(q), of_keys(keys_()), of_keys(values_()), of_rows(c)};
        });
    }

    const example::decoder_layer<example::on_device>& layer_;
    cache_memory keys_, values_;
    example::stored<example::on_device, r9v::half, 2> up_;
};

} // namespace unfused
