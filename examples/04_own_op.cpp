// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops of your own, inside the kernel like r9v's: a functor in map(), and a struct that sees a run
// of neighbouring columns, its position and a tensor.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"

using namespace r9v;

// snippet: functor
/// x / (1 + |x|). It is given a float on the device and a double in the reference.
struct soft_sign {
    template<class Real>
    R9V_HD Real operator()(Real x) const {
        return x / (1 + (x < 0 ? -x : x));
    }
};
// end snippet

// snippet: struct
/// x - slope[row] * (distance of the column from the row's own): a penalty on far columns, with a
/// slope for each row.
template<any_tensor View>
struct distance_penalty {
    static constexpr auto role = r9v::role::operand; // it reads a tensor; without one, role::map
    static constexpr space memory = View::memory;
    operand<span::row, View> slope;

    template<class Math, int N>
    R9V_HD run<typename Math::real, N> operator()(Math math, run<typename Math::real, N> x,
                                                  const coordinate& at) const {
        using real = typename Math::real;
        const run<real, N> slopes = slope.template load<N>(math, at);
        for (int i = 0; i < N; ++i) {
            const real apart = static_cast<real>(at.column() + i - at.row());
            x[i] = math.fma(-slopes[i], math.abs(apart), x[i]);
        }
        return x;
    }

    /// Shows the tensor to the launch, which checks its extents before anything runs.
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("distance_penalty", slope, access::read);
    }
};
// end snippet

// snippet: program
auto scores(const auto& q, const auto& k, const auto& slopes, const auto& y) {
    return gemm(q, k) | scale(0.125f) | distance_penalty{slopes} | map(soft_sign{}) | store(y);
}
// end snippet

int main() {
    const int m = 100, n = 130, k = 64;
    const auto q = example::random<half>(m * k, 1.0, 1);
    const auto keys = example::random<half>(n * k, 1.0, 2);
    const auto slopes = example::random<float>(m, 0.05, 3);

    const stream s;
    const buffer<half> device_q{q}, device_keys{keys}, device_y{m * n};
    const buffer<float> device_slopes{slopes};
    launch(s, scores(device_q.view({m, k}), device_keys.view({n, k}),
                     per_row(device_slopes.view({m})), device_y.view({m, n})));
    const auto y = device_y.download(s);

    std::vector<half> truth(y.size());
    launch(reference,
           scores(host_tensor{q.data(), {m, k}}, host_tensor{keys.data(), {n, k}},
                  per_row(host_tensor{slopes.data(), {m}}), host_tensor{truth.data(), {m, n}}));
    return example::agree("two ops of our own", y, truth, 1e-3) ? 0 : 1;
}
