// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels whose machine code check_own_filter.py reads: transposed convolutions and those over
// volumes. Each carries its name as an op of the program, so that the mangled name of the kernel
// has it.
#include <r9v/kernels/conv/transposed/kernel.hpp>
#include <r9v/kernels/conv/volume/kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T, int Rank>
using map_of = tensor<const T, Rank>;
using floats = tensor<const float, 1>;
template<class T>
constexpr packed_transposed_filter<T, space::device> transposed_weights{};
template<class T>
constexpr packed_volume_filter<T, space::device> volume_weights{};

} // namespace

#define KERNEL(kernel, geometry, name, tile, ...)                                                  \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(detail::tile##_conv_tile.threads()) void                                   \
    r9v::kernel<arch::gfx12, detail::tile##_conv_tile, name##_program>(name##_program, geometry)

#define TRANSPOSED(name, tile, element, ...)                                                       \
    KERNEL(conv_transpose_kernel, conv_transpose_geometry, name, tile,                             \
           conv_transpose2d(map_of<element, 4>{}, transposed_weights<element>) | label<name>() |   \
               __VA_ARGS__)
#define VOLUME(name, tile, element, ...)                                                           \
    KERNEL(conv_volume_kernel, conv_volume_geometry, name, tile,                                   \
           conv3d(map_of<element, 5>{}, volume_weights<element>) | label<name>() | __VA_ARGS__)
#define RICH                                                                                       \
    scale_shift(floats{}, floats{}) | residual(map_of<half, 4>{}) | silu() |                       \
        residual(map_of<half, 4>{}) | tee(tensor<half, 4>{}) | scale(0.5f) |                       \
        store(tensor<bf16, 4>{})

TRANSPOSED(transposed_large_f16, large, half, store(tensor<half, 4>{}));
TRANSPOSED(transposed_large_bf16, large, bf16, store(tensor<bf16, 4>{}));
TRANSPOSED(transposed_small_f16, small, half, store(tensor<half, 4>{}));
TRANSPOSED(transposed_scattered_f16, scattered, half, store(tensor<half, 4>{}));
TRANSPOSED(transposed_large_rich, large, half, RICH);
TRANSPOSED(transposed_small_rich, small, half, RICH);
VOLUME(volume_large_f16, large, half, store(tensor<half, 4>{}));
VOLUME(volume_large_bf16, large, bf16, store(tensor<bf16, 4>{}));
VOLUME(volume_small_f16, small, half, store(tensor<half, 4>{}));
VOLUME(volume_scattered_f16, scattered, half, store(tensor<half, 4>{}));
VOLUME(volume_large_rich, large, half, RICH);
VOLUME(volume_small_rich, small, half, RICH);
KERNEL(conv_transpose_kernel, conv_transpose_geometry, transposed_large_treated, large,
       conv_transpose2d(map_of<half, 4>{} | scale_shift(floats{}, floats{}) | silu(),
                        transposed_weights<half>) |
           label<transposed_large_treated>() | store(tensor<half, 4>{}));
KERNEL(conv_volume_kernel, conv_volume_geometry, volume_large_treated, large,
       conv3d(map_of<bf16, 5>{} | scale_shift(floats{}, floats{}) | silu(), volume_weights<bf16>) |
           label<volume_large_treated>() | store(tensor<bf16, 4>{}));
