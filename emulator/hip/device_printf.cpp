// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/device_printf.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace r9v_emulator::hip {
namespace {

// The descriptor of a piece: flags, number of words, and which call it belongs to.
constexpr std::uint64_t flag_begin = 1, flag_end = 2;
constexpr unsigned length_shift = 5, call_shift = 8;

bool is_one_of(char letter, std::string_view letters) {
    return letters.find(letter) != std::string_view::npos;
}

class words {
public:
    words(const std::uint64_t* first, std::size_t count) : next_(first), end_(first + count) {}

    std::uint64_t number() { return next_ == end_ ? 0 : *next_++; }

    /// A terminated string, which fills whole words.
    std::string_view text() {
        const auto* const begin = reinterpret_cast<const char*>(next_);
        const auto room = static_cast<std::size_t>(end_ - next_) * sizeof(std::uint64_t);
        const auto length = strnlen(begin, room);
        next_ +=
            std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(length / 8 + 1), end_ - next_);
        return {begin, length};
    }

private:
    const std::uint64_t* next_;
    const std::uint64_t* end_;
};

/// One conversion, "%-08.3lld" for instance, with its stars replaced by numbers.
struct conversion {
    std::string prefix; ///< '%', flags, width and precision
    std::string length; ///< h, l and so on
    char letter = '\0';
};

conversion read_conversion(std::string_view format, std::size_t& at, words& arguments) {
    conversion result;
    result.prefix = format[at++];
    while (at < format.size() && is_one_of(format[at], "-+ #0123456789.*")) {
        if (format[at] == '*') {
            result.prefix += std::to_string(static_cast<int>(arguments.number()));
        } else {
            result.prefix += format[at];
        }
        ++at;
    }
    while (at < format.size() && is_one_of(format[at], "hlLjzt")) {
        result.length += format[at++];
    }
    if (at < format.size()) result.letter = format[at++];
    return result;
}

template<class Value>
std::string print(const std::string& format, Value value) {
    const int size = std::snprintf(nullptr, 0, format.c_str(), value);
    if (size < 0) return {};
    std::string result(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(result.data(), result.size(), format.c_str(), value);
    result.pop_back();
    return result;
}

std::string convert(const conversion& what, words& arguments) {
    const bool wide = !what.length.empty() && what.length[0] != 'h';
    switch (what.letter) {
    case '%':
        return "%";
    case 'd':
    case 'i': {
        // Narrow values come without their sign in the upper half of the word.
        const auto value = arguments.number();
        const auto number = wide ? static_cast<long long>(value) : static_cast<int>(value);
        return print(what.prefix + "ll" + what.letter, number);
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        const auto value = arguments.number();
        const auto number = wide ? value : static_cast<unsigned>(value);
        return print(what.prefix + "ll" + what.letter, static_cast<unsigned long long>(number));
    }
    case 'c':
        return print(what.prefix + 'c', static_cast<int>(arguments.number()));
    case 's':
        return print(what.prefix + 's', std::string(arguments.text()).c_str());
    case 'p':
        return print(what.prefix + 'p', reinterpret_cast<void*>(arguments.number())); // NOLINT
    case 'n':
        arguments.number();
        return {};
    default:
        if (!is_one_of(what.letter, "aAeEfFgG")) return {};
        return print(what.prefix + what.letter, std::bit_cast<double>(arguments.number()));
    }
}

} // namespace

std::string format_message(const std::uint64_t* first, std::size_t count) {
    words message(first, count);
    const auto format = message.text();
    std::string result;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            result += format[at++];
        } else {
            result += convert(read_conversion(format, at, message), message);
        }
    }
    return result;
}

std::uint64_t device_printf::receive(const std::uint64_t (&piece)[8]) {
    const auto descriptor = piece[0];
    const auto length = descriptor >> length_shift & 7;
    const auto call = (descriptor & flag_begin) != 0 ? ++last_call_ : descriptor >> call_shift;
    auto& message = open_[call];
    message.insert(message.end(), piece + 1, piece + 1 + length);
    if ((descriptor & flag_end) == 0) return call << call_shift;
    const auto stream = message.empty() || message[0] == 0 ? stdout : stderr;
    const auto text =
        message.empty() ? std::string() : format_message(message.data() + 1, message.size() - 1);
    open_.erase(call);
    std::fwrite(text.data(), 1, text.size(), stream);
    return text.size();
}

} // namespace r9v_emulator::hip
