// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// append_key_value(k, v, rotary) | store(cache), rotate(x, rotary) | ... | store(y), and everything
// that such programs need: caches, embeddings, ops, tensors, launch.
#pragma once

#include <r9v/kernels/cache/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>
