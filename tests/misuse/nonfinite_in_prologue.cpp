// expect: r9v: a prologue takes maps, operands, masks and tee().
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<std::uint64_t, 1> report,
             r9v::tensor<r9v::half, 2> y) {
    const auto op = r9v::find_nonfinite(report); // instead: const auto op = r9v::tee(y);
    return rms_norm(x | op) | r9v::store(y);
}
