// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A few programs that together touch every part of a kernel, compiled once per set of flags.

#include <tests/programs/program_test.hpp>

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v::index_t;

TEST(flags, layer) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto b = memory.template input<half>({s.n});
            auto skip = memory.template input<half>({s.m, s.n});
            auto y = memory.template output<half>({s.m, s.n});
            return gemm(x, w) | bias(b) | residual(skip) | silu() | store(y);
        },
        {{1, 33, 100}, {17, 31, 15}, {257, 200, 129}}, {.gain = 1.1});
}

TEST(flags, prologue_and_weights_stored_by_rows_of_k) {
    check_program<bf16>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<bf16>({s.m, s.k});
            auto w = memory.template input<bf16, layout::column_major>({s.n, s.k});
            auto y = memory.template output<float>({s.m, s.n}, {.padding = 1});
            return gemm(x | map([](auto v) { return v + 1.0f; }), w) | scale(0.5f) | store(y);
        },
        {{7, 8, 33}, {129, 96, 64}}, {.magnitude = 2, .rounds_source = true});
}

TEST(flags, gate_taps_and_fp8) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto gate = memory.template input<half>({s.n, s.k});
            auto up = memory.template input<half>({s.n, s.k});
            auto h16 = memory.template output<half>({s.m, s.n});
            auto amax = memory.template output<float>({s.m});
            auto h = memory.template output<fp8_e4m3>({s.m, s.n});
            return gemm(x, both(gate, up)) | swiglu() | tee(h16) | absmax_rows(amax) | store(h);
        },
        {{2, 48, 16}, {128, 100, 64}}, {.gain = 60});
}

// Under -ffast-math a compiler may believe that no value is infinite; the test works on bits. The
// infinities come from data, so that no compiler can see them coming.
TEST(flags, infinity_is_found) {
    check_program<half>(
        [](auto memory, const shape& s) {
            auto x = memory.template input<half>({s.m, s.k});
            auto w = memory.template input<half>({s.n, s.k});
            auto huge = memory.template input<float>({s.n}, {}, {.low = 1e38, .high = 3e38});
            auto report = memory.template output<std::uint64_t>({1});
            auto y = memory.template output<float>({s.m, s.n});
            return gemm(x, w) | scale(per_column(huge)) | find_nonfinite(report) | store(y);
        },
        {{33, 48, 17}, {1, 16, 8}}, {.gain = 1e42});
}

} // namespace r9v_test
