// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// gemm(x, w) and everything that a GEMM program needs: ops, tensors, launch.
#pragma once

#include <r9v/kernels/gemm/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
