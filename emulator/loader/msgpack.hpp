// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The part of MessagePack that code object metadata uses.
#pragma once

#include "loader/bytes.hpp"
#include <cstdint>
#include <string_view>
#include <vector>

namespace r9v_emulator::loader {

struct packed_member;

/// One decoded value. Strings refer to the decoded image, which must outlive them.
struct packed_value {
    enum class kind { nil, boolean, integer, text, array, map };

    kind type = kind::nil;
    std::int64_t integer = 0; ///< also booleans; unsigned values keep their bits
    std::string_view text;
    std::vector<packed_value> items;
    std::vector<packed_member> members;

    /// The member of a map, or null.
    const packed_value* find(std::string_view name) const;
    /// The integer member `name`, or `otherwise` where it is absent.
    std::int64_t integer_or(std::string_view name, std::int64_t otherwise) const;
    /// The text member `name`, or empty.
    std::string_view text_of(std::string_view name) const;
};

/// One entry of a map.
struct packed_member {
    std::string_view name;
    packed_value value;
};

/// Decodes the one value that `image` holds.
packed_value unpack(bytes image);

} // namespace r9v_emulator::loader
