// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What works under nvcc today: conversions in device code, and whole programs on r9v::reference.
#include <r9v/r9v.hpp>

#include <vector>

// Compiled for sm_80, not run.
__global__ void convert(const r9v::half* from, r9v::fp8_e4m3* to) {
    to[threadIdx.x] = r9v::from_float<r9v::fp8_e4m3>(r9v::to_float(from[threadIdx.x]) * 2.0f);
}

int main() {
    const std::vector<r9v::half> ones(2 * 16, r9v::from_float<r9v::half>(1.0f));
    std::vector<float> y(2 * 2, 0.0f);
    const r9v::host_tensor x{ones.data(), {2, 16}};
    const r9v::host_tensor out{y.data(), {2, 2}};
    r9v::launch(r9v::reference, r9v::gemm(x, x) | r9v::scale(0.5f) | r9v::relu() | r9v::store(out));
    for (const float value : y) {
        if (value != 8.0f) return 1;
    }
    return 0;
}
