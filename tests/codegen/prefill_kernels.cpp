// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The prefill kernels whose machine code check_prefill.py reads, in parts so that they compile side
// by side. Each carries its name as an op of the program, so that the mangled name of the kernel
// has it.
#include <r9v/kernels/attention/prefill_kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using rows = tensor<const T, 4>;
template<class T>
using result = tensor<T, 4>;
using numbers = tensor<const std::int32_t, 1>;
using table = tensor<const std::int32_t, 2>;
using booleans = tensor<const std::uint8_t, 4>;

} // namespace

#define KERNEL(name, T, dim, value_dim, k, v, ...)                                                 \
    struct name;                                                                                   \
    using name##_program = decltype(attention<dim, value_dim>(rows<T>{}, k, v, __VA_ARGS__) |      \
                                    label<name>() | store(result<T>{}));                           \
    inline constexpr attention_tile name##_tile =                                                  \
        detail::large_prefill_tile(detail::attention_traits_of<name##_program::head_type>);        \
    template R9V_KERNEL(name##_tile.threads()) void                                                \
    r9v::attention_prefill_kernel<arch::gfx12, name##_tile, name##_program>(name##_program,        \
                                                                            attention_geometry)
#define DENSE(name, T, dim, value_dim, ...)                                                        \
    KERNEL(name, T, dim, value_dim, rows<T>{}, rows<T>{}, __VA_ARGS__)
#define DIM(dim) DENSE(prefill_dim_##dim, half, dim, dim, scale(0.125f))

#if PART == 0
DENSE(prefill_f16_128, half, 128, 128, scale(0.125f));
DENSE(prefill_f16_128_causal, half, 128, 128, scale(0.125f) | causal(bottom_right));
DENSE(prefill_bf16_128, bf16, 128, 128, scale(0.125f));
DENSE(prefill_f16_64, half, 64, 64, scale(0.125f));
DENSE(prefill_f16_64_causal, half, 64, 64, scale(0.125f) | causal(bottom_right));
DENSE(prefill_bf16_64, bf16, 64, 64, scale(0.125f));
#elif PART == 1
DENSE(prefill_capped, bf16, 128, 128, scale(0.125f) | soft_cap(30.0f) | causal(bottom_right));
DENSE(prefill_biased, half, 64, 64, scale(0.125f) | add_mask(rows<half>{}));
DENSE(prefill_wide_masks, half, 256, 256,
      scale(0.125f) | soft_cap(30.0f) | r9v::where(booleans{}) | window(1024));
KERNEL(prefill_pages, half, 128, 128, paged(rows<half>{}, table{}, numbers{}),
       paged(rows<half>{}, table{}, numbers{}), scale(0.125f) | causal(bottom_right));
DENSE(prefill_f16_192_128, half, 192, 128, scale(0.125f));
DIM(256);
#elif PART == 2
DIM(16);
DIM(32);
DIM(48);
DIM(80);
DIM(96);
DIM(112);
DIM(144);
#elif PART == 3
DIM(160);
DIM(176);
DIM(192);
DIM(208);
DIM(224);
DIM(240);
#endif
