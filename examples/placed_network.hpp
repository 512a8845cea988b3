// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A network in the memory of a place: its weights, and one allocation in which all maps lie, over
// one another where they are never needed together.
#pragma once

#include <r9v/conv.hpp>

#include "transformer.hpp"
#include "weights.hpp"

namespace example {

/// Filters and biases by the names of their layers.
template<class Place>
class placed_weights {
public:
    explicit placed_weights(const weight_map& weights) {
        for (const auto& [name, w] : weights)
            layers_.emplace(name, arrays{array<r9v::half>{w.packed}, array<float>{w.bias}});
    }

    [[nodiscard]] auto bias(const layer& l) const { return of(l).bias.view({l.k}); }
    /// Of a matrix product: [k, c].
    [[nodiscard]] auto matrix(const layer& l) const {
        return of(l).packed.view({l.k, l.from.channels});
    }
    [[nodiscard]] auto filter(const layer& l) const {
        const auto packed = of(l).packed.view({1});
        if constexpr (packed.memory == r9v::space::device) {
            return r9v::filter(packed.data, l.filter());
        } else {
            return r9v::host_filter(packed.data, l.filter());
        }
    }
    [[nodiscard]] auto stem(const layer& l) const {
        const auto packed = of(l).packed.view({1});
        if constexpr (packed.memory == r9v::space::device) {
            return r9v::stem_filter(packed.data, l.filter());
        } else {
            return r9v::host_stem_filter(packed.data, l.filter());
        }
    }

private:
    template<class T>
    using array = typename Place::template array<T>;
    struct arrays {
        array<r9v::half> packed;
        array<float> bias;
    };
    [[nodiscard]] const arrays& of(const layer& l) const { return layers_.at(l.name); }

    std::map<std::string, arrays> layers_;
};

// snippet: placed_network
/// Memory of a network, and views of it as programs take them.
template<class Place>
class placed_network {
public:
    placed_network(const network& of, const placed_weights<Place>& weights)
        : network_{of},
          weights_{weights},
          plan_{r9v::plan_offsets(of.lifetimes())},
          arena_{static_cast<index_t>(plan_.peak)} {}

    /// A part of a map as [1, height, width, channels].
    template<class T = r9v::half>
    [[nodiscard]] auto map(const part& p) const {
        const index_t all = map_of(p).channels;
        auto view = start<T>(p, {1, p.height, p.width, all});
        view.data += p.first_channel;
        view.extents[3] = p.channels;
        return view;
    }
    // end snippet
    /// A part with all channels of its map, in other extents.
    template<class T = r9v::half, std::size_t Rank>
    [[nodiscard]] auto flat(const part& p, const r9v::extent (&sizes)[Rank]) const {
        return start<T>(p, sizes);
    }
    [[nodiscard]] auto filter(const layer& l) const { return weights_.filter(l); }
    [[nodiscard]] auto stem(const layer& l) const { return weights_.stem(l); }
    [[nodiscard]] auto matrix(const layer& l) const { return weights_.matrix(l); }
    [[nodiscard]] auto bias(const layer& l) const { return weights_.bias(l); }

    [[nodiscard]] const feature_map& map_of(const part& p) const {
        return network_.maps()[static_cast<std::size_t>(p.map)];
    }
    /// Bytes of all maps.
    [[nodiscard]] double peak() const { return static_cast<double>(plan_.peak); }

private:
    /// A packed view from the first pixel of a part on.
    template<class T, std::size_t Rank>
    [[nodiscard]] auto start(const part& p, const r9v::extent (&sizes)[Rank]) const {
        constexpr int rank = static_cast<int>(Rank);
        const auto bytes = arena_.view({1});
        const std::size_t offset = plan_.offsets[static_cast<std::size_t>(p.map)];
        auto* data = reinterpret_cast<T*>(bytes.data + offset) + p.first_pixel * map_of(p).channels;
        if constexpr (bytes.memory == r9v::space::device) {
            return r9v::tensor<T, rank>{data, sizes};
        } else {
            return r9v::host_tensor<T, rank>{data, sizes};
        }
    }

    const network& network_;
    const placed_weights<Place>& weights_;
    r9v::offset_plan plan_;
    typename Place::template array<unsigned char> arena_;
};

} // namespace example
