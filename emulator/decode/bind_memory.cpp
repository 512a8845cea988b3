// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Operands of memory instructions. In the op: dst is what a load or a returning atomic writes;
// src[0] the address, src[1] the data, src[2] the scalar base, src[3] a second datum.
#include "bind.hpp"

namespace r9v_emulator {
namespace {

bool bind_memory_modifier(std::string_view m, op& to) {
    if (m == "offen") {
        to.flags |= flag_offset_enabled;
    } else if (m == "idxen") {
        to.flags |= flag_index_enabled;
    } else if (m == "gds") {
        to.flags |= flag_gds;
    } else if (m.starts_with("offset:")) {
        const auto n = parse_integer(m.substr(7));
        if (n)
            to.offset = static_cast<i32>(*n);
        else
            return m.starts_with("offset:swizzle");
    } else if (m.starts_with("th:")) {
        if (m.find("RETURN") != m.npos) to.flags |= flag_returns;
    } else if (m.starts_with("scope:")) {
        to.flags |= flag_scoped;
    } else if (m == "glc") { // gfx11: an atomic returns the old value, a load passes the L0 cache
        to.flags |= flag_returns | flag_scoped;
    } else {
        return m.starts_with("offset0:") || m.starts_with("offset1:") || m == "nv" || m == "slc" ||
               m == "dlc";
    }
    return true;
}

bool loads(const instruction& info) {
    return info.dst != kind::none;
}

class operand_reader {
public:
    operand_reader(const instruction_text& text, op& to) : text_(text), to_(to) {}

    bool destination() { return bind_destination(next(), to_.dst); }
    bool source(int position) { return bind_source(next(), kind::b32, position, to_); }
    std::string_view next() {
        return at_ < text_.operands.size() ? text_.operands[at_++] : std::string_view{};
    }
    bool done() const { return at_ == text_.operands.size(); }
    std::size_t left() const { return text_.operands.size() - at_; }

private:
    const instruction_text& text_;
    op& to_;
    std::size_t at_ = 0;
};

bool has_data(const instruction& info) {
    return info.src[1] != kind::none;
}

/// global, flat and scratch: [vdst,] vaddr, [vdata,] [saddr]
bool bind_address_forms(operand_reader& in, const instruction& info, bool with_base, op& to) {
    if (loads(info) && (!has_data(info) || (to.flags & flag_returns)) && !in.destination())
        return false;
    if (info.src[0] == kind::none)
        to.src[0] = lane_offsets;
    else if (!in.source(0))
        return false;
    if (has_data(info) && !in.source(1)) return false;
    to.src[2] = no_operand;
    if (with_base && !in.source(2)) return false;
    return in.done();
}

/// buffer: vdata, vaddr|off, srsrc, soffset
bool bind_buffer(operand_reader& in, const instruction& info, op& to) {
    const std::string_view data = in.next();
    if (has_data(info) && !bind_source(data, kind::b32, 1, to)) return false;
    if (loads(info) && !bind_destination(data, to.dst)) return false;
    if (in.left() == 2 && !(to.flags & (flag_offset_enabled | flag_index_enabled))) {
        to.src[0] = no_operand;
        return in.source(2) && in.source(3) && in.done();
    }
    return in.source(0) && in.source(2) && in.source(3) && in.done();
}

/// ds: [vdst,] [vaddr,] [vdata [, vdata2]]
bool bind_lds(operand_reader& in, const instruction& info, u32 encoding, op& to) {
    to.offset = static_cast<i32>(encoding & 0xffff);
    if (loads(info) && !in.destination()) return false;
    if (info.src[0] != kind::none && !in.source(0)) return false;
    if (has_data(info) && !in.source(1)) return false;
    if (info.src[3] != kind::none && !in.source(3)) return false;
    return in.done();
}

/// s_load: sdst, sbase, offset [offset:imm]
bool bind_scalar_memory(operand_reader& in, const instruction& info, op& to) {
    if (loads(info) && !in.destination()) return false;
    if (info.src[0] != kind::none && !in.source(0)) return false;
    if (in.done()) return true;
    const auto offset = parse_operand(in.next());
    if (!offset) return false;
    to.src[1] = constant_index;
    // An offset in a modifier is there already.
    if (offset->what == operand::type::integer)
        to.offset = static_cast<i32>(offset->integer);
    else if (offset->what == operand::type::scalar)
        to.src[1] = scalar(offset->number);
    while (!in.done())
        in.next();
    return true;
}

} // namespace

bool bind_memory(const instruction_text& text, u32 encoding, op& to) {
    for (const std::string_view m : text.modifiers)
        if (!bind_memory_modifier(m, to)) return false;
    const instruction& info = *to.info;
    operand_reader in(text, to);
    switch (info.layout) {
    case format::memory_global:
    case format::memory_scratch:
        return bind_address_forms(in, info, true, to);
    case format::memory_flat:
        return bind_address_forms(in, info, false, to);
    case format::memory_buffer:
        return bind_buffer(in, info, to);
    case format::memory_lds:
        return bind_lds(in, info, encoding, to);
    case format::scalar_memory:
        return bind_scalar_memory(in, info, to);
    default:
        return false;
    }
}

} // namespace r9v_emulator
