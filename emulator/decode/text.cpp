// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace r9v_emulator {
namespace {

bool blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view s) {
    while (!s.empty() && blank(s.front()))
        s.remove_prefix(1);
    while (!s.empty() && blank(s.back()))
        s.remove_suffix(1);
    return s;
}

/// Splits at a separator outside brackets; blanks separate words when the separator is ' '.
std::vector<std::string_view> split(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= s.size(); ++i) {
        const char c = i < s.size() ? s[i] : separator;
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') --depth;
        if ((c == separator && depth == 0) || i == s.size()) {
            const std::string_view part = trim(s.substr(begin, i - begin));
            if (!part.empty()) parts.push_back(part);
            begin = i + 1;
        }
    }
    return parts;
}

std::string_view without_encoding(std::string_view name) {
    for (bool again = true; again;) {
        again = false;
        for (std::string_view suffix : {"_e32", "_e64", "_dpp"}) {
            if (name.ends_with(suffix)) {
                name.remove_suffix(suffix.size());
                again = true;
            }
        }
    }
    return name;
}

std::optional<unsigned> parse_number(std::string_view s) {
    unsigned n = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
    return n;
}

/// "v5", "s[0:3]", "ttmp9": after the prefix, one number or a range.
bool parse_register(std::string_view s, std::string_view prefix, operand& out) {
    if (!s.starts_with(prefix)) return false;
    s.remove_prefix(prefix.size());
    if (s.starts_with("[") && s.ends_with("]")) {
        s = s.substr(1, s.size() - 2);
        const std::size_t colon = s.find(':');
        const auto first = parse_number(s.substr(0, colon));
        const auto last = colon == s.npos ? first : parse_number(s.substr(colon + 1));
        if (!first || !last) return false;
        out.number = *first;
        out.count = *last - *first + 1;
        return true;
    }
    const auto n = parse_number(s);
    if (!n) return false;
    out.number = *n;
    return true;
}

struct named_scalar {
    std::string_view name;
    unsigned number, count;
};
constexpr named_scalar named_scalars[] = {
    {"vcc_lo", vcc_number, 1},   {"vcc_hi", vcc_number + 1, 1},   {"vcc", vcc_number, 2},
    {"exec_lo", exec_number, 1}, {"exec_hi", exec_number + 1, 1}, {"exec", exec_number, 2},
    {"m0", m0_number, 1},        {"null", null_number, 2},
};

std::optional<operand> parse_scalar_name(std::string_view s) {
    operand out;
    for (const named_scalar& entry : named_scalars) {
        if (s != entry.name) continue;
        out.what = operand::type::scalar;
        out.number = entry.number;
        out.count = entry.count;
        return out;
    }
    // Apertures of the flat address space: constants of the machine.
    out.what = operand::type::integer;
    out.hexadecimal = true;
    if (s == "src_shared_base")
        out.integer = i64{0x00010000} << 32;
    else if (s == "src_private_base")
        out.integer = i64{0x00020000} << 32;
    else if (s == "src_shared_limit")
        out.integer = (i64{0x00010000} << 32) | 0xffffffff;
    else if (s == "src_private_limit")
        out.integer = (i64{0x00020000} << 32) | 0xffffffff;
    else
        return std::nullopt;
    return out;
}

} // namespace

bool instruction_text::has(std::string_view modifier) const {
    for (const auto m : modifiers)
        if (m == modifier) return true;
    return false;
}

std::optional<std::string_view> instruction_text::value(std::string_view name) const {
    for (const auto m : modifiers)
        if (m.size() > name.size() && m.starts_with(name) && m[name.size()] == ':')
            return m.substr(name.size() + 1);
    return std::nullopt;
}

instruction_text split_instruction(std::string_view text) {
    instruction_text out;
    text = trim(text);
    const std::size_t space = text.find_first_of(" \t");
    out.mnemonic = without_encoding(text.substr(0, space));
    if (space == text.npos) return out;
    for (const std::string_view piece : split(text.substr(space), ',')) {
        bool first = true;
        for (const std::string_view word : split(piece, ' ')) {
            (first ? out.operands : out.modifiers).push_back(word);
            first = false;
        }
    }
    return out;
}

std::optional<i64> parse_integer(std::string_view s) {
    const bool negative = s.starts_with('-');
    if (negative) s.remove_prefix(1);
    const bool hexadecimal = s.starts_with("0x");
    if (hexadecimal) s.remove_prefix(2);
    u64 n = 0;
    const auto [end, error] =
        std::from_chars(s.data(), s.data() + s.size(), n, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return std::nullopt;
    return negative ? -static_cast<i64>(n) : static_cast<i64>(n);
}

std::optional<operand> parse_operand(std::string_view s) {
    bool negated = false, absolute = false;
    if (s.starts_with("neg(") && s.ends_with(")")) {
        negated = true;
        s = s.substr(4, s.size() - 5);
    } else if (s.size() > 1 && s[0] == '-' && (s[1] < '0' || s[1] > '9')) {
        negated = true;
        s.remove_prefix(1);
    }
    if (s.size() > 2 && s.starts_with('|') && s.ends_with('|')) {
        absolute = true;
        s = s.substr(1, s.size() - 2);
    }
    const bool upper = s.ends_with(".h");
    if (upper || s.ends_with(".l")) s.remove_suffix(2);
    operand out;
    if (s == "off") return out;
    if (auto named = parse_scalar_name(s)) {
        out = *named;
    } else if (parse_register(s, "ttmp", out)) {
        out.what = operand::type::scalar;
        out.number += ttmp_number;
    } else if (parse_register(s, "v", out)) {
        out.what = operand::type::vector;
    } else if (parse_register(s, "s", out)) {
        out.what = operand::type::scalar;
    } else if (auto integer = parse_integer(s)) {
        out.what = operand::type::integer;
        out.integer = *integer;
        out.hexadecimal = s.find("0x") != s.npos;
    } else {
        const std::string copy(s);
        char* end = nullptr;
        out.real = std::strtod(copy.c_str(), &end);
        if (copy.empty() || *end) return std::nullopt;
        out.what = operand::type::real;
    }
    out.upper_half = upper;
    out.negated = negated;
    out.absolute = absolute;
    return out;
}

u64 constant_bits(const operand& value, kind k) {
    if (value.what == operand::type::integer) {
        const u64 bits = static_cast<u64>(value.integer);
        // A literal of a double is its high half; an aperture is a full 64-bit constant.
        if (k == kind::f64 && value.hexadecimal) return bits << 32;
        if (k == kind::s64 && value.hexadecimal && bits >> 32 == 0)
            return static_cast<u64>(static_cast<i64>(static_cast<i32>(bits)));
        return bits;
    }
    // 1/(2 pi) prints rounded; as a constant it has these bits in each format.
    const bool two_pi = std::fabs(value.real - 0.15915494) < 1e-6;
    switch (k) {
    case kind::f64:
    case kind::b64:
    case kind::s64:
        return two_pi ? 0x3fc45f306dc9c882u : bits_as<u64>(value.real);
    case kind::b16:
    case kind::f16:
    case kind::packed_f16:
        return bits_as<u16>(static_cast<half>(static_cast<float>(value.real)));
    case kind::bf16:
    case kind::packed_bf16:
        return bits_as<u32>(static_cast<float>(value.real)) >> 16;
    default:
        return two_pi ? 0x3e22f983u : bits_as<u32>(static_cast<float>(value.real));
    }
}

} // namespace r9v_emulator
