// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace r9v_emulator::hip {

/// printf of kernels. A call arrives in several pieces of up to seven words each: the stream, the
/// format, the arguments.
class device_printf {
public:
    /// Takes one piece, eight words with a descriptor first. Answers the descriptor for the next
    /// piece, or what printf answers once the call is whole, and then has printed it.
    std::uint64_t receive(const std::uint64_t (&piece)[8]);

private:
    std::map<std::uint64_t, std::vector<std::uint64_t>> open_; ///< by call
    std::uint64_t last_call_ = 0;
};

/// What the words after the stream's say: a format and its arguments, one word each, strings
/// inline.
std::string format_message(const std::uint64_t* words, std::size_t count);

} // namespace r9v_emulator::hip
