// expect: r9v: a stage captures more than fits beside its slot (256 bytes). Capture a pointer or a reference to what is large.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/runtime/stored_call.hpp>

#include <array>

void keep(r9v::runtime::stored_call<void(), 256>& stage) {
    std::array<char, 1000> table{};
    stage.emplace([table] { (void)table; }); // instead: stage.emplace([&table] { (void)table; });
}
