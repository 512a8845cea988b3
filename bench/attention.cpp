// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention in f16: prompts under each mask, decoding steps over a cache in pages, and the same
// steps as separate programs (unfused_attention.hpp).
//
// Names are kind/sequences/heads/key heads/queries/keys/head size. FLOP are those of all scores and
// of all values: under a mask a kernel does less. On the emulator only small shapes run unless
// --all is given.
#include <r9v/attention.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include "operand_bytes.hpp"
#include "unfused_attention.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

namespace {

using namespace r9v;

struct shape {
    int sequences, heads, key_heads, queries, keys, dim;

    [[nodiscard]] double flops() const {
        return 4.0 * sequences * heads * static_cast<double>(queries) * keys * dim;
    }
    [[nodiscard]] float factor() const { return 1 / std::sqrt(static_cast<float>(dim)); }
    [[nodiscard]] std::string name() const {
        std::string text;
        for (const int part : {sequences, heads, key_heads, queries, keys, dim})
            text += '/' + std::to_string(part);
        return text;
    }
};

/// Heads stand behind the rows, as projections write them.
class operands {
    [[nodiscard]] auto rows_of(const buffer<half>& memory, int rows, int heads) const {
        return heads_first(memory.view({size.sequences, rows, heads, size.dim}));
    }

public:
    explicit operands(const shape& of)
        : size{of},
          q_{bench::random<half>(index_t{of.sequences} * of.queries * of.heads * of.dim, 1)},
          k_{bench::random<half>(index_t{of.sequences} * of.keys * of.key_heads * of.dim, 2)},
          v_{bench::random<half>(index_t{of.sequences} * of.keys * of.key_heads * of.dim, 3)},
          y_{index_t{of.sequences} * of.queries * of.heads * of.dim} {}

    [[nodiscard]] auto q() const { return rows_of(q_, size.queries, size.heads); }
    [[nodiscard]] auto k() const { return rows_of(k_, size.keys, size.key_heads); }
    [[nodiscard]] auto v() const { return rows_of(v_, size.keys, size.key_heads); }
    [[nodiscard]] auto y() const { return rows_of(y_, size.queries, size.heads); }

    shape size;

private:
    buffer<half> q_, k_, v_, y_;
};

/// A program that was prepared, with its scratch memory.
template<class Program>
void measure(benchmark::State& state, const shape& of, const Program& program) {
    const stream s;
    const auto p = prepare(program);
    const buffer<unsigned char> scratch{static_cast<index_t>(p.workspace_bytes()) + 16};
    bench::run(state, s, {of.flops(), bench::operand_bytes(program)},
               [&](hipStream_t to) { launch(to, p, {scratch.data(), p.workspace_bytes()}); });
}

template<int Dim, class Scores>
void prefill(benchmark::State& state, const shape& of, const Scores& scores) {
    const operands o{of};
    measure(state, of, attention<Dim>(o.q(), o.k(), o.v(), scores) | store(o.y()));
}

template<int Dim>
void full(benchmark::State& state, const shape& of) {
    prefill<Dim>(state, of, chain<>{} | scale(of.factor()));
}
template<int Dim>
void causal_(benchmark::State& state, const shape& of) {
    prefill<Dim>(state, of, scale(of.factor()) | causal(bottom_right));
}
template<int Dim>
void windowed(benchmark::State& state, const shape& of) {
    prefill<Dim>(state, of, scale(of.factor()) | window(256));
}
template<int Dim>
void capped(benchmark::State& state, const shape& of) {
    prefill<Dim>(state, of, scale(of.factor()) | soft_cap(30.0f) | causal(bottom_right));
}

void separate(benchmark::State& state, const shape& of) {
    const stream s;
    unfused::queue queue{s};
    const operands o{of};
    const unfused::score_memory memory{of.sequences, of.heads, of.queries, of.keys};
    const buffer<std::int32_t> first{
        std::vector<std::int32_t>(static_cast<std::size_t>(of.sequences), of.keys - of.queries)};
    const auto work = [&] {
        unfused::attention(
            queue, memory, of.factor(), unfused::keep_causal_from{first.data()}, [&](int sequence) {
                return std::tuple{at_first(o.q(), sequence), at_first(o.k(), sequence),
                                  at_first(o.v(), sequence), at_first(o.y(), sequence)};
            });
    };
    work(); // adds up the bytes, and makes scratch memory where a program asks for it
    bench::run(state, s, {of.flops(), queue.bytes}, [&](hipStream_t) { work(); });
}

/// One new token for each sequence; pages of 16 rows in no order.
void paged_decode(benchmark::State& state, const shape& of) {
    constexpr int page_size = 16;
    const int most = of.keys / page_size;
    const operands o{of};
    std::vector<std::int32_t> pages(static_cast<std::size_t>(of.sequences * most));
    std::iota(pages.begin(), pages.end(), 0);
    std::shuffle(pages.begin(), pages.end(), std::minstd_rand{7});
    const buffer<std::int32_t> table{pages};
    const buffer<std::int32_t> lengths{
        std::vector<std::int32_t>(static_cast<std::size_t>(of.sequences), of.keys)};
    const buffer<half> keys{bench::random<half>(o.k().size(), 4)};
    const buffer<half> values{bench::random<half>(o.k().size(), 5)};
    const auto in_pages = [&](const buffer<half>& memory) {
        const auto view = memory.view({of.sequences * most, of.key_heads, page_size, of.dim});
        return paged(view, table.view({of.sequences, most}), lengths.view({of.sequences}));
    };
    measure(state, of,
            attention<128>(o.q(), in_pages(keys), in_pages(values), scale(of.factor())) |
                store(o.y()));
}

using function = void (*)(benchmark::State&, const shape&);

void add(const char* kind, function f, const shape& of) {
    const std::string name = kind + of.name();
    bench::configured(benchmark::RegisterBenchmark(name.c_str(), f, of));
}

void add_all(int argc, char** argv) {
    const bool all = std::any_of(argv, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "--all") == 0;
    });
    const bool small = bench::on_emulator && !all;
    for (const int tokens : {512, 2048, 4096}) {
        if (small && tokens > 512) continue;
        const shape of{1, small ? 2 : 32, small ? 1 : 8, tokens, tokens, 128};
        add("full", full<128>, of);
        add("causal", causal_<128>, of);
        add("causal_soft_cap", capped<128>, of);
        add("window_256", windowed<128>, of);
        add("causal_unfused", separate, of);
        const shape narrow{1, small ? 2 : 12, small ? 2 : 12, tokens, tokens, 64};
        add("full", full<64>, narrow);
        add("causal", causal_<64>, narrow);
    }
    for (const int keys : {1024, 8192}) {
        if (small && keys > 1024) continue;
        for (const int sequences : {1, 8}) {
            const shape of{sequences, 32, 8, 1, keys, 128};
            add("decode_paged", paged_decode, of);
            add("decode_unfused", separate, of);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
