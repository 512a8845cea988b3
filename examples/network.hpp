// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A network of convolutions as data: maps, and layers that read and write parts of them, in the
// order in which they run. Executors walk it: fused, unfused, on a GPU, on r9v::reference. Since it
// is known beforehand who needs which map until when, all maps share one allocation.
#pragma once

#include <r9v/kernels/conv/convolution.hpp>
#include <r9v/kernels/conv/filter.hpp>
#include <r9v/ops/pooling.hpp>
#include <r9v/runtime/planner.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace example {

using r9v::index_t;

/// Some channels of some neighbouring pixels of a map, seen as [height, width, channels].
struct part {
    int map = -1;
    index_t height = 0, width = 0, channels = 0;
    index_t first_pixel = 0, first_channel = 0;

    [[nodiscard]] index_t pixels() const { return height * width; }
    [[nodiscard]] index_t size() const { return pixels() * channels; }
    /// `count` of its channels. Layers that store into such slices need no concatenation.
    [[nodiscard]] part slice(index_t first, index_t count) const {
        part some = *this;
        some.first_channel += first;
        some.channels = count;
        return some;
    }
    /// height * width of its pixels, for maps that hold several images one after another.
    [[nodiscard]] part image(index_t first, index_t of_height, index_t of_width) const {
        part some = *this;
        some.first_pixel += first;
        some.height = of_height;
        some.width = of_width;
        return some;
    }
};

/// Memory for pixels with all their channels.
struct feature_map {
    index_t pixels = 0, channels = 0, element_bytes = 2;
    [[nodiscard]] index_t bytes() const { return pixels * channels * element_bytes; }
};

enum class work {
    stem,        ///< a convolution over an image
    convolution, ///< any other
    max_pool,    ///< one, or a chain of them
    mean,        ///< over each channel of a map
    linear,      ///< a matrix product
    boxes,       ///< distributions of distances to boxes
};
enum class curve { none, relu, silu, sigmoid };

struct layer {
    work does = work::convolution;
    std::string name{}; ///< of its weights
    std::string norm{}; ///< of its batch norm; empty: it has a bias
    part from{}, to{};
    index_t k = 0, r = 1; ///< output channels, rows and columns of the filter
    r9v::convolution how{};
    r9v::pooling window{.window = 1};
    curve activation = curve::none;
    bool pools = false;             ///< a stem with a pool behind it
    std::optional<part> shortcut{}; ///< added to the result: in front of relu, behind silu
    std::optional<part>
        upsampled{}; ///< where the result goes too, each pixel twice as high and wide

    [[nodiscard]] bool has_weights() const {
        return does == work::stem || does == work::convolution || does == work::linear;
    }
    [[nodiscard]] r9v::filter_extents filter() const { return {k, r, r, from.channels}; }
    /// Rows or columns of what the convolution gives.
    [[nodiscard]] index_t convolved(index_t size) const {
        return r9v::convolved_extent(size, r, how.stride.height, 1, how.pad.top, how.pad.bottom);
    }
};

/// Layers in the order in which they run, and the maps between them.
class network {
public:
    part map(index_t height, index_t width, index_t channels, index_t element_bytes = 2) {
        maps_.push_back({height * width, channels, element_bytes});
        return {static_cast<int>(maps_.size()) - 1, height, width, channels};
    }
    void add(layer l) { layers_.push_back(std::move(l)); }

    /// What is there from the beginning, and what is kept to the end.
    void read(const part& p) { inputs_.push_back(p.map); }
    void keep(const part& p) { results_.push_back(p.map); }

    [[nodiscard]] const std::vector<feature_map>& maps() const { return maps_; }
    [[nodiscard]] const std::vector<layer>& layers() const { return layers_; }
    [[nodiscard]] const std::vector<int>& inputs() const { return inputs_; }
    [[nodiscard]] const std::vector<int>& results() const { return results_; }

    /// Bytes of every map, and the first and last layer that touches it.
    [[nodiscard]] std::vector<r9v::planned_tensor> lifetimes() const {
        const auto steps = static_cast<index_t>(layers_.size());
        std::vector<r9v::planned_tensor> all;
        for (const feature_map& m : maps_)
            all.push_back(
                {.bytes = static_cast<std::size_t>(m.bytes()), .first = steps, .last = 0});
        for (index_t step = 0; step < steps; ++step)
            for_each_part(layers_[static_cast<std::size_t>(step)], [&](const part& p) {
                auto& lives = all[static_cast<std::size_t>(p.map)];
                lives.first = std::min(lives.first, step);
                lives.last = std::max(lives.last, step);
            });
        for (const int map : inputs_)
            all[static_cast<std::size_t>(map)].first = 0;
        for (const int map : results_)
            all[static_cast<std::size_t>(map)].last = steps;
        return all;
    }

private:
    static void for_each_part(const layer& l, const auto& visit) {
        visit(l.from);
        visit(l.to);
        if (l.shortcut) visit(*l.shortcut);
        if (l.upsampled) visit(*l.upsampled);
    }

    std::vector<feature_map> maps_;
    std::vector<layer> layers_;
    std::vector<int> inputs_, results_;
};

} // namespace example
