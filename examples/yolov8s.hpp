// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// YOLOv8s (Ultralytics, 2023) in 65 kernels: backbone, neck, heads, and the decoding of
// distributions of distances ("Generalized Focal Loss", Li et al., 2020) to boxes. Names are those
// of its state dict. What it concatenates is stored side by side from the start.
#pragma once

#include <r9v/conv.hpp>
#include <r9v/pool.hpp>
#include <r9v/softmax.hpp>

#include "network.hpp"

namespace example::yolov8s {

inline constexpr int image_size = 640;
inline constexpr int classes = 80;
inline constexpr int bins = 16;         ///< of a distance, in steps of a cell of the grid
inline constexpr int anchors = 8400;    ///< cells of the three grids
inline constexpr double epsilon = 1e-3; ///< of its batch norms

/// The cell of a grid that an anchor is: its middle, and its size, in pixels of the image.
struct cell {
    float x, y, size;
};
[[nodiscard]] R9V_HD constexpr cell cell_of(int anchor) {
    int cells = image_size / 8;
    int size = 8;
    while (anchor >= cells * cells) {
        anchor -= cells * cells;
        cells /= 2;
        size *= 2;
    }
    const auto middle = [&](int at) {
        return (static_cast<float>(at) + 0.5f) * static_cast<float>(size);
    };
    return {middle(anchor % cells), middle(anchor / cells), static_cast<float>(size)};
}

// snippet: boxes
/// The share of a bin in a side of a box. Row 4 a + i of the distributions is the distance from the
/// middle of anchor a to the left, upper, right or lower side; the shares of a row add up to where
/// that side is.
struct side_of_box {
    template<class Real>
    [[nodiscard]] R9V_HD Real operator()(Real probability, const r9v::coordinate& at) const {
        const int row = static_cast<int>(at.row());
        const int side = row % 4;
        const cell of = cell_of(row / 4);
        const float distance = static_cast<float>(at.column()) * of.size;
        return probability * ((side % 2 == 0 ? of.x : of.y) + (side < 2 ? -distance : distance));
    }
};
// The probabilities themselves are of no further use, and replace what they are made of.
auto boxes(const auto& distributions, const auto& sides) {
    return r9v::softmax(distributions) | r9v::map(side_of_box{}) | r9v::sum_rows(sides) |
           r9v::store(distributions);
}
// end snippet

// snippet: yolov8s_programs
// y = silu(x * f + b)
auto activated(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::silu() | r9v::store(y);
}
// y = silu(x * f + b) + r
auto joined(const auto& x, const auto& f, const auto& b, const layer& l, const auto& r,
            const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::silu() | r9v::residual(r) | r9v::store(y);
}
// y = silu(x * f + b), and once more with each pixel twice as high and wide
auto spread(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y,
            const auto& upsampled) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::silu() | r9v::tee(y) |
           r9v::store_upsampled(upsampled);
}
// y = three pools one behind the other, side by side
auto pools(const auto& x, const layer& l, const auto& y) {
    return r9v::chained_max_pool(x, {.window = l.window.window.height, .count = 3}) | r9v::store(y);
}
// y = x * f + b: distributions, before their softmax
auto projected(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::store(y);
}
// y = sigmoid(x * f + b): scores of the classes
auto scored(const auto& x, const auto& f, const auto& b, const layer& l, const auto& y) {
    return r9v::conv2d(x, f, l.how) | r9v::bias(b) | r9v::sigmoid() | r9v::store(y);
}
// end snippet

/// The network, its image and its results: for each anchor a box (left, upper, right, lower side)
/// and a score of each class.
struct description {
    network layers;
    part image, boxes, scores;
};

namespace detail {

/// Appends layers to a network.
class builder {
public:
    explicit builder(network& to) : to_{to} {}

    part map(index_t size, index_t channels) { return to_.map(size, size, channels); }

    /// convolution, batch norm, silu into `y`; a layer that the caller may change before add().
    [[nodiscard]] static layer unit(const std::string& name, const part& x, index_t r, int stride,
                                    const part& y) {
        layer l{.name = name + ".conv", .norm = name + ".bn", .from = x, .to = y, .r = r};
        l.k = y.channels;
        l.how = {.stride = stride, .pad = static_cast<int>(r) / 2};
        l.activation = curve::silu;
        return l;
    }
    part add(const std::string& name, const part& x, index_t r, int stride, const part& y) {
        to_.add(unit(name, x, r, stride, y));
        return y;
    }
    /// Halving: 3x3, stride 2.
    part halve(const std::string& name, const part& x, index_t channels) {
        return add(name, x, 3, 2, map(x.height / 2, channels));
    }

    /// C2f: a 1x1 gives two halves; each of `depth` bottlenecks makes one more of the last; a 1x1
    /// takes them all. `upsampled`: where the result goes too.
    part c2f(const std::string& name, const part& x, int depth, bool shortcut, const part& y,
             const std::optional<part>& upsampled = {}) {
        const index_t half = y.channels / 2;
        const part all = map(y.height, (2 + depth) * half);
        add(name + ".cv1", x, 1, 1, all.slice(0, 2 * half));
        for (int i = 0; i < depth; ++i) {
            const std::string block = name + ".m." + std::to_string(i);
            const part last = all.slice((1 + i) * half, half);
            const part inner = add(block + ".cv1", last, 3, 1, map(y.height, half));
            layer second = unit(block + ".cv2", inner, 3, 1, all.slice((2 + i) * half, half));
            if (shortcut) second.shortcut = last;
            to_.add(second);
        }
        return finish(name + ".cv2", all, y, upsampled);
    }

    /// SPPF: the largest of 5, 9 and 13 pixels around each, beside the pixel itself.
    part sppf(const std::string& name, const part& x, const part& y,
              const std::optional<part>& upsampled) {
        const index_t half = x.channels / 2;
        const part all = map(x.height, 4 * half);
        const part own = add(name + ".cv1", x, 1, 1, all.slice(0, half));
        layer pools{.does = work::max_pool, .name = name + ".m", .from = own};
        pools.to = all.slice(half, 3 * half);
        pools.window = {.window = 5, .pad = 2};
        to_.add(pools);
        return finish(name + ".cv2", all, y, upsampled);
    }

    /// Three convolutions over a map; the last one without a norm.
    void head(const std::string& name, const part& x, index_t inner, const part& y, curve last) {
        const part a = add(name + ".0", x, 3, 1, map(x.height, inner));
        const part b = add(name + ".1", a, 3, 1, map(x.height, inner));
        layer l{.name = name + ".2", .from = b, .to = y, .k = y.channels};
        l.activation = last;
        to_.add(l);
    }

private:
    part finish(const std::string& name, const part& x, const part& y,
                const std::optional<part>& upsampled) {
        layer l = unit(name, x, 1, 1, y);
        l.upsampled = upsampled;
        to_.add(l);
        return y;
    }

    network& to_;
};

inline void add_heads(builder& to, const part (&maps)[3], const part& distributions,
                      const part& scores) {
    index_t first = 0;
    for (int i = 0; i < 3; ++i) {
        const part& x = maps[i];
        const std::string number = std::to_string(i);
        to.head("model.22.cv2." + number, x, 64, distributions.image(first, x.height, x.width),
                curve::none);
        to.head("model.22.cv3." + number, x, 128, scores.image(first, x.height, x.width),
                curve::sigmoid);
        first += x.pixels();
    }
}

} // namespace detail

inline description describe() {
    description d;
    detail::builder to{d.layers};
    d.image = to.map(image_size, 3);
    d.layers.read(d.image);
    // What four of the layers read: results of two others, side by side.
    const part join11 = to.map(40, 512 + 256), join14 = to.map(80, 256 + 128);
    const part join17 = to.map(40, 128 + 256), join20 = to.map(20, 256 + 512);

    layer first = detail::builder::unit("model.0", d.image, 3, 2, to.map(320, 32));
    first.does = work::stem;
    d.layers.add(first);
    part x = to.halve("model.1", first.to, 64);
    x = to.c2f("model.2", x, 1, true, to.map(160, 64));
    x = to.halve("model.3", x, 128);
    x = to.c2f("model.4", x, 2, true, join14.slice(256, 128));
    x = to.halve("model.5", x, 256);
    x = to.c2f("model.6", x, 2, true, join11.slice(512, 256));
    x = to.halve("model.7", x, 512);
    x = to.c2f("model.8", x, 1, true, to.map(20, 512));
    to.sppf("model.9", x, join20.slice(256, 512), join11.slice(0, 512));

    to.c2f("model.12", join11, 1, false, join17.slice(128, 256), join14.slice(0, 256));
    const part fine = to.c2f("model.15", join14, 1, false, to.map(80, 128));
    to.add("model.16", fine, 3, 2, join17.slice(0, 128));
    const part middle = to.c2f("model.18", join17, 1, false, to.map(40, 256));
    to.add("model.19", middle, 3, 2, join20.slice(0, 256));
    const part coarse = to.c2f("model.21", join20, 1, false, to.map(20, 512));

    d.boxes = d.layers.map(anchors, 1, 4, 4);
    d.scores = d.layers.map(anchors, 1, classes);
    d.layers.keep(d.boxes);
    d.layers.keep(d.scores);
    const part distributions = d.layers.map(anchors, 1, 4 * bins);
    detail::add_heads(to, {fine, middle, coarse}, distributions, d.scores);
    d.layers.add({.does = work::boxes, .from = distributions, .to = d.boxes});
    return d;
}

// snippet: yolov8s
/// Runs one layer: `at` knows where its maps and weights are.
void run(auto& place, const auto& at, const layer& l) {
    if (l.does == work::boxes)
        return place.run(boxes(at.flat(l.from, {4 * anchors, bins}),
                               at.template flat<float>(l.to, {4 * anchors})));
    const auto x = at.map(l.from), y = at.map(l.to);
    if (l.does == work::max_pool) return place.run(pools(x, l, y));
    const auto b = at.bias(l);
    if (l.does == work::stem) return place.run(activated(x, at.stem(l), b, l, y));
    const auto f = at.filter(l);
    if (l.shortcut) return place.run(joined(x, f, b, l, at.map(*l.shortcut), y));
    if (l.upsampled) return place.run(spread(x, f, b, l, y, at.map(*l.upsampled)));
    if (l.activation == curve::silu) return place.run(activated(x, f, b, l, y));
    if (l.activation == curve::sigmoid) return place.run(scored(x, f, b, l, y));
    return place.run(projected(x, f, b, l, y));
}
// end snippet

} // namespace example::yolov8s
