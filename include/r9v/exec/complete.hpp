// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What `launch` refuses at compile time, with one message.
#pragma once

#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI::exec {

/// Whether the program was refused already, where its mistake stands.
template<class Program>
inline constexpr bool was_refused = Program::chain_type::has_rejected;

/// Whether the head can hand its chain whole rows.
template<class Program>
inline constexpr bool gives_whole_rows =
    requires { requires Program::head_type::gives_whole_rows; };

/// Reports what is missing for `Program` to run in memory of kind `Where`; true when nothing is.
template<class Program, space Where>
consteval bool is_launchable() {
    if constexpr (was_refused<Program>) {
        return false;
    } else if constexpr (!Program::is_complete) {
        static_assert(Program::is_complete,
                      "r9v: the program stores nothing. End it with | store(tensor).");
        return false;
    } else if constexpr (!same_memory(Program::memory, Where)) {
        static_assert(Where != space::host || Program::memory != space::device,
                      "r9v: r9v::reference runs on host memory and this program has device "
                      "tensors. Use host_tensor, or launch on a stream.");
        static_assert(Where != space::device || Program::memory != space::host,
                      "r9v: a stream runs on device memory and this program has host tensors. Use "
                      "tensor, or launch on r9v::reference.");
        return false;
    } else if constexpr (Program::chain_type::has_row_op && !gives_whole_rows<Program>) {
        static_assert(gives_whole_rows<Program>,
                      "r9v: top_k() needs whole rows and this head gives runs of them. Store the "
                      "result and write softmax(t) | top_k(...) as the next program.");
        return false;
    } else if constexpr (sizeof(Program) > 3584) {
        static_assert(sizeof(Program) <= 3584,
                      "r9v: the program is larger than a kernel's arguments may be (3584 bytes). "
                      "Split it with tee() and a second program.");
        return false;
    } else {
        return true;
    }
}

} // namespace r9v::inline R9V_ABI::exec
