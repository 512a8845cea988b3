// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Functors bring the functions of their namespaces into every unqualified call of a template that
// knows their type: std::bind, or an engine's own launch(). None of them may stand in for r9v's.

#include <r9v/r9v.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace engine {

/// Takes any arguments, better than r9v's own function does where that one wants a conversion.
#define ENGINE_FUNCTION(name)                                                                      \
    template<class... Ts>                                                                          \
    __host__ __device__ constexpr int name(Ts&&...) {                                              \
        static_assert(sizeof...(Ts) > 100, #name " of the engine is called");                      \
        return 0;                                                                                  \
    }
ENGINE_FUNCTION(append)
ENGINE_FUNCTION(bind)
ENGINE_FUNCTION(bound)
ENGINE_FUNCTION(broadcast)
ENGINE_FUNCTION(check)
ENGINE_FUNCTION(choose)
ENGINE_FUNCTION(choose_kernel)
ENGINE_FUNCTION(evaluate)
ENGINE_FUNCTION(fills_of)
ENGINE_FUNCTION(fit)
ENGINE_FUNCTION(for_each)
ENGINE_FUNCTION(for_each_tap)
ENGINE_FUNCTION(get)
ENGINE_FUNCTION(launch)
ENGINE_FUNCTION(only)
ENGINE_FUNCTION(panel_of)
ENGINE_FUNCTION(prepare)
ENGINE_FUNCTION(prologue_of)
ENGINE_FUNCTION(region_of)
ENGINE_FUNCTION(reset_taps)
ENGINE_FUNCTION(run_on_host)
ENGINE_FUNCTION(run_reference)
ENGINE_FUNCTION(step)
ENGINE_FUNCTION(steps)
ENGINE_FUNCTION(transform)
ENGINE_FUNCTION(try_launch)
ENGINE_FUNCTION(visit_operands)
ENGINE_FUNCTION(workspace_bytes)

struct twice {
    template<class Real>
    __host__ __device__ Real operator()(Real x) const {
        return 2 * x;
    }
};

} // namespace engine

namespace {

constexpr r9v::index_t m = 20;
constexpr r9v::index_t n = 9;
constexpr r9v::index_t k = 40;

/// The result is infinite from row `first` on.
template<template<class, int, r9v::layout> class Tensor>
auto program(r9v::half* x, r9v::half* w, float* y, float* sums, std::uint64_t* report) {
    constexpr auto row_major = r9v::layout::row_major;
    return r9v::gemm(Tensor<r9v::half, 2, row_major>{x, {m, k}} | r9v::map(engine::twice{}),
                     Tensor<r9v::half, 2, row_major>{w, {n, k}}) |
           r9v::map(engine::twice{}) | r9v::map(std::negate<float>{}) |
           r9v::find_nonfinite(Tensor<std::uint64_t, 1, row_major>{report, {1}}) |
           r9v::sum_rows(Tensor<float, 1, row_major>{sums, {m}}) |
           r9v::store(Tensor<float, 2, row_major>{y, {m, n}});
}

} // namespace

TEST(programs_names, functions_of_a_functors_namespace) {
    std::vector<r9v::half> ones(m * k, r9v::from_float<r9v::half>(1.0f));
    std::vector<r9v::half> source = ones;
    source[13 * k + 5] = r9v::from_float<r9v::half>(std::numeric_limits<float>::infinity());
    const r9v::buffer<r9v::half> x{source};
    const r9v::buffer<r9v::half> w{ones};
    const r9v::buffer<float> y{m * n};
    const r9v::buffer<float> sums{m};
    const r9v::buffer<std::uint64_t> report{1};
    const auto on_device =
        program<r9v::tensor>(x.data(), w.data(), y.data(), sums.data(), report.data());

    const r9v::stream s;
    const r9v::buffer<float> scratch{
        static_cast<r9v::index_t>(r9v::workspace_bytes(on_device) / sizeof(float))};
    const r9v::workspace bytes{scratch.data(), r9v::workspace_bytes(on_device)};
    constexpr r9v::extents result{.batches = 1, .rows = m, .columns = n};
    const auto check = [&] {
        const auto first = r9v::first_nonfinite(report.download(s)[0], result);
        EXPECT_TRUE(first.found);
        EXPECT_EQ(first.row, 13);
        EXPECT_EQ(first.column, 0);
        EXPECT_EQ(y.download(s)[12 * n], -4.0f * k);
        EXPECT_EQ(sums.download(s)[12], -4.0f * k * n);
    };
    r9v::launch(s, on_device, bytes);
    check();
    r9v::launch(s, r9v::any_program{on_device}, bytes);
    check();
    r9v::launch(s, r9v::prepare(on_device), bytes);
    check();

    std::vector<float> host_y(m * n);
    std::vector<float> host_sums(m);
    std::uint64_t host_report = 0;
    r9v::launch(r9v::reference, program<r9v::host_tensor>(source.data(), ones.data(), host_y.data(),
                                                          host_sums.data(), &host_report));
    EXPECT_EQ(host_report, report.download(s)[0]);
    EXPECT_EQ(host_y[12 * n], -4.0f * k);
}
