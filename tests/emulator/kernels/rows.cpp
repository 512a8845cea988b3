// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What row kernels move and execute, as counted by the emulator, against the bytes of the tensors.

#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

#include "problem.hpp"
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

/// Runs a program once and returns what its kernels did.
template<class Program>
launch_counts count(const Program& p) {
    const r9v::stream s;
    r9v::launch(s, p);
    s.synchronize();
    return r9v_emulator::last_counts();
}

void print(const char* what, index_t rows, index_t columns, const launch_counts& c) {
    const auto elements = static_cast<double>(rows * columns);
    std::printf("%-28s %5lld x %6lld: %5.2f bytes loaded, %5.2f stored, %5.1f vector cycles and "
                "%4.1f transcendentals for each element\n",
                what, static_cast<long long>(rows), static_cast<long long>(columns),
                static_cast<double>(c.global_bytes_loaded) / elements,
                static_cast<double>(c.global_bytes_stored) / elements,
                32 * static_cast<double>(c.valu_cycles) / elements,
                32 * static_cast<double>(c.transcendental) / elements);
}

/// Scores, a bias, and probabilities, all of halves.
struct scores {
    index_t rows;
    index_t columns;
    buffer<half> x{random_elements<half>(rows * columns, 1)};
    buffer<half> bias{random_elements<half>(rows * columns, 2)};
    buffer<half> y{rows * columns};

    [[nodiscard]] auto view_of(const buffer<half>& b) const { return b.view({rows, columns}); }
};

constexpr index_t lengths[] = {8, 40, 256, 1000, 1024, 4096, 8192, 16384};

} // namespace

TEST(row_counts, masked_softmax_moves_input_mask_and_output_alone) {
    for (const index_t columns : lengths) {
        const scores of{std::max<index_t>(4, 16384 / columns), columns};
        const launch_counts c =
            count(softmax(of.view_of(of.x) | scale(0.125f) | add_mask(of.view_of(of.bias))) |
                  store(of.view_of(of.y)));
        const auto elements = static_cast<std::uint64_t>(of.rows * columns);
        print("scale, bias, softmax f16", of.rows, columns, c);
        EXPECT_EQ(c.global_bytes_loaded, 4 * elements) << columns;
        EXPECT_EQ(c.global_bytes_stored, 2 * elements) << columns;
        EXPECT_EQ(c.scratch_accesses, 0u);
    }
}

// What no query of a wave sees is not loaded, and still gets its zeros.
TEST(row_counts, causal_softmax_loads_half) {
    const scores of{1024, 1024};
    const launch_counts c =
        count(softmax(of.view_of(of.x) | causal(bottom_right)) | store(of.view_of(of.y)));
    const double all = 2.0 * 1024 * 1024;
    print("causal softmax f16", 1024, 1024, c);
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), 0.63 * all);
    EXPECT_EQ(static_cast<double>(c.global_bytes_stored), all);
}

TEST(row_counts, norms_read_once) {
    for (const index_t columns : lengths) {
        const scores of{std::max<index_t>(4, 16384 / columns), columns};
        const auto elements = static_cast<std::uint64_t>(of.rows * columns);
        const launch_counts rms = count(rms_norm(of.view_of(of.x)) | store(of.view_of(of.y)));
        print("rms_norm f16", of.rows, columns, rms);
        EXPECT_EQ(rms.global_bytes_loaded, 2 * elements);
        const launch_counts layer = count(layer_norm(of.view_of(of.x)) | store(of.view_of(of.y)));
        print("layer_norm f16", of.rows, columns, layer);
        EXPECT_EQ(layer.global_bytes_loaded, 2 * elements);
        EXPECT_EQ(layer.global_bytes_stored, 2 * elements);
    }
}

TEST(row_counts, long_rows_are_read_twice) {
    const scores of{70, 32768};
    const auto elements = static_cast<double>(of.rows * of.columns);
    const launch_counts c = count(softmax(of.view_of(of.x)) | store(of.view_of(of.y)));
    print("streaming softmax f16", of.rows, of.columns, c);
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), 4.001 * elements);
    EXPECT_EQ(static_cast<double>(c.global_bytes_stored), 2 * elements);
}

} // namespace r9v_test
