// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::index_t;

constexpr r9v::extents size{2, 6, 21};

TEST(map, calls_the_function_on_every_value) {
    const grid x = random_grid(size, 41);
    const float by = 3.0f;
    const auto op = r9v::map([by](float v) { return v * by + 1.0f; });
    const auto wanted = [&](index_t b, index_t r, index_t c) {
        return x.at(b, r, c) * 3 + 1;
    };
    expect_values(evaluated([&] { return op; }, x), size, wanted);
    expect_values(evaluated<float_math>([&] { return op; }, x), size, wanted);
}

TEST(map, tells_the_position) {
    const grid x = random_grid(size, 42);
    const auto op = r9v::map([](float v, const r9v::coordinate& at) {
        return v + static_cast<float>(at.batch() * 10000 + at.row() * 100 + at.column());
    });
    const auto wanted = [&](index_t b, index_t r, index_t c) {
        return x.at(b, r, c) + static_cast<double>(b * 10000 + r * 100 + c);
    };
    expect_values(evaluated([&] { return op; }, x), size, wanted);
    expect_values(evaluated<float_math>([&] { return op; }, x), size, wanted);
}

TEST(map, generic_functions_run_in_the_precision_of_the_executor) {
    const r9v::run<double, 1> third{{1.0 / 3.0}};
    const auto twice = [](auto v) {
        return v + v;
    };
    EXPECT_EQ(r9v::map(twice)(r9v::reference_math{}, third, {})[0], 2.0 / 3.0);
    const auto narrow = [](float v) {
        return v;
    };
    EXPECT_EQ(r9v::map(narrow)(r9v::reference_math{}, third, {})[0],
              static_cast<double>(1.0f / 3.0f));
}

struct counter {
    int times;
    int operator()(float v) const { return static_cast<int>(v) * times; }
};

TEST(map, takes_functors_and_converts_their_results) {
    const grid x{{1, 1, 3}, {1.0, 2.5, -3.0}};
    EXPECT_EQ(evaluated([] { return r9v::map(counter{2}); }, x),
              (std::vector<float>{2.0f, 4.0f, -6.0f}));
}

/// A user's own op, as the documentation shows it.
struct add_row_number {
    static constexpr auto role = r9v::role::map;
    template<class Math, class Run>
    Run operator()(Math, Run x, const r9v::coordinate& at) const {
        for (auto& v : x)
            v += static_cast<typename Math::real>(at.row());
        return x;
    }
};

TEST(map, a_users_op_stands_beside_ours) {
    const grid x = random_grid(size, 43);
    expect_values(evaluated([] { return r9v::scale(2) | add_row_number{} | r9v::relu(); }, x), size,
                  [&](index_t b, index_t r, index_t c) {
                      return std::max(2 * x.at(b, r, c) + static_cast<double>(r), 0.0);
                  });
}

} // namespace
