// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Streams and events that own themselves, and work beside work: overlap() forks and joins two
// streams, overlap_ring copies while it computes.
#pragma once

#include <r9v/runtime/event.hpp>
#include <r9v/runtime/fork.hpp>
#include <r9v/runtime/overlap.hpp>
#include <r9v/runtime/stream.hpp>
