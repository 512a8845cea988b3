// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Batches by strides: shared operands, operands of their own, and ones with a batch axis.

#include "program_test.hpp"

namespace r9v_test {

using r9v::add;
using r9v::bias;
using r9v::gemm;
using r9v::half;
using r9v::layout;
using r9v::store;

namespace {
constexpr index_t batches = 3;
}

TEST(programs_batches, both_batched) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({batches, s.m, s.k});
            auto w = memory.template input<half>({batches, s.n, s.k});
            auto b = memory.template input<half>({batches, s.n});
            auto y = memory.template output<half>({batches, s.m, s.n});
            return gemm(x, w) | bias(b) | store(y);
        },
        random_shapes(5));
}

TEST(programs_batches, shared_weights) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({batches, s.m, s.k}, {.padding = 3});
            auto w = memory.template input<half, layout::column_major>({s.n, s.k});
            auto shared = memory.template input<half>({s.m, s.n});
            auto y = memory.template output<half>({batches, s.m, s.n}, {.padding = 1});
            return gemm(x, w) | add(shared) | store(y);
        },
        random_shapes(5), {.magnitude = 1.1});
}

TEST(programs_batches, shared_x_and_transposed_result) {
    check_program<r9v::bf16>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<r9v::bf16>({s.m, s.k});
            auto w = memory.template input<r9v::bf16>({batches, s.n, s.k});
            auto other = memory.template input<r9v::bf16>({batches, s.m, s.n});
            auto y = memory.template output<r9v::bf16, layout::column_major>({batches, s.m, s.n});
            return gemm(x, w) | r9v::residual(other) | store(y);
        },
        random_shapes(5), {.magnitude = 1.1});
}

} // namespace r9v_test
