// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// GEMM over squares, layers of language models and of BERT, each plain, fused with bias, residual
// and silu, and with the same ops in kernels of their own (unfused.hpp).
//
// Names are kind/m/n/k. On the emulator only shapes up to 1024 run unless --all is given.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include "unfused.hpp"
#include <algorithm>
#include <cstring>
#include <string>

namespace {

using namespace r9v;

struct shape {
    r9v::index_t m, n, k;
    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }
};

template<class T>
struct operands {
    explicit operands(const shape& of)
        : size{of},
          x_{bench::random<T>(of.m * of.k, 1)},
          w_{bench::random<T>(of.n * of.k, 2)},
          r_{bench::random<T>(of.m * of.n, 3)},
          b_{bench::random<float>(of.n, 4)},
          y_{of.m * of.n} {}

    [[nodiscard]] auto x() const { return x_.view({size.m, size.k}); }
    [[nodiscard]] auto w() const { return w_.view({size.n, size.k}); }
    [[nodiscard]] auto w_by_rows_of_k() const { return transposed(w_.view({size.k, size.n})); }
    [[nodiscard]] auto r() const { return r_.view({size.m, size.n}); }
    [[nodiscard]] auto b() const { return b_.view({size.n}); }
    [[nodiscard]] auto y() const { return y_.view({size.m, size.n}); }

    /// Bytes of x, w and `results` times a matrix like y, and of `biases` times b.
    [[nodiscard]] double bytes(int results, int biases) const {
        const auto m = static_cast<double>(size.m), n = static_cast<double>(size.n);
        const auto k = static_cast<double>(size.k);
        return sizeof(T) * (m * k + n * k + results * m * n) + 4.0 * biases * n;
    }

    shape size;

private:
    buffer<T> x_, w_, r_;
    buffer<float> b_;
    buffer<T> y_;
};

template<class T>
void plain(benchmark::State& state, const shape& of) {
    const stream s;
    const operands<T> o{of};
    const auto p = prepare(gemm(o.x(), o.w()) | store(o.y()));
    bench::run(state, s, {of.flops(), o.bytes(1, 0)}, [&](hipStream_t to) { launch(to, p); });
}

template<class T>
void plain_by_rows_of_k(benchmark::State& state, const shape& of) {
    const stream s;
    const operands<T> o{of};
    const auto p = prepare(gemm(o.x(), o.w_by_rows_of_k()) | store(o.y()));
    bench::run(state, s, {of.flops(), o.bytes(1, 0)}, [&](hipStream_t to) { launch(to, p); });
}

void fused(benchmark::State& state, const shape& of) {
    const stream s;
    const operands<half> o{of};
    const auto p =
        prepare(gemm(o.x(), o.w()) | bias(o.b()) | residual(o.r()) | silu() | store(o.y()));
    bench::run(state, s, {of.flops(), o.bytes(2, 1)}, [&](hipStream_t to) { launch(to, p); });
}

void separate(benchmark::State& state, const shape& of) {
    const stream s;
    const operands<half> o{of};
    const auto p = prepare(gemm(o.x(), o.w()) | store(o.y()));
    // y is written by each of four kernels and read by three of them.
    bench::run(state, s, {of.flops(), o.bytes(8, 1)}, [&](hipStream_t to) {
        launch(to, p);
        unfused::bias(to, o.y(), o.b());
        unfused::residual(to, o.y(), o.r());
        unfused::silu(to, o.y());
    });
}

std::vector<shape> shapes() {
    std::vector<shape> all;
    for (const r9v::index_t size : {512, 1024, 2048, 4096})
        all.push_back({size, size, size});
    for (const r9v::index_t m : {1, 16, 512, 2048}) // a language model of 7e9 parameters
        for (const auto& [n, k] : {std::pair{4096, 4096}, {11008, 4096}, {4096, 11008}})
            all.push_back({m, n, k});
    for (const r9v::index_t m : {128, 512}) // BERT base, sequences of m
        for (const auto& [n, k] : {std::pair{768, 768}, {3072, 768}, {768, 3072}})
            all.push_back({m, n, k});
    return all;
}

void add(const char* kind, void (*function)(benchmark::State&, const shape&), const shape& of) {
    const std::string name = std::string{kind} + '/' + std::to_string(of.m) + '/' +
                             std::to_string(of.n) + '/' + std::to_string(of.k);
    bench::configured(benchmark::RegisterBenchmark(name.c_str(), function, of));
}

void add_all(int argc, char** argv) {
    const bool all = std::any_of(argv, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "--all") == 0;
    });
    for (const shape& of : shapes()) {
        if (bench::on_emulator && !all && std::max({of.m, of.n, of.k}) > 1024) continue;
        add("f16", plain<half>, of);
        add("bf16", plain<bf16>, of);
        add("f16_weights_kn", plain_by_rows_of_k<half>, of);
        add("f16_bias_residual_silu_fused", fused, of);
        add("f16_bias_residual_silu_unfused", separate, of);
    }
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
