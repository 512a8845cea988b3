// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Compiling a program's kernels in one translation unit of an engine instead of in each that
// launches it: the header that names the program's type declares it, one source instantiates it.
//
//     using mlp = decltype(make_mlp(...));       // in the header
//     R9V_DECLARE_PROGRAM(mlp);
//     R9V_INSTANTIATE(mlp);                      // in one .cpp or .hip file
#pragma once

#include <r9v/exec/executor.hpp>

#if R9V_HAS_KERNELS
/// Promises that some translation unit says R9V_INSTANTIATE(Type). At namespace scope.
#define R9V_DECLARE_PROGRAM(...)                                                                   \
    extern template struct ::r9v::executor<::r9v::exec::program_of<__VA_ARGS__>,                   \
                                           ::r9v::exec::tiles_of<__VA_ARGS__>>
/// Compiles the kernels of a program type here. At namespace scope.
#define R9V_INSTANTIATE(...)                                                                       \
    template struct ::r9v::executor<::r9v::exec::program_of<__VA_ARGS__>,                          \
                                    ::r9v::exec::tiles_of<__VA_ARGS__>>
#else
#define R9V_DECLARE_PROGRAM(...) static_assert(true)
#define R9V_INSTANTIATE(...) static_assert(true)
#endif
