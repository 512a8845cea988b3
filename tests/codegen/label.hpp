// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A kernel's name as an op of its program, so that the mangled name has it.
#pragma once

#include <r9v/ops.hpp>

namespace {

/// An op without code.
template<class Name>
struct label_op {
    static constexpr auto role = r9v::role::map;
    template<class Math, int N>
    R9V_HD r9v::run<typename Math::real, N>
    operator()(Math, const r9v::run<typename Math::real, N>& x, const r9v::coordinate&) const {
        return x;
    }
};

template<class Name>
constexpr auto label() {
    return label_op<Name>{};
}

} // namespace
