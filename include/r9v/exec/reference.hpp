// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// `r9v::reference`: runs a program on the host, in plain loops and double, through the same op
// objects as the kernels. It needs no GPU and no GPU runtime.
#pragma once

#include <r9v/exec/fills.hpp>
#include <r9v/kernels/family.hpp>

#include <cstring>

namespace r9v::inline R9V_ABI {

/// Where a program runs when it runs on the host: `launch(r9v::reference, program)`. Its tensors
/// are host_tensor views. Blocks until done; allocates host memory for one row.
struct reference_executor {};
inline constexpr reference_executor reference{};

namespace exec {

template<class Head, class Chain>
[[nodiscard]] status run_on_host(const program<Head, Chain>& p) {
    using family = r9v::family<Head>;
    if (status fits = family::check(p); !fits) return fits;
    const fill_list fills = fills_of(p.chain);
    if (!fills.outcome) return fills.outcome;
    for (int i = 0; i < fills.count; ++i) {
        const fill& f = fills.fills[i];
        for (std::size_t row = 0; row < f.rows; ++row)
            std::memset(static_cast<char*>(f.data) + row * f.pitch, f.byte, f.width);
    }
    program<Head, Chain> bound = p;
    family::bind(bound);
    family::run_reference(bound);
    return {};
}

} // namespace exec

} // namespace r9v::inline R9V_ABI
