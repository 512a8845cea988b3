# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# Chooses the compiler for the preset `rocm` before project() does: ROCm lives under a prefix that
# differs between machines, so a preset cannot name it. A compiler chosen by the user always wins.
if(NOT R9V_BACKEND STREQUAL "rocm" OR CMAKE_CXX_COMPILER OR DEFINED ENV{CXX})
    return()
endif()
find_program(r9v_rocm_compiler NAMES amdclang++ clang++
             HINTS "$ENV{ROCM_PATH}" "$ENV{HIP_PATH}" /opt/rocm
             PATH_SUFFIXES bin llvm/bin lib/llvm/bin NO_DEFAULT_PATH)
if(r9v_rocm_compiler)
    set(CMAKE_CXX_COMPILER "${r9v_rocm_compiler}" CACHE FILEPATH "ROCm's clang++")
else()
    message(FATAL_ERROR "r9v: the preset rocm found no ROCm compiler under $ROCM_PATH or /opt/rocm. "
                        "Set ROCM_PATH or CMAKE_CXX_COMPILER, or use the preset emulator instead.")
endif()
