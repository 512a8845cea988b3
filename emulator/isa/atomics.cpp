// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Atomic read-modify-write on global, flat, buffer and LDS memory.
#include "arithmetic.hpp"
#include "memory_ops.hpp"
#include "tables.hpp"
#include <type_traits>

namespace r9v_emulator {
namespace {

/// New value from the old one and the data, as a function object over T.
struct swap_with {
    template<class T>
    T operator()(T, T d) const {
        return d;
    }
};
struct add {
    template<class T>
    T operator()(T m, T d) const {
        return static_cast<T>(m + d);
    }
};
struct sub {
    template<class T>
    T operator()(T m, T d) const {
        return static_cast<T>(m - d);
    }
};
struct rsub {
    template<class T>
    T operator()(T m, T d) const {
        return static_cast<T>(d - m);
    }
};
struct smallest {
    template<class T>
    T operator()(T m, T d) const {
        return d < m ? d : m;
    }
};
struct largest {
    template<class T>
    T operator()(T m, T d) const {
        return d > m ? d : m;
    }
};
struct both {
    template<class T>
    T operator()(T m, T d) const {
        return m & d;
    }
};
struct either {
    template<class T>
    T operator()(T m, T d) const {
        return m | d;
    }
};
struct differ {
    template<class T>
    T operator()(T m, T d) const {
        return m ^ d;
    }
};
struct wrap_up {
    template<class T>
    T operator()(T m, T d) const {
        return m >= d ? 0 : m + 1;
    }
};
struct wrap_down {
    template<class T>
    T operator()(T m, T d) const {
        return m == 0 || m > d ? d : m - 1;
    }
};
struct sub_clamp {
    template<class T>
    T operator()(T m, T d) const {
        return m < d ? 0 : m - d;
    }
};
struct cond_sub {
    template<class T>
    T operator()(T m, T d) const {
        return m >= d ? m - d : m;
    }
};
struct num_min {
    template<class T>
    T operator()(T m, T d) const {
        return min_num(m, d);
    }
};
struct num_max {
    template<class T>
    T operator()(T m, T d) const {
        return max_num(m, d);
    }
};
struct add_halves {
    u32 operator()(u32 m, u32 d) const {
        const auto sum = [&](unsigned s) -> u32 {
            return bits_as<u16>(
                static_cast<half>(half_bits(m >> s & 0xffff) + half_bits(d >> s & 0xffff)));
        };
        return sum(0) | sum(16) << 16;
    }
};
struct add_bf16s {
    u32 operator()(u32 m, u32 d) const {
        const auto sum = [&](unsigned s) -> u32 {
            return to_bf16(from_bf16(m >> s & 0xffff) + from_bf16(d >> s & 0xffff));
        };
        return sum(0) | sum(16) << 16;
    }
};

template<class T>
T data_of(const wave& w, u16 first, unsigned lane) {
    return from_words<T>(w.v[first][lane], sizeof(T) == 8 ? w.v[first + 1][lane] : 0);
}

/// Replaces the memory value by f(old); host threads run other workgroups at the same time.
template<class T, class F>
T exchange(std::byte* at, F f) {
    using bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
    auto* word = reinterpret_cast<bits*>(at);
    bits old = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        const bits next = bits_as<bits>(f(bits_as<T>(old)));
        if (__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return bits_as<T>(old);
    }
}

bool compares(const op& o) {
    return o.info->taint_rule == rule::select;
}

/// What memory held, and what it holds afterwards, where poison is carried.
struct carried_poison {
    bool any = false;
    taint old[4], next[4];
};

carried_poison check_operands(wave& w, const op& o, const lane_pointers& at, unsigned bytes) {
    const unsigned words = bytes / 4;
    carried_poison carried;
    u32 bad = 0, by_word[4] = {};
    const auto look = [&](u16 first, unsigned count) {
        for (unsigned n = 0; n < count; ++n) {
            if (w.pending[first + n]) check_pending(w, o, static_cast<u16>(first + n), 1, false);
            bad |= w.taints[first + n].any_byte();
            by_word[n % words] |= w.taints[first + n].any_byte();
        }
    };
    const bool lds_compare = compares(o) && o.info->layout == format::memory_lds;
    look(o.src[1], compares(o) && !lds_compare ? 2 * words : words);
    if (lds_compare) look(o.src[3], words);
    taints_from_shadow(at, bytes, carried.old);
    for (const taint& t : carried.old)
        bad |= t.any_byte();
    bad &= at.mask;
    if (bad && w.launch->options->report_poison_store)
        report_poison(w, o, "an atomic", bad, at.address[lowest_lane(bad)]);
    carried.any = bad && !w.launch->options->report_poison_store;
    u32 below = 0; // carries go upward
    for (unsigned n = 0; carried.any && n < words; ++n)
        carried.next[n] = taint::every(below |= by_word[n] | carried.old[n].any_byte());
    for (unsigned l = 0; l < lanes; ++l)
        if ((at.mask >> l & 1) && at.address[l] % bytes)
            report_fatal(w, o, "misaligned atomic", static_cast<int>(l), at.address[l],
                         "the address is no multiple of " + std::to_string(bytes));
    return carried;
}

template<class T, class F, bool Strict>
void run(wave& w, const op& o, address_space space, bool returns) {
    constexpr unsigned bytes = sizeof(T), words = bytes / 4;
    lane_pointers at;
    resolve<Strict>(w, o, space, bytes, true, at);
    outstanding_queue& queue = queue_of(w, space);
    carried_poison poison;
    if constexpr (Strict) {
        poison = check_operands(w, o, at, bytes);
        if (returns) check_load_destination(w, o, queue, o.dst, words);
        if (at.lds_mask) check_races(w, o, at, bytes, true, true);
        if (is_shared(space)) (void)check_global_order(w, o, at, bytes, true, true);
    }
    alignas(64) u32 old[2][lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        T before;
        if constexpr (std::is_same_v<F, void>) {
            // Buffer and global forms hold (new, expected) in neighbouring registers; LDS has two
            // operands.
            const T next = data_of<T>(w, o.src[1], l);
            const T expected = data_of<T>(
                w, space == address_space::lds ? o.src[3] : static_cast<u16>(o.src[1] + words), l);
            before = exchange<T>(at.data[l], [&](T m) { return m == expected ? next : m; });
        } else {
            const T d = data_of<T>(w, o.src[1], l);
            before = exchange<T>(at.data[l], [&](T m) { return F{}(m, d); });
        }
        std::memset(at.shadow[l], 0xff, bytes);
        old[0][l] = low_word(before);
        old[1][l] = high_word(before);
    }
    if (poison.any) shadow_from_taints(at, bytes, poison.next);
    if (space == address_space::lds) count_store(w, space, at, bytes);
    if (!returns) {
        if constexpr (Strict) {
            if (space == address_space::lds)
                issue(w, o, w.locals, 0, 0, true);
            else
                ++w.stores;
        }
        return;
    }
    for (unsigned n = 0; n < words; ++n)
        merge_words(w.v[o.dst + n], old[n], at.mask);
    if constexpr (Strict) {
        for (unsigned n = 0; n < words; ++n)
            set_after(w, static_cast<u16>(o.dst + n), poison.any ? poison.old[n] : taint{},
                      at.mask);
        issue(w, o, queue, o.dst, words, at.lds_mask != 0);
        if (space == address_space::flat) issue(w, o, w.locals, o.dst, words, at.lds_mask != 0);
    }
}

template<address_space Space, class T, class F, bool Strict>
void memory_atomic(wave& w, const op& o) {
    run<T, F, Strict>(w, o, Space, (o.flags & flag_returns) != 0);
}
template<class T, class F, bool Returns, bool Strict>
void lds_atomic(wave& w, const op& o) {
    run<T, F, Strict>(w, o, address_space::lds, Returns);
}

template<address_space Space, class T, class F>
constexpr instruction memory_entry(std::string_view name) {
    constexpr format layout = Space == address_space::global ? format::memory_global
                              : Space == address_space::flat ? format::memory_flat
                                                             : format::memory_buffer;
    instruction e{name, layout, op_class::global_atomic, &memory_atomic<Space, T, F, false>,
                  &memory_atomic<Space, T, F, true>};
    e.dst = sizeof(T) == 8 ? kind::b64 : kind::b32;
    e.src[0] = kind::b32;
    e.src[1] = e.dst;
    e.taint_rule = std::is_same_v<F, void> ? rule::select : rule::custom;
    e.width = sizeof(T);
    return e;
}
template<class T, class F, bool Returns>
constexpr instruction lds_entry(std::string_view name) {
    instruction e{name, format::memory_lds, op_class::lds_store, &lds_atomic<T, F, Returns, false>,
                  &lds_atomic<T, F, Returns, true>};
    const kind k = sizeof(T) == 8 ? kind::b64 : kind::b32;
    e.dst = Returns ? k : kind::none;
    e.src[0] = kind::b32;
    e.src[1] = k;
    if (std::is_same_v<F, void>) e.src[3] = k;
    e.taint_rule = std::is_same_v<F, void> ? rule::select : rule::custom;
    e.width = sizeof(T);
    return e;
}

#define ONE(prefix, space, suffix, type, function)                                                 \
    memory_entry<space, type, function>(prefix "_atomic_" suffix)
#define MEMORY(prefix, space)                                                                      \
    ONE(prefix, space, "swap_b32", u32, swap_with),                                                \
        ONE(prefix, space, "swap_b64", u64, swap_with),                                            \
        ONE(prefix, space, "cmpswap_b32", u32, void),                                              \
        ONE(prefix, space, "cmpswap_b64", u64, void), ONE(prefix, space, "add_u32", u32, add),     \
        ONE(prefix, space, "add_u64", u64, add), ONE(prefix, space, "sub_u32", u32, sub),          \
        ONE(prefix, space, "sub_u64", u64, sub), ONE(prefix, space, "min_i32", i32, smallest),     \
        ONE(prefix, space, "min_i64", i64, smallest),                                              \
        ONE(prefix, space, "min_u32", u32, smallest),                                              \
        ONE(prefix, space, "min_u64", u64, smallest), ONE(prefix, space, "max_i32", i32, largest), \
        ONE(prefix, space, "max_i64", i64, largest), ONE(prefix, space, "max_u32", u32, largest),  \
        ONE(prefix, space, "max_u64", u64, largest), ONE(prefix, space, "and_b32", u32, both),     \
        ONE(prefix, space, "and_b64", u64, both), ONE(prefix, space, "or_b32", u32, either),       \
        ONE(prefix, space, "or_b64", u64, either), ONE(prefix, space, "xor_b32", u32, differ),     \
        ONE(prefix, space, "xor_b64", u64, differ), ONE(prefix, space, "inc_u32", u32, wrap_up),   \
        ONE(prefix, space, "inc_u64", u64, wrap_up),                                               \
        ONE(prefix, space, "dec_u32", u32, wrap_down),                                             \
        ONE(prefix, space, "dec_u64", u64, wrap_down),                                             \
        ONE(prefix, space, "sub_clamp_u32", u32, sub_clamp),                                       \
        ONE(prefix, space, "cond_sub_u32", u32, cond_sub),                                         \
        ONE(prefix, space, "add_f32", float, add),                                                 \
        ONE(prefix, space, "min_num_f32", float, num_min),                                         \
        ONE(prefix, space, "max_num_f32", float, num_max),                                         \
        ONE(prefix, space, "pk_add_f16", u32, add_halves),                                         \
        ONE(prefix, space, "pk_add_bf16", u32, add_bf16s)

constexpr instruction memory_table[] = {
    MEMORY("global", address_space::global),
    MEMORY("flat", address_space::flat),
    MEMORY("buffer", address_space::buffer),
};

#define LDS(name, suffix, type, function)                                                          \
    lds_entry<type, function, false>("ds_" name "_" suffix),                                       \
        lds_entry<type, function, true>("ds_" name "_rtn_" suffix)

constexpr instruction lds_entries[] = {
    LDS("add", "u32", u32, add),
    LDS("add", "u64", u64, add),
    LDS("add", "f32", float, add),
    LDS("sub", "u32", u32, sub),
    LDS("sub", "u64", u64, sub),
    LDS("rsub", "u32", u32, rsub),
    LDS("rsub", "u64", u64, rsub),
    LDS("inc", "u32", u32, wrap_up),
    LDS("inc", "u64", u64, wrap_up),
    LDS("dec", "u32", u32, wrap_down),
    LDS("dec", "u64", u64, wrap_down),
    LDS("min", "i32", i32, smallest),
    LDS("min", "i64", i64, smallest),
    LDS("min", "u32", u32, smallest),
    LDS("min", "u64", u64, smallest),
    LDS("max", "i32", i32, largest),
    LDS("max", "i64", i64, largest),
    LDS("max", "u32", u32, largest),
    LDS("max", "u64", u64, largest),
    LDS("and", "b32", u32, both),
    LDS("and", "b64", u64, both),
    LDS("or", "b32", u32, either),
    LDS("or", "b64", u64, either),
    LDS("xor", "b32", u32, differ),
    LDS("xor", "b64", u64, differ),
    LDS("min_num", "f32", float, num_min),
    LDS("max_num", "f32", float, num_max),
    LDS("min_num", "f64", double, num_min),
    LDS("max_num", "f64", double, num_max),
    LDS("sub_clamp", "u32", u32, sub_clamp),
    LDS("cond_sub", "u32", u32, cond_sub),
    LDS("pk_add", "f16", u32, add_halves),
    LDS("pk_add", "bf16", u32, add_bf16s),
    LDS("cmpstore", "b32", u32, void),
    LDS("cmpstore", "b64", u64, void),
    lds_entry<u32, swap_with, true>("ds_storexchg_rtn_b32"),
    lds_entry<u64, swap_with, true>("ds_storexchg_rtn_b64"),
};

constexpr instruction rdna3_entries[] = {
    ONE("global", address_space::global, "cmpswap_f32", float, void),
    ONE("flat", address_space::flat, "cmpswap_f32", float, void),
    ONE("buffer", address_space::buffer, "cmpswap_f32", float, void),
    LDS("cmpstore", "f32", float, void),
    LDS("cmpstore", "f64", double, void),
};

#undef ONE
#undef MEMORY
#undef LDS

} // namespace

instruction_table global_atomic_table() {
    return memory_table;
}
instruction_table lds_atomic_table() {
    return lds_entries;
}
instruction_table rdna3_atomic_table() {
    return rdna3_entries;
}

} // namespace r9v_emulator
