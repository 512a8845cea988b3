// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory: pools and what may stand before them, buffers, pinned memory, the planner.
#pragma once

#include <r9v/runtime/allocator_plug.hpp>
#include <r9v/runtime/buffer.hpp>
#include <r9v/runtime/direct_memory.hpp>
#include <r9v/runtime/gpu_backend.hpp>
#include <r9v/runtime/memory_adaptor.hpp>
#include <r9v/runtime/memory_trace.hpp>
#include <r9v/runtime/pinned_memory.hpp>
#include <r9v/runtime/planner.hpp>
#include <r9v/runtime/pool.hpp>
#include <r9v/runtime/pool_report.hpp>
#include <r9v/runtime/tracked_memory.hpp>
