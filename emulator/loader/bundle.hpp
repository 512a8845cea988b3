// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Clang's offload bundle: the code objects of every target that a program was compiled for.
#pragma once

#include "loader/bytes.hpp"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator::loader {

/// The code object of one target, copied out of what it came in.
struct selected_object {
    std::string target; ///< "gfx1201"
    std::vector<std::byte> image;
};

/// The code object for `target` in `address`: an offload bundle (plain or zstd-compressed) or a
/// bare code object. The size is not known to the caller, so that the image's own headers bound it.
/// Throws load_error, listing the targets that are there, when `target` is not among them.
selected_object select_code_object(const void* address, std::string_view target);

/// As above, for an image of known size.
selected_object select_code_object(bytes image, std::string_view target);

} // namespace r9v_emulator::loader
