// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Chains behind the product: every map and operand op, up to twelve of them in a row.

#include "program_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

/// A program `gemm(x, w) | chain(memory, shape) | store(y)` with half or bf16 inputs.
template<class Element, class Result = Element, class Chain>
void check_chain(const Chain& ops, std::size_t shapes = 4, error_growth growth = {}) {
    check_program<Element>(
        [=](auto memory, const shape& s) {
            auto x = memory.template input<Element>({s.m, s.k});
            auto w = memory.template input<Element>({s.n, s.k});
            auto y = memory.template output<Result>({s.m, s.n});
            return gemm(x, w) | ops(memory, s) | store(y);
        },
        random_shapes(shapes), growth);
}

} // namespace

TEST(programs_epilogues, plain) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto y = memory.template output<float>({s.m, s.n});
            return gemm(x, w) | store(y);
        },
        random_shapes(6));
}

TEST(programs_epilogues, bias_residual_silu) {
    check_chain<half>(
        [](auto& memory, const shape& s) {
            return bias(memory.template input<half>({s.n})) |
                   residual(memory.template input<half>({s.m, s.n})) | silu();
        },
        6, {.gain = 1.1});
}

TEST(programs_epilogues, bias_residual_silu_bf16) {
    check_chain<bf16>(
        [](auto& memory, const shape& s) {
            return bias(memory.template input<float>({s.n})) |
                   residual(memory.template input<bf16>({s.m, s.n}, {.padding = 3})) | silu();
        },
        6, {.gain = 1.1});
}

TEST(programs_epilogues, scales_along_everything) {
    check_chain<half, float>([](auto& memory, const shape& s) {
        return scale(0.25f) | scale(per_tensor(memory.template input<float>({1}))) |
               scale(per_row(memory.template input<float>({s.m}))) |
               scale(per_column(memory.template input<half>({s.n}))) |
               scale(per_group(memory.template input<float>({s.m, (s.n + 31) / 32}), 32));
    });
}

TEST(programs_epilogues, add_mul_scale_shift) {
    check_chain<half>(
        [](auto& memory, const shape& s) {
            return add(memory.template input<half, layout::column_major>({s.m, s.n})) |
                   mul(memory.template input<bf16>({s.m, s.n})) |
                   scale_shift(per_column(memory.template input<float>({s.n})),
                               per_column(memory.template input<float>({s.n})));
        },
        4, {.gain = 2});
}

TEST(programs_epilogues, own_functor) {
    const float threshold = 0.5f;
    check_chain<half>([=](auto&, const shape&) {
        return map([=](auto x) { return x > threshold ? x : x * 0.5f; });
    });
}

TEST(programs_epilogues, functor_of_position) {
    check_chain<bf16, float>([](auto&, const shape&) {
        return map(
            [](auto x, const coordinate& at) { return at.row() % 3 == at.column() % 3 ? x : -x; });
    });
}

TEST(programs_epilogues, twelve_ops) {
    check_chain<half>(
        [](auto& memory, const shape& s) {
            return scale(0.125f) | bias(memory.template input<half>({s.n})) | leaky_relu(0.1f) |
                   add(memory.template input<half>({s.m, s.n})) | elu(0.5f) |
                   mul(memory.template input<half>({s.m, s.n})) | softplus() |
                   scale_shift(per_row(memory.template input<float>({s.m})), 0.5f) |
                   soft_cap(4.0f) | residual(memory.template input<half>({s.m, s.n})) |
                   clamp(-1.5f, 2.5f) | gelu();
        },
        5, {.gain = 4});
}

TEST(programs_epilogues, bounded_activations) {
    check_chain<half, float>(
        [](auto&, const shape&) {
            return gelu_tanh() | quick_gelu() | hard_swish() | relu6() | r9v::tanh();
        },
        4, {.gain = 3});
}

TEST(programs_epilogues, squashing_activations) {
    check_chain<bf16, float>(
        [](auto& memory, const shape& s) {
            return mish() | prelu(per_column(memory.template input<float>({s.n}))) | r9v::abs() |
                   hard_sigmoid() | r9v::square() | sigmoid() | r9v::exp() | relu();
        },
        4, {.gain = 4});
}

TEST(programs_epilogues, every_activation_at_run_time) {
    for (int kind = 0; kind <= static_cast<int>(activation_kind::exp); ++kind) {
        SCOPED_TRACE(kind);
        check_program<half>(
            [=](auto memory, const shape& s) {
                auto x = memory.template input<half>({s.m, s.k});
                auto w = memory.template input<half>({s.n, s.k}, {}, {.low = -0.2, .high = 0.2});
                auto y = memory.template output<float>({s.m, s.n});
                return gemm(x, w) | activation(static_cast<activation_kind>(kind)) | store(y);
            },
            {{33, 48, 17}, {128, 136, 40}, {1, 31, 100}}, {.gain = 64});
    }
}

TEST(programs_epilogues, optional_operands) {
    for (const bool present : {false, true}) {
        check_program<half>(
            [=](auto memory, const shape& s) {
                auto x = memory.template input<half>({s.m, s.k});
                auto w = memory.template input<half>({s.n, s.k});
                auto b = memory.template input<half>({s.n});
                auto r = memory.template input<half>({s.m, s.n});
                auto y = memory.template output<half>({s.m, s.n});
                if (!present) b.data = nullptr;
                if (!present) r.data = nullptr;
                return gemm(x, w) | optional(bias(b)) | optional(residual(r)) | relu() | store(y);
            },
            random_shapes(4));
    }
}

TEST(programs_epilogues, in_place_residual) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half, layout::column_major>({s.n, s.k});
            auto y = memory.template in_place<half>({s.m, s.n});
            return gemm(x, w) | residual(y) | gelu_tanh() | store(y);
        },
        random_shapes(6), {.gain = 1.2});
}

// Concatenation: two programs' results side by side in one wider matrix.
TEST(programs_epilogues, slices_of_a_wider_result) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto wide = memory.template in_place<half>({s.m, 2 * s.n + 8});
            return gemm(x, w) | residual(slice(wide, 1, 0, s.n)) |
                   store(slice(wide, 1, s.n + 8, s.n));
        },
        random_shapes(5));
}

} // namespace r9v_test
