// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// attention(q, k, v, score_ops) and everything that an attention program needs: forms of keys and
// values, ops, tensors, launch.
#pragma once

#include <r9v/kernels/attention/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
