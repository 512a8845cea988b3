// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A tiny executor: evaluates a chain on given values, in runs of 1, 2, 4 and 8, and expects the
// same result from each. Coordinates are split into bases and offsets as kernels split them.
#pragma once

#include <r9v/ops.hpp>

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace r9v_test {

using r9v::index_t;

/// Values of a result, batch by batch and row by row.
struct grid {
    r9v::extents size;
    std::vector<double> values;

    [[nodiscard]] double at(index_t batch, index_t row, index_t column) const {
        return values[static_cast<std::size_t>((batch * size.rows + row) * size.columns + column)];
    }
};

/// Seeded values between -4 and 4 on a grid of 1/64, so that sums and products by powers of two
/// are exact in float.
inline grid random_grid(const r9v::extents& size, unsigned seed) {
    std::mt19937 engine{seed};
    std::uniform_int_distribution<int> pick{-256, 256};
    grid made{size, {}};
    made.values.resize(static_cast<std::size_t>(size.batches * size.rows * size.columns));
    for (double& value : made.values)
        value = pick(engine) / 64.0;
    return made;
}

template<class T = float>
std::vector<T> random_values(index_t count, unsigned seed) {
    std::vector<T> made;
    for (const double value : random_grid({1, 1, count}, seed).values)
        made.push_back(r9v::from_double<T>(value));
    return made;
}

inline r9v::coordinate coordinate_of(index_t batch, index_t row, index_t column) {
    return {.batch_base = batch,
            .row_base = row / 4 * 4,
            .column_base = column / 16 * 16,
            .row_offset = static_cast<std::int32_t>(row % 4),
            .column_offset = static_cast<std::int32_t>(column % 16)};
}

template<class Real, int N>
r9v::run<Real, N> run_at(const grid& from, index_t batch, index_t row, index_t column) {
    r9v::run<Real, N> values;
    for (int i = 0; i < N; ++i)
        values[i] = static_cast<Real>(from.at(batch, row, column + i));
    return values;
}

/// Evaluates chains over a whole result with runs of N, the columns left over one by one. Two sets
/// of states take turns and are merged, as the lanes of a wave are.
template<class Math, class Chain>
class evaluation {
public:
    evaluation(Chain chain, const r9v::extents& size) : chain_{chain}, size_{size} {
        r9v::for_each(chain_.ops, [&](auto& op) {
            if constexpr (requires { op.bind(size_); }) op.bind(size_);
        });
    }

    template<int N, class... Grids>
    void run(const Grids&... from) {
        reset<r9v::tap_scope::tensor>();
        for (index_t batch = 0; batch < size_.batches; ++batch)
            for (index_t row = 0; row < size_.rows; ++row) {
                reset<r9v::tap_scope::row>();
                index_t column = 0;
                for (; column + N <= size_.columns; column += N)
                    one_run<N>(batch, row, column, from...);
                for (; column < size_.columns; ++column)
                    one_run<1>(batch, row, column, from...);
                commit<r9v::tap_scope::row>(coordinate_of(batch, row, 0));
            }
        commit<r9v::tap_scope::tensor>({});
    }

private:
    using real = typename Math::real;
    using states = typename r9v::states_of<Math, Chain>::type;

    template<int N, class... Grids>
    void one_run(index_t batch, index_t row, index_t column, const Grids&... from) {
        r9v::evaluate(Math{}, chain_, states_[turn_ ^= 1], coordinate_of(batch, row, column),
                      run_at<real, N>(from, batch, row, column)...);
    }
    template<r9v::tap_scope Scope>
    void reset() {
        for (auto& set : states_)
            r9v::reset_taps<Scope>(chain_, set);
    }
    template<r9v::tap_scope Scope>
    void commit(const r9v::coordinate& at) {
        std::vector<real> others;
        r9v::for_each_tap<Scope>(chain_, states_[1],
                                 [&](const auto&, real state, int) { others.push_back(state); });
        std::size_t next = 0;
        r9v::for_each_tap<Scope>(chain_, states_[0], [&](const auto& op, real state, int) {
            op.commit(Math{}, op.merge(Math{}, state, others[next++]), at);
        });
    }

    Chain chain_;
    r9v::extents size_;
    states states_[2]{};
    int turn_ = 0;
};

template<class Op, class... Ops>
auto chain_of(const Op& first, const Ops&... others) {
    return ((r9v::chain<>{} | first) | ... | others);
}

/// Bits of a value, so that NaN equals NaN and -0 differs from 0.
template<class T>
std::uint64_t bits_of(const T& value) {
    if constexpr (sizeof(T) == 4) {
        return std::bit_cast<std::uint32_t>(value);
    } else if constexpr (sizeof(T) == 2) {
        return std::bit_cast<std::uint16_t>(value);
    } else {
        return std::bit_cast<std::uint8_t>(value);
    }
}

/// The result of the ops that `make()` gives on `from` (one grid, or two in front of a gate),
/// stored as T; the same bits from runs of every length.
template<class Math = r9v::reference_math, class T = float, class Make, class... Grids>
std::vector<T> evaluated(Make make, const grid& from, const Grids&... others) {
    std::vector<std::vector<T>> results;
    const auto with_runs_of = [&]<int N>() {
        results.emplace_back(from.values.size());
        const r9v::host_tensor<T, 3> to{results.back().data(),
                                        {from.size.batches, from.size.rows, from.size.columns}};
        const auto chain = chain_of(make(), r9v::store(to));
        evaluation<Math, std::remove_const_t<decltype(chain)>> run_it{chain, from.size};
        run_it.template run<N>(from, others...);
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

/// Expects `expected(batch, row, column)` everywhere, within `ulps` of float.
template<class Expected>
void expect_values(const std::vector<float>& found, const r9v::extents& size, Expected expected,
                   double ulps = 1) {
    std::size_t i = 0;
    for (index_t batch = 0; batch < size.batches; ++batch)
        for (index_t row = 0; row < size.rows; ++row)
            for (index_t column = 0; column < size.columns; ++column, ++i) {
                const double wanted = expected(batch, row, column);
                ASSERT_NEAR(static_cast<double>(found[i]), wanted, ulps * 1.2e-7 * std::abs(wanted))
                    << "batch " << batch << ", row " << row << ", column " << column;
            }
}

} // namespace r9v_test
