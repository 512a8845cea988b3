// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// All of r9v.
#pragma once

#include <r9v/attention.hpp>
#include <r9v/batcher.hpp>
#include <r9v/cache.hpp>
#include <r9v/conv.hpp>
#include <r9v/copy.hpp>
#include <r9v/gemm.hpp>
#include <r9v/launch.hpp>
#include <r9v/memory.hpp>
#include <r9v/memory_tools.hpp>
#include <r9v/norm.hpp>
#include <r9v/ops.hpp>
#include <r9v/plan.hpp>
#include <r9v/pool.hpp>
#include <r9v/softmax.hpp>
#include <r9v/stream.hpp>
#include <r9v/tensor.hpp>
#include <r9v/version.hpp>
