// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Masks as ops: which scores of a softmax count. Any of them stand together, behind everything else
// in a prologue or in attention's score ops; a score counts where all of them keep it.
// docs/masks.md has pictures.
#pragma once

#include <r9v/ops/mask_functor.hpp>
#include <r9v/ops/mask_interval.hpp>
#include <r9v/ops/mask_range.hpp>
#include <r9v/ops/mask_tensor.hpp>
