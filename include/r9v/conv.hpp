// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// conv2d(x, filter, geometry), conv1d, conv_transpose2d, conv3d, and everything that such programs
// need: filters, ops, tensors, launch.
#pragma once

#include <r9v/kernels/conv/depthwise/family.hpp>
#include <r9v/kernels/conv/family.hpp>
#include <r9v/kernels/conv/fold_batch_norm.hpp>
#include <r9v/kernels/conv/stem/family.hpp>
#include <r9v/kernels/conv/transposed/family.hpp>
#include <r9v/kernels/conv/volume/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
