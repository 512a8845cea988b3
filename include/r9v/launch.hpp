// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Running programs: launch, try_launch, prepare, can_launch, workspace_bytes, r9v::reference,
// any_program, R9V_INSTANTIATE.
#pragma once

#include <r9v/exec/any_program.hpp>
#include <r9v/exec/instantiate.hpp>
#include <r9v/exec/launch.hpp>
