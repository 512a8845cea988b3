// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Bounds-checked reading of untrusted binary images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace r9v_emulator::loader {

/// A code object, bundle or note that cannot be used; the text says why.
class load_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using bytes = std::span<const std::byte>;

/// The `size` bytes at `offset`, or an error that names `what`.
inline bytes slice(bytes image, std::uint64_t offset, std::uint64_t size, const char* what) {
    if (offset > image.size() || size > image.size() - offset) {
        throw load_error(std::string(what) + " reaches past the end of the image (offset " +
                         std::to_string(offset) + ", size " + std::to_string(size) + ", image " +
                         std::to_string(image.size()) + " bytes)");
    }
    return image.subspan(offset, size);
}

/// The value of type `T` at `offset`.
template<class T>
    requires std::is_trivially_copyable_v<T>
T read(bytes image, std::uint64_t offset, const char* what) {
    T value;
    std::memcpy(&value, slice(image, offset, sizeof(T), what).data(), sizeof(T));
    return value;
}

inline std::string_view text(bytes image) {
    return {reinterpret_cast<const char*>(image.data()), image.size()};
}

/// The zero-terminated string at `offset`.
inline std::string_view c_string(bytes image, std::uint64_t offset, const char* what) {
    const auto rest = text(
        slice(image, offset, image.size() - std::min<std::uint64_t>(offset, image.size()), what));
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) throw load_error(std::string(what) + " is not terminated");
    return rest.substr(0, end);
}

} // namespace r9v_emulator::loader
