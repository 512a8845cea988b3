// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Views of memory and their element types.
#pragma once

#include <r9v/tensor/tensor.hpp>
#include <r9v/tensor/transform.hpp>
