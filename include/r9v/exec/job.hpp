// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What can be launched: programs, and programs narrowed to some tiles by `only`.
#pragma once

#include <r9v/exec/complete.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

namespace exec {

/// A program that may use no other tiles than `Tiles`.
template<class Program, auto... Tiles>
struct narrowed {
    Program program;
};

/// Which program something launchable stands for, and with which tiles.
template<class T>
struct job;

template<class Head, class Chain>
struct job<program<Head, Chain>> {
    using program_type = program<Head, Chain>;
    static const program_type& of(const program_type& p) { return p; }
    /// A function, so that the tiles of a refused program are never asked for.
    static auto tiles() { return default_tiles<program_type>{}; }
};

template<class Program, auto... Tiles>
struct job<narrowed<Program, Tiles...>> {
    using program_type = Program;
    static const Program& of(const narrowed<Program, Tiles...>& n) { return n.program; }
    static auto tiles() { return tile_list<Tiles...>{}; }
};

template<class T>
concept launchable = requires { typename job<T>::program_type; };

template<launchable T>
using program_of = typename job<T>::program_type;

template<launchable T>
using tiles_of = decltype(job<T>::tiles());

/// Whether `T`, which is no program, was refused before, as a chain or op.
template<class T>
consteval bool was_refused_before() {
    if constexpr (is_chain<T>) {
        return T::has_rejected;
    } else {
        return is_rejected<T>;
    }
}

/// Whether `T` is a program that can run in memory of kind `Where`; if not, reports why.
template<class T, space Where>
consteval bool may_launch() {
    if constexpr (launchable<T>) {
        return is_launchable<program_of<T>, Where>();
    } else {
        static_assert(was_refused_before<T>(), "r9v: this is not a program. Write launch(where, "
                                               "gemm(x, w) | ... | store(y)).");
        return false;
    }
}

} // namespace exec

/// The same program, with no other tiles than these to choose from; each is compiled.
template<auto... Tiles, class Head, class Chain>
[[nodiscard]] constexpr auto only(const program<Head, Chain>& p) {
    static_assert(sizeof...(Tiles) >= 1,
                  "r9v: only() names no tile. Write only<gemm_tile{.m = 128, ...}>(program).");
    return exec::narrowed<program<Head, Chain>, Tiles...>{p};
}

} // namespace r9v::inline R9V_ABI
