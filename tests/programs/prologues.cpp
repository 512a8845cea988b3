// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops fused into the load of x; padding stays zero behind them.

#include "program_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

template<class Element, layout X = layout::row_major, layout W = layout::row_major, class Prologue>
void check_prologue(const Prologue& ops, error_growth growth, placement place = {},
                    values range = {}) {
    growth.rounds_source = true;
    check_program<Element>(
        [=](auto memory, const shape& s) {
            auto x = memory.template input<Element, X>({s.m, s.k}, place, range);
            auto w = memory.template input<Element, W>({s.n, s.k}, place);
            auto b = memory.template input<Element>({s.n});
            auto y = memory.template output<Element>({s.m, s.n});
            return gemm(x | ops(memory, s), w) | bias(b) | store(y);
        },
        random_shapes(5), growth);
}

} // namespace

// exp(0) = 1 and x + 1 = 1 at the padding would show in every ragged k.
TEST(programs_prologues, map_that_moves_zero) {
    check_prologue<half>([](auto&, const shape&) { return map([](auto x) { return x + 1.0f; }); },
                         {.magnitude = 2});
}
TEST(programs_prologues, exponential_kn) {
    const auto ops = [](auto&, const shape&) {
        return r9v::exp() | scale(0.25f);
    };
    check_prologue<half, layout::row_major, layout::column_major>(ops, {.magnitude = 0.7});
    // exp(12.5) / 4 is beyond half: infinite, and not a number where infinities meet.
    check_prologue<half, layout::row_major, layout::column_major>(ops, {.magnitude = 65504}, {},
                                                                  {.low = 8, .high = 12.6});
}
TEST(programs_prologues, scales_per_row_and_column) {
    check_prologue<half>(
        [](auto& memory, const shape& s) {
            return scale(per_row(memory.template input<float>({s.m}))) |
                   scale(per_column(memory.template input<half>({s.k})));
        },
        {.magnitude = 1});
}
TEST(programs_prologues, normalise_and_activate_bf16) {
    check_prologue<bf16>(
        [](auto& memory, const shape& s) {
            return scale_shift(per_row(memory.template input<float>({s.m})),
                               per_column(memory.template input<float>({s.k}))) |
                   silu();
        },
        {.magnitude = 1.8});
}
TEST(programs_prologues, column_major_and_odd_addresses) {
    check_prologue<half, layout::column_major>(
        [](auto&, const shape&) { return map([](auto x) { return x * x + 0.5f; }); },
        {.magnitude = 1.5}, {.offset = 1, .padding = 3});
}
TEST(programs_prologues, strided_source) {
    check_prologue<bf16, layout::strided>([](auto&, const shape&) { return sigmoid(); },
                                          {.magnitude = 0.8});
}

} // namespace r9v_test
