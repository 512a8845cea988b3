// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Around pools: limits, statistics, logs and their replay, leaks, reports, pinned host memory, an
// allocator for other engines; and the planner, which places tensors before anything runs.
#pragma once

#include <r9v/memory.hpp>
#include <r9v/runtime/allocator_plug.hpp>
#include <r9v/runtime/memory_adaptor.hpp>
#include <r9v/runtime/memory_trace.hpp>
#include <r9v/runtime/pinned_memory.hpp>
#include <r9v/runtime/planner.hpp>
#include <r9v/runtime/pool_report.hpp>
#include <r9v/runtime/tracked_memory.hpp>
