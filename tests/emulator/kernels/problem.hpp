// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// GEMM programs with random data, for tests that look at how their kernels execute.
#pragma once

#include <r9v/r9v.hpp>
#include <r9v_emulator/testing.hpp>

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace r9v_test {

using r9v::bf16;
using r9v::buffer;
using r9v::half;
using r9v::index_t;
using r9v::layout;

inline constexpr r9v::gemm_tile large_tile{
    .m = 128, .n = 128, .k = 32, .waves_m = 2, .waves_n = 2, .regime = r9v::gemm_regime::large};

template<class Element>
std::vector<Element> random_elements(index_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::uniform_real_distribution<float> uniform{-1, 1};
    std::vector<Element> values(static_cast<std::size_t>(count));
    for (Element& v : values)
        v = r9v::from_float<Element>(uniform(random));
    return values;
}

/// x [m, k], w [n, k] (or stored [k, n]), a bias, a residual and a result.
template<class Element, layout W = layout::row_major>
struct problem {
    index_t m;
    index_t n;
    index_t k;
    buffer<Element> memory_x{random_elements<Element>(m * k, 1)};
    buffer<Element> memory_w{random_elements<Element>(n * k, 2)};
    buffer<Element> memory_b{random_elements<Element>(n, 3)};
    buffer<Element> memory_r{random_elements<Element>(m * n, 4)};
    buffer<Element> memory_y{m * n};
    r9v::stream s{};

    auto product() const {
        const r9v::tensor<Element, 2, W> w{memory_w.data(), {n, k}};
        return r9v::gemm(memory_x.view({m, k}), w);
    }
    auto plain() const { return product() | r9v::store(memory_y.view({m, n})); }
    auto fused() const {
        return product() | r9v::bias(memory_b.view({n})) | r9v::residual(memory_r.view({m, n})) |
               r9v::silu() | r9v::store(memory_y.view({m, n}));
    }

    /// Runs the program with the large tile and returns what the launch did.
    template<class Program>
    r9v_emulator::launch_counts count(const Program& p) const {
        r9v::launch<large_tile>(s, p);
        s.synchronize();
        return r9v_emulator::last_counts();
    }
};

} // namespace r9v_test
