// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "loader/msgpack.hpp"

namespace r9v_emulator::loader {
namespace {

constexpr const char* note_name = "code object metadata";
constexpr int deepest_nesting = 32;

class reader {
public:
    explicit reader(bytes image) : image_(image) {}

    packed_value value(int depth = 0) {
        if (depth > deepest_nesting) throw load_error("code object metadata is nested too deeply");
        const auto tag = static_cast<unsigned>(big_endian(1));
        if (tag < 0x80) return integer(tag);
        if (tag < 0x90) return map(tag & 15, depth);
        if (tag < 0xa0) return array(tag & 15, depth);
        if (tag < 0xc0) return text(tag & 31);
        if (tag >= 0xe0) return integer(static_cast<std::int8_t>(tag));
        return long_form(tag, depth);
    }

private:
    std::uint64_t big_endian(unsigned count) {
        const auto part = slice(image_, position_, count, note_name);
        std::uint64_t result = 0;
        for (const auto byte : part)
            result = result << 8 | std::to_integer<std::uint64_t>(byte);
        position_ += count;
        return result;
    }

    static packed_value integer(std::int64_t number) {
        packed_value result;
        result.type = packed_value::kind::integer;
        result.integer = number;
        return result;
    }

    static packed_value boolean(bool truth) {
        packed_value result = integer(truth);
        result.type = packed_value::kind::boolean;
        return result;
    }

    std::int64_t signed_integer(unsigned count) {
        const auto shift = 64 - 8 * count;
        return static_cast<std::int64_t>(big_endian(count) << shift) >> shift;
    }

    packed_value text(std::uint64_t size) {
        packed_value result;
        result.type = packed_value::kind::text;
        result.text = loader::text(slice(image_, position_, size, note_name));
        position_ += size;
        return result;
    }

    packed_value array(std::uint64_t count, int depth) {
        packed_value result;
        result.type = packed_value::kind::array;
        for (std::uint64_t i = 0; i < count; ++i)
            result.items.push_back(value(depth + 1));
        return result;
    }

    packed_value map(std::uint64_t count, int depth) {
        packed_value result;
        result.type = packed_value::kind::map;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto key = value(depth + 1);
            if (key.type != packed_value::kind::text) {
                throw load_error("code object metadata has a key that is not text");
            }
            result.members.push_back({key.text, value(depth + 1)});
        }
        return result;
    }

    packed_value long_form(unsigned tag, int depth) {
        switch (tag) {
        case 0xc0:
            return {};
        case 0xc2:
            return boolean(false);
        case 0xc3:
            return boolean(true);
        case 0xc4:
        case 0xd9:
            return text(big_endian(1));
        case 0xc5:
        case 0xda:
            return text(big_endian(2));
        case 0xc6:
        case 0xdb:
            return text(big_endian(4));
        case 0xcc:
        case 0xcd:
        case 0xce:
        case 0xcf:
            return integer(static_cast<std::int64_t>(big_endian(1U << (tag - 0xcc))));
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3:
            return integer(signed_integer(1U << (tag - 0xd0)));
        case 0xdc:
            return array(big_endian(2), depth);
        case 0xdd:
            return array(big_endian(4), depth);
        case 0xde:
            return map(big_endian(2), depth);
        case 0xdf:
            return map(big_endian(4), depth);
        default:
            throw load_error("code object metadata has an unknown tag " + std::to_string(tag));
        }
    }

    bytes image_;
    std::uint64_t position_ = 0;
};

} // namespace

const packed_value* packed_value::find(std::string_view name) const {
    for (const auto& [key, value] : members) {
        if (key == name) return &value;
    }
    return nullptr;
}

std::int64_t packed_value::integer_or(std::string_view name, std::int64_t otherwise) const {
    const auto* const found = find(name);
    return found && found->type == kind::integer ? found->integer : otherwise;
}

std::string_view packed_value::text_of(std::string_view name) const {
    const auto* const found = find(name);
    return found ? found->text : std::string_view();
}

packed_value unpack(bytes image) {
    return reader(image).value();
}

} // namespace r9v_emulator::loader
