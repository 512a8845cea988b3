// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions of ResNet50, YOLOv8s, Stable Diffusion, Whisper and depthwise ones, each plain,
// fused with bias, residual and silu, and with the same ops in kernels of their own (unfused.hpp).
//
// Names are network/kind/batch/channels/height/width/k/r/s/stride. On the emulator only small
// shapes run unless --all is given.
#include <r9v/conv.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "conv_shapes.hpp"
#include "device.hpp"
#include "unfused.hpp"
#include <algorithm>
#include <cstring>
#include <string>

namespace {

using namespace r9v;
using bench::conv_shape;

struct layer {
    conv_shape of;
    r9v::index_t batch = 1;

    [[nodiscard]] convolution how() const {
        return {.stride = {of.height == 1 ? 1 : of.stride, of.stride},
                .pad = {of.height == 1 ? 0 : of.pad, of.pad},
                .groups = of.groups};
    }
    [[nodiscard]] filter_extents filter() const {
        return {of.k, of.r, of.s, of.channels / of.groups};
    }
    [[nodiscard]] r9v::index_t p() const {
        const convolution c = how();
        return convolved_extent(of.height, of.r, c.stride.height, 1, c.pad.top, c.pad.bottom);
    }
    [[nodiscard]] r9v::index_t q() const {
        return convolved_extent(of.width, of.s, of.stride, 1, of.pad, of.pad);
    }
    [[nodiscard]] r9v::index_t map_elements() const {
        return batch * of.height * of.width * of.channels;
    }
    [[nodiscard]] r9v::index_t result_elements() const { return batch * p() * q() * of.k; }
    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(result_elements()) *
               static_cast<double>(of.r * of.s * of.channels / of.groups);
    }
};

template<class T, filter_kind Kind>
buffer<T> packed(const filter_extents& of) {
    const std::vector<T> plain = bench::random<T>(of.k * of.r * of.s * of.c, 2);
    const host_tensor weights{plain.data(), {of.k, of.r, of.s, of.c}};
    std::vector<T> to(
        static_cast<std::size_t>(packed_filter<T, space::host, Kind>{nullptr, of}.elements()));
    if constexpr (Kind == filter_kind::depthwise) {
        pack_depthwise_filter(weights, to.data());
    } else if constexpr (Kind == filter_kind::stem) {
        pack_stem_filter(weights, to.data());
    } else {
        pack_filter(weights, to.data());
    }
    return buffer<T>{to};
}

template<class T, filter_kind Kind>
struct operands {
    explicit operands(const layer& l)
        : of{l},
          x_{bench::random<T>(l.map_elements(), 1)},
          f_{packed<T, Kind>(l.filter())},
          r_{bench::random<T>(l.result_elements(), 3)},
          b_{bench::random<float>(l.of.k, 4)},
          y_{l.result_elements()} {}

    [[nodiscard]] auto plain() const {
        const packed_filter<T, space::device, Kind> f{f_.data(), of.filter()};
        return conv2d(x_.view({of.batch, of.of.height, of.of.width, of.of.channels}), f, of.how());
    }
    [[nodiscard]] auto result(const buffer<T>& b) const {
        return b.view({of.batch, of.p(), of.q(), of.of.k});
    }
    [[nodiscard]] auto r() const { return result(r_); }
    [[nodiscard]] auto y() const { return result(y_); }
    [[nodiscard]] auto b() const { return b_.view({of.of.k}); }
    /// As matrices with a row for each pixel, which the plain kernels of other ops take.
    [[nodiscard]] auto pixels(const buffer<T>& m) const {
        return m.view({of.batch * of.p() * of.q(), of.of.k});
    }
    [[nodiscard]] auto r_pixels() const { return pixels(r_); }
    [[nodiscard]] auto y_pixels() const { return pixels(y_); }

    /// Bytes of map, filter and `results` times a tensor like y, and of `biases` times b.
    [[nodiscard]] double bytes(int results, int biases) const {
        const filter_extents f = of.filter();
        return sizeof(T) * static_cast<double>(of.map_elements() + f.k * f.r * f.s * f.c +
                                               results * of.result_elements()) +
               4.0 * biases * static_cast<double>(f.k);
    }

    layer of;

private:
    buffer<T> x_, f_, r_;
    buffer<float> b_;
    buffer<T> y_;
};

template<class T, filter_kind Kind>
void plain(benchmark::State& state, const layer& of) {
    const stream s;
    const operands<T, Kind> o{of};
    const auto p = prepare(o.plain() | store(o.y()));
    bench::run(state, s, {of.flops(), o.bytes(1, 0)}, [&](hipStream_t to) { launch(to, p); });
}

template<class T, filter_kind Kind>
void fused(benchmark::State& state, const layer& of) {
    const stream s;
    const operands<T, Kind> o{of};
    const auto p = prepare(o.plain() | bias(o.b()) | residual(o.r()) | silu() | store(o.y()));
    bench::run(state, s, {of.flops(), o.bytes(2, 1)}, [&](hipStream_t to) { launch(to, p); });
}

template<class T, filter_kind Kind>
void separate(benchmark::State& state, const layer& of) {
    const stream s;
    const operands<T, Kind> o{of};
    const auto p = prepare(o.plain() | store(o.y()));
    // y is written by each of four kernels and read by three of them.
    bench::run(state, s, {of.flops(), o.bytes(8, 1)}, [&](hipStream_t to) {
        launch(to, p);
        unfused::bias(to, o.y_pixels(), o.b());
        unfused::residual(to, o.y_pixels(), o.r_pixels());
        unfused::silu(to, o.y_pixels());
    });
}

struct selection {
    bool all = false;

    template<class T, filter_kind Kind>
    void add(const std::string& network, const layer& l) const {
        constexpr double most_flops = 5e8; // of what the emulator does without being asked
        if (bench::on_emulator && !all && l.flops() > most_flops) return;
        std::string shape;
        for (const auto n : {l.batch, l.of.channels, l.of.height, l.of.width, l.of.k, l.of.r,
                             l.of.s, r9v::index_t{l.of.stride}})
            shape += '/' + std::to_string(n);
        const auto add_kind = [&](const char* kind, auto* function) {
            const std::string name = network + '/' + kind + shape;
            bench::configured(benchmark::RegisterBenchmark(name.c_str(), function, l));
        };
        add_kind("plain", plain<T, Kind>);
        add_kind("bias_residual_silu_fused", fused<T, Kind>);
        add_kind("bias_residual_silu_unfused", separate<T, Kind>);
    }

    template<class Shapes>
    void add_network(const char* network, const Shapes& shapes,
                     std::initializer_list<r9v::index_t> batches) const {
        for (const conv_shape& of : shapes)
            for (const r9v::index_t batch : batches) {
                if (of.groups > 1) {
                    add<half, filter_kind::depthwise>(network, {of, batch});
                } else if (of.channels <= 4) {
                    add<half, filter_kind::stem>(network, {of, batch});
                } else {
                    add<half, filter_kind::dense>(network, {of, batch});
                }
            }
    }
};

void add_all(int argc, char** argv) {
    const selection chosen{std::any_of(argv, argv + argc, [](const char* argument) {
        return std::strcmp(argument, "--all") == 0;
    })};
    chosen.add_network("resnet50", bench::resnet50, {1, 8});
    chosen.add_network("yolov8s", bench::yolov8s, {1, 8});
    chosen.add_network("stable_diffusion", bench::stable_diffusion, {2});
    chosen.add_network("whisper", bench::whisper, {1, 8});
    chosen.add_network("depthwise", bench::depthwise, {1, 8});
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
