// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// ResNet50 v1.5 ("Deep Residual Learning for Image Recognition", He et al., 2015; strides stand on
// the 3x3 convolutions) in 55 kernels. Names are those of torchvision's state dict.
#pragma once

#include <r9v/conv.hpp>
#include <r9v/gemm.hpp>
#include <r9v/pool.hpp>

#include "network.hpp"

namespace example::resnet50 {

inline constexpr index_t image_size = 224;
inline constexpr index_t classes = 1000;
inline constexpr double epsilon = 1e-5; ///< of its batch norms

// snippet: resnet50_programs
// y = max_pool(relu(x * f + b))
auto stem(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::relu() | r9v::max_pool(l.window) |
           r9v::store(y);
}
// y = relu(x * f + b)
auto activated(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::relu() | r9v::store(y);
}
// y = relu(x * f + b + r)
auto joined(const auto& x, const auto& f, const auto& b, const layer& l, const auto& r,
            const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::residual(r) | r9v::relu() | r9v::store(y);
}
// y = x * f + b
auto projected(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::store(y);
}
// end snippet

/// The network, its image and its scores.
struct description {
    network layers;
    part image, scores;
};

namespace detail {

inline part convolved(network& to, const part& x, const std::string& block, const std::string& name,
                      index_t k, index_t r, int stride, curve activation) {
    layer l{.name = block + name, .from = x, .k = k, .r = r};
    l.norm = block + (name == "downsample.0" ? "downsample.1" : "bn" + name.substr(4));
    l.how = {.stride = stride, .pad = static_cast<int>(r) / 2};
    l.activation = activation;
    l.to = to.map(l.convolved(x.height), l.convolved(x.width), k);
    to.add(l);
    return l.to;
}

/// 1x1, 3x3 and 1x1, and what goes around them.
inline part bottleneck(network& to, const part& x, const std::string& block, index_t inner,
                       int stride) {
    const part narrow = convolved(to, x, block, "conv1", inner, 1, 1, curve::relu);
    const part seen = convolved(to, narrow, block, "conv2", inner, 3, stride, curve::relu);
    const part around = x.channels == 4 * inner ? x
                                                : convolved(to, x, block, "downsample.0", 4 * inner,
                                                            1, stride, curve::none);
    layer last{.name = block + "conv3", .norm = block + "bn3", .from = seen, .k = 4 * inner};
    last.activation = curve::relu;
    last.shortcut = around;
    last.to = to.map(seen.height, seen.width, last.k);
    to.add(last);
    return last.to;
}

} // namespace detail

inline description describe() {
    description d;
    network& to = d.layers;
    d.image = to.map(image_size, image_size, 3);
    to.read(d.image);
    layer first{.does = work::stem, .name = "conv1", .norm = "bn1", .from = d.image};
    first.k = 64;
    first.r = 7;
    first.how = {.stride = 2, .pad = 3};
    first.activation = curve::relu;
    first.pools = true;
    first.window = {.window = 3, .stride = 2, .pad = 1};
    first.to = to.map(56, 56, 64);
    to.add(first);
    part x = first.to;
    constexpr int depths[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage)
        for (int block = 0; block < depths[stage]; ++block)
            x = detail::bottleneck(
                to, x, "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".",
                index_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
    layer mean{.does = work::mean, .from = x, .to = to.map(1, 1, x.channels)};
    to.add(mean);
    d.scores = to.map(1, 1, classes, 4);
    to.keep(d.scores);
    to.add({.does = work::linear, .name = "fc", .from = mean.to, .to = d.scores, .k = classes});
    return d;
}

// snippet: resnet50
/// Runs one layer: `at` knows where its maps and weights are.
void run(auto& place, const auto& at, const layer& l) {
    const auto x = at.map(l.from);
    if (l.does == work::mean)
        return place.run(r9v::global_average_pool(x) | r9v::store(at.map(l.to)));
    const auto b = at.bias(l);
    if (l.does == work::linear)
        return place.run(r9v::gemm(at.flat(l.from, {1, l.from.channels}), at.matrix(l)) |
                         r9v::bias(b) | r9v::store(at.template flat<float>(l.to, {1, l.k})));
    const auto y = at.map(l.to);
    if (l.does == work::stem) return place.run(stem(x, at.stem(l), b, l, y));
    if (l.shortcut) return place.run(joined(x, at.filter(l), b, l, at.map(*l.shortcut), y));
    if (l.activation == curve::relu) return place.run(activated(x, at.filter(l), b, l, y));
    return place.run(projected(x, at.filter(l), b, l, y));
}
// end snippet

} // namespace example::resnet50
