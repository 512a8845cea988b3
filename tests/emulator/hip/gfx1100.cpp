// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Programs for gfx1100 on the card of that generation (R9V_EMULATOR_DEVICE=7900xtx).

#include "support.hpp"
#include <random>

namespace {

TEST(Gfx1100, Properties) {
    hipDeviceProp_t p;
    R9V_HIP(hipGetDeviceProperties(&p, 0));
    EXPECT_STREQ(p.name, "AMD Radeon RX 7900 XTX");
    EXPECT_STREQ(p.gcnArchName, "gfx1100");
    EXPECT_EQ(p.major, 11);
    EXPECT_EQ(p.multiProcessorCount, 48);
    EXPECT_EQ(p.totalGlobalMem, std::size_t{24} << 30);
    EXPECT_EQ(p.memoryBusWidth, 384);
    EXPECT_EQ(p.l2CacheSize, 6 << 20);
}

using halves = _Float16 __attribute__((ext_vector_type(16)));
using floats = float __attribute__((ext_vector_type(8)));

constexpr int m = 32, n = 48, k = 64;

/// c = a b': a tile of 16x16 a wave, straight from the rows, whose lanes 16..31 repeat 0..15.
__global__ void multiply([[maybe_unused]] const _Float16* a, [[maybe_unused]] const _Float16* b,
                         [[maybe_unused]] float* c) {
#if defined(__gfx1100__)
    const int lane = static_cast<int>(threadIdx.x), at = lane % 16, half = lane / 16;
    const int row = static_cast<int>(blockIdx.y) * 16, column = static_cast<int>(blockIdx.x) * 16;
    floats sum = {};
    for (int step = 0; step < k; step += 16) {
        halves x, y;
        for (int e = 0; e < 16; ++e) {
            x[e] = a[(row + at) * k + step + e];
            y[e] = b[(column + at) * k + step + e];
        }
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, sum);
    }
    for (int r = 0; r < 8; ++r)
        c[(row + 2 * r + half) * n + column + at] = sum[r];
#endif
}

TEST(Gfx1100, MultipliesMatrices) {
    std::printf("seed 41001\n");
    std::mt19937 random(41001);
    std::vector<_Float16> a(m * k), b(n * k);
    for (auto* values : {&a, &b})
        for (auto& value : *values)
            value = static_cast<_Float16>(static_cast<int>(random() % 17) - 8);
    const device_array<_Float16> device_a(a), device_b(b);
    const device_array<float> device_c(m * n);
    multiply<<<dim3(n / 16, m / 16), 32>>>(device_a.data(), device_b.data(), device_c.data());
    R9V_HIP(hipDeviceSynchronize());
    const auto c = device_c.host();
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column) {
            float sum = 0;
            for (std::size_t i = 0; i < k; ++i)
                sum += static_cast<float>(a[row * k + i]) * static_cast<float>(b[column * k + i]);
            ASSERT_EQ(c[row * n + column], sum) << row << " " << column;
        }
}

} // namespace
