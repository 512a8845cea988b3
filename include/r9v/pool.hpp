// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// max_pool(x, window), average_pool(x, window), global_average_pool(x), chained_max_pool(x, chain),
// and everything that such a program needs: ops, tensors, launch.
#pragma once

#include <r9v/kernels/pool/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
