// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The decode kernels whose machine code check_decode.py reads. Each carries its name as an op of
// the program, so that the mangled name of the kernel has it.
#include <r9v/kernels/attention/decode_kernel.hpp>
#include <r9v/ops.hpp>

#include "label.hpp"

namespace {

using namespace r9v;

template<class T>
using heads = tensor<const T, 4>;
using indices = tensor<const std::int32_t, 1>;
using table = tensor<const std::int32_t, 2>;

/// Queries of `Rows` heads share a key head. `Keys` and `Values` are forms of sequences.
template<class Name, int Dim, class T, class Scores>
constexpr auto decode(heads<T> k, Scores scores) {
    return attention<Dim>(heads<T>{}, k, k, scores) | label<Name>() | store(tensor<T, 4>{});
}
template<class Name, int Dim, class T, class Scores>
constexpr auto decode_paged(heads<T> pages, Scores scores) {
    const auto k = paged(pages, table{}, indices{});
    return attention<Dim>(heads<T>{}, k, k, scores) | label<Name>() | store(tensor<T, 4>{});
}

template<int Dim, int Rows>
inline constexpr attention_tile tile_of =
    detail::decode_tile({.dims = {Dim, Dim}, .scores = {}}, Rows);

} // namespace

#define KERNEL(name, dim, rows, program)                                                           \
    struct name;                                                                                   \
    using name##_program = decltype(program);                                                      \
    template R9V_KERNEL((tile_of<dim, rows>.threads())) void                                       \
    r9v::attention_decode_kernel<arch::gfx12, tile_of<dim, rows>, name##_program>(                 \
        name##_program, attention_geometry)

KERNEL(decode_f16, 128, 4, (decode<decode_f16, 128>(heads<half>{}, scale(0.1f))));
KERNEL(decode_bf16, 128, 4, (decode<decode_bf16, 128>(heads<bf16>{}, scale(0.1f))));
KERNEL(decode_short_rows, 64, 4, (decode<decode_short_rows, 64>(heads<half>{}, scale(0.1f))));
KERNEL(decode_long_rows, 256, 4, (decode<decode_long_rows, 256>(heads<half>{}, scale(0.1f))));
KERNEL(decode_pages, 128, 4, (decode_paged<decode_pages, 128>(heads<half>{}, scale(0.1f))));
KERNEL(decode_eight, 128, 8, (decode<decode_eight, 128>(heads<half>{}, scale(0.1f))));
KERNEL(decode_causal, 128, 4,
       (decode<decode_causal, 128>(heads<half>{}, scale(0.1f) | causal(bottom_right))));
KERNEL(decode_capped, 128, 4,
       (decode<decode_capped, 128>(heads<half>{}, scale(0.1f) | soft_cap(30.0f) |
                                                      causal(bottom_right) | window(1024))));
