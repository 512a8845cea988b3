// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The depthwise kernels whose machine code check_depthwise.py reads. Each carries its name as an op
// of the program, so that the mangled name of the kernel has it.
#include <r9v/kernels/conv/depthwise/kernel.hpp>
#include <r9v/kernels/conv/problem.hpp>
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
    return conv2d(x, packed_filter<T, space::device, filter_kind::depthwise>{}) | label<Name>();
}

constexpr depthwise_tile staged = r9v::detail::staged_depthwise_tile;
constexpr depthwise_tile direct = r9v::detail::direct_depthwise_tile;

} // namespace

#define KERNEL(name, tile, ...)                                                                    \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(tile.threads()) void                                                       \
    r9v::depthwise_kernel<arch::gfx12, tile, name##_program>(name##_program, depthwise_geometry)

KERNEL(staged_f16, staged,
       of<half, staged_f16>(map4<half>{}) | bias(vector{}) | relu() | store(result<half>{}));
KERNEL(staged_bf16, staged,
       of<bf16, staged_bf16>(map4<bf16>{}) | bias(vector{}) | relu() | store(result<bf16>{}));
// A chain of this length is compiled once, in a loop over pixels.
KERNEL(staged_long_chain, staged,
       of<half, staged_long_chain>(map4<half>{}) | scale_shift(vector{}, vector{}) | silu() |
           residual(map4<half>{}) | clamp(-1.0f, 1.0f) | gelu() | store(result<half>{}));
KERNEL(staged_prologue, staged,
       of<half, staged_prologue>(map4<half>{} | scale_shift(vector{}, vector{}) | silu()) | relu() |
           store(result<half>{}));
KERNEL(direct_f16, direct,
       of<half, direct_f16>(map4<half>{}) | bias(vector{}) | relu() | store(result<half>{}));
