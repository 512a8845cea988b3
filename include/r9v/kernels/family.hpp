// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a kernel family tells the executor about programs with its heads: the checks, the reference,
// the tiles, and which kernels to queue. Each family specialises `family` for its head in its own
// family.hpp; nothing else names its kernels.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/core/integers.hpp>
#include <r9v/ops/grammar.hpp>

#include <cstddef>

namespace r9v::inline R9V_ABI {

/// Tiles of one family, to choose from at launch; each is compiled.
template<auto... Tiles>
struct tile_list {
    static constexpr int size = static_cast<int>(sizeof...(Tiles));
};

/// What the choice of a kernel depends on beside the program.
struct device_facts {
    int architecture = 0; ///< 1201 for gfx1201
    int compute_units = 0;
};

/// One kernel of a plan. Its arguments are the program and the plan's geometry.
struct kernel_step {
    const void* kernel = nullptr;
    unsigned blocks = 0;
    unsigned threads = 0;
};

/// How a program is run: kernels in order on one stream. No step means nothing to compute.
template<class Geometry, class Tile>
struct launch_plan {
    static constexpr int capacity = 4;
    Geometry geometry{};
    Tile tile{}; ///< the one that was chosen, for logs and tuning
    kernel_step steps[capacity]{};
    int count = 0;
    std::size_t scratch_bytes = 0; ///< handed to geometry.attach() at launch

    void add(const void* kernel, index_t blocks, int threads) {
        if (blocks == 0) return;
        steps[count++] = {kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads)};
    }
};

/// Specialised for each head:
///
///     using geometry = ...;  what its kernels are told beside the program; has attach(void*)
///     using tile = ...;      named fields, comparable
///     template<class Program> using default_tiles = tile_list<...>;
///     template<class Program> static status check(const Program&) noexcept;
///     template<class Program> static void bind(Program&);   extents to every op that asks
///     template<class Program> static void run_reference(const Program&);   of a checked, bound one
///     template<class Program, class Tiles>                  with kernels only
///     static status plan(const Program&, const device_facts&, launch_plan<geometry, tile>&);
template<class Head>
struct family;

/// What was refused at compile time has no kernels, tiles or reference.
template<>
struct family<detail::rejected_head> {
    struct geometry {
        void attach(void*) {}
    };
    struct tile {};
};

template<class Program>
using family_of = family<typename Program::head_type>;

/// The tiles that `launch` chooses from when the program names none.
template<class Program>
using default_tiles = typename family_of<Program>::template default_tiles<Program>;

} // namespace r9v::inline R9V_ABI
