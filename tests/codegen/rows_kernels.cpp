// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The row kernels whose machine code check_rows.py reads. Each carries its name as an op of the
// program, so that the mangled name of the kernel has it.
#include <r9v/kernels/rows/kernel.hpp>
#include <r9v/ops.hpp>
#include <r9v/ops/mask.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using rows = tensor<const T, 2>;
template<class T>
using across = tensor<const T, 2, layout::column_major>;
template<class T>
using result = tensor<T, 2>;
using vector = tensor<const float, 1>;

template<class Kind, class Name, class Input>
constexpr auto of(const Input& x) {
    return r9v::detail::row_program(x, Kind{}) | label<Name>();
}

constexpr row_tile held = r9v::detail::kernel_tile(r9v::detail::held_tile);
constexpr row_tile streaming = r9v::detail::kernel_tile(r9v::detail::streaming_tile);

} // namespace

#define KERNEL(name, tile, ...)                                                                    \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(tile.threads()) void r9v::row_kernel<arch::gfx12, tile, name##_program>(   \
        name##_program, row_geometry)

KERNEL(held_f16, held, of<row_softmax, held_f16>(rows<half>{}) | store(result<half>{}));
KERNEL(held_f32, held, of<row_softmax, held_f32>(rows<float>{}) | store(result<float>{}));
KERNEL(held_bf16_fp8, held,
       of<row_softmax, held_bf16_fp8>(rows<bf16>{}) | quantize(0.01f) | store(result<fp8_e4m3>{}));
KERNEL(held_masked, held,
       of<row_softmax, held_masked>(rows<half>{} | scale(0.125f) | add_mask(rows<half>{}) |
                                    causal(bottom_right)) |
           store(result<half>{}));
KERNEL(held_across, held, of<row_softmax, held_across>(across<half>{}) | store(result<half>{}));
KERNEL(held_rms_norm, held,
       of<row_rms_norm, held_rms_norm>(rows<half>{} | residual(rows<half>{}) |
                                       tee(result<half>{})) |
           scale(per_column(vector{})) | store(result<half>{}));
KERNEL(held_layer_norm, held,
       of<row_layer_norm, held_layer_norm>(rows<bf16>{}) | scale_shift(vector{}, vector{}) |
           store(result<bf16>{}));
KERNEL(held_long_chain, held,
       of<row_softmax, held_long_chain>(rows<half>{}) | scale(per_column(vector{})) |
           residual(rows<half>{}) | gelu() | mul(rows<half>{}) | mish() | softplus() |
           clamp(-1.0f, 1.0f) | add(rows<half>{}) | tanh() | store(result<half>{}));
KERNEL(streaming_f16, streaming,
       of<row_softmax, streaming_f16>(rows<half>{}) | store(result<half>{}));
KERNEL(streaming_f32, streaming,
       of<row_log_softmax, streaming_f32>(rows<float>{}) | store(result<float>{}));
KERNEL(streaming_layer_norm, streaming,
       of<row_layer_norm, streaming_layer_norm>(rows<half>{}) | scale_shift(vector{}, vector{}) |
           store(result<half>{}));
