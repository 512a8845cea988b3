// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "bind.hpp"

namespace r9v_emulator {
namespace {

/// "[0,1,1]" as bits, first entry in bit 0.
u32 bit_list(std::string_view list) {
    u32 bits = 0;
    unsigned at = 0;
    for (const char c : list) {
        if (c == '1') bits |= 1u << at;
        if (c == '0' || c == '1') ++at;
    }
    return bits;
}

/// op_sel lists the sources and then, where the result is 16 bits wide, the destination, whose bit
/// is kept at place 3.
u8 op_sel_bits(std::string_view list, const instruction& info) {
    unsigned entries = 0, sources = 0;
    for (const char c : list)
        entries += c == '0' || c == '1';
    while (sources < 4 && info.src[sources] != kind::none)
        ++sources;
    if (info.reads_dst || (sources && info.src[sources - 1] == kind::mask)) --sources;
    u32 bits = bit_list(list);
    if (entries == sources + 1 && sources < 3)
        bits = (bits & ((1u << sources) - 1)) | (bits >> sources & 1) << 3;
    return static_cast<u8>(bits);
}

/// "[7,6,5,4]" with `width` bits an entry.
i32 packed_list(std::string_view list, unsigned width) {
    u32 bits = 0;
    unsigned at = 0;
    for (const char c : list) {
        if (c < '0' || c > '7') continue;
        bits |= static_cast<u32>(c - '0') << at;
        at += width;
    }
    return static_cast<i32>(bits);
}

bool set_dpp(op& to, dpp_kind what, i32 control) {
    to.dpp = what;
    to.offset = control;
    if (what == dpp_kind::lanes8) to.aux |= 0xff;
    return true;
}

bool bind_dpp(std::string_view name, std::string_view value, op& to) {
    if (name == "dpp8") return set_dpp(to, dpp_kind::lanes8, packed_list(value, 3));
    if (name == "quad_perm") return set_dpp(to, dpp_kind::row16, packed_list(value, 2));
    const i32 n = static_cast<i32>(parse_integer(value).value_or(0));
    if (name == "row_shl") return set_dpp(to, dpp_kind::row16, 0x100 + n);
    if (name == "row_shr") return set_dpp(to, dpp_kind::row16, 0x110 + n);
    if (name == "row_ror") return set_dpp(to, dpp_kind::row16, 0x120 + n);
    if (name == "row_share") return set_dpp(to, dpp_kind::row16, 0x150 + n);
    if (name == "row_xmask") return set_dpp(to, dpp_kind::row16, 0x160 + n);
    return false;
}

bool bind_named_value(std::string_view name, std::string_view value, op& to) {
    const u32 n = static_cast<u32>(parse_integer(value).value_or(0));
    if (name == "op_sel")
        to.sel = op_sel_bits(value, *to.info);
    else if (name == "op_sel_hi")
        to.sel_hi = static_cast<u8>(bit_list(value));
    else if (name == "neg_lo")
        to.neg = static_cast<u8>(bit_list(value));
    else if (name == "neg_hi")
        to.neg_hi = static_cast<u8>(bit_list(value));
    else if (name == "mul")
        to.omod = n == 2 ? 1 : 2;
    else if (name == "div")
        to.omod = 3;
    else if (name == "row_mask")
        to.aux = (to.aux & ~0xfu) | n;
    else if (name == "bank_mask")
        to.aux = (to.aux & ~0xf0u) | n << 4;
    else if (name == "bound_ctrl")
        to.flags |= flag_bound_zero;
    else if (name == "fi")
        to.flags |= n ? flag_fetch_inactive : 0;
    else if (name == "byte_sel")
        to.aux |= n << 8; // above the masks of DPP
    else if (name == "index_key")
        to.aux = n;
    else if (name == "wait_exp" || name == "wait_va_vdst" || name == "wait_vm_vsrc")
        return true;
    else
        return bind_dpp(name, value, to);
    return true;
}

bool bind_modifier(std::string_view m, op& to) {
    if (m == "clamp") {
        to.flags |= flag_clamp;
    } else if (m == "row_mirror") {
        set_dpp(to, dpp_kind::row16, 0x140);
    } else if (m == "row_half_mirror") {
        set_dpp(to, dpp_kind::row16, 0x141);
    } else {
        const std::size_t colon = m.find(':');
        return colon != m.npos && bind_named_value(m.substr(0, colon), m.substr(colon + 1), to);
    }
    return true;
}

bool packed(kind k) {
    return k == kind::packed_f16 || k == kind::packed_bf16 || k == kind::packed_b16;
}

bool default_selects(const instruction_text& text, const instruction& info, op& to) {
    // For packed operands the halves stay in place unless told otherwise.
    bool any = info.taint_rule == rule::packed;
    for (const kind k : info.src)
        any = any || packed(k);
    if (any && !text.value("op_sel_hi")) to.sel_hi = 7;
    return any;
}

bool bind_vector(const instruction_text& text, const instruction& info, op& to) {
    std::size_t at = 0;
    const auto next = [&] {
        return at < text.operands.size() ? text.operands[at++] : "";
    };
    if (info.dst != kind::none) {
        const std::string_view written = next();
        if (!bind_destination(written, to.dst)) return false;
        if (written.ends_with(".h")) to.sel |= 8;
    }
    if (info.mask_out) {
        u16& index = info.dst == kind::none ? to.dst : to.dst2;
        if (info.name.starts_with("v_cmpx"))
            index = scalar(exec_number);
        else if (!bind_destination(next(), index))
            return false;
    }
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i) {
        const bool last = i == 3 || info.src[i + 1] == kind::none;
        if (last && info.reads_dst) {
            to.src[i] = to.dst;
            continue;
        }
        std::string_view written = next();
        // Halves of VOPD pairs read VCC without saying so.
        if (written.empty() && info.src[i] == kind::mask) written = "vcc_lo";
        if (!bind_source(written, info.src[i], i, to)) return false;
    }
    const bool is_packed = default_selects(text, info, to);
    if (at != text.operands.size() || !bind_modifiers(text, to)) return false;
    if (info.name == "v_fma_mixhi_f16") to.sel |= 8; // op_sel's bit for the destination
    const bool moves = is_packed && (to.sel || to.sel_hi != 7);
    to.special = to.neg || to.abs || to.neg_hi || to.omod || (to.flags & flag_clamp) || moves ||
                 (to.sel && !is_packed) || to.dpp != dpp_kind::none;
    return true;
}

bool bind_scalar(const instruction_text& text, const instruction& info, u32 encoding, op& to) {
    std::size_t at = 0;
    const auto next = [&] {
        return at < text.operands.size() ? text.operands[at++] : "";
    };
    if (info.dst != kind::none && !bind_destination(next(), to.dst)) return false;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i) {
        const bool last = i == 3 || info.src[i + 1] == kind::none;
        if (last && info.reads_dst) {
            to.src[i] = to.dst;
        } else if (info.src[i] == kind::simm16) {
            next();
            to.src[i] = constant_index;
            to.constant[i] = static_cast<u64>(static_cast<i64>(static_cast<i16>(encoding)));
        } else if (!bind_source(next(), info.src[i], i, to)) {
            return false;
        }
    }
    to.aux = encoding & 0xffff;
    return at == text.operands.size();
}

} // namespace

void clear_op(op& to) {
    to = op{};
    to.dst = to.dst2 = scalar(discard_number);
    for (u16& index : to.src)
        index = constant_index;
    to.aux = 0;
}

bool bind_destination(std::string_view text, u16& index) {
    const auto value = parse_operand(text);
    if (!value) return false;
    if (value->what == operand::type::vector) {
        index = static_cast<u16>(value->number);
    } else if (value->what == operand::type::scalar) {
        const unsigned n = value->number == null_number ? discard_number : value->number;
        index = scalar(n);
    } else {
        return false;
    }
    return true;
}

bool bind_source(std::string_view text, kind k, int position, op& to) {
    const auto value = parse_operand(text);
    if (!value) return false;
    u16& index = to.src[position];
    switch (value->what) {
    case operand::type::vector:
        index = static_cast<u16>(value->number);
        break;
    case operand::type::scalar:
        index = scalar(value->number);
        break;
    case operand::type::none:
        index = no_operand;
        break;
    default:
        index = constant_index;
        to.constant[position < 3 ? position : 2] = constant_bits(*value, k);
    }
    const u8 bit = static_cast<u8>(1u << position);
    if (value->negated) to.neg |= bit;
    if (value->absolute) to.abs |= bit;
    if (value->upper_half) to.sel |= bit;
    return true;
}

bool bind_modifiers(const instruction_text& text, op& to) {
    for (const std::string_view m : text.modifiers)
        if (!bind_modifier(m, to)) return false;
    return true;
}

bool bind(const instruction_text& text, const instruction& info, u32 encoding, op& to) {
    clear_op(to);
    to.info = &info;
    to.cls = info.cls;
    to.cycles = info.cycles;
    to.width = info.width;
    switch (info.layout) {
    case format::vector:
    case format::dual:
        return bind_vector(text, info, to);
    case format::scalar_alu:
        return bind_scalar(text, info, encoding, to);
    case format::branch:
    case format::immediate:
        to.offset = static_cast<i16>(encoding);
        to.aux = encoding & 0xffff;
        return true;
    default:
        return bind_memory(text, encoding, to);
    }
}

} // namespace r9v_emulator
