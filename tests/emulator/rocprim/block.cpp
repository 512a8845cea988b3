// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rocPRIM's algorithms of one workgroup, in every way of exchanging values that it has.
#include "support.hpp"
#include <algorithm>
#include <numeric>
#include <rocprim/block/block_histogram.hpp>
#include <rocprim/block/block_radix_sort.hpp>
#include <rocprim/block/block_reduce.hpp>
#include <rocprim/block/block_scan.hpp>

namespace {

constexpr unsigned threads = 128, each = 3, blocks = 4, bins = 32;

template<rocprim::block_reduce_algorithm Algorithm>
__global__ void __launch_bounds__(threads) reduce_blocks(const unsigned* in, unsigned* out) {
    using reduce = rocprim::block_reduce<unsigned, threads, Algorithm>;
    __shared__ typename reduce::storage_type storage;
    unsigned value = in[blockIdx.x * threads + threadIdx.x];
    reduce().reduce(value, value, storage);
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

template<rocprim::block_scan_algorithm Algorithm>
__global__ void __launch_bounds__(threads) scan_blocks(const unsigned* in, unsigned* out) {
    using scan = rocprim::block_scan<unsigned, threads, Algorithm>;
    __shared__ typename scan::storage_type storage;
    const unsigned at = blockIdx.x * threads + threadIdx.x;
    unsigned value = in[at];
    scan().inclusive_scan(value, value, storage);
    out[at] = value;
}

__global__ void __launch_bounds__(threads) sort_blocks(const unsigned* in, unsigned* out) {
    using sort = rocprim::block_radix_sort<unsigned, threads, each>;
    __shared__ typename sort::storage_type storage;
    unsigned keys[each];
    const unsigned first = (blockIdx.x * threads + threadIdx.x) * each;
    for (unsigned i = 0; i < each; ++i)
        keys[i] = in[first + i];
    sort().sort(keys, storage);
    for (unsigned i = 0; i < each; ++i)
        out[first + i] = keys[i];
}

template<rocprim::block_histogram_algorithm Algorithm>
__global__ void __launch_bounds__(threads) count_blocks(const unsigned* in, unsigned* out) {
    using histogram = rocprim::block_histogram<unsigned, threads, each, bins, Algorithm>;
    __shared__ typename histogram::storage_type storage;
    __shared__ unsigned counts[bins];
    unsigned values[each];
    for (unsigned i = 0; i < each; ++i)
        values[i] = in[(blockIdx.x * threads + threadIdx.x) * each + i] % bins;
    histogram().histogram(values, counts, storage);
    __syncthreads();
    if (threadIdx.x < bins) out[blockIdx.x * bins + threadIdx.x] = counts[threadIdx.x];
}

template<class Kernel>
std::vector<unsigned> run(Kernel kernel, const std::vector<unsigned>& values, std::size_t results) {
    device_array<unsigned> in(values), out(results);
    kernel<<<blocks, threads>>>(in.data(), out.data());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    return out.host();
}

TEST(rocprim_block, reduce) {
    using enum rocprim::block_reduce_algorithm;
    const auto values = random_values(blocks * threads, 22001);
    std::vector<unsigned> want;
    for (unsigned b = 0; b < blocks; ++b)
        want.push_back(
            std::accumulate(values.begin() + b * threads, values.begin() + (b + 1) * threads, 0u));
    EXPECT_EQ(run(reduce_blocks<using_warp_reduce>, values, blocks), want);
    EXPECT_EQ(run(reduce_blocks<raking_reduce>, values, blocks), want);
}

TEST(rocprim_block, scan) {
    using enum rocprim::block_scan_algorithm;
    const auto values = random_values(blocks * threads, 22002);
    std::vector<unsigned> want(values.size());
    for (unsigned b = 0; b < blocks; ++b)
        std::partial_sum(values.begin() + b * threads, values.begin() + (b + 1) * threads,
                         want.begin() + b * threads);
    EXPECT_EQ(run(scan_blocks<using_warp_scan>, values, values.size()), want);
    EXPECT_EQ(run(scan_blocks<reduce_then_scan>, values, values.size()), want);
}

TEST(rocprim_block, radix_sort) {
    const auto values = random_values(blocks * threads * each, 22003);
    auto want = values;
    for (unsigned b = 0; b < blocks; ++b)
        std::sort(want.begin() + b * threads * each, want.begin() + (b + 1) * threads * each);
    EXPECT_EQ(run(sort_blocks, values, values.size()), want);
}

TEST(rocprim_block, histogram) {
    using enum rocprim::block_histogram_algorithm;
    const auto values = random_values(blocks * threads * each, 22004);
    std::vector<unsigned> want(blocks * bins);
    for (unsigned i = 0; i < values.size(); ++i)
        ++want[i / (threads * each) * bins + values[i] % bins];
    EXPECT_EQ(run(count_blocks<using_atomic>, values, want.size()), want);
    EXPECT_EQ(run(count_blocks<using_sort>, values, want.size()), want);
}

} // namespace
