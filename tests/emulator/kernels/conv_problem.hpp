// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions with random data, for tests that look at how their kernels execute.
#pragma once

#include "problem.hpp"

namespace r9v_test {

/// Cycles of the vector unit: WMMA and other VALU by their occupancy, 4 for a transcendental beside
/// WMMA (measured on RDNA4).
inline double vector_cycles(const r9v_emulator::launch_counts& c) {
    return static_cast<double>(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
}

struct conv_size {
    index_t images = 1;
    index_t height = 32;
    index_t width = 32;
    index_t c = 128;
    index_t k = 128;
    index_t r = 3;
    index_t s = 3;
    r9v::convolution how{.pad = 1};

    [[nodiscard]] r9v::filter_extents filter() const { return {k, r, s, c / how.groups}; }
    [[nodiscard]] index_t p() const {
        return r9v::convolved_extent(height, r, how.stride.height, how.dilation.height, how.pad.top,
                                     how.pad.bottom);
    }
    [[nodiscard]] index_t q() const {
        return r9v::convolved_extent(width, s, how.stride.width, how.dilation.width, how.pad.left,
                                     how.pad.right);
    }
    [[nodiscard]] index_t pixels() const { return images * p() * q(); }
    /// Bytes of the map, the filter and the result, each once.
    [[nodiscard]] index_t bytes() const {
        return 2 * (images * height * width * c + k * r * s * c / how.groups + pixels() * k);
    }
};

/// A map, a filter, run-time scale and shift, a residual and a result.
struct conv_problem {
    conv_size size;
    std::vector<half> packed = pack(size);
    buffer<half> memory_x{
        random_elements<half>(size.images * size.height * size.width * size.c, 1)};
    buffer<half> memory_f{packed};
    buffer<float> memory_scale{random_elements<float>(size.k, 3)};
    buffer<float> memory_shift{random_elements<float>(size.k, 4)};
    buffer<half> memory_r{random_elements<half>(size.pixels() * size.k, 5)};
    buffer<half> memory_y{size.pixels() * size.k};
    r9v::stream s{};

    explicit conv_problem(const conv_size& of) : size{of} {}

    auto result() const { return memory_y.view({size.images, size.p(), size.q(), size.k}); }
    auto product() const {
        return r9v::conv2d(memory_x.view({size.images, size.height, size.width, size.c}),
                           r9v::filter(memory_f.data(), size.filter()), size.how);
    }
    auto plain() const { return product() | r9v::store(result()); }
    auto fused() const {
        return product() |
               r9v::scale_shift(memory_scale.view({size.k}), memory_shift.view({size.k})) |
               r9v::silu() |
               r9v::residual(memory_r.view({size.images, size.p(), size.q(), size.k})) |
               r9v::store(result());
    }
    /// The GEMM of as many rows, columns and steps, over other numbers, and the same fused.
    auto gemm() const {
        const index_t depth = size.r * size.s * size.c;
        return r9v::gemm(memory_x.view({size.pixels(), depth}), memory_f.view({size.k, depth}));
    }
    auto plain_gemm() const { return gemm() | r9v::store(memory_y.view({size.pixels(), size.k})); }
    auto fused_gemm() const {
        return gemm() | r9v::scale_shift(memory_scale.view({size.k}), memory_shift.view({size.k})) |
               r9v::silu() | r9v::residual(memory_r.view({size.pixels(), size.k})) |
               r9v::store(memory_y.view({size.pixels(), size.k}));
    }

    template<auto Tile, class Program>
    r9v_emulator::launch_counts count(const Program& p) const {
        r9v::launch<Tile>(s, p);
        s.synchronize();
        return r9v_emulator::last_counts();
    }

private:
    static std::vector<half> pack(const conv_size& size) {
        const r9v::filter_extents of = size.filter();
        const std::vector<half> plain = random_elements<half>(of.k * of.r * of.s * of.c, 2);
        std::vector<half> packed(static_cast<std::size_t>(r9v::packed_filter_elements(of)));
        r9v::pack_filter(r9v::host_tensor{plain.data(), {of.k, of.r, of.s, of.c}}, packed.data());
        return packed;
    }
};

} // namespace r9v_test
