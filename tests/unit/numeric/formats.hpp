// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pairs each type of r9v with its definition, for typed tests.
#pragma once

#include <r9v/numeric/convert.hpp>

#include <gtest/gtest.h>
#include <tests/unit/numeric/reference.hpp>

template<class T>
inline constexpr reference::format definition{};
template<>
inline constexpr reference::format definition<r9v::half> = reference::half;
template<>
inline constexpr reference::format definition<r9v::bf16> = reference::bf16;
template<>
inline constexpr reference::format definition<r9v::fp8_e4m3> = reference::e4m3;
template<>
inline constexpr reference::format definition<r9v::fp8_e5m2> = reference::e5m2;

template<class T>
T from_code(unsigned code) {
    return T::from_bits(static_cast<decltype(T::bits)>(code));
}

using narrow_types = ::testing::Types<r9v::half, r9v::bf16, r9v::fp8_e4m3, r9v::fp8_e5m2>;
