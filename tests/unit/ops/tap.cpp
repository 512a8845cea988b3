// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <cmath>
#include <limits>
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

constexpr r9v::extents size{2, 5, 21};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Evaluates the tap that `make(view)` gives, over memory filled as a launch fills it, with runs of
/// every length, and returns what it wrote.
template<class Math, class Make>
std::vector<float> gathered(Make make, index_t count, const grid& x) {
    std::vector<std::vector<float>> results;
    const auto with_runs_of = [&]<int N>() {
        results.emplace_back(static_cast<std::size_t>(count), 0.0f);
        const auto chain = chain_of(r9v::scale(1), make(results.back().data()));
        evaluation<Math, std::remove_const_t<decltype(chain)>> run_it{chain, x.size};
        run_it.template run<N>(x);
    };
    with_runs_of.template operator()<1>();
    with_runs_of.template operator()<2>();
    with_runs_of.template operator()<4>();
    with_runs_of.template operator()<8>();
    for (const auto& other : results)
        for (std::size_t i = 0; i < other.size(); ++i)
            EXPECT_EQ(bits_of(other[i]), bits_of(results[0][i])) << "value " << i;
    return results[0];
}

/// What the rows of x fold to.
template<class Fold>
std::vector<float> per_row(const grid& x, Fold fold) {
    std::vector<float> folded;
    for (index_t b = 0; b < x.size.batches; ++b)
        for (index_t r = 0; r < x.size.rows; ++r) {
            double total = 0;
            for (index_t c = 0; c < x.size.columns; ++c)
                total = fold(total, x.at(b, r, c));
            folded.push_back(static_cast<float>(total));
        }
    return folded;
}

template<class Math>
void expect_rows() {
    const grid x = random_grid(size, 71);
    EXPECT_EQ(
        gathered<Math>([](float* p) { return r9v::absmax_rows(host_tensor{p, {2, 5}}); }, 10, x),
        per_row(x, [](double a, double v) { return std::max(a, std::fabs(v)); }));
    EXPECT_EQ(gathered<Math>([](float* p) { return r9v::sum_rows(host_tensor{p, {2, 5}}); }, 10, x),
              per_row(x, [](double a, double v) { return a + v; }));
    EXPECT_EQ(gathered<Math>([](float* p) { return r9v::sum_squares_rows(host_tensor{p, {2, 5}}); },
                             10, x),
              per_row(x, [](double a, double v) { return a + v * v; }));
}

TEST(tap, row_statistics) {
    expect_rows<r9v::reference_math>();
    expect_rows<float_math>();
}

TEST(tap, row_statistics_without_batches_and_with_a_stride) {
    const grid x = random_grid({1, 6, 33}, 72);
    EXPECT_EQ(gathered<r9v::reference_math>(
                  [](float* p) { return r9v::sum_rows(host_tensor{p, {6}}); }, 6, x),
              per_row(x, [](double a, double v) { return a + v; }));
    const auto spread = gathered<r9v::reference_math>(
        [](float* p) { return r9v::sum_rows(host_tensor<float, 1>{p, {6}, {3}}); }, 18, x);
    const auto packed = per_row(x, [](double a, double v) { return a + v; });
    for (std::size_t i = 0; i < 18; ++i)
        EXPECT_EQ(spread[i], i % 3 == 0 ? packed[i / 3] : 0.0f) << i;
}

TEST(tap, absmax_covers_all_batches) {
    grid x = random_grid(size, 73);
    x.values[150] = -9.5;
    const auto whole = [](float* p) {
        return r9v::absmax(host_tensor{p, {1}});
    };
    EXPECT_EQ(gathered<r9v::reference_math>(whole, 1, x)[0], 9.5f);
    EXPECT_EQ(gathered<float_math>(whole, 1, x)[0], 9.5f);
    x.values[17] = infinity;
    EXPECT_EQ(gathered<float_math>(whole, 1, x)[0], std::numeric_limits<float>::infinity());
    x.values[19] = nan;
    EXPECT_TRUE(std::isnan(gathered<r9v::reference_math>(whole, 1, x)[0]));
    EXPECT_TRUE(std::isnan(gathered<float_math>(whole, 1, x)[0]));
}

TEST(tap, a_nan_stays_in_its_row) {
    grid x = random_grid(size, 74);
    x.values[21 * 3 + 4] = nan;
    const auto rows = gathered<float_math>(
        [](float* p) { return r9v::absmax_rows(host_tensor{p, {2, 5}}); }, 10, x);
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_EQ(std::isnan(rows[i]), i == 3) << i;
}

TEST(tap, sees_the_values_at_its_place) {
    const grid x = random_grid(size, 75);
    EXPECT_EQ(gathered<r9v::reference_math>(
                  [](float* p) {
                      return r9v::relu() | r9v::sum_rows(host_tensor{p, {2, 5}}) | r9v::scale(5);
                  },
                  10, x),
              per_row(x, [](double a, double v) { return a + std::max(v, 0.0); }));
}

TEST(tap, sums_merge_in_order_and_maxima_atomically) {
    float memory[4] = {};
    const host_tensor rows{memory, {4}};
    static_assert(decltype(r9v::sum_rows(rows))::merge_kind == r9v::tap_merge::ordered);
    static_assert(decltype(r9v::sum_squares_rows(rows))::merge_kind == r9v::tap_merge::ordered);
    static_assert(decltype(r9v::absmax_rows(rows))::merge_kind == r9v::tap_merge::atomic);
    using chain_type = decltype(r9v::sum_rows(rows) | r9v::absmax_rows(rows));
    EXPECT_EQ(chain_type::ordered_taps, 1);

    // An atomic tap may commit part by part.
    const auto op = r9v::absmax_rows(rows);
    op.commit(r9v::reference_math{}, 2.0, coordinate_of(0, 1, 0));
    op.commit(r9v::reference_math{}, 5.0, coordinate_of(0, 1, 0));
    op.commit(r9v::reference_math{}, 3.0, coordinate_of(0, 1, 0));
    EXPECT_EQ(memory[1], 5.0f);
}

template<class Math, int N>
r9v::nonfinite_position found_in(const grid& x) {
    std::uint64_t report = ~0ull; // as the launch fills it
    const auto op = r9v::find_nonfinite(host_tensor{&report, {1}});
    const auto chain = chain_of(op, r9v::scale(1));
    evaluation<Math, std::remove_const_t<decltype(chain)>>{chain, x.size}.template run<N>(x);
    return r9v::first_nonfinite(report, x.size);
}

template<class Math>
void expect_nonfinite() {
    for (const double value : {nan, infinity, -infinity, -nan}) {
        grid x = random_grid(size, 76);
        EXPECT_FALSE((found_in<Math, 8>(x)));
        const auto put = [&](index_t b, index_t r, index_t c) {
            x.values[static_cast<std::size_t>((b * size.rows + r) * size.columns + c)] = value;
            const r9v::nonfinite_position wanted{true, b, r, c};
            EXPECT_EQ((found_in<Math, 1>(x)), wanted);
            EXPECT_EQ((found_in<Math, 2>(x)), wanted);
            EXPECT_EQ((found_in<Math, 4>(x)), wanted);
            EXPECT_EQ((found_in<Math, 8>(x)), wanted);
        };
        put(1, 4, 20);
        put(1, 2, 7);
        put(0, 4, 13);
        put(0, 4, 11);
        put(0, 0, 0);
    }
}

TEST(tap, find_nonfinite_names_the_first) {
    expect_nonfinite<r9v::reference_math>();
    expect_nonfinite<float_math>();
}

} // namespace
