// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs one program on the device and through the reference, over random ragged shapes.
#pragma once

#include "memory.hpp"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace r9v_test {

struct shape {
    index_t m = 0;
    index_t n = 0;
    index_t k = 0;
};

/// How errors of the arithmetic grow on their way to the result.
struct error_growth {
    double gain = 1;            ///< largest slope of the ops behind the product
    double magnitude = 1;       ///< largest |x| after the prologue, times the largest |w|
    bool rounds_source = false; ///< the prologue's result is rounded to x's element type
};

/// Bound on the absolute error of a value before it is rounded to its type: the sum of k products
/// is accurate to (k + 1) units of f32 of the sum of their magnitudes, which random signs let grow
/// with the root of k in the mean and never beyond k; each op behind it adds a few units.
template<class Element>
double error_bound(const shape& s, const error_growth& growth) {
    const double unit = 0x1p-24;
    const auto k = static_cast<double>(s.k);
    double relative = (k + 1) * unit;
    if (growth.rounds_source) relative += r9v::element<Element>::epsilon;
    return growth.gain * (relative * k * growth.magnitude + 64 * unit * (1 + k * growth.magnitude));
}

/// The sizes that ragged shapes are drawn from: around the widths of fragments, waves and tiles.
inline constexpr index_t sizes[] = {1,  2,  7,  8,   15,  16,  17,  31,  33,
                                    48, 64, 96, 100, 127, 128, 129, 200, 257};

inline std::uint64_t seed() {
    const char* text = std::getenv("R9V_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 20260u;
}

/// `count` random shapes, different ones for every test.
inline std::vector<shape> random_shapes(std::size_t count) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::uint64_t mixed = seed();
    for (const char* c = info->name(); *c != 0; ++c)
        mixed = (mixed ^ static_cast<unsigned char>(*c)) * 1099511628211ull;
    std::mt19937_64 random{mixed};
    std::uniform_int_distribution<std::size_t> pick{0, std::size(sizes) - 1};
    std::vector<shape> shapes(count);
    for (shape& s : shapes)
        s = {sizes[pick(random)], sizes[pick(random)], sizes[pick(random)]};
    return shapes;
}

/// Runs one case of whatever kind on both sides; `make(memory, case)` returns the program and is
/// called once for each side. `size` bounds the error.
template<class Element, class Make, class Case>
void check_case(const Make& make, const Case& c, const shape& size, const error_growth& growth,
                std::uint64_t case_seed) {
    memory_record record{case_seed};
    memory<side::host> host{record};
    const auto expected = make(host, c);
    r9v::launch(r9v::reference, expected);

    memory<side::device> device{record};
    const auto program = make(device, c);
    hipStream_t stream = nullptr;
    void* scratch = nullptr;
    const std::size_t bytes = r9v::workspace_bytes(program);
    if (bytes != 0) ASSERT_EQ(hipMalloc(&scratch, bytes), hipSuccess);
    r9v::launch(stream, program, {scratch, bytes});
    record.download();
    if (scratch != nullptr) (void)hipFree(scratch);
    record.compare(error_bound<Element>(size, growth));
}

/// `make(memory, shape)` returns the program; it is called once for each side.
template<class Element, class Make>
void check_program(const Make& make, const std::vector<shape>& shapes,
                   const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const shape& s : shapes) {
        SCOPED_TRACE(::testing::Message()
                     << "m " << s.m << ", n " << s.n << ", k " << s.k << ", R9V_SEED " << seed());
        check_case<Element>(make, s, s, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

} // namespace r9v_test
