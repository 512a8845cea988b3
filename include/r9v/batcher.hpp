// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Batching: requests of many threads run together, up to a size or a delay.
#pragma once

#include <r9v/runtime/batcher.hpp>
