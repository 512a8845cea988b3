// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The GEMM in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/gemm/problem.hpp>

#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class View>
[[nodiscard]] double element_at(const View& v, index_t batch, index_t row, index_t column) {
    if constexpr (View::rank == 3) {
        return to_double(v(v.extents[0] == 1 ? index_t{0} : batch, row, column));
    } else {
        return to_double(v(row, column));
    }
}

/// Row `row` of x after its prologue.
template<class Source>
void load_row(const Source& x, index_t batch, index_t row, std::vector<double>& values) {
    for (index_t k = 0; k < static_cast<index_t>(values.size()); ++k) {
        const coordinate at{.batch_base = batch, .row_base = row, .column_base = k};
        const run<double, 1> loaded{{element_at(x.view, batch, row, k)}};
        double& value = values[static_cast<std::size_t>(k)];
        value = r9v::transform(reference_math{}, x.prologue, at, loaded)[0];
        // Kernels multiply elements: their precision is not ours, but what is too large for their
        // type is infinite.
        if constexpr (decltype(x.prologue)::size != 0) {
            const double rounded =
                reference_math::round_to<typename decltype(x.view)::value_type>(value);
            if (is_inf(rounded)) value = rounded;
        }
    }
}

template<class View>
[[nodiscard]] double dot(const std::vector<double>& x, const View& w, index_t batch,
                         index_t column) {
    double sum = 0;
    for (index_t k = 0; k < static_cast<index_t>(x.size()); ++k)
        sum += x[static_cast<std::size_t>(k)] * element_at(w, batch, column, k);
    return sum;
}

} // namespace detail

/// Runs a checked program on host views.
template<class Head, class Chain>
    requires is_gemm_head<Head>
void run_reference(const program<Head, Chain>& p) {
    constexpr reference_math math{};
    const extents size = p.head.result();
    std::vector<double> x(static_cast<std::size_t>(p.head.inner()));
    typename states_of<reference_math, Chain>::type states{};

    reset_taps<tap_scope::tensor>(p.chain, states);
    for (index_t batch = 0; batch < size.batches; ++batch) {
        for (index_t row = 0; row < size.rows; ++row) {
            detail::load_row(p.head.x, batch, row, x);
            reset_taps<tap_scope::row>(p.chain, states);
            for (index_t column = 0; column < size.columns; ++column) {
                const coordinate at{.batch_base = batch, .row_base = row, .column_base = column};
                const run<double, 1> first{{detail::dot(x, p.head.first_weights(), batch, column)}};
                if constexpr (Head::results == 2) {
                    const run<double, 1> second{
                        {detail::dot(x, p.head.second_weights(), batch, column)}};
                    evaluate(math, p.chain, states, at, first, second);
                } else {
                    evaluate(math, p.chain, states, at, first);
                }
            }
            const coordinate at{.batch_base = batch, .row_base = row};
            for_each_tap<tap_scope::row>(p.chain, states, [&](const auto& op, double state, int) {
                op.commit(math, state, at);
            });
        }
    }
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(math, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI
