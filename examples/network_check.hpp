// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the examples of whole networks do alike: run layer by layer beside the reference, measure,
// compare, print.
#pragma once

#include "check.hpp"
#include "savings.hpp"
#include <bench/unfused_network.hpp>
#include <chrono>

namespace example {

inline constexpr double half_step = 1.0 / 2048; ///< a half is within this of what it rounds

/// Seconds that some work takes on the host.
template<class Work>
double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A part of a map, from device or host memory.
template<class T, class Memory>
std::vector<T> copy_of(const Memory& at, const part& p) {
    const auto all = at.template map<T>(p);
    const index_t columns = all.strides[2]; // of the map
    std::vector<T> whole(static_cast<std::size_t>(p.pixels() * columns)), values;
    const index_t length = (p.pixels() - 1) * columns + p.channels;
    if constexpr (all.memory == r9v::space::device) {
        savings::check(hipMemcpy(whole.data(), all.data,
                                 static_cast<std::size_t>(length) * sizeof(T),
                                 hipMemcpyDeviceToHost),
                       "download");
    } else {
        std::copy(all.data, all.data + length, whole.begin());
    }
    for (index_t pixel = 0; pixel < p.pixels(); ++pixel)
        values.insert(values.end(), whole.begin() + pixel * columns,
                      whole.begin() + pixel * columns + p.channels);
    return values;
}
template<class Memory>
void upload(const Memory& at, const part& p, const std::vector<r9v::half>& values) {
    const auto to = at.map(p);
    if constexpr (to.memory == r9v::space::device) {
        savings::check(hipMemcpy(to.data, values.data(), values.size() * sizeof(r9v::half),
                                 hipMemcpyHostToDevice),
                       "upload");
    } else {
        std::copy(values.begin(), values.end(), to.data);
    }
}

/// How many times larger relative errors of scores are than those of the sums that sigmoids made
/// them of: sigmoid'(x) = s (1 - s), so that a sum's error weighs less where s is near 1, and more
/// where a bias has made s small. `scores` are [row, class], `bias` is each class's.
template<class T>
double growth_by_sigmoid(const std::vector<T>& scores, const std::vector<float>& bias) {
    double errors = 0, length = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double s = r9v::to_double(scores[i]);
        if (s <= 0 || s >= 1) continue;
        const double sum = std::log(s / (1 - s)) - static_cast<double>(bias[i % bias.size()]);
        errors += std::pow(s * (1 - s) * sum, 2);
        length += s * s;
    }
    return std::max(1.0, std::sqrt(errors / length));
}

/// The layer whose result is farthest from the reference, in terms of its own bound.
struct worst_layer {
    std::string name;
    double apart = 0, bound = 1;
    int layers = 0;

    void see(const std::string& of, double distance, double allowed) {
        ++layers;
        if (distance / allowed > apart / bound || std::isnan(distance)) {
            name = of;
            apart = distance;
            bound = allowed;
        }
    }
};

/// Both places run every layer, each on what it has made itself, and both results are compared.
/// A half is rounded to 2^-11; roundings of d layers behind one another add up like random steps,
/// on both sides, to sqrt(2 d) of that.
template<class Run>
bool agrees_by_layer(const r9v::stream& s, const network& all, const weight_map& weights,
                     const placed_network<on_device>& device, const placed_network<on_host>& host,
                     const Run& run) {
    on_device on_stream{s};
    on_host on_reference;
    worst_layer worst;
    double seconds = 0;
    int depth = 0;
    for (const layer& l : all.layers()) {
        run(on_stream, device, l);
        seconds += seconds_of([&] { run(on_reference, host, l); });
        s.synchronize();
        double bound = half_step * std::sqrt(2.0 * ++depth);
        if (l.activation == curve::sigmoid)
            bound *= growth_by_sigmoid(copy_of<r9v::half>(host, l.to), weights.at(l.name).bias);
        const auto compare = [&]<class T>(const part& p, T) {
            worst.see(l.name, distance(copy_of<T>(device, p), copy_of<T>(host, p)), bound);
        };
        if (device.map_of(l.to).element_bytes == 4) {
            compare(l.to, float{});
        } else {
            compare(l.to, r9v::half{});
        }
        if (l.upsampled) compare(*l.upsampled, r9v::half{});
    }
    const bool right = worst.apart <= worst.bound; // false for NaN
    std::printf("%d results of %zu layers, each against the reference (%.1f s): the worst, %s, is "
                "%.1e away, allowed %.1e: %s\n",
                worst.layers, all.layers().size(), seconds, worst.name.c_str(), worst.apart,
                worst.bound, right ? "right" : "WRONG");
    return right;
}

/// What a network took.
struct network_cost {
    savings::cost counted;
    double operands = 0; ///< bytes of operands, each once for each kernel
    double peak = 0;     ///< bytes of maps
    double seconds = 0;
};

/// What `work(queue)` takes after `begin()`, whose results are there afterwards. On a GPU it is
/// captured and replayed, over maps that lie over one another: it runs once before, so that scratch
/// memory is there, and once behind, on fresh input.
template<class Begin, class Work>
network_cost cost_of(const r9v::stream& s, double peak, const Begin& begin, const Work& work) {
    network_cost c;
    unfused::queue queue{s};
    const auto alone = [&] {
        begin();
        work(queue);
        s.synchronize();
    };
    if constexpr (!savings::counts) alone();
    begin();
    c.seconds = seconds_of([&] {
        c.counted = savings::measured(s, 0.0, [&](hipStream_t) {
            queue.bytes = 0;
            work(queue);
        });
    });
    c.operands = queue.bytes;
    c.peak = peak;
    if constexpr (!savings::counts) alone();
    return c;
}

inline void print_network_row(const char* what, const network_cost& c) {
    std::printf("  %-32s %8.0f %12.1f ", what, c.counted.kernels, c.operands / 1e6);
#if R9V_EXAMPLE_COUNTS
    std::printf("%10.1f %10.1f ", c.counted.loaded / 1e6, c.counted.stored / 1e6);
#else
    std::printf("%10.1f ", c.counted.milliseconds * 1e3);
#endif
    std::printf("%10.1f\n", c.peak / 1e6);
}

/// Prints both; whether fusion saves a third of the bytes that go to and from memory.
inline bool print_network(const char* title, const network_cost& fused,
                          const network_cost& separate) {
#if R9V_EXAMPLE_COUNTS
    std::printf("%-34s %8s %12s %10s %10s %10s\n", title, "kernels", "operand MB", "MB loaded",
                "MB stored", "peak MB");
#else
    std::printf("%-34s %8s %12s %10s %10s\n", title, "kernels", "operand MB", "us", "peak MB");
#endif
    print_network_row("fused", fused);
    print_network_row("the same ops as separate kernels", separate);
    const auto saved = [](double less, double more) {
        return 100 * (1 - less / more);
    };
    std::printf("  fusion saves %.0f of %.0f kernels, %.0f %% of the bytes moved (operands, once "
                "for each kernel)",
                separate.counted.kernels - fused.counted.kernels, separate.counted.kernels,
                saved(fused.operands, separate.operands));
#if R9V_EXAMPLE_COUNTS
    std::printf(",\n  %.0f %% of what instructions load and store (filters and maps again and "
                "again, mostly from caches)",
                saved(fused.counted.bytes, separate.counted.bytes));
    std::printf("\n  the emulator ran them in %.1f s and %.1f s", fused.seconds, separate.seconds);
#endif
    std::printf("\n\n");
    return fused.operands < separate.operands * 2 / 3 &&
           fused.counted.kernels < separate.counted.kernels;
}

} // namespace example
