// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels whose machine code check_conv.py reads. Each carries its name as an op of the
// program, so that the mangled name of the kernel has it.
#include <r9v/kernels/conv/kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using map_of = tensor<const T, 4>;
using strided_map = tensor<const half, 4, layout::strided>;
using floats = tensor<const float, 1>;
template<class T>
using result = tensor<T, 4>;
template<class T>
constexpr auto weights() {
    return filter(static_cast<const T*>(nullptr), {});
}

} // namespace

#define KERNEL(name, tile, ...)                                                                    \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(detail::tile##_conv_tile.threads()) void                                   \
    r9v::conv_kernel<arch::gfx12, detail::tile##_conv_tile, name##_program>(name##_program,        \
                                                                            conv_geometry)

#define PLAIN(name, tile, element)                                                                 \
    KERNEL(name, tile,                                                                             \
           conv2d(map_of<element>{}, weights<element>()) | label<name>() |                         \
               store(result<element>{}))
#define RICH(name, tile)                                                                           \
    KERNEL(name, tile,                                                                             \
           conv2d(map_of<half>{}, weights<half>()) | label<name>() |                               \
               scale_shift(floats{}, floats{}) | residual(map_of<half>{}) | silu() |               \
               residual(map_of<half>{}) | tee(result<half>{}) | scale(0.5f) |                      \
               store(result<bf16>{}))
#define TREATED(name, tile)                                                                        \
    KERNEL(name, tile,                                                                             \
           conv2d(map_of<half>{} | scale_shift(floats{}, floats{}) | silu(), weights<half>()) |    \
               label<name>() | store(result<half>{}))

PLAIN(conv_large_f16, large, half);
PLAIN(conv_large_bf16, large, bf16);
PLAIN(conv_small_f16, small, half);
PLAIN(conv_streamed_f16, streamed, half);
PLAIN(conv_streamed_bf16, streamed, bf16);
PLAIN(conv_scattered_f16, scattered, half);
RICH(conv_large_rich, large);
RICH(conv_small_rich, small);
RICH(conv_streamed_rich, streamed);
RICH(conv_scattered_rich, scattered);
TREATED(conv_large_treated, large);
TREATED(conv_small_treated, small);
TREATED(conv_streamed_treated, streamed);
TREATED(conv_scattered_treated, scattered);
KERNEL(conv_scattered_strided, scattered,
       conv2d(strided_map{}, weights<half>()) | label<conv_scattered_strided>() |
           store(result<half>{}));
