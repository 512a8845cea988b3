// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Plans: a fixed sequence of launches, captured once and replayed with one call.
#pragma once

#include <r9v/exec/plan.hpp>
