// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of stem filters whose machine code check_stem.py reads. Each carries its name as an
// op of the program, so that the mangled name of the kernel has it.
#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/conv/stem/pool_kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using map4 = tensor<const T, 4>;
template<class T>
using result = tensor<T, 4>;
using vector = tensor<const float, 1>;

template<class T, class Name, class Input>
constexpr auto of(const Input& x) {
    return conv2d(x, packed_filter<T, space::device, filter_kind::stem>{}) | label<Name>();
}

constexpr stem_tile wide = r9v::detail::wide_stem_tile;
constexpr stem_tile narrow = r9v::detail::narrow_stem_tile;
constexpr stem_tile pooled = r9v::detail::pooled_stem_tile;
constexpr pooling halving{.window = 3, .stride = 2, .pad = 1};

} // namespace

#define KERNEL(name, kernel, tile, ...)                                                            \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(tile.threads()) void r9v::kernel<arch::gfx12, tile, name##_program>(       \
        name##_program, stem_geometry)

KERNEL(wide_f16, stem_kernel, wide,
       of<half, wide_f16>(map4<half>{}) | scale_shift(vector{}, vector{}) | relu() |
           store(result<half>{}));
KERNEL(wide_prologue, stem_kernel, wide,
       of<half, wide_prologue>(map4<half>{} | scale_shift(vector{}, vector{})) | bias(vector{}) |
           relu() | store(result<half>{}));
KERNEL(narrow_f16, stem_kernel, narrow,
       of<half, narrow_f16>(map4<half>{}) | bias(vector{}) | silu() | store(result<half>{}));
KERNEL(narrow_bf16, stem_kernel, narrow,
       of<bf16, narrow_bf16>(map4<bf16>{}) | bias(vector{}) | relu() |
           residual(tensor<const bf16, 4>{}) | store(result<bf16>{}));
KERNEL(pooled_f16, pooled_stem_kernel, pooled,
       of<half, pooled_f16>(map4<half>{}) | scale_shift(vector{}, vector{}) | relu() |
           max_pool(halving) | store(result<half>{}));
KERNEL(pooled_bf16, pooled_stem_kernel, pooled,
       of<bf16, pooled_bf16>(map4<bf16>{}) | bias(vector{}) | max_pool(halving) | silu() |
           store(result<bf16>{}));
KERNEL(long_chain, stem_kernel, wide,
       of<half, long_chain>(map4<half>{}) | bias(vector{}) | activation(activation_kind{}) |
           store(result<half>{}));
