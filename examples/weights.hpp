// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Weights of a network: from a flat file that data/convert_weights.py makes of a PyTorch state dict
// (the format stands in data/README.md), or seeded ones, which data/make_networks.py makes too.
// Batch norms are folded into the filters once, on the host.
#pragma once

#include <r9v/conv.hpp>

#include "network.hpp"
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace example {

/// n from -127 to 127 by a hash of position and name; its standard deviation is 73.6.
class noise {
public:
    explicit noise(const std::string& name) { // FNV-1a
        for (const char letter : name)
            position_ = (position_ ^ static_cast<unsigned char>(letter)) * 0x01000193u;
    }
    [[nodiscard]] int next() { return at(position_++); }
    [[nodiscard]] int at_offset(std::uint32_t offset) const { return at(position_ + offset); }

    static constexpr double deviation = 73.6;

private:
    static int at(std::uint32_t bits) {
        bits = (bits ^ bits >> 16) * 0x85ebca6bu;
        bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
        bits ^= bits >> 16;
        return static_cast<int>(bits % 255) - 127;
    }
    std::uint32_t position_ = 0x811c9dc5u;
};

/// What seeded weights look like, so that values neither vanish nor grow from layer to layer.
struct seeding {
    double gain = 1;       ///< of filters: the square root of 1 / E[activation(normal)^2]
    double last_gamma = 1; ///< of the norms in front of a shortcut's sum, named bn3
    double head_bias = 0;  ///< of layers without a norm
};

/// The tensors of a state dict by name, in f32.
class parameters {
public:
    explicit parameters(const seeding& seeds) : seeds_{seeds} {}
    explicit parameters(const std::string& path) {
        std::ifstream file{path, std::ios::binary};
        std::string line;
        if (!std::getline(file, line) || line != "r9v weights 1")
            throw std::runtime_error{path + " is no file of weights: see data/README.md"};
        std::vector<std::pair<std::string, std::size_t>> listed;
        while (std::getline(file, line) && !line.empty())
            listed.push_back(entry(line));
        for (const auto& [name, size] : listed) {
            std::vector<float>& values = tensors_[name];
            values.resize(size);
            file.read(reinterpret_cast<char*>(values.data()),
                      static_cast<std::streamsize>(size * sizeof(float)));
        }
        if (!file) throw std::runtime_error{path + " is too short"};
    }

    [[nodiscard]] bool seeded() const { return tensors_.empty(); }
    /// Of convolutions and matrix products: [k, c, r, s].
    [[nodiscard]] std::vector<float> filter(const std::string& name, const r9v::filter_extents& of,
                                            bool normed) const {
        const auto inputs = static_cast<double>(of.c * of.r * of.s);
        const double gain = normed ? seeds_.gain : 1.0;
        return get(name, of.k * of.c * of.r * of.s, 0,
                   std::sqrt(gain * gain / inputs) / noise::deviation);
    }
    [[nodiscard]] std::vector<float> bias(const std::string& name, index_t k, bool scores) const {
        return get(name, k, scores ? seeds_.head_bias : 0.0, 1.0 / 4096);
    }
    /// What batch norms keep: weight, bias, running_mean, running_var.
    [[nodiscard]] std::vector<float> norm(const std::string& name, const std::string& what,
                                          index_t k) const {
        double around = what == "running_var" ? 1.0 : 0.0;
        if (what == "weight") around = name.ends_with("bn3") ? seeds_.last_gamma : 1.0;
        return get(name + "." + what, k, around,
                   what == "weight" || what == "running_var" ? 1.0 / 512 : 1.0 / 4096);
    }

private:
    static std::pair<std::string, std::size_t> entry(const std::string& line) {
        std::istringstream words{line};
        std::string name;
        std::size_t size = 1, extent = 0;
        words >> name;
        while (words >> extent)
            size *= extent;
        return {name, size};
    }
    [[nodiscard]] std::vector<float> get(const std::string& name, index_t count, double around,
                                         double step) const {
        const auto size = static_cast<std::size_t>(count);
        if (!seeded()) {
            const auto found = tensors_.find(name);
            if (found == tensors_.end() || found->second.size() != size)
                throw std::runtime_error{"the file has no " + name + " of " + std::to_string(size) +
                                         " values"};
            return found->second;
        }
        std::vector<float> values(size);
        noise numbers{name};
        for (float& value : values)
            value = static_cast<float>(around + numbers.next() * step);
        return values;
    }

    seeding seeds_;
    std::map<std::string, std::vector<float>> tensors_;
};

/// What a layer multiplies with and adds, as programs take it.
struct layer_weights {
    std::vector<r9v::half> packed; ///< a filter as its kernels want it, or a matrix [k, c]
    std::vector<float> bias;
};

/// Weights of a layer, its batch norm folded into them.
inline layer_weights weights_of(const layer& l, const parameters& from, double epsilon) {
    const r9v::filter_extents of = l.filter();
    const r9v::extent torch_order[] = {of.k, of.c, of.r, of.s};
    std::vector<float> wide = from.filter(l.name + ".weight", of, !l.norm.empty());
    std::vector<r9v::half> narrow(wide.size());
    layer_weights w;
    if (l.norm.empty()) {
        w.bias = from.bias(l.name + ".bias", l.k, l.activation == curve::sigmoid);
        std::transform(wide.begin(), wide.end(), narrow.begin(),
                       [](float x) { return r9v::from_double<r9v::half>(x); });
    } else {
        const auto gamma = from.norm(l.norm, "weight", l.k), beta = from.norm(l.norm, "bias", l.k);
        const auto mean = from.norm(l.norm, "running_mean", l.k);
        const auto variance = from.norm(l.norm, "running_var", l.k);
        w.bias = r9v::fold_batch_norm(r9v::host_tensor{wide.data(), torch_order},
                                      r9v::host_tensor{narrow.data(), torch_order}, {},
                                      {gamma, beta, mean, variance, epsilon});
    }
    if (l.does == work::linear) {
        w.packed = std::move(narrow);
        return w;
    }
    const auto filter = r9v::channels_last(r9v::host_tensor{narrow.data(), torch_order});
    const bool stem = l.does == work::stem;
    w.packed.resize(static_cast<std::size_t>(stem ? r9v::packed_stem_elements(of)
                                                  : r9v::packed_filter_elements(of)));
    stem ? r9v::pack_stem_filter(filter, w.packed.data())
         : r9v::pack_filter(filter, w.packed.data());
    return w;
}

/// Weights by the names of their layers.
using weight_map = std::map<std::string, layer_weights>;

inline weight_map weights_of(const network& all, const parameters& from, double epsilon) {
    weight_map weights;
    for (const layer& l : all.layers())
        if (l.has_weights()) weights.emplace(l.name, weights_of(l, from, epsilon));
    return weights;
}

/// An image [size, size, 3] of coloured squares with noise, around `middle`, from -1 to 1 times
/// `spread`: exact in half where both are powers of two.
inline std::vector<r9v::half> seeded_image(int size, double middle, double spread) {
    const noise squares{"squares"}, grain{"grain"};
    std::vector<r9v::half> image;
    for (int at = 0; at < size * size * 3; ++at) {
        const int channel = at % 3, column = at / 3 % size, row = at / 3 / size;
        const int square = (row / 32 * 64 + column / 32) * 3 + channel;
        const int value = 2 * squares.at_offset(static_cast<std::uint32_t>(square)) +
                          grain.at_offset(static_cast<std::uint32_t>(at));
        image.push_back(r9v::from_double<r9v::half>(middle + spread * value / 512));
    }
    return image;
}

} // namespace example
