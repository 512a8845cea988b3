// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The main loop of a block: slabs of k go from global memory through registers to LDS, one slab
// ahead, while the waves multiply the slab before.
#pragma once

#include <r9v/tile/fragment.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::tile {

/// What a block multiplies: a tile of m rows and n columns of the result (of each of the results,
/// after `both`), split among waves_m * waves_n waves.
struct block_shape {
    int m;
    int n;
    int waves_m;
    int waves_n;
    int results;

    [[nodiscard]] constexpr int threads() const { return waves_m * waves_n * 32; }
    [[nodiscard]] constexpr int rows_a_wave() const { return m / waves_m; }
    [[nodiscard]] constexpr int columns_a_wave() const { return n / waves_n; }
    /// Bytes of one stage in LDS: a slab of x, then one of each weight.
    [[nodiscard]] constexpr int stage_bytes() const { return (m + results * n) * slab_row_bytes; }
    [[nodiscard]] constexpr int lds_bytes() const { return 2 * stage_bytes(); }
};

/// Passes chunks on as they are: for sources without a prologue.
struct untreated {
    static constexpr bool changes = false;
    R9V_INLINE arch::words4 operator()(arch::words4 chunk, int, index_t, int) const {
        return chunk;
    }
};

/// `LoadX` and `LoadW` move slabs of Shape.m and Shape.n rows. `Treat` is the prologue of x:
/// treat(chunk, row, k, lane_k), with the row counted from the block's first.
template<class Element, block_shape Shape, class LoadX, class LoadW, class Treat>
class pipeline {
public:
    static constexpr int results = Shape.results;
    static constexpr int rows = Shape.rows_a_wave() / arch::fragment_size;
    static constexpr int columns = Shape.columns_a_wave() / arch::fragment_size;
    /// Accumulators of a wave, in fragments.
    using tile_type = arch::floats8[results][rows][columns];

    R9V_INLINE pipeline(arch::local_bytes lds, int wave_m, int wave_n, Treat treat,
                        const LoadX& x = {})
        : lds_{lds},
          x_{x},
          read_x_{wave_m * Shape.rows_a_wave()},
          read_w_{wave_n * Shape.columns_a_wave()},
          treat_{treat} {}

    /// tile += x * w over all of k >= 1. The slab that may be ragged goes first, so that the loop
    /// has none.
    /// `PanelX` and `PanelW` are what the loaders attach to.
    template<class PanelX, class PanelW>
    R9V_INLINE void multiply(const PanelX& x, const PanelW (&w)[results], index_t k,
                             tile_type& tile) {
        const auto slabs = static_cast<std::int32_t>(ceil_div<index_t>(k, slab_depth));
        attach(x, w);
        fill(x, w, k, slabs);

        // Stages alternate so that the last slab is in stage 1: constants in every step.
        if (slabs > 1) {
            if (slabs > 2 && slabs % 2 == 1) step<1, moves::all>(tile);
            for (std::int32_t left = slabs; left > 3; left -= 2) {
                step<0, moves::all>(tile);
                step<1, moves::all>(tile);
            }
            step<0, moves::store>(tile);
        }
        step<1, moves::none>(tile);
    }

private:
    /// What a step moves beside multiplying: the next slab to LDS, and the one after it from global
    /// memory to the registers that the next one leaves.
    enum class moves { none, store, all };

    template<class PanelX, class PanelW>
    R9V_INLINE void attach(const PanelX& x, const PanelW (&w)[results]) {
        x_.attach(x);
        R9V_UNROLL
        for (int r = 0; r < results; ++r)
            w_[r].attach(w[r]);
    }

    /// Puts the ragged slab into its stage, while slab 0 is loaded.
    template<class PanelX, class PanelW>
    R9V_INLINE void fill(const PanelX& x, const PanelW (&w)[results], index_t k,
                         std::int32_t slabs) {
        const index_t last = slabs - 1;
        const int depth = whole_slabs ? slab_depth : static_cast<int>(k - last * slab_depth);
        LoadX last_x = x_;
        LoadW last_w[results];
        last_x.load_ragged(x, last, depth);
        R9V_UNROLL
        for (int r = 0; r < results; ++r) {
            last_w[r] = w_[r];
            last_w[r].load_ragged(w[r], last, depth);
        }
        if (slabs > 1) {
            R9V_UNROLL
            for (int i = 0; i < chunks; ++i)
                load_chunk(i);
            advance();
        }
        const arch::local_bytes stage = lds_ + slabs % 2 * Shape.stage_bytes();
        store_ragged_x(last_x, stage, last * slab_depth, depth);
        R9V_UNROLL
        for (int i = 0; i < LoadW::count * results; ++i) {
            const LoadW& from = last_w[i / LoadW::count];
            const int chunk = i % LoadW::count;
            arch::store_local(stage + slab_of_w(i / LoadW::count), from.place(chunk),
                              keep_first(from.chunk(chunk), depth - LoadW::k()));
        }
        synchronize();
    }

    /// What lies beyond k becomes zero after the prologue, since ops may make something of nothing.
    R9V_INLINE void store_ragged_x(const LoadX& x, arch::local_bytes stage, index_t first_k,
                                   int depth) const {
        const bool whole_chunks = !Treat::changes || depth % chunk_elements == 0;
        R9V_UNROLL
        for (int i = 0; i < LoadX::count; ++i) {
            arch::words4 chunk = x.chunk(i);
            if (whole_chunks)
                chunk = treat_(chunk, LoadX::row(i), first_k,
                               detail::min(LoadX::k(), depth - chunk_elements));
            arch::store_local(stage, x.place(i), keep_first(chunk, depth - LoadX::k()));
        }
        if constexpr (Treat::changes) {
            if (!whole_chunks) treat_elements(x, stage, first_k, depth);
        }
    }

    /// The prologue of the thread's own chunks in LDS, one element at a time.
    R9V_INLINE void treat_elements(const LoadX& x, arch::local_bytes stage, index_t first_k,
                                   int depth) const {
        R9V_ROLLED
        for (int at = 0; at < LoadX::count * chunk_elements; ++at) {
            const int i = at / chunk_elements;
            const int e = at % chunk_elements;
            if (LoadX::k() + e >= depth) continue;
            const std::uint32_t place = x.place(i) + static_cast<std::uint32_t>(2 * e);
            const std::uint16_t value = arch::load_local_short(stage, place);
            arch::store_local_short(stage, place,
                                    treat_.single(value, LoadX::row(i), first_k, LoadX::k() + e));
        }
    }

    /// Multiplies the slab in stage `Stage`.
    template<int Stage, moves Moves>
    R9V_INLINE void step(tile_type& tile) {
        const arch::local_bytes from = lds_ + Stage * Shape.stage_bytes();
        const arch::local_bytes to = lds_ + (1 - Stage) * Shape.stage_bytes();
        arch::words4 x[slab_steps][rows];
        arch::words4 w[slab_steps][results * columns];
        R9V_UNROLL
        for (int i = 0; i < fragments; ++i)
            read(from, 0, i, x[0], w[0]);

        // One beat a matrix instruction. Beside it issue the fragments of the second half, then the
        // chunks on their way to the next stage: each waits for its own load alone.
        if constexpr (requires { requires LoadX::is_long; }) {
            // A fold, since compilers give up on unrolling loops over long prologues.
            [&]<int... Beats>(std::integer_sequence<int, Beats...>) {
                (play<Moves>(Beats, from, to, x, w, tile), ...);
            }(std::make_integer_sequence<int, beats>{});
        } else {
            R9V_UNROLL
            for (int beat = 0; beat < beats; ++beat)
                play<Moves>(beat, from, to, x, w, tile);
        }
        if constexpr (Moves == moves::all) advance();
        if constexpr (Moves != moves::none) {
            next_k_ += slab_depth;
            synchronize();
        }
    }

    /// One matrix instruction and what issues beside it.
    template<moves Moves>
    R9V_INLINE void play(int beat, arch::local_bytes from, arch::local_bytes to,
                         arch::words4 (&x)[slab_steps][rows],
                         arch::words4 (&w)[slab_steps][results * columns], tile_type& tile) {
        arch::schedule_fence();
        const int half = beat / (beats / slab_steps);
        const int column = beat / rows % (results * columns);
        auto& sum = tile[column / columns][beat % rows][column % columns];
        sum = arch::multiply_add<Element>(w[half][column], x[half][beat % rows], sum);
        if (beat < fragments) read(from, 1, beat, x[1], w[1]);
        R9V_UNROLL
        for (int i = 0; i < chunks; ++i)
            if (beat == beat_of_chunk(i)) {
                if constexpr (Moves != moves::none) store_chunk(to, i);
                if constexpr (Moves == moves::all) load_chunk(i);
            }
    }

    R9V_INLINE void read(arch::local_bytes stage, int half, int i, arch::words4 (&x)[rows],
                         arch::words4 (&w)[results * columns]) const {
        if (i < rows) {
            x[i] = read_x_.load(stage, half, i);
        } else {
            const int column = i - rows;
            w[column] = read_w_.load(stage + slab_of_w(column / columns), half, column % columns);
        }
    }

    R9V_INLINE void load_chunk(int i) {
        if (i < LoadX::count) {
            x_.load_chunk(i);
        } else {
            w_[(i - LoadX::count) / LoadW::count].load_chunk((i - LoadX::count) % LoadW::count);
        }
    }

    R9V_INLINE void store_chunk(arch::local_bytes stage, int i) const {
        if (i < LoadX::count) {
            arch::store_local(stage, x_.place(i),
                              treat_(x_.chunk(i), LoadX::row(i), next_k_, LoadX::k()));
        } else {
            const int r = (i - LoadX::count) / LoadW::count;
            const int chunk = (i - LoadX::count) % LoadW::count;
            arch::store_local(stage + slab_of_w(r), w_[r].place(chunk), w_[r].chunk(chunk));
        }
    }

    R9V_INLINE void advance() {
        x_.advance();
        R9V_UNROLL
        for (auto& w : w_)
            w.advance();
    }

    R9V_INLINE static void synchronize() {
        arch::schedule_fence();
        arch::barrier();
        arch::schedule_fence();
    }

    static constexpr int slab_of_w(int result) {
        return (Shape.m + result * Shape.n) * slab_row_bytes;
    }

    /// Whether k is always a multiple of the depth of a slab: then nothing is cut off.
    static constexpr bool whole_slabs = requires { requires LoadX::has_whole_slabs; };
    static constexpr int fragments = rows + results * columns;
    static constexpr int chunks = LoadX::count + results * LoadW::count;
    static constexpr int beats = slab_steps * rows * results * columns;
    static_assert(fragments <= beats / slab_steps);

    /// Chunks follow the fragments, evenly where there are more of them than beats.
    static constexpr int beat_of_chunk(int i) {
        constexpr int room = beats - fragments;
        return fragments + (chunks <= room ? i : i * room / chunks);
    }

    arch::local_bytes lds_;
    LoadX x_;
    LoadW w_[results];
    fragment_reader read_x_;
    fragment_reader read_w_;
    Treat treat_;
    index_t next_k_ = 0; ///< of the slab in the loaders' registers
};

} // namespace r9v::inline R9V_ABI::tile
