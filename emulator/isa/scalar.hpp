// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Turns a function of scalar values into the executor of a scalar ALU instruction. A function that
// takes the wave first may read and write SCC; the entry says which.
#pragma once

#include "vector.hpp"

namespace r9v_emulator {

struct scalar_options {
    bool reads_scc = false, writes_scc = false, reads_dst = false;
    rule taints = rule::any;
};

struct simm16 {
    i32 value;
};

template<class T>
inline T scalar_source(const wave& w, const op& o, int i) {
    if constexpr (std::is_same_v<T, simm16>)
        return {static_cast<i32>(o.constant[i])};
    else
        return from_words<T>(scalar_word(w, o, i, 0), sizeof(T) == 8 ? scalar_word(w, o, i, 1) : 0);
}

template<class T>
constexpr kind scalar_kind() {
    if constexpr (std::is_void_v<T>)
        return kind::none;
    else if constexpr (std::is_same_v<T, simm16>)
        return kind::simm16;
    else
        return kind_of<T>();
}

template<class F>
struct scalar_signature : scalar_signature<decltype(&F::operator())> {};
template<class C, class R, class... A>
struct scalar_signature<R (C::*)(A...) const> {
    using result = R;
    using sources = std::tuple<A...>;
    static constexpr bool takes_wave = false;
};
template<class C, class R, class... A>
struct scalar_signature<R (C::*)(wave&, A...) const> {
    using result = R;
    using sources = std::tuple<A...>;
    static constexpr bool takes_wave = true;
};

template<class F, scalar_options Options>
struct scalar_executor {
    using sig = scalar_signature<F>;
    using value = typename sig::result;
    using sources = typename sig::sources;
    static constexpr std::size_t count = std::tuple_size_v<sources>;
    template<std::size_t I>
    using source_type = std::tuple_element_t<I, sources>;

    template<std::size_t... I>
    static value call(wave& w, const op& o, std::index_sequence<I...>) {
        if constexpr (sig::takes_wave)
            return F{}(w, scalar_source<source_type<I>>(w, o, I)...);
        else
            return F{}(scalar_source<source_type<I>>(w, o, I)...);
    }

    static void plain(wave& w, const op& o) {
        if constexpr (std::is_void_v<value>) {
            call(w, o, std::make_index_sequence<count>{});
        } else {
            const value r = call(w, o, std::make_index_sequence<count>{});
            u32* to = &w.s[o.dst - scalar_first];
            to[0] = low_word(r);
            if constexpr (sizeof(r) == 8) to[1] = high_word(r);
        }
    }

    template<std::size_t I>
    static u32 taint_bits(const wave& w, const op& o) {
        u32 t = w.taints[o.src[I]].plane[0];
        if constexpr (sizeof(source_type<I>) == 8) t |= w.taints[o.src[I] + 1].plane[0];
        return t;
    }

    static void strict(wave& w, const op& o) {
        u32 t = 0;
        if constexpr (!std::is_void_v<value>) {
            t |= w.taints[o.dst].plane[0];
            if constexpr (sizeof(value) == 8) t |= w.taints[o.dst + 1].plane[0];
        }
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((t |= taint_bits<I>(w, o)), ...);
        }(std::make_index_sequence<count>{});
        if (t | (w.scc_taint && (Options.reads_scc || Options.writes_scc))) [[unlikely]]
            propagate_scalar(w, o, Options.reads_scc, Options.writes_scc);
        plain(w, o);
    }

    static constexpr instruction entry(std::string_view name) {
        instruction e{name, format::scalar_alu, op_class::salu, &plain, &strict};
        e.dst = scalar_kind<value>();
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((e.src[I] = scalar_kind<source_type<I>>()), ...);
        }(std::make_index_sequence<count>{});
        e.reads_dst = Options.reads_dst;
        e.taint_rule = Options.taints;
        return e;
    }
};

template<scalar_options Options = scalar_options{}, class F>
constexpr instruction scalar_op(std::string_view name, F) {
    return scalar_executor<F, Options>::entry(name);
}

} // namespace r9v_emulator
