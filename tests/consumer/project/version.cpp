// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A library that uses the r9v it was built with and says which one that is.
#if defined(WITH_HIP)
#include "on_gpu.hpp"
#else
#include "layer.hpp"
#endif

#define JOIN_WORDS(a, b) a##b
#define JOIN(a, b) JOIN_WORDS(a, b)

extern "C" int JOIN(wrong_values_of_, NAME)();
extern "C" int JOIN(minor_version_of_, NAME)();

extern "C" int JOIN(wrong_values_of_, NAME)() {
#if defined(WITH_HIP)
    return layer::run_on_gpu() + layer::run_on_reference();
#else
    return layer::run_on_reference();
#endif
}

extern "C" int JOIN(minor_version_of_, NAME)() {
    return R9V_VERSION_MINOR;
}
