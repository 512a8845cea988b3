// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of pools and copies whose machine code check_pool.py reads. Each carries its name as
// an op of the program, so that the mangled name of the kernel has it.
#include <r9v/kernels/copy/kernel.hpp>
#include <r9v/kernels/pool/kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using map4 = tensor<const T, 4>;
template<class T>
using result = tensor<T, 4>;
template<class T>
using first = tensor<T, 4, layout::strided>; ///< channels in front
using vector = tensor<const float, 1>;

template<class Name, class Program>
constexpr auto named(const Program& p) {
    return p | label<Name>();
}

constexpr pool_tile staged{.regime = pool_regime::staged};
constexpr pool_tile direct{};
constexpr copy_tile turned{.regime = copy_regime::turned};
constexpr copy_tile runs{};

} // namespace

#define KERNEL(kernel, geometry, name, tile, ...)                                                  \
    struct name;                                                                                   \
    using name##_program = decltype(__VA_ARGS__);                                                  \
    template R9V_KERNEL(tile.threads) void r9v::kernel<arch::gfx12, tile, name##_program>(         \
        name##_program, geometry)
#define POOL(name, tile, ...) KERNEL(pool_kernel, pool_geometry, name, tile, __VA_ARGS__)
#define COPY(name, tile, ...) KERNEL(copy_kernel, copy_geometry, name, tile, __VA_ARGS__)

POOL(staged_f16, staged,
     named<staged_f16>(max_pool(map4<half>{}, {.window = 3})) | store(result<half>{}));
POOL(staged_bf16, staged,
     named<staged_bf16>(max_pool(map4<bf16>{} | scale_shift(vector{}, vector{}) | silu(),
                                 {.window = 3})) |
         residual(map4<bf16>{}) | store(result<bf16>{}));
POOL(staged_average_f32, staged,
     named<staged_average_f32>(average_pool(map4<float>{}, {.window = 3})) |
         store(result<float>{}));
POOL(direct_f16, direct,
     named<direct_f16>(max_pool(map4<half>{}, {.window = 3})) | store(result<half>{}));
POOL(direct_first, direct,
     named<direct_first>(max_pool(first<const half>{}, {.window = 3})) | store(first<half>{}));
POOL(direct_statistics, direct,
     named<direct_statistics>(average_pool(map4<half>{}, {.window = 3})) |
         sum_rows(tensor<float, 3>{}) | store_upsampled(result<half>{}));
KERNEL(global_pool_kernel, pool_geometry, global_f16, direct,
       named<global_f16>(global_average_pool(map4<half>{})) | store(result<half>{}));
KERNEL(chained_pool_kernel, pool_geometry, chained_f16, staged,
       named<chained_f16>(chained_max_pool(map4<half>{}, {.window = 5})) | store(result<half>{}));
KERNEL(chained_pool_kernel, pool_geometry, chained_bf16, staged,
       named<chained_bf16>(chained_max_pool(map4<bf16>{}, {.window = 5})) | relu() |
           store(result<bf16>{}));
COPY(copy_f16, runs, named<copy_f16>(copy(map4<half>{})) | store(result<half>{}));
COPY(turned_to_last, turned,
     named<turned_to_last>(copy(first<const half>{})) | store(result<half>{}));
COPY(turned_to_front, turned, named<turned_to_front>(copy(map4<half>{})) | store(first<half>{}));
COPY(upsampled_f16, runs,
     named<upsampled_f16>(copy(map4<half>{})) | store_upsampled(result<half>{}));
