// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <hip/hip_runtime.h>

extern "C" __global__ void axpy(float* y, const float* x, float a, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void chain(float* y, int rounds) {
    float x = static_cast<float>(threadIdx.x);
    for (int r = 0; r < rounds; ++r)
        x = x * x + 1;
    y[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
