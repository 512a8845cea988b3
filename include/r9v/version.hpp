// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The version, and the inline namespace that carries it: two libraries built with two versions of
// r9v can live in one process, since no symbol of one has the name of a symbol of the other.
#pragma once

#define R9V_VERSION_MAJOR 0
#define R9V_VERSION_MINOR 1
#define R9V_VERSION_PATCH 0

/// The inline namespace of this version: `namespace r9v::inline R9V_ABI { ... }`.
#define R9V_ABI v0_1_0
