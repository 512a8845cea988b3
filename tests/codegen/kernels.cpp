// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels whose machine code check_codegen.py reads. Each carries its name as an op of the
// program, so that the mangled name of the kernel has it.
#include <r9v/kernels/gemm/kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using rows = tensor<const T, 2>;
template<class T>
using columns = tensor<const T, 2, layout::column_major>;
using strided = tensor<const half, 2, layout::strided>;
using vector = tensor<const half, 1>;
using floats = tensor<const float, 1>;
template<class T>
using result = tensor<T, 2>;

} // namespace

#define KERNEL(name, tile, ...)                                                                    \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(detail::tile##_tile(detail::traits_of<name##_program>).threads()) void     \
    r9v::gemm_kernel<arch::gfx12, detail::tile##_tile(detail::traits_of<name##_program>),          \
                     name##_program>(name##_program, gemm_geometry)

#define NAMED(name) label<name>()

KERNEL(large_f16_nk, large,
       gemm(rows<half>{}, rows<half>{}) | NAMED(large_f16_nk) | store(result<half>{}));
KERNEL(large_f16_kn, large,
       gemm(rows<half>{}, columns<half>{}) | NAMED(large_f16_kn) | store(result<half>{}));
KERNEL(large_bf16_nk, large,
       gemm(rows<bf16>{}, rows<bf16>{}) | NAMED(large_bf16_nk) | store(result<bf16>{}));
KERNEL(large_bf16_kn, large,
       gemm(rows<bf16>{}, columns<bf16>{}) | NAMED(large_bf16_kn) | store(result<bf16>{}));
KERNEL(large_f16_transposed_x, large,
       gemm(columns<half>{}, rows<half>{}) | NAMED(large_f16_transposed_x) | store(result<half>{}));
KERNEL(large_f16_fused, large,
       gemm(rows<half>{}, rows<half>{}) | NAMED(large_f16_fused) | bias(vector{}) |
           residual(rows<half>{}) | silu() | store(result<half>{}));
KERNEL(large_f16_both, large,
       gemm(rows<half>{}, both(rows<half>{}, rows<half>{})) | NAMED(large_f16_both) | swiglu() |
           store(result<half>{}));
KERNEL(large_f16_prologue, large,
       gemm(rows<half>{} | scale(per_row(floats{})) | silu(), rows<half>{}) |
           NAMED(large_f16_prologue) | store(result<half>{}));
KERNEL(large_f16_long_chain, large,
       gemm(rows<half>{}, rows<half>{}) | NAMED(large_f16_long_chain) | bias(vector{}) |
           residual(rows<half>{}) | gelu() | mul(rows<half>{}) | mish() | softplus() |
           clamp(-1.0f, 1.0f) | add(rows<half>{}) | tanh() | store(result<half>{}));
KERNEL(medium_f16_nk, medium,
       gemm(rows<half>{}, rows<half>{}) | NAMED(medium_f16_nk) | store(result<half>{}));
KERNEL(medium_bf16_kn, medium,
       gemm(rows<bf16>{}, columns<bf16>{}) | NAMED(medium_bf16_kn) | store(result<bf16>{}));
KERNEL(medium_f16_strided, medium,
       gemm(strided{}, strided{}) | NAMED(medium_f16_strided) | store(result<half>{}));
KERNEL(skinny_f16_nk, skinny,
       gemm(rows<half>{}, rows<half>{}) | NAMED(skinny_f16_nk) | store(result<half>{}));
KERNEL(skinny_bf16_kn, skinny,
       gemm(rows<bf16>{}, columns<bf16>{}) | NAMED(skinny_bf16_kn) | store(result<bf16>{}));
KERNEL(skinny_f16_both, skinny,
       gemm(rows<half>{}, both(rows<half>{}, rows<half>{})) | NAMED(skinny_f16_both) | swiglu() |
           store(result<half>{}));
