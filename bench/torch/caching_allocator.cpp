// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What PyTorch's caching allocator needs for one allocate and free of a warm size, called from C++:
// to be held against tests/cuda/pool.cu on the same machine. Built by hand, where PyTorch is:
//
//   T=$(python3 -c 'import torch; print(torch.__path__[0])')
//   g++ -O2 -std=c++20 caching_allocator.cpp -I$T/include -I$T/include/torch/csrc/api/include
//       -I/usr/local/cuda/include -L$T/lib -L/usr/local/cuda/lib64 -ltorch -ltorch_cpu -ltorch_cuda
//       -lc10 -lc10_cuda -lcudart -Wl,--no-as-needed -Wl,-rpath,$T/lib -o caching_allocator
#include <algorithm>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <chrono>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <thread>
#include <vector>

namespace {

namespace torch_allocator = c10::cuda::CUDACachingAllocator;

double median_pair(std::size_t bytes, cudaStream_t stream) {
    std::vector<double> times;
    for (int block = 0; block < 101; ++block) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i)
            torch_allocator::raw_delete(torch_allocator::raw_alloc_with_stream(bytes, stream));
        times.push_back(
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                .count() /
            1000);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

} // namespace

int main() {
    torch_allocator::init(c10::cuda::device_count());
    cudaStream_t stream{};
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
    for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{64} << 20})
        std::printf("PyTorch caching allocator, allocate+free of %9zu bytes: %.0f ns\n", bytes,
                    median_pair(bytes, stream));
    std::vector<double> times(8);
    std::vector<std::thread> threads;
    for (double& time : times)
        threads.emplace_back([&time] {
            cudaStream_t own{};
            if (cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess)
                time = median_pair(4096, own);
        });
    for (std::thread& one : threads)
        one.join();
    std::sort(times.begin(), times.end());
    std::printf("PyTorch caching allocator, 8 threads, 4096 bytes: %.0f ns\n", times[4]);
}
