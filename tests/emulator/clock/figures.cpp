// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "figures.hpp"

#include "kernels.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace clock_figures {
namespace {

using namespace clock_kernels;
using r9v_emulator::modelled_instruction;
using r9v_emulator::modelled_interval;
using r9v_emulator::modelled_launch;

void check(hipError_t error, const char* what) {
    if (error == hipSuccess) return;
    std::fprintf(stderr, "clock figures: %s: %s\n", what, hipGetErrorString(error));
    std::exit(1);
}

template<class T>
class buffer {
public:
    explicit buffer(std::size_t count) {
        check(hipMalloc(&data_, count * sizeof(T)), "allocate");
        check(hipMemset(data_, 0, count * sizeof(T)), "fill");
    }
    ~buffer() { static_cast<void>(hipFree(data_)); }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    operator T*() const { return data_; }

private:
    T* data_ = nullptr;
};

template<class... Parameters, class... Arguments>
void run(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
         const Arguments&... arguments) {
    kernel<<<blocks, threads>>>(static_cast<Parameters>(arguments)...);
    check(hipGetLastError(), "launch");
    check(hipDeviceSynchronize(), "kernel");
}

modelled_interval map(const modelled_interval& i, const std::function<double(double)>& f) {
    return {f(i.low), f(i.mid), f(i.high)};
}

/// Cycles from the issue of instruction `first` to the issue of instruction `last`.
modelled_interval between(const modelled_launch& m, std::size_t first, std::size_t last) {
    modelled_interval sum;
    for (std::size_t n = first + 1; n <= last; ++n) {
        sum.low += m.code[n].cycles.low;
        sum.mid += m.code[n].cycles.mid;
        sum.high += m.code[n].cycles.high;
    }
    return sum;
}

/// The first instruction from `from` on whose text starts like this.
std::size_t find(const modelled_launch& m, const char* text, std::size_t from = 0) {
    while (from < m.code.size() && !m.code[from].text.starts_with(text))
        ++from;
    return from;
}

constexpr unsigned wmma_blocks = 64, wmma_threads = 128;

double tflops(double microseconds) {
    const double products = wmma_blocks * (wmma_threads / 32.0) * wmma_rounds * wmma_a_round;
    return products * 8192 / microseconds / 1e6;
}

void wmma_peaks(std::vector<figure>& to) {
    const buffer<float> out(wmma_blocks * wmma_threads);
    const auto add = [&](const char* name, const char* card, double published, const char* source) {
        const auto t = map(r9v_emulator::model_last_launch(card, true).microseconds, tflops);
        to.push_back({name, "TFLOPS", published, published, t, 0.05, role::judge, source});
    };
    run(wmma_f16, wmma_blocks, wmma_threads, out);
    add("f16 WMMA loop, 9070 XT", "9070xt", 179.7, "clpeak");
    add("f16 WMMA loop, 9060 XT", "9060xt", 105.3, "vkpeak");
    run(wmma_fp8, wmma_blocks, wmma_threads, out);
    add("fp8 WMMA loop, 9070 XT", "9070xt", 386, "clpeak");
    add("fp8 WMMA loop, 9060 XT", "9060xt", 205, "vkpeak");
    add("fp8 WMMA loop, R9700", "r9700", 370, "rdna4-vllm");
}

void exponentials_beside_wmma(std::vector<figure>& to) {
    const buffer<float> out(wmma_blocks * wmma_threads);
    const auto time = [&](void (*kernel)(float*)) {
        run(kernel, wmma_blocks, wmma_threads, out);
        return r9v_emulator::model_last_launch("9070xt", true).microseconds;
    };
    const auto plain = time(wmma_bf16<exponentials::none>);
    const auto between_them = time(wmma_bf16<exponentials::between>);
    const auto behind = time(wmma_bf16<exponentials::behind>);
    const auto loss = [&](const modelled_interval& with) {
        return modelled_interval{100 * (1 - plain.low / with.low), 100 * (1 - plain.mid / with.mid),
                                 100 * (1 - plain.high / with.high)};
    };
    const char* source = "gcnasm and others; their order is not described";
    to.push_back({"one exp for each bf16 WMMA, eight after eight, costs", "%", 8, 22, loss(behind),
                  0, role::judge, source, true});
    to.push_back({"the same, an exp between any two WMMAs", "%", 8, 22, loss(between_them), 0,
                  role::shown, source, true});
}

void add_cycles(std::vector<figure>& to, const char* name, double published,
                modelled_interval modelled, double cycles, const char* source) {
    to.push_back(
        {name, "cycles", published, published, modelled, cycles / published, role::fitted, source});
}

void single_latencies(std::vector<figure>& to) {
    const buffer<float> out(32);
    run(latencies, 1, 32, out);
    const modelled_launch m = r9v_emulator::model_last_launch();
    const char* trace = "SQ thread trace";
    const std::size_t load = find(m, "ds_load_b32");
    add_cycles(to, "ds_load_b32 to data", 32, between(m, load, find(m, "s_wait_dscnt", load)), 3,
               trace);
    const std::size_t store = find(m, "ds_store_b32", load);
    add_cycles(to, "ds_store_b32 to s_wait_dscnt", 33,
               between(m, store, find(m, "s_wait_dscnt", store)), 3, trace);
    const std::size_t two = find(m, "ds_load_b128", store);
    add_cycles(to, "two ds_load_b128 to data", 42, between(m, two, find(m, "s_wait_dscnt", two)), 3,
               trace);
    const std::size_t signal = find(m, "s_barrier_signal", two);
    add_cycles(to, "barrier: last signal to next instruction", 13, between(m, signal, signal + 2),
               1, trace);
    const std::size_t adds = find(m, "v_add_f32", signal);
    add_cycles(to, "16 dependent v_add_f32", 80, between(m, adds, adds + 16), 1, "gfx1100 trace");
}

std::uint64_t passes() {
    return r9v_emulator::last_counts().lds_load_passes;
}

template<unsigned Bytes, unsigned Stride>
void lds_passes(std::vector<figure>& to, double expected) {
    const buffer<float> out(32);
    run(lds_rows<Bytes, Stride>, 1, 32, out);
    const auto taken = static_cast<double>(passes());
    to.push_back({"LDS passes, " + std::to_string(Bytes) + " B a lane, rows of " +
                      std::to_string(Stride) + " B",
                  "passes",
                  expected,
                  expected,
                  {taken, taken, taken},
                  0,
                  role::fitted,
                  "AMD, rocm-libraries"});
}

void lds_conflicts(std::vector<figure>& to) {
    // Free of conflicts where the stride is an odd multiple of the width.
    lds_passes<16, 80>(to, 4);
    lds_passes<16, 144>(to, 4);
    lds_passes<16, 64>(to, 16);
    lds_passes<16, 128>(to, 32);
    lds_passes<8, 72>(to, 2);
    lds_passes<4, 36>(to, 1);
}

void dispatch(std::vector<figure>& to) {
    run(nothing, 65536, 256);
    const auto m = r9v_emulator::model_last_launch();
    to.push_back({"null kernel, 65,536 workgroups of 256", "us", 134.8, 134.8, m.microseconds, 0.15,
                  role::input, "gfx1201 tooling"});
}

void streaming(std::vector<figure>& to) {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    const buffer<float4v> a(bytes / 16), b(bytes / 16);
    const buffer<float> out(1);
    const auto add = [&](const char* name, double low, double high, double moved,
                         const char* source) {
        const auto rate = map(r9v_emulator::model_last_launch().microseconds,
                              [&](double us) { return moved / us / 1e3; });
        to.push_back({name, "GB/s", low, high, rate, 0.10, role::judge, source, true});
    };
    const double size = static_cast<double>(bytes);
    const float4v* from = a;
    run(read_all<float4v>, bytes / 16 / 256, 256, from, out);
    add("256 MiB read, 16 B a lane", 441, 441, size, "gfx1201 tooling");
    run(read_all<float>, bytes / 4 / 256, 256, reinterpret_cast<const float*>(from), out);
    add("256 MiB read, 4 B a lane", 412, 412, size, "gfx1201 tooling");
    run(write_all, bytes / 16 / 256, 256, b);
    add("256 MiB write, 16 B a lane", 552, 559, size, "gfx1201 tooling");
    run(copy_all, bytes / 16 / 256, 256, from, b);
    add("256 MiB copy (published: streaming of FluidX3D)", 473, 515, 2 * size, "FluidX3D");
}

void wave_supply(std::vector<figure>& to) {
    const buffer<uint4v> weights(gemv_size * gemv_size / 32);
    const buffer<float4v> x(gemv_size / 4);
    const buffer<float> y(gemv_size);
    const auto time = [&](unsigned waves) {
        run(gemv, waves, 32, weights, x, y, gemv_size / waves);
        return r9v_emulator::model_last_launch().microseconds;
    };
    const auto few = time(128), many = time(1024);
    to.push_back({"GEMV 4096x4096, 4 bit: 128 waves over 1024 waves",
                  "times",
                  2,
                  3,
                  {few.low / many.low, few.mid / many.mid, few.high / many.high},
                  0,
                  role::judge,
                  "RDNA-gfx1201",
                  true});
    to.push_back({"GEMV 4096x4096, 4 bit, 1024 waves", "us", 16.9, 16.9, many, 0.15, role::judge,
                  "RDNA-gfx1201", true});
    to.push_back({"GEMV 4096x4096, 4 bit, 128 waves", "us", 41.2, 41.2, few, 0.15, role::judge,
                  "RDNA-gfx1201", true});
}

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", std::abs(x) < 10 ? 2 : 1, x);
    std::string out = text;
    while (out.find('.') != out.npos && (out.back() == '0' || out.back() == '.')) {
        const bool point = out.back() == '.';
        out.pop_back();
        if (point) break;
    }
    return out;
}

const char* name_of(role r) {
    return r == role::fitted  ? "fitted"
           : r == role::judge ? "judge"
           : r == role::input ? "input"
                              : "shown";
}

const char* judgement(const figure& f) {
    if (f.what == role::shown) return "not judged";
    if (!f.holds()) return "**no**";
    return f.interval ? "as an interval" : "yes";
}

bool within(const figure& f, double x) {
    return x >= f.published_low * (1 - f.tolerance) - 1e-9 &&
           x <= f.published_high * (1 + f.tolerance) + 1e-9;
}

} // namespace

bool figure::holds() const {
    if (!interval)
        return within(*this, modelled.low) && within(*this, modelled.mid) &&
               within(*this, modelled.high);
    const double least = std::min({modelled.low, modelled.mid, modelled.high});
    const double most = std::max({modelled.low, modelled.mid, modelled.high});
    return least <= published_high * (1 + tolerance) && most >= published_low * (1 - tolerance);
}

double figure::error() const {
    if (modelled.mid < published_low) return modelled.mid / published_low - 1;
    return modelled.mid > published_high ? modelled.mid / published_high - 1 : 0;
}

std::vector<figure> measure() {
    r9v_emulator::set_clock(true);
    std::vector<figure> all;
    single_latencies(all);
    lds_conflicts(all);
    wmma_peaks(all);
    exponentials_beside_wmma(all);
    // The large grids do nothing that strict checks would find.
    r9v_emulator::execution_options plain = r9v_emulator::options();
    plain.strict = false;
    const r9v_emulator::scoped_options without_checks(plain);
    dispatch(all);
    wave_supply(all);
    streaming(all);
    return all;
}

std::string table(const std::vector<figure>& figures) {
    std::string out = "| figure | published | modelled: low, mid, high | error | within | |\n"
                      "|---|---|---|---|---|---|\n";
    for (const figure& f : figures) {
        const std::string published =
            f.published_low == f.published_high
                ? number(f.published_low)
                : number(f.published_low) + " to " + number(f.published_high);
        char error[32];
        std::snprintf(error, sizeof error, "%+.1f %%", 100 * f.error());
        out += "| " + f.name + " | " + published + " " + f.unit + " (" + f.source + ") | " +
               number(f.modelled.low) + ", " + number(f.modelled.mid) + ", " +
               number(f.modelled.high) + " | " + error + " | " + judgement(f) + " | " +
               name_of(f.what) + " |\n";
    }
    return out;
}

} // namespace clock_figures
