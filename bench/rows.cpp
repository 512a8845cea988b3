// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Row programs in f16: softmax, softmax of scaled and masked scores, norms of a residual stream,
// the choice of experts; each fused, and with the same steps in kernels of their own (unfused.hpp).
//
// Names are kind/rows/columns. On the emulator only small shapes run unless --all is given.
#include <r9v/memory.hpp>
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include "unfused.hpp"
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace {

using namespace r9v;

struct shape {
    r9v::index_t rows, columns;
    [[nodiscard]] double elements() const {
        return static_cast<double>(rows) * static_cast<double>(columns);
    }
};

struct operands {
    explicit operands(const shape& of)
        : size{of},
          x_{bench::random<half>(of.rows * of.columns, 1)},
          r_{bench::random<half>(of.rows * of.columns, 2)},
          w_{bench::random<float>(of.columns, 3)},
          y_{bench::random<half>(of.rows * of.columns, 4)},
          chosen_{of.rows * places},
          experts_{of.rows * places} {}

    [[nodiscard]] auto x() const { return x_.view({size.rows, size.columns}); }
    [[nodiscard]] auto r() const { return r_.view({size.rows, size.columns}); }
    [[nodiscard]] auto w() const { return w_.view({size.columns}); }
    [[nodiscard]] auto y() const { return y_.view({size.rows, size.columns}); }
    [[nodiscard]] auto chosen() const { return chosen_.view({size.rows, places}); }
    [[nodiscard]] auto experts() const { return experts_.view({size.rows, places}); }
    /// Bytes of `matrices` times a matrix.
    [[nodiscard]] double bytes(int matrices) const { return 2.0 * matrices * size.elements(); }

    static constexpr int places = 8;
    shape size;

private:
    buffer<half> x_, r_;
    buffer<float> w_;
    buffer<half> y_;
    buffer<float> chosen_;
    buffer<std::int32_t> experts_;
};

/// Launches a program again and again, with the scratch memory that it needs.
template<class Program>
void run(benchmark::State& state, const Program& program, double flops, double bytes) {
    const stream s;
    const auto p = prepare(program);
    const buffer<float> scratch{static_cast<r9v::index_t>(p.workspace_bytes() / sizeof(float) + 1)};
    const workspace memory{scratch.data(), p.workspace_bytes()};
    bench::run(state, s, {flops, bytes}, [&](hipStream_t to) { launch(to, p, memory); });
}

void plain_softmax(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state, softmax(o.x()) | store(o.y()), 5 * of.elements(), o.bytes(2));
}
void masked(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state, softmax(o.x() | scale(0.125f) | add_mask(o.r())) | store(o.y()), 7 * of.elements(),
        o.bytes(3));
}
void masked_unfused(benchmark::State& state, const shape& of) {
    const stream s;
    const operands o{of};
    const auto p = prepare(softmax(o.y()) | store(o.y()));
    if (p.workspace_bytes() != 0) return state.SkipWithError("needs scratch memory");
    bench::run(state, s, {7 * of.elements(), o.bytes(7)}, [&](hipStream_t to) {
        unfused::scale(to, o.y(), 0.125f);
        unfused::residual(to, o.y(), o.r());
        launch(to, p);
    });
}
void causal_softmax(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state, softmax(o.x() | scale(0.125f) | causal(bottom_right)) | store(o.y()),
        6 * of.elements(), o.bytes(2));
}
void norm_of_stream(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state,
        rms_norm(o.x() | residual(o.r()) | tee(o.r())) | scale(per_column(o.w())) | store(o.y()),
        5 * of.elements(), o.bytes(4));
}
void norm_of_stream_unfused(benchmark::State& state, const shape& of) {
    const stream s;
    const operands o{of};
    const auto p = prepare(rms_norm(o.r()) | scale(per_column(o.w())) | store(o.y()));
    bench::run(state, s, {5 * of.elements(), o.bytes(5)}, [&](hipStream_t to) {
        unfused::residual(to, o.r(), o.x());
        launch(to, p);
    });
}
void plain_layer_norm(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state, layer_norm(o.x()) | scale_shift(o.w(), o.w()) | store(o.y()), 8 * of.elements(),
        o.bytes(2));
}
void experts(benchmark::State& state, const shape& of) {
    const operands o{of};
    run(state,
        softmax(o.x()) |
            top_k(operands::places, o.chosen(), o.experts(), top_k_weights::renormalize),
        5 * of.elements(), o.bytes(1) + 8.0 * operands::places * static_cast<double>(of.rows));
}

std::vector<shape> shapes() {
    return {{4096, 64},  {4096, 1024}, {512, 1000}, {1024, 4096}, {4096, 4096}, {256, 16384},
            {64, 32768}, {8, 131072},  {1, 262144}, {2048, 5120}, {1, 4096},    {16384, 128}};
}

void add(const char* kind, void (*function)(benchmark::State&, const shape&), const shape& of) {
    const std::string name =
        std::string{kind} + '/' + std::to_string(of.rows) + '/' + std::to_string(of.columns);
    bench::configured(benchmark::RegisterBenchmark(name.c_str(), function, of));
}

void add_all(int argc, char** argv) {
    const bool all = std::any_of(argv, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "--all") == 0;
    });
    for (const shape& of : shapes()) {
        if (bench::on_emulator && !all && of.elements() > 600000) continue;
        add("softmax", plain_softmax, of);
        add("scale_mask_softmax_fused", masked, of);
        if (of.columns <= 16384) add("scale_mask_softmax_unfused", masked_unfused, of);
        add("causal_softmax", causal_softmax, of);
        if (of.columns <= 16384) add("residual_rms_norm_fused", norm_of_stream, of);
        if (of.columns <= 16384) add("residual_rms_norm_unfused", norm_of_stream_unfused, of);
        add("layer_norm", plain_layer_norm, of);
        if (of.columns <= 4096) add("top_8_experts", experts, of);
    }
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
