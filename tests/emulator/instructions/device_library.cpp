// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// AMD's math library as compilers link it, at the optimisation level that the build gives: long
// kernels with calls, scratch and every kind of conversion, against the host's library in double.
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <random>
#include <vector>

namespace {

enum class function : int {
    exp,
    log,
    erf,
    erfc,
    tanh,
    sin,
    pow,
    divide,
    sqrt,
    log1p,
    expm1,
    cbrt,
    fmod,
    count
};

template<class T>
__host__ __device__ T evaluate(function f, T x, T y) {
    switch (f) {
    case function::exp:
        return static_cast<T>(exp(x));
    case function::log:
        return static_cast<T>(log(fabs(x)));
    case function::erf:
        return static_cast<T>(erf(x));
    case function::erfc:
        return static_cast<T>(erfc(x));
    case function::tanh:
        return static_cast<T>(tanh(x));
    case function::sin:
        return static_cast<T>(sin(x));
    case function::pow:
        return static_cast<T>(pow(fabs(x), y));
    case function::divide:
        return x / y;
    case function::sqrt:
        return static_cast<T>(sqrt(fabs(x)));
    case function::log1p:
        return static_cast<T>(log1p(fabs(x)));
    case function::expm1:
        return static_cast<T>(expm1(x));
    case function::cbrt:
        return static_cast<T>(cbrt(x));
    case function::fmod:
        return static_cast<T>(fmod(x, y));
    default:
        return x;
    }
}

template<class T>
__global__ void apply(function f, const T* x, const T* y, T* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = evaluate(f, x[i], y[i]);
}

template<class T>
T* upload(const std::vector<T>& values) {
    T* device = nullptr;
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&device), values.size() * sizeof(T)), hipSuccess);
    EXPECT_EQ(hipMemcpy(device, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice),
              hipSuccess);
    return device;
}

template<class T>
void check(double tolerance) {
    constexpr int n = 1000;
    std::mt19937_64 random(15001);
    std::uniform_real_distribution<double> spread(-4, 4);
    std::vector<T> x(n), y(n), out(n);
    for (int i = 0; i < n; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<T>(spread(random));
        y[static_cast<std::size_t>(i)] = static_cast<T>(spread(random));
    }
    T *device_x = upload(x), *device_y = upload(y), *device_out = upload(out);
    for (int f = 0; f < static_cast<int>(function::count); ++f) {
        apply<T>
            <<<(n + 127) / 128, 128>>>(static_cast<function>(f), device_x, device_y, device_out, n);
        ASSERT_EQ(hipMemcpy(out.data(), device_out, n * sizeof(T), hipMemcpyDeviceToHost),
                  hipSuccess);
        for (std::size_t i = 0; i < n; ++i) {
            const double want = evaluate(static_cast<function>(f), static_cast<double>(x[i]),
                                         static_cast<double>(y[i]));
            ASSERT_NEAR(static_cast<double>(out[i]), want, tolerance * (std::fabs(want) + 1e-2))
                << "function " << f << " of " << static_cast<double>(x[i]) << ", "
                << static_cast<double>(y[i]);
        }
    }
    for (T* p : {device_x, device_y, device_out})
        EXPECT_EQ(hipFree(p), hipSuccess);
}

TEST(device_library, single_precision) {
    check<float>(2e-6);
}
TEST(device_library, double_precision) {
    check<double>(1e-13);
}

} // namespace
