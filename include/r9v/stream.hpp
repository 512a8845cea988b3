// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned streams.
#pragma once

#include <r9v/runtime/stream.hpp>
