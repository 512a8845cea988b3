// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention of one new token for each sequence over a long cache, in f16 and bf16: by the number of
// heads that share a key head, by dim, by mask and by page size.
//
// Names are kind/sequences/heads/key heads/keys/dim. The work is reading the cache: `cache_bytes`
// is its size, and on the emulator `loaded_a_byte` and `vector_a_byte` are bytes loaded and vector
// instructions to each of them. On the emulator only small shapes run unless --all is given.
#include <r9v/attention.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

namespace {

using namespace r9v;

struct shape {
    int sequences, heads, key_heads, keys, dim;
    int page = 0; ///< rows of a page; 0: one piece

    [[nodiscard]] double flops() const {
        return 4.0 * sequences * heads * static_cast<double>(keys) * dim;
    }
    [[nodiscard]] double cache_bytes() const {
        return 4.0 * sequences * key_heads * static_cast<double>(keys) * dim;
    }
    [[nodiscard]] float factor() const { return 1 / std::sqrt(static_cast<float>(dim)); }
    [[nodiscard]] std::string name() const {
        std::string text;
        for (const int part : {sequences, heads, key_heads, keys, dim})
            text += '/' + std::to_string(part);
        return page == 0 ? text : text + "/page:" + std::to_string(page);
    }
};

template<class Element>
struct operands {
    shape size;
    buffer<Element> q{bench::random<Element>(index_t{size.sequences} * size.heads * size.dim, 1)};
    buffer<Element> k{bench::random<Element>(cache_size(), 2)};
    buffer<Element> v{bench::random<Element>(cache_size(), 3)};
    buffer<Element> y{index_t{size.sequences} * size.heads * size.dim};

    [[nodiscard]] index_t cache_size() const {
        return index_t{size.sequences} * size.key_heads * size.keys * size.dim;
    }
    [[nodiscard]] auto one_row(const buffer<Element>& memory) const {
        return memory.view({size.sequences, size.heads, 1, size.dim});
    }
    [[nodiscard]] auto rows(const buffer<Element>& memory) const {
        return memory.view({size.sequences, size.key_heads, size.keys, size.dim});
    }
};

/// Prepares the program and runs it with its scratch memory.
template<class Program>
void measure(benchmark::State& state, const shape& of, const Program& program) {
    const stream s;
    const auto p = prepare(program);
    const buffer<unsigned char> scratch{static_cast<index_t>(p.workspace_bytes()) + 16};
    bench::run(state, s, {of.flops(), of.cache_bytes()},
               [&](hipStream_t to) { launch(to, p, {scratch.data(), p.workspace_bytes()}); });
    auto& counters = state.counters;
    counters["cache_bytes"] = of.cache_bytes();
    if (bench::on_emulator) {
        counters["loaded_a_byte"] = counters["bytes_loaded"].value / of.cache_bytes();
        counters["vector_a_byte"] =
            (counters["valu"].value + counters["transcendental"].value) / of.cache_bytes();
    }
}

template<int Dim, class Element>
void plain(benchmark::State& state, const shape& of) {
    const operands<Element> o{of};
    measure(state, of,
            attention<Dim>(o.one_row(o.q), o.rows(o.k), o.rows(o.v), scale(of.factor())) |
                store(o.one_row(o.y)));
}

void windowed(benchmark::State& state, const shape& of) {
    const operands<half> o{of};
    measure(state, of,
            attention<128>(o.one_row(o.q), o.rows(o.k), o.rows(o.v),
                           scale(of.factor()) | soft_cap(30.0f) | window(512)) |
                store(o.one_row(o.y)));
}

/// Pages in no order.
void in_pages(benchmark::State& state, const shape& of) {
    const operands<half> o{of};
    const index_t pages = of.keys / of.page;
    std::vector<std::int32_t> order(static_cast<std::size_t>(of.sequences * pages));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::minstd_rand{7});
    const buffer<std::int32_t> table{order};
    const buffer<std::int32_t> lengths{
        std::vector<std::int32_t>(static_cast<std::size_t>(of.sequences), of.keys)};
    const auto cache = [&](const buffer<half>& memory) {
        return paged(memory.view({of.sequences * pages, of.key_heads, of.page, of.dim}),
                     table.view({of.sequences, pages}), lengths.view({of.sequences}));
    };
    measure(state, of,
            attention<128>(o.one_row(o.q), cache(o.k), cache(o.v), scale(of.factor())) |
                store(o.one_row(o.y)));
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
    for (const int keys : {1024, 8192, 32768}) {
        if (small && keys > 1024) continue;
        for (const int ratio : {1, 4, 8})
            add("f16", plain<128, half>, {1, 8 * ratio, 8, keys, 128});
        add("bf16", plain<128, bf16>, {1, 32, 8, keys, 128});
        add("f16", plain<64, half>, {1, 32, 8, keys, 64});
        add("f16", plain<256, half>, {1, 32, 8, keys, 256});
        add("f16", plain<128, half>, {32, 32, 8, keys / 8, 128});
        add("soft_cap_window_512", windowed, {1, 32, 8, keys, 128});
        for (const int page : {1, 16, 256})
            add("f16", in_pages, {1, 32, 8, keys, 128, page});
    }
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
