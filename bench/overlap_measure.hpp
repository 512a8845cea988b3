// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The measurements of overlap and plans, with plain kernels, for HIP and nvcc alike. Each is taken
// in blocks whose order is random, so that a drift of clocks falls on all of them.
#pragma once

#include <r9v/memory.hpp>
#include <r9v/plan.hpp>
#include <r9v/stream.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace measure {

using clock = std::chrono::steady_clock;
using stream_handle = r9v::platform::stream_handle;

inline void check(r9v::platform::result code, const char* what) {
    r9v::throw_if_failed(r9v::platform::check(code, what));
}

/// Median, and the 95 % confidence interval of the median by order statistics.
struct figure {
    double median = 0, low = 0, high = 0;
};

inline figure figure_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    const auto at = [&](double place) {
        const double clamped = std::clamp(place, 0.0, n - 1);
        return values[static_cast<std::size_t>(clamped)];
    };
    const double half = 0.98 * std::sqrt(n);
    return {at(n / 2), at(std::floor(n / 2 - half)), at(std::ceil(n / 2 + half))};
}

/// Runs each of `work` `rounds` times, in random order, and answers the seconds of each run.
template<class Work>
std::vector<std::vector<double>> in_random_blocks(const std::vector<Work>& work, int rounds) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < work.size(); ++i)
        order.insert(order.end(), static_cast<std::size_t>(rounds), i);
    std::shuffle(order.begin(), order.end(), std::mt19937{20260101});
    std::vector<std::vector<double>> seconds(work.size());
    for (const auto& each : work)
        each(); // warm
    for (const std::size_t i : order) {
        const auto begin = clock::now();
        work[i]();
        seconds[i].push_back(std::chrono::duration<double>(clock::now() - begin).count());
    }
    return seconds;
}

/// Arithmetic that takes a while and hardly touches memory.
__global__ void burn(float* out, int steps) {
    float x = static_cast<float>(threadIdx.x) * 1e-3f;
    for (int i = 0; i < steps; ++i)
        x = x * 0.999f + 0.001f;
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < 256) out[at] = x;
}

/// One layer of a network so small that its launch is no trifle: y = relu(a x + b).
__global__ void layer(float* y, const float* x, float a, float b, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) y[i] = fmaxf(a * x[i] + b, 0.0f);
}

/// Memory that copies reach directly.
class pinned {
public:
    explicit pinned(std::size_t bytes) {
        check(r9v::platform::host_allocate(&data_, bytes), "allocation of pinned memory");
        std::memset(data_, 1, bytes);
    }
    pinned(const pinned&) = delete;
    pinned& operator=(const pinned&) = delete;
    ~pinned() { (void)r9v::platform::host_release(data_); }
    [[nodiscard]] void* data() const { return data_; }

private:
    void* data_ = nullptr;
};

// ---- copies beside compute

struct overlap_figures {
    figure compute, copies, serial, overlapped; ///< seconds per item
    double ratio = 0;                           ///< (serial - overlapped) / min(copies, compute)
    double speedup = 0;
};

struct overlap_shape {
    std::size_t input_bytes = 64U << 20;
    std::size_t output_bytes = 4096;
    int items = 60;
    int rounds = 11;
    int slots = 3;
    unsigned blocks = 264;
};

class overlap_recipe {
public:
    explicit overlap_recipe(const overlap_shape& shape)
        : shape_{shape},
          from_{shape.input_bytes},
          to_{shape.output_bytes},
          input_{static_cast<r9v::index_t>(shape.input_bytes)},
          output_{static_cast<r9v::index_t>(std::max<std::size_t>(shape.output_bytes, 4096))},
          ring_{{.slot_count = shape.slots,
                 .input_bytes = shape.input_bytes,
                 .output_bytes = shape.output_bytes,
                 .measure_every = 0}} {
        match_compute();
    }

    overlap_figures run() {
        using work = void (*)(overlap_recipe&);
        const work all[] = {[](overlap_recipe& r) { r.serial(false, true); },
                            [](overlap_recipe& r) { r.serial(true, false); },
                            [](overlap_recipe& r) { r.serial(true, true); },
                            [](overlap_recipe& r) {
                                r.overlapped();
                            }};
        struct bound {
            work call;
            overlap_recipe* self;
            void operator()() const { call(*self); }
        };
        std::vector<bound> blocks;
        for (const work each : all)
            blocks.push_back({each, this});
        auto seconds = in_random_blocks(blocks, shape_.rounds);
        for (auto& each : seconds) {
            for (double& one : each)
                one /= shape_.items;
        }
        overlap_figures result{figure_of(seconds[0]), figure_of(seconds[1]), figure_of(seconds[2]),
                               figure_of(seconds[3])};
        const double shorter = std::min(result.copies.median, result.compute.median);
        result.ratio = (result.serial.median - result.overlapped.median) / shorter;
        result.speedup = result.serial.median / result.overlapped.median;
        return result;
    }

private:
    void queue_compute(stream_handle s, void* out) const {
        r9v::runtime::stream_sink to{s};
        r9v::throw_if_failed(
            r9v::call(burn, shape_.blocks, 256, static_cast<float*>(out), steps_).send_to(to));
    }
    void serial(bool copies, bool compute) {
        const auto s = stream_.handle();
        for (int i = 0; i < shape_.items; ++i) {
            if (copies)
                check(r9v::platform::copy_to_device(input_.data(), from_.data(), shape_.input_bytes,
                                                    s),
                      "copy");
            if (compute) queue_compute(s, output_.data());
            if (copies)
                check(
                    r9v::platform::copy_to_host(to_.data(), output_.data(), shape_.output_bytes, s),
                    "copy");
        }
        stream_.synchronize();
    }
    void overlapped() {
        const r9v::host_source from{from_.data(), shape_.input_bytes};
        const r9v::host_target to{to_.data(), shape_.output_bytes};
        for (int i = 0; i < shape_.items; ++i)
            (void)ring_.submit(
                from, [this](const auto& at) { queue_compute(at.stream, at.output); }, to);
        ring_.drain();
    }
    template<class Work>
    double seconds_of(const Work& work) {
        work();
        double best = 1e9;
        for (int i = 0; i < 3; ++i) {
            const auto begin = clock::now();
            work();
            best = std::min(best, std::chrono::duration<double>(clock::now() - begin).count());
        }
        return best;
    }
    /// Chooses the kernel's length so that it takes as long as the copies.
    void match_compute() {
        const double copies = seconds_of([&] { serial(true, false); });
        for (int i = 0; i < 3; ++i) {
            const double compute = seconds_of([&] { serial(false, true); });
            steps_ = std::max(1, static_cast<int>(steps_ * copies / compute));
        }
    }

    overlap_shape shape_;
    pinned from_, to_;
    r9v::buffer<std::byte> input_, output_;
    r9v::stream stream_;
    r9v::overlap_ring ring_;
    int steps_ = 2000;
};

// ---- a small network, one request at a time

struct network_shape {
    std::size_t input = 3 * 224 * 224; ///< floats of a request
    std::size_t output = 1000;
    int layers = 24;
    int width = 200'000; ///< floats of a layer
    int requests = 400;
    int rounds = 9;
    int slots = 4;
};

/// Seconds per request; `shared` is the ring fed by two threads.
struct network_figures {
    figure one_by_one, ring, shared;
    figure one_by_one_plan, ring_plan, shared_plan;
};

/// Every request brings its own input in pageable memory and takes its own output.
class small_network {
public:
    explicit small_network(const network_shape& shape)
        : shape_{shape},
          requests_(8, std::vector<float>(shape.input, 0.5f)),
          answer_(shape.output),
          staged_in_{shape.input * 4},
          staged_out_{shape.output * 4},
          input_{static_cast<r9v::index_t>(shape.input)},
          output_{std::vector<float>(shape.output)},
          ring_{{.slot_count = shape.slots,
                 .input_bytes = shape.input * 4,
                 .output_bytes = shape.output * 4,
                 .measure_every = 0}} {
        for (int i = 0; i <= shape.slots; ++i) { // one for each slot, and one for the serial run
            layers_.emplace_back(std::vector<float>(2 * static_cast<std::size_t>(shape.width)));
            plans_.push_back(std::make_unique<r9v::plan>());
        }
    }

    network_figures run() {
        struct bound {
            small_network* self;
            int producers; // 0: one request after the other
            bool plan;
            void operator()() const {
                producers == 0 ? self->one_by_one(plan) : self->with_ring(producers, plan);
            }
        };
        const std::vector<bound> blocks{{this, 0, false}, {this, 1, false}, {this, 2, false},
                                        {this, 0, true},  {this, 1, true},  {this, 2, true}};
        auto seconds = in_random_blocks(blocks, shape_.rounds);
        for (auto& each : seconds) {
            for (double& one : each)
                one /= shape_.requests;
        }
        return {figure_of(seconds[0]), figure_of(seconds[1]), figure_of(seconds[2]),
                figure_of(seconds[3]), figure_of(seconds[4]), figure_of(seconds[5])};
    }

private:
    /// The layers of one request, each a launch.
    void chain(stream_handle s, std::size_t memory, const float* input, float* output) const {
        r9v::runtime::stream_sink sink{s};
        const auto one = [&](float* y, const float* x, int count) {
            const auto blocks = static_cast<unsigned>((count + 255) / 256);
            r9v::throw_if_failed(
                r9v::call(layer, blocks, 256, y, x, 1.01f, 0.001f, count).send_to(sink));
        };
        float* from = layers_[memory].data();
        float* to = from + shape_.width;
        one(from, input, std::min(shape_.width, static_cast<int>(shape_.input)));
        for (int i = 2; i < shape_.layers; ++i) {
            one(to, from, shape_.width);
            std::swap(from, to);
        }
        one(output, from, std::min(shape_.width, static_cast<int>(shape_.output)));
    }
    /// The same, as a plan: memory, input and output are always the same, so that one capture does.
    void compute(stream_handle s, std::size_t memory, const float* input, float* output,
                 bool planned) {
        if (!planned) {
            chain(s, memory, input, output);
            return;
        }
        r9v::plan& plan = *plans_[memory];
        if (plan.statistics().captures == 0)
            plan.add([=, this](stream_handle on) { chain(on, memory, input, output); });
        plan.replay(s);
    }
    [[nodiscard]] const std::vector<float>& request(int i) const {
        return requests_[static_cast<std::size_t>(i) % requests_.size()];
    }

    void one_by_one(bool planned) {
        const auto s = stream_.handle();
        for (int i = 0; i < shape_.requests; ++i) {
            std::memcpy(staged_in_.data(), request(i).data(), shape_.input * 4);
            check(r9v::platform::copy_to_device(input_.data(), staged_in_.data(), shape_.input * 4,
                                                s),
                  "copy");
            compute(s, layers_.size() - 1, input_.data(), output_.data(), planned);
            check(r9v::platform::copy_to_host(staged_out_.data(), output_.data(), shape_.output * 4,
                                              s),
                  "copy");
            stream_.synchronize();
            std::memcpy(answer_.data(), staged_out_.data(), shape_.output * 4);
        }
    }
    void with_ring(int producers, bool planned) {
        std::vector<std::thread> others;
        for (int p = 1; p < producers; ++p)
            others.emplace_back([=, this] { produce(p, producers, planned); });
        produce(0, producers, planned);
        for (auto& each : others)
            each.join();
        ring_.drain();
    }
    void produce(int first, int step, bool planned) {
        for (int i = first; i < shape_.requests; i += step) {
            (void)ring_.submit(
                r9v::host_source{request(i).data(), shape_.input * 4},
                [this, planned](const auto& at) {
                    compute(at.stream, static_cast<std::size_t>(at.index),
                            static_cast<const float*>(at.input), static_cast<float*>(at.output),
                            planned);
                },
                r9v::host_target{answer_.data(), shape_.output * 4});
        }
    }

    network_shape shape_;
    std::vector<std::vector<float>> requests_;
    std::vector<float> answer_;
    pinned staged_in_, staged_out_;
    r9v::buffer<float> input_, output_;
    std::vector<r9v::buffer<float>> layers_;
    std::vector<std::unique_ptr<r9v::plan>> plans_;
    r9v::stream stream_;
    r9v::overlap_ring ring_;
};

// ---- plans against eager launches

struct plan_figures {
    figure eager, replay;           ///< seconds until the device is done
    figure eager_host, replay_host; ///< seconds of the host's calls alone
    figure update;                  ///< seconds of the host to change one step
};

inline plan_figures plan_against_eager(int launches, int rounds) {
    const r9v::stream s;
    // One block each: what larger kernels take is the same either way, and hides what launches do.
    const r9v::buffer<float> x{std::vector<float>(256, 0.5f)}, y{256};
    const auto one = [&](float a) {
        return r9v::call(layer, 1, 256, y.data(), x.data(), a, 0.0f, 256);
    };
    r9v::plan plan;
    std::vector<r9v::plan_step<decltype(one(1))>> steps;
    for (int i = 0; i < launches; ++i)
        steps.push_back(plan.add(one(1.0f)));
    plan.capture();
    constexpr int repeats = 20;
    std::vector<double> host[2];
    const auto eager = [&] {
        r9v::runtime::stream_sink to{s.handle()};
        for (int i = 0; i < launches; ++i)
            r9v::throw_if_failed(one(1.0f).send_to(to));
    };
    const auto replay = [&] {
        plan.replay(s);
    };
    const auto block = [&](int which) {
        for (int i = 0; i < repeats; ++i) {
            const auto begin = clock::now();
            which == 0 ? eager() : replay();
            host[which].push_back(std::chrono::duration<double>(clock::now() - begin).count());
            s.synchronize();
        }
    };
    struct bound {
        decltype(block)* call;
        int which;
        void operator()() const { (*call)(which); }
    };
    auto seconds = in_random_blocks(std::vector<bound>{{&block, 0}, {&block, 1}}, rounds);
    for (auto& each : seconds) {
        for (double& second : each)
            second /= repeats;
    }
    std::vector<double> updates;
    for (int i = 0; i < 1000; ++i) {
        const auto begin = clock::now();
        plan.update(steps[static_cast<std::size_t>(i % launches)], one(static_cast<float>(i)));
        updates.push_back(std::chrono::duration<double>(clock::now() - begin).count());
    }
    return {figure_of(seconds[0]), figure_of(seconds[1]), figure_of(host[0]), figure_of(host[1]),
            figure_of(updates)};
}

} // namespace measure
