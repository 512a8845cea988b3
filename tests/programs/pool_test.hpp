// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Random pools for program tests.
#pragma once

#include <r9v/pool.hpp>

#include "program_test.hpp"

namespace r9v_test {

struct pool_case {
    index_t n, h, w, c;
    r9v::pooling how;

    [[nodiscard]] index_t p() const {
        return r9v::convolved_extent(h, how.window.height, how.stride.height, how.dilation.height,
                                     how.pad.top, how.pad.bottom);
    }
    [[nodiscard]] index_t q() const {
        return r9v::convolved_extent(w, how.window.width, how.stride.width, how.dilation.width,
                                     how.pad.left, how.pad.right);
    }
};

inline std::ostream& operator<<(std::ostream& to, const pool_case& g) {
    const r9v::pooling& how = g.how;
    return to << "map [" << g.n << ", " << g.h << ", " << g.w << ", " << g.c << "], window "
              << how.window.height << "," << how.window.width << ", stride " << how.stride.height
              << "," << how.stride.width << ", dilation " << how.dilation.height << ","
              << how.dilation.width << ", pad " << how.pad.top << "," << how.pad.bottom << ","
              << how.pad.left << "," << how.pad.right;
}

/// Numbers drawn for the running test, the same on every run with one R9V_SEED.
class test_random {
public:
    test_random() : random_{seed()} {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        std::uint64_t mixed = seed();
        for (const char* c = info->name(); *c != 0; ++c)
            mixed = (mixed ^ static_cast<unsigned char>(*c)) * 1099511628211ull;
        random_.seed(mixed);
    }
    int between(int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random_);
    }
    template<class T, std::size_t Count>
    T of(const T (&from)[Count]) {
        return from[static_cast<std::size_t>(between(0, static_cast<int>(Count) - 1))];
    }

private:
    std::mt19937_64 random_;
};

/// `count` pools whose window fits, of at most about `work` pixels under windows. `whole`: channels
/// in multiples of 8.
inline std::vector<pool_case> random_pools(std::size_t count, bool whole = false,
                                           double work = 4e5) {
    constexpr int maps[] = {1, 2, 3, 5, 7, 8, 9, 13, 14, 16, 20, 31, 33, 63, 65};
    constexpr int any[] = {1, 2, 3, 4, 8, 16, 20, 32, 48, 64, 80, 96, 255};
    constexpr int eights[] = {8, 16, 24, 40, 64, 72, 96};
    test_random random;
    std::vector<pool_case> cases;
    while (cases.size() < count) {
        pool_case g{random.between(1, 3),
                    random.of(maps),
                    random.of(maps),
                    whole ? random.of(eights) : random.of(any),
                    {.window = 1}};
        g.how.window = {random.between(1, 7), random.between(1, 7)};
        g.how.stride = {random.between(1, 3), random.between(1, 3)};
        g.how.dilation = {random.between(1, 3), random.between(1, 3)};
        const int most_rows = ((g.how.window.height - 1) * g.how.dilation.height + 1) / 2;
        const int most_columns = ((g.how.window.width - 1) * g.how.dilation.width + 1) / 2;
        g.how.pad = {random.between(0, most_rows), random.between(0, most_rows),
                     random.between(0, most_columns), random.between(0, most_columns)};
        const auto seen = static_cast<double>(g.n * g.p() * g.q() * g.c) *
                          (g.how.window.height * g.how.window.width);
        if (g.p() < 1 || g.q() < 1 || seen > work) continue;
        cases.push_back(g);
    }
    return cases;
}

/// `make(memory, case)` returns the program; it is called once for each side. `terms` values make
/// one result.
template<class Element, class Case, class Make>
void check_cases(const Make& make, const std::vector<Case>& cases, index_t terms = 1,
                 const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const Case& g : cases) {
        SCOPED_TRACE(::testing::Message() << g << ", R9V_SEED " << seed());
        check_case<Element>(make, g, {1, 1, terms}, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

} // namespace r9v_test
