// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory.
#pragma once

#include <r9v/runtime/buffer.hpp>
