// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An encoder and a decoder layer (examples/encoder_layer.hpp, decoder_layer.hpp), fused and with a
// kernel for every op.
//
// Names are encoder/sequences/tokens of each, and decoder/sequences/new tokens of each/tokens
// before; widths are BERT base's and those of a language model of 1e9 parameters. On the emulator
// the widths are small unless --all is given.
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include "unfused_decoder.hpp"
#include "unfused_encoder.hpp"
#include <algorithm>
#include <cstring>
#include <string>

namespace {

using namespace r9v;
using example::on_device, example::stored;

bool small_widths = false;

/// `work` in a first run, which adds up its bytes and makes the scratch memory, then measured.
template<class Work>
void measure(benchmark::State& state, const stream& s, unfused::queue& queue, double flops,
             const Work& work) {
    work();
    bench::run(state, s, {flops, queue.bytes}, [&](hipStream_t) { work(); });
}

struct encoder_case {
    explicit encoder_case(const benchmark::State& state)
        : sizes{.batch = static_cast<int>(state.range(0)),
                .tokens = static_cast<int>(state.range(1)),
                .heads = small_widths ? 4 : 12,
                .head_size = 64,
                .inner = small_widths ? 1024 : 3072} {}

    [[nodiscard]] double flops() const {
        const double rows = sizes.rows(), width = sizes.width(), inner = sizes.inner;
        return 2 * rows * width * (4 * width + 2 * inner) + 4 * rows * sizes.tokens * width;
    }

    example::encoder_sizes sizes;
    example::encoder_layer<on_device> layer{sizes};
    stored<on_device, half, 2> x{{sizes.rows(), sizes.width()},
                                 bench::random<half>(sizes.rows() * sizes.width(), 1)};
    stored<on_device, half, 2> y{{sizes.rows(), sizes.width()}};
    stored<on_device, std::int32_t, 1> lengths{
        {sizes.batch},
        std::vector<std::int32_t>(static_cast<std::size_t>(sizes.batch), sizes.tokens)};
};

void encoder(benchmark::State& state) {
    const stream s;
    unfused::queue queue{s};
    const encoder_case c{state};
    measure(state, s, queue, c.flops(), [&] { c.layer.run(queue, c.x(), c.lengths(), c.y()); });
}
void encoder_unfused(benchmark::State& state) {
    const stream s;
    unfused::queue queue{s};
    const encoder_case c{state};
    const unfused::encoder_layer separate{c.layer};
    measure(state, s, queue, c.flops(), [&] { separate.run(queue, c.x(), c.lengths(), c.y()); });
}

struct decoder_case {
    explicit decoder_case(const benchmark::State& state)
        : sequences{static_cast<int>(state.range(0))},
          count{static_cast<int>(state.range(1))},
          before{static_cast<int>(state.range(2))},
          most_keys{(before + count + 15) / 16 * 16},
          sizes{.heads = small_widths ? 8 : 32,
                .key_heads = small_widths ? 2 : 8,
                .head_size = 32,
                .inner = small_widths ? 640 : 2816,
                .pages = sequences * most_keys / 16,
                .page_size = 16,
                .most_tokens = sequences * count} {
        if (before != 0) (void)example::token_step{pages, all(before)};
    }

    [[nodiscard]] std::vector<int> all(int tokens) const {
        return std::vector<int>(static_cast<std::size_t>(sequences), tokens);
    }
    [[nodiscard]] double flops() const {
        const double rows = sizes.most_tokens, width = sizes.width(), inner = sizes.inner;
        return 2 * rows * width * (width + sizes.projected() + 3 * inner) +
               4 * rows * (before + count) * width;
    }

    int sequences, count, before, most_keys;
    example::decoder_sizes sizes;
    example::page_table pages{sequences, sizes.pages, sizes.page_size};
};

/// What both ways work on; the cache holds values of tokens before.
struct decoder_memory {
    explicit decoder_memory(decoder_case& c)
        : host{c.pages, c.all(c.count)},
          step{host, c.pages},
          layer{c.sizes},
          x{{step.tokens, c.sizes.width()}, bench::random<half>(step.tokens * c.sizes.width(), 1)},
          y{{step.tokens, c.sizes.width()}} {
        const auto cached = bench::random<half>(layer.keys().size(), 2);
        layer.keys.memory().upload(cached.data(), layer.keys().size());
        layer.values.memory().upload(cached.data(), layer.keys().size());
    }

    example::token_step host;
    example::placed_step<on_device> step;
    example::decoder_layer<on_device> layer;
    stored<on_device, half, 2> x, y;
};

void decoder(benchmark::State& state) {
    const stream s;
    unfused::queue queue{s};
    decoder_case c{state};
    const decoder_memory m{c};
    measure(state, s, queue, c.flops(), [&] { m.layer.run(queue, m.x(), m.step, m.y()); });
}
void decoder_unfused(benchmark::State& state) {
    const stream s;
    unfused::queue queue{s};
    decoder_case c{state};
    const decoder_memory m{c};
    const unfused::decoder_step apart{m.host, c.sizes.heads, c.most_keys};
    const unfused::decoder_layer separate{m.layer, c.sequences, c.most_keys};
    measure(state, s, queue, c.flops(), [&] { separate.run(queue, m.x(), m.step, apart, m.y()); });
}

void add_all(int argc, char** argv) {
    const bool all = std::any_of(argv, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "--all") == 0;
    });
    small_widths = bench::on_emulator && !all;
    const auto add = [](const char* name, void (*f)(benchmark::State&),
                        const std::vector<std::vector<std::int64_t>>& cases) {
        for (const auto& one : cases)
            bench::configured(benchmark::RegisterBenchmark(name, f)->Args(one));
    };
    const std::vector<std::vector<std::int64_t>> encoders{{1, 128}, {8, 128}};
    add("encoder", encoder, encoders);
    add("encoder_unfused", encoder_unfused, encoders);
    const std::vector<std::vector<std::int64_t>> decoders{
        {1, 128, 0}, {4, 128, 0}, {1, 1, 511}, {8, 1, 511}};
    add("decoder", decoder, decoders);
    add("decoder_unfused", decoder_unfused, decoders);
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
