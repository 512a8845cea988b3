// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A network of examples/network.hpp with a kernel for every op: convolution, bias, activation, sum,
// copies that concatenate, upsampling and each pool on its own. Ops of single values work in place.
// Decodings and means are one kernel, as everywhere.
#pragma once

#include <r9v/copy.hpp>
#include <r9v/gemm.hpp>
#include <r9v/pool.hpp>

#include "unfused_queue.hpp"
#include <examples/placed_network.hpp>

namespace unfused {

/// Rows of r lie `stride` values apart.
template<class T>
struct slice_residual_op {
    const T* r;
    unsigned columns, stride;
    template<class Value>
    __device__ void operator()(Value& y, long long at, unsigned group) const {
        if constexpr (std::is_same_v<Value, float>) {
            y += to_float(r[at / columns * stride + group]);
        } else {
            const long long row = at / (columns / width);
            const auto add = reinterpret_cast<const pack<T>*>(r + row * stride)[group];
            for (int i = 0; i < width; ++i)
                y.values[i] = from_float<T>(to_float(y.values[i]) + to_float(add.values[i]));
        }
    }
};
/// y += r, where r is a map that may be a slice of a wider one.
template<class T>
double residual(hipStream_t s, const r9v::tensor<T, 2>& y, const r9v::tensor<T, 4>& r) {
    const auto columns = static_cast<unsigned>(y.extents[1]);
    return apply(s, y, slice_residual_op<T>{r.data, columns, static_cast<unsigned>(r.strides[2])}) +
           bytes_of(y);
}

/// One kernel.
enum class step { product, bias, activation, sum, copy, upsampling, pool, other };

/// A network whose every layer is one kernel. `steps` says which.
struct separated_network {
    example::network layers;
    std::vector<step> steps;
};

namespace detail {

using example::curve, example::index_t, example::layer, example::network, example::part;
using example::work;

class separation {
public:
    explicit separation(const network& from) : from_{from} {
        for (const example::feature_map& m : from.maps())
            to_.layers.map(m.pixels, 1, m.channels, m.element_bytes);
        for (const int map : from.inputs())
            to_.layers.read({map});
        for (const int map : from.results())
            to_.layers.keep({map});
        for (const layer& l : from.layers())
            split(l);
    }
    [[nodiscard]] const separated_network& result() const { return to_; }

private:
    void add(step what, layer l) {
        l.shortcut = what == step::sum ? l.shortcut : std::nullopt;
        l.upsampled = std::nullopt;
        to_.steps.push_back(what);
        to_.layers.add(std::move(l));
    }
    void add(step what, const layer& l, const part& from, const part& to) {
        layer one = l;
        one.from = from;
        one.to = to;
        add(what, one);
    }
    [[nodiscard]] bool is_whole(const part& p) const {
        return p.channels == from_.maps()[static_cast<std::size_t>(p.map)].channels;
    }
    part like(const part& p, index_t scale = 1) {
        return to_.layers.map(scale * p.height, scale * p.width, p.channels);
    }

    void split(const layer& l) {
        if (l.does == work::max_pool) {
            chain(l);
        } else if (l.has_weights()) {
            weighted(l);
        } else {
            add(step::other, l);
        }
    }

    /// Pools one after another, each into a map of its own and from there beside the others.
    void chain(const layer& l) {
        if (is_whole(l.to)) return add(step::pool, l);
        part last = l.from;
        for (index_t first = 0; first < l.to.channels; first += l.from.channels) {
            const part next = like(l.from);
            add(step::pool, l, last, next);
            add(step::copy, l, next, l.to.slice(first, l.from.channels));
            last = next;
        }
    }

    void weighted(const layer& l) {
        const bool own = !l.pools && is_whole(l.to);
        const part y =
            own ? l.to : to_.layers.map(l.convolved(l.from.height), l.convolved(l.from.width), l.k);
        add(step::product, l, l.from, y);
        add(step::bias, l, y, y);
        if (l.activation == curve::relu && l.shortcut) add(step::sum, l, y, y);
        if (l.activation != curve::none) add(step::activation, l, y, y);
        if (l.activation == curve::silu && l.shortcut) add(step::sum, l, y, y);
        if (l.pools) {
            add(step::pool, l, y, l.to);
        } else if (!own) {
            add(step::copy, l, y, l.to);
        }
        if (!l.upsampled) return;
        const part larger = like(y, 2);
        add(step::upsampling, l, y, larger);
        add(step::copy, l, larger, *l.upsampled);
    }

    const network& from_;
    separated_network to_;
};

} // namespace detail

[[nodiscard]] inline separated_network separated(const example::network& from) {
    return detail::separation{from}.result();
}

namespace detail {

void product(queue& to, const auto& at, const layer& l) {
    if (l.does == work::linear) {
        to.run(r9v::gemm(at.flat(l.from, {1, l.from.channels}), at.matrix(l)) |
               r9v::store(at.template flat<float>(l.to, {1, l.k})));
    } else if (l.does == work::stem) {
        to.run(r9v::conv2d(at.map(l.from), at.stem(l), l.how) | r9v::store(at.map(l.to)));
    } else {
        to.run(r9v::conv2d(at.map(l.from), at.filter(l), l.how) | r9v::store(at.map(l.to)));
    }
}

inline double activate(hipStream_t s, curve which, const r9v::tensor<r9v::half, 2>& y) {
    return which == curve::relu ? relu(s, y) : which == curve::silu ? silu(s, y) : sigmoid(s, y);
}

} // namespace detail

/// Runs a network kernel by kernel; `other(queue, at, layer)` runs what has no ops to separate.
template<class Other>
void run(queue& to, const separated_network& all,
         const example::placed_network<example::on_device>& at, const Other& other) {
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
        const example::layer& l = all.layers.layers()[i];
        const auto rows = at.flat(l.to, {l.to.pixels(), l.to.channels});
        switch (all.steps[i]) {
        case step::product:
            detail::product(to, at, l);
            break;
        case step::bias:
            if (l.does == example::work::linear) {
                to.bytes += bias(to.handle, at.flat<float>(l.to, {1, l.k}), at.bias(l));
            } else {
                to.bytes += bias(to.handle, rows, at.bias(l));
            }
            break;
        case step::activation:
            to.bytes += detail::activate(to.handle, l.activation, rows);
            break;
        case step::sum:
            to.bytes += residual(to.handle, rows, at.map(*l.shortcut));
            break;
        case step::copy:
            to.run(r9v::copy(at.map(l.from)) | r9v::store(at.map(l.to)));
            break;
        case step::upsampling:
            to.run(r9v::copy(at.map(l.from)) | r9v::store_upsampled(at.map(l.to)));
            break;
        case step::pool:
            to.run(r9v::max_pool(at.map(l.from), l.window) | r9v::store(at.map(l.to)));
            break;
        case step::other:
            other(to, at, l);
        }
    }
}

} // namespace unfused
