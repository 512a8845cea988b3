// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Messages to the host, hardware registers, sleep, and the transposing loads.
#include "float_mode.hpp"
#include "memory_ops.hpp"
#include "scalar.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

void send_message(wave& w, const op& o) {
    const launch_request& request = *w.launch->request;
    if (request.on_message) request.on_message(request.message_context, o.aux & 0xff);
}

/// Gives other waves a turn.
void sleep(wave& w, const op&) {
    w.running = false;
    w.state = wave_state::asleep;
}

// Numbers of hwreg() on gfx12.
enum : u32 {
    reg_mode = 1,
    reg_status = 2,
    reg_trapsts = 3,
    reg_shader_cycles_lo = 29,
    reg_shader_cycles_hi = 30,
    reg_hw_id1 = 23,
    reg_hw_id2 = 24,
    reg_ib_sts2 = 28
};

u32 hardware_register(const wave& w, u32 id) {
    switch (id) {
    case reg_mode:
        return w.mode;
    case reg_shader_cycles_lo:
        return static_cast<u32>(w.host->clock);
    case reg_shader_cycles_hi:
        return static_cast<u32>(w.host->clock >> 32);
    case reg_hw_id1:
        return w.id;
    default:
        return 0;
    }
}

u32 field_of(u32 simm) {
    const u32 width = (simm >> 11 & 31) + 1;
    return width == 32 ? all_lanes : (1u << width) - 1;
}

/// The wave changes to the other interpreter loop where only one of both modes is the usual one.
void change_mode(wave& w, u32 mode) {
    if (is_usual_mode(mode) != is_usual_mode(w.mode)) {
        w.mode_changed = true;
        w.running = false;
    }
    w.mode = mode;
}

void set_mode(wave& w, u32 simm, u32 value) {
    if ((simm & 63) != reg_mode) return;
    const u32 first = simm >> 6 & 31, field = field_of(simm);
    change_mode(w, (w.mode & ~(field << first)) | (value & field) << first);
}

void round_mode(wave& w, const op& o) {
    change_mode(w, (w.mode & ~0xfu) | (o.aux & 0xf));
}
void denorm_mode(wave& w, const op& o) {
    change_mode(w, (w.mode & ~0xf0u) | (o.aux & 0xf) << 4);
}

struct hwreg_read {
    static void run(wave& w, const op& o) {
        const u32 simm = o.aux;
        write_scalar(w, o.dst,
                     hardware_register(w, simm & 63) >> (simm >> 6 & 31) & field_of(simm));
        if (o.dst < scalar(discard_number)) w.taints[o.dst] = taint{};
    }
};

/// Real time in units of 10 ns, from the instruction clock; it only has to go on.
void send_message_return(wave& w, const op& o) {
    w.s[o.dst - scalar_first] = static_cast<u32>(w.host->clock / 32);
    w.s[o.dst - scalar_first + 1] = 0;
    w.taints[o.dst] = w.taints[o.dst + 1] = taint{};
}

constexpr instruction immediate(std::string_view name, handler h, op_class cls = op_class::other) {
    return {name, format::immediate, cls, h, h};
}
constexpr instruction reads_register(std::string_view name, handler h, kind dst) {
    instruction e{name, format::scalar_alu, op_class::salu, h, h};
    e.dst = dst;
    e.src[0] = kind::simm16;
    return e;
}

template<bool Strict>
void set_register(wave& w, const op& o) {
    if constexpr (Strict) check_pending(w, o, o.src[1], 1, false);
    set_mode(w, o.aux, scalar_word(w, o, 1, 0));
}
constexpr instruction writes_register(std::string_view name) {
    instruction e{name, format::scalar_alu, op_class::salu, &set_register<false>,
                  &set_register<true>};
    e.src[0] = kind::simm16;
    e.src[1] = kind::b32;
    return e;
}

/// Where element `e` of lane `l` comes from.
struct transposed_source {
    unsigned lane, element;
};

/// 16-bit elements: an 8x8 transpose inside each group of eight lanes, as measured on gfx1201.
/// 8-bit elements: lane (h, c) names row c, bytes 8h..8h+7 of a 16x16 matrix, and gets column c,
/// rows 8h..8h+7 (AMD RDNA4 ISA guide; not measured).
template<unsigned Element>
transposed_source source_of(unsigned l, unsigned e) {
    if constexpr (Element == 2) return {l / 8 * 8 + e, l % 8};
    return {8 * (l / 16) + e + 16 * (l % 16 / 8), l % 8};
}

/// What a WMMA operand wants from a matrix that is contiguous the other way.
template<unsigned Element, bool Strict>
void load_transposed(wave& w, const op& o) {
    constexpr unsigned bytes = 8 * Element, words = bytes / 4;
    lane_pointers at;
    resolve<Strict>(w, o, address_space::global, bytes, false, at);
    if constexpr (Strict) {
        check_load_destination(w, o, w.loads, o.dst, words);
        if (w.exec() != all_lanes)
            report(w, o, "transposing load under partial EXEC", lowest_lane(~w.exec()), 0,
                   "all 32 lanes must be active");
        for (unsigned l = 0; l < lanes; ++l)
            if ((at.mask >> l & 1) && at.address[l] % bytes)
                report(w, o, "misaligned transposing load", static_cast<int>(l), at.address[l],
                       "the address is no multiple of " + std::to_string(bytes));
    }
    lane_bytes rows, columns;
    const bool clean = read_lanes<bytes>(at, rows);
    count_load(w, address_space::global, at, bytes);
    taint from[4], to[4];
    if (Strict && !clean) taints_from_shadow(at, bytes, from);
    for (unsigned l = 0; l < lanes; ++l) {
        for (unsigned e = 0; e < 8; ++e) {
            const auto [source, element] = source_of<Element>(l, e);
            const unsigned at_byte = element * Element;
            std::memcpy(&columns.byte[l][e * Element], &rows.byte[source][at_byte], Element);
            for (unsigned b = 0; Strict && b < Element; ++b) {
                const unsigned x = at_byte + b, y = e * Element + b;
                to[y / 4].plane[y % 4] |= (from[x / 4].plane[x % 4] >> source & 1) << l;
            }
        }
    }
    bytes_to_words(columns, words, &w.v[o.dst], w.exec());
    if constexpr (Strict) {
        for (unsigned n = 0; n < words; ++n)
            set_after(w, static_cast<u16>(o.dst + n), to[n], w.exec());
        issue(w, o, w.loads, o.dst, words, false);
    }
}

template<unsigned Element>
constexpr instruction transposed(std::string_view name) {
    instruction e{name, format::memory_global, op_class::global_load,
                  &load_transposed<Element, false>, &load_transposed<Element, true>};
    e.dst = kind_of_words(8 * Element);
    e.src[0] = kind::b32;
    e.width = 8 * Element;
    return e;
}

constexpr instruction table[] = {
    immediate("s_sendmsg", &send_message),
    immediate("s_sendmsghalt", &send_message),
    immediate("s_sleep", &sleep),
    immediate("s_round_mode", &round_mode),
    immediate("s_denorm_mode", &denorm_mode),
    reads_register("s_getreg_b32", &hwreg_read::run, kind::b32),
    writes_register("s_setreg_b32"),
    writes_register("s_setreg_imm32_b32"),
    {"s_sleep_var", format::scalar_alu, op_class::other, &sleep, &sleep, kind::none, {kind::b32}},
    {"s_sendmsg_rtn_b32",
     format::scalar_alu,
     op_class::other,
     &send_message_return,
     &send_message_return,
     kind::b32,
     {kind::simm16}},
    {"s_sendmsg_rtn_b64",
     format::scalar_alu,
     op_class::other,
     &send_message_return,
     &send_message_return,
     kind::b64,
     {kind::simm16}},
    transposed<2>("global_load_tr_b128"),
    transposed<1>("global_load_tr_b64"),
};

} // namespace

instruction_table message_table() {
    return table;
}

} // namespace r9v_emulator
