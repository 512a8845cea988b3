// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "layer.hpp"

namespace layer::inline R9V_ABI {

inline int run_on_gpu() {
    const r9v::stream s;
    const r9v::buffer x_buffer{x()};
    const r9v::buffer w_buffer{w()};
    const r9v::buffer b_buffer{b()};
    const r9v::buffer<float> y_buffer{rows * columns};
    r9v::launch(s, r9v::gemm(x_buffer.view({rows, inner}), w_buffer.view({columns, inner})) |
                       r9v::bias(b_buffer.view({columns})) | r9v::relu() |
                       r9v::store(y_buffer.view({rows, columns})));
    return wrong_values(y_buffer.download(s));
}

} // namespace layer::inline R9V_ABI
