// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Turns a function of one lane into the plain and the strict executor of a vector instruction. The
// operand types of the function say how operands are read: u32, float, half, double, bool (a lane
// of a mask) and so on.
#pragma once

#include "../check/check.hpp"
#include "instruction.hpp"
#include <tuple>
#include <type_traits>

#if defined(__clang__)
#define R9V_EACH_LANE _Pragma("clang loop vectorize(assume_safety) interleave(disable)")
#else
#define R9V_EACH_LANE _Pragma("GCC ivdep")
#endif

namespace r9v_emulator {

struct bf16 {
    u16 bits;
};
/// Two 16-bit values in one register; modifiers act on each half.
template<class T>
struct pair_of {
    u32 bits;
};
using half_pair = pair_of<half>;
using bf16_pair = pair_of<bf16>;
using u16_pair = pair_of<u16>;

template<class T>
struct with_mask {
    T value;
    bool mask;
};

template<class T>
constexpr kind kind_of() {
    if constexpr (std::is_same_v<T, u32>) return kind::b32;
    if constexpr (std::is_same_v<T, i32>) return kind::s32;
    if constexpr (std::is_same_v<T, float>) return kind::f32;
    if constexpr (std::is_same_v<T, u16> || std::is_same_v<T, i16>) return kind::b16;
    if constexpr (std::is_same_v<T, half>) return kind::f16;
    if constexpr (std::is_same_v<T, bf16>) return kind::bf16;
    if constexpr (std::is_same_v<T, u64>) return kind::b64;
    if constexpr (std::is_same_v<T, i64>) return kind::s64;
    if constexpr (std::is_same_v<T, double>) return kind::f64;
    if constexpr (std::is_same_v<T, half_pair>) return kind::packed_f16;
    if constexpr (std::is_same_v<T, bf16_pair>) return kind::packed_bf16;
    if constexpr (std::is_same_v<T, u16_pair>) return kind::packed_b16;
    if constexpr (std::is_same_v<T, bool>) return kind::mask;
}

template<class T>
inline T from_words(u32 low, [[maybe_unused]] u32 high) {
    if constexpr (std::is_same_v<T, bool>)
        return low != 0;
    else if constexpr (sizeof(T) == 2)
        return bits_as<T>(static_cast<u16>(low));
    else if constexpr (sizeof(T) == 4)
        return bits_as<T>(low);
    else
        return bits_as<T>(low | static_cast<u64>(high) << 32);
}
template<class T>
inline u32 low_word(T value) {
    if constexpr (std::is_same_v<T, bool>)
        return value ? all_lanes : 0u;
    else if constexpr (sizeof(T) == 2)
        return bits_as<u16>(value);
    else if constexpr (sizeof(T) == 4)
        return bits_as<u32>(value);
    else
        return static_cast<u32>(bits_as<u64>(value));
}
template<class T>
inline u32 high_word([[maybe_unused]] T value) {
    if constexpr (sizeof(T) == 8)
        return static_cast<u32>(bits_as<u64>(value) >> 32);
    else
        return 0;
}

template<class F>
struct signature : signature<decltype(&F::operator())> {};
template<class C, class R, class... A>
struct signature<R (C::*)(A...) const> {
    using result = R;
    using sources = std::tuple<A...>;
    static constexpr bool takes_op = false;
};
template<class C, class R, class... A>
struct signature<R (C::*)(const op&, A...) const> {
    using result = R;
    using sources = std::tuple<A...>;
    static constexpr bool takes_op = true;
};
template<class R>
struct result_parts {
    using value = R;
    static constexpr bool mask = false;
};
template<class T>
struct result_parts<with_mask<T>> {
    using value = T;
    static constexpr bool mask = true;
};

struct lane_block {
    alignas(64) u32 word[lanes];
};

// Out of line: modifiers, DPP, masked and half-register writes.
const u32* modified_source(wave& w, const op& o, int i, unsigned word, kind k, const u32* from,
                           u32* to);
u32 write_mask(const wave& w, const op& o);
void finish_result(const wave& w, const op& o, kind k, u32* low, u32* high);
void merge_words(u32* to, const u32* from, u32 mask);
void merge_halves(u32* to, const u32* from, u32 mask, bool high);
void spread_mask(u32* to, u32 mask);
u32 gather_mask(const u32* from);
void write_scalar(wave& w, u16 index, u32 value);

inline void spread(u32* to, u32 value) {
    const __m256i x = _mm256_set1_epi32(static_cast<int>(value));
    for (unsigned i = 0; i < lanes; i += 8)
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + i), x);
}

inline u32 scalar_word(const wave& w, const op& o, int i, unsigned word) {
    const u16 index = o.src[i];
    if (is_scalar(index)) return w.s[index - scalar_first + word];
    return static_cast<u32>(o.constant[i] >> (32 * word));
}

template<class T>
inline const u32* source(wave& w, const op& o, int i, unsigned word, u32* buffer) {
    if constexpr (std::is_same_v<T, bool>) {
        spread_mask(buffer, scalar_word(w, o, i, 0));
        return buffer;
    }
    const u16 index = o.src[i];
    const u32* from = buffer;
    if (is_vector(index))
        from = w.v[index + word];
    else
        spread(buffer, scalar_word(w, o, i, word));
    if (o.special) [[unlikely]]
        return modified_source(w, o, i, word, kind_of<T>(), from, buffer);
    return from;
}

template<class F>
struct vector_executor {
    using sig = signature<F>;
    using parts = result_parts<typename sig::result>;
    using value = typename parts::value;
    using sources = typename sig::sources;
    static constexpr std::size_t count = std::tuple_size_v<sources>;
    static constexpr bool compare = std::is_same_v<value, bool>;
    template<std::size_t I>
    using source_type = std::tuple_element_t<I, sources>;

    struct result_words {
        u32 low, high, mask;
    };

    template<std::size_t... I>
    static inline result_words lane(const op& o, const u32* const (&in)[3][2], unsigned l,
                                    std::index_sequence<I...>) {
        typename sig::result r;
        if constexpr (sig::takes_op)
            r = F{}(o, from_words<source_type<I>>(in[I][0][l], in[I][1][l])...);
        else
            r = F{}(from_words<source_type<I>>(in[I][0][l], in[I][1][l])...);
        if constexpr (parts::mask)
            return {low_word<value>(r.value), high_word<value>(r.value), r.mask ? all_lanes : 0u};
        else
            return {low_word<value>(r), high_word<value>(r), 0};
    }

    static inline void loop(const op& o, const u32* const (&in)[3][2], u32* low, u32* high,
                            u32* mask) {
        R9V_EACH_LANE
        for (unsigned l = 0; l < lanes; ++l) {
            const result_words r = lane(o, in, l, std::make_index_sequence<count>{});
            low[l] = r.low;
            if constexpr (sizeof(value) == 8) high[l] = r.high;
            if constexpr (parts::mask) mask[l] = r.mask;
        }
    }

    template<std::size_t I>
    static inline void fetch(wave& w, const op& o, const u32* (&in)[3][2],
                             lane_block (&buffer)[6]) {
        using type = source_type<I>;
        in[I][0] = in[I][1] = source<type>(w, o, I, 0, buffer[2 * I].word);
        if constexpr (sizeof(type) == 8)
            in[I][1] = source<type>(w, o, I, 1, buffer[2 * I + 1].word);
    }

    static void plain(wave& w, const op& o) {
        lane_block buffer[6];
        const u32* in[3][2] = {};
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (fetch<I>(w, o, in, buffer), ...);
        }(std::make_index_sequence<count>{});
        lane_block mask;
        if constexpr (!compare && sizeof(value) >= 4 && !parts::mask) {
            if (w.exec() == all_lanes && !o.special) [[likely]] {
                loop(o, in, w.v[o.dst], w.v[o.dst + (sizeof(value) == 8)], mask.word);
                return;
            }
        }
        lane_block low, high;
        loop(o, in, low.word, high.word, mask.word);
        const u32 enabled = write_mask(w, o);
        if constexpr (compare) {
            write_scalar(w, o.dst, gather_mask(low.word) & enabled);
        } else {
            if (o.special) finish_result(w, o, kind_of<value>(), low.word, high.word);
            if constexpr (sizeof(value) == 2) {
                merge_halves(w.v[o.dst], low.word, enabled, (o.sel & 8) != 0);
            } else {
                merge_words(w.v[o.dst], low.word, enabled);
                if constexpr (sizeof(value) == 8) merge_words(w.v[o.dst + 1], high.word, enabled);
            }
            if constexpr (parts::mask) write_scalar(w, o.dst2, gather_mask(mask.word) & enabled);
        }
    }

    template<std::size_t I>
    static inline __m128i taints_of(const wave& w, const op& o) {
        __m128i t = load_taint(w.taints[o.src[I]]);
        if constexpr (sizeof(source_type<I>) == 8)
            t = _mm_or_si128(t, load_taint(w.taints[o.src[I] + 1]));
        return t;
    }

    static void strict(wave& w, const op& o) {
        __m128i t = load_taint(w.taints[o.dst]);
        if constexpr (sizeof(value) == 8) t = _mm_or_si128(t, load_taint(w.taints[o.dst + 1]));
        if constexpr (parts::mask) t = _mm_or_si128(t, load_taint(w.taints[o.dst2]));
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((t = _mm_or_si128(t, taints_of<I>(w, o))), ...);
        }(std::make_index_sequence<count>{});
        if (!is_clear(t)) [[unlikely]]
            propagate(w, o);
        plain(w, o);
    }

    static constexpr instruction entry(std::string_view name) {
        instruction e{name, format::vector, op_class::valu, &plain, &strict};
        e.dst = kind_of<value>();
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((e.src[I] = kind_of<source_type<I>>()), ...);
        }(std::make_index_sequence<count>{});
        e.mask_out = parts::mask;
        if (compare) e.dst = kind::none, e.mask_out = true;
        return e;
    }
};

struct entry_options {
    rule taints = rule::any;
    op_class cls = op_class::valu;
    u8 cycles = 1;
    bool reads_dst = false;
};

/// The table entry of a vector instruction whose lanes compute `F`.
template<class F>
constexpr instruction vector_op(std::string_view name, F, entry_options options = {}) {
    instruction e = vector_executor<F>::entry(name);
    e.taint_rule = options.taints;
    e.cls = options.cls;
    e.cycles = options.cycles;
    e.reads_dst = options.reads_dst;
    return e;
}

} // namespace r9v_emulator
