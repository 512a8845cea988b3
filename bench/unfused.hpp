// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a program without fusion does after its GEMM: one plain HIP kernel for each op, reading and
// writing the whole matrix in place. They are the baseline of the benchmarks and the demo, and as
// good as such kernels get: 16 bytes for each access, neighbouring lanes side by side. Each returns
// the bytes of what it reads and writes.
#pragma once

#include <r9v/tensor.hpp>

#include <hip/hip_runtime.h>
#include <stdexcept>
#include <string>

namespace unfused {

inline constexpr int width = 8;

template<class T>
struct alignas(16) pack {
    T values[width];
};

// By the hardware's own conversions, where r9v's portable ones would burden the baseline.
__device__ inline float to_float(r9v::half x) {
    return static_cast<float>(__builtin_bit_cast(_Float16, x.bits));
}
__device__ inline float to_float(float x) {
    return x;
}
template<class T>
__device__ T from_float(float x) {
    if constexpr (sizeof(T) == 4) {
        return x;
    } else {
        return r9v::half::from_bits(__builtin_bit_cast(unsigned short, static_cast<_Float16>(x)));
    }
}

/// y = op(y, position, group of columns) for `count` packs of 8 neighbouring values; rows hold
/// `packs` packs.
template<class T, class Op>
__global__ void __launch_bounds__(256)
    pack_kernel(pack<T>* y, Op op, long long count, unsigned packs) {
    const long long at = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
    if (at >= count) return;
    pack<T> values = y[at];
    op(values, at, static_cast<unsigned>(at % packs));
    y[at] = values;
}

/// The same for a matrix whose rows are no multiple of 8 values, one value for each lane.
template<class T, class Op>
__global__ void __launch_bounds__(256)
    value_kernel(T* y, Op op, long long count, unsigned columns) {
    const long long at = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
    if (at >= count) return;
    float value = to_float(y[at]);
    op(value, at, static_cast<unsigned>(at % columns));
    y[at] = from_float<T>(value);
}

struct bias_op {
    const float* b;
    template<class T>
    __device__ void operator()(pack<T>& y, long long, unsigned group) const {
        for (int i = 0; i < width; ++i) {
            const float shift = b[group * width + static_cast<unsigned>(i)];
            y.values[i] = from_float<T>(to_float(y.values[i]) + shift);
        }
    }
    __device__ void operator()(float& y, long long, unsigned column) const { y += b[column]; }
};

template<class T>
struct residual_op {
    const T* r;
    __device__ void operator()(pack<T>& y, long long at, unsigned) const {
        const pack<T> add = reinterpret_cast<const pack<T>*>(r)[at];
        for (int i = 0; i < width; ++i)
            y.values[i] = from_float<T>(to_float(y.values[i]) + to_float(add.values[i]));
    }
    __device__ void operator()(float& y, long long at, unsigned) const { y += to_float(r[at]); }
};

/// Ops of the value alone.
template<class Curve>
struct curve_op {
    template<class T>
    __device__ void operator()(pack<T>& y, long long, unsigned) const {
        for (int i = 0; i < width; ++i)
            y.values[i] = from_float<T>(Curve::of(to_float(y.values[i])));
    }
    __device__ void operator()(float& y, long long, unsigned) const { y = Curve::of(y); }
};

struct relu_curve {
    __device__ static float of(float x) { return x > 0 ? x : 0; }
};
struct silu_curve {
    __device__ static float of(float x) { return x / (1 + __expf(-x)); }
};
struct sigmoid_curve {
    __device__ static float of(float x) { return 1 / (1 + __expf(-x)); }
};
struct gelu_curve {
    __device__ static float of(float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); }
};

struct scale_op {
    float factor;
    template<class T>
    __device__ void operator()(pack<T>& y, long long, unsigned) const {
        for (T& value : y.values)
            value = from_float<T>(to_float(value) * factor);
    }
    __device__ void operator()(float& y, long long, unsigned) const { y *= factor; }
};

template<class T>
struct gated_op {
    const T* up;
    __device__ void operator()(pack<T>& y, long long at, unsigned) const {
        const pack<T> other = reinterpret_cast<const pack<T>*>(up)[at];
        for (int i = 0; i < width; ++i)
            y.values[i] = from_float<T>(to_float(y.values[i]) * to_float(other.values[i]));
    }
    __device__ void operator()(float& y, long long at, unsigned) const { y *= to_float(up[at]); }
};

template<class View>
double bytes_of(const View& view) {
    return static_cast<double>(view.size()) * sizeof(typename View::value_type);
}

template<class T, class Op>
double apply(hipStream_t s, const r9v::tensor<T, 2>& y, Op op) {
    const long long size = y.extents[0] * y.extents[1];
    const auto columns = static_cast<unsigned>(y.extents[1]);
    const auto blocks = [](long long count) {
        return dim3{static_cast<unsigned>((count + 255) / 256)};
    };
    if (columns % width == 0) {
        pack_kernel<<<blocks(size / width), dim3{256}, 0, s>>>(reinterpret_cast<pack<T>*>(y.data),
                                                               op, size / width, columns / width);
    } else {
        value_kernel<<<blocks(size), dim3{256}, 0, s>>>(y.data, op, size, columns);
    }
    if (const hipError_t failed = hipGetLastError(); failed != hipSuccess)
        throw std::runtime_error{std::string{"unfused kernel: "} + hipGetErrorString(failed)};
    return 2 * bytes_of(y);
}

/// y += b, one value per column. y is a packed matrix of half or float; both are aligned to 16
/// bytes.
template<class T>
double bias(hipStream_t s, const r9v::tensor<T, 2>& y, const r9v::tensor<float, 1>& b) {
    return apply(s, y, bias_op{b.data}) + bytes_of(b);
}
/// y += r.
template<class T>
double residual(hipStream_t s, const r9v::tensor<T, 2>& y, const r9v::tensor<T, 2>& r) {
    return apply(s, y, residual_op<T>{r.data}) + bytes_of(r);
}
/// y *= up.
template<class T>
double gated(hipStream_t s, const r9v::tensor<T, 2>& y, const r9v::tensor<T, 2>& up) {
    return apply(s, y, gated_op<T>{up.data}) + bytes_of(up);
}
template<class T>
double scale(hipStream_t s, const r9v::tensor<T, 2>& y, float factor) {
    return apply(s, y, scale_op{factor});
}
template<class T>
double relu(hipStream_t s, const r9v::tensor<T, 2>& y) {
    return apply(s, y, curve_op<relu_curve>{});
}
template<class T>
double silu(hipStream_t s, const r9v::tensor<T, 2>& y) {
    return apply(s, y, curve_op<silu_curve>{});
}
template<class T>
double sigmoid(hipStream_t s, const r9v::tensor<T, 2>& y) {
    return apply(s, y, curve_op<sigmoid_curve>{});
}
template<class T>
double gelu(hipStream_t s, const r9v::tensor<T, 2>& y) {
    return apply(s, y, curve_op<gelu_curve>{});
}

} // namespace unfused
