// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// copy(x), and everything that such a program needs: ops, tensors, launch.
#pragma once

#include <r9v/kernels/copy/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
