// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Tiles of up to 16 rows: a bandwidth problem. Each byte of the weights goes from memory to a
// register once, k is split among the waves of a block, and their sums are added through LDS.
#pragma once

#include <r9v/kernels/gemm/block.hpp>
#include <r9v/tile/stream.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<gemm_tile Tile, class Program>
class skinny {
    using head = typename Program::head_type;
    using element = typename head::element;
    using w_view = typename head::w_view;
    static constexpr int results = head::results;
    static constexpr int columns = Tile.n / arch::fragment_size;
    static constexpr int steps = Tile.k / arch::fragment_size;
    static constexpr int waves = Tile.waves_k;
    using stream_x = tile::fragment_stream<1, steps, tile::order::k_contiguous>;
    using stream_w = tile::fragment_stream<columns, steps, order_of<w_view>>;
    using math = tile::device_math<std::uint32_t>;
    using finisher = tile::finisher<results, 1, columns, typename Program::chain_type,
                                    partials_writer<gemm_geometry>>;

    struct piece {
        typename stream_x::piece x;
        typename stream_w::piece w[results];
        index_t k;
    };

public:
    using tile_type = arch::floats8[results][1][columns];
    /// For the sums of half of the waves, and chunks of x beside them.
    static constexpr int sums_bytes = finisher::lds_bytes * (waves < 2 ? 1 : (waves + 1) / 2);
    static constexpr int chunks_bytes = r9v::detail::traits_of<Program>.prologue ? steps * 512 : 0;
    static constexpr int lds_bytes = sums_bytes + chunks_bytes;

    R9V_INLINE skinny(const Program& program, const gemm_geometry& geometry)
        : program_{program},
          geometry_{geometry},
          place_{geometry},
          wave_{static_cast<int>(arch::wave_index())} {}

    /// Every wave sums pieces wave, wave + waves, ... of k; what is left over goes to one of them.
    R9V_INLINE void load_and_multiply(arch::local_bytes lds) {
        const tile::panel x = panel_of(program_.head.x.view, place_.batch, place_.row, place_.rows);
        tile::panel w[results];
        w[0] = panel_of(program_.head.first_weights(), place_.batch, place_.column, place_.columns);
        if constexpr (results == 2)
            w[1] = panel_of(program_.head.second_weights(), place_.batch, place_.column,
                            place_.columns);
        x_.attach(x);
        R9V_UNROLL
        for (int r = 0; r < results; ++r)
            w_[r].attach(w[r]);
        for_each_sum([](int, arch::floats8& sum) { sum = arch::floats8{}; });

        const index_t whole = geometry_.k / Tile.k;
        const int kept = static_cast<int>(geometry_.k % Tile.k);
        if (kept != 0 && static_cast<int>(whole % waves) == wave_) {
            piece last;
            seek(whole * Tile.k);
            load_ragged(x, w, kept, last);
            treat_ragged(last, kept, lds + sums_bytes);
            multiply(last);
        }
        seek(index_t{wave_} * Tile.k);
        multiply_whole((whole - wave_ + waves - 1) / waves);
    }

    /// The upper half of the waves parks its sums, the lower half adds them; and again.
    R9V_INLINE void add_waves(arch::local_bytes lds) {
        R9V_UNROLL
        for (int left = waves; left > 1; left = (left + 1) / 2) {
            const int half = (left + 1) / 2;
            if (wave_ >= half && wave_ < left) park(lds + (wave_ - half) * finisher::lds_bytes);
            arch::barrier();
            if (wave_ < left - half) add(lds + wave_ * finisher::lds_bytes);
            arch::barrier();
        }
    }

    R9V_INLINE void finish(arch::local_bytes lds) {
        if (wave_ != 0) return;
        finisher last{program_.chain,
                      {place_.batch, place_.row, place_.column, place_.row + place_.rows,
                       place_.column + place_.columns},
                      {geometry_, place_.part}};
        const bool whole = finisher::is_repeated && geometry_.wide_chain != 0 &&
                           place_.rows == Tile.m && place_.columns == Tile.n;
        last.finish(sums_, lds, whole, geometry_.wide_chain != 0);
    }

private:
    /// Two pieces in registers: one is loaded while the other is multiplied.
    R9V_INLINE void multiply_whole(index_t pieces) {
        if (pieces <= 0) return;
        piece a;
        piece b;
        load(a);
        for (; pieces > 2; pieces -= 2) {
            load(b);
            treat_and_multiply(a);
            load(a);
            treat_and_multiply(b);
        }
        if (pieces == 2) {
            load(b);
            treat_and_multiply(a);
            treat_and_multiply(b);
        } else {
            treat_and_multiply(a);
        }
    }

    R9V_INLINE void seek(index_t k) {
        k_ = k;
        x_.seek(k);
        R9V_UNROLL
        for (auto& w : w_)
            w.seek(k);
    }

    R9V_INLINE void load(piece& to) {
        arch::schedule_fence();
        x_.load(to.x);
        x_.advance(waves * Tile.k);
        R9V_UNROLL
        for (int r = 0; r < results; ++r) {
            w_[r].load(to.w[r]);
            w_[r].advance(waves * Tile.k);
        }
        to.k = k_;
        k_ += waves * Tile.k;
        arch::schedule_fence();
    }

    R9V_INLINE void load_ragged(const tile::panel& x, const tile::panel (&w)[results], int kept,
                                piece& to) const {
        x_.load_ragged(x, kept, to.x);
        R9V_UNROLL
        for (int r = 0; r < results; ++r)
            w_[r].load_ragged(w[r], kept, to.w[r]);
        to.k = k_;
    }

    R9V_INLINE void treat_and_multiply(piece& from) {
        const auto treat = prologue_of<math>(program_, place_);
        R9V_UNROLL
        for (int step = 0; step < steps; ++step)
            from.x[step][0] = treat(from.x[step][0], stream_x::row(0), from.k, stream_x::k(step));
        multiply(from);
    }

    /// The prologue of the piece that ends with k. What lies beyond becomes zero after it.
    R9V_INLINE void treat_ragged(piece& last, int kept, arch::local_bytes lds) const {
        const auto treat = prologue_of<math>(program_, place_);
        if constexpr (treat.changes) {
            const bool whole_chunks = kept % tile::chunk_elements == 0;
            R9V_UNROLL
            for (int step = 0; step < steps; ++step) {
                const int k = tile::detail::min(stream_x::k(step), kept - tile::chunk_elements);
                arch::words4& chunk = last.x[step][0];
                if (whole_chunks) chunk = treat(chunk, stream_x::row(0), last.k, k);
                arch::store_local(lds, chunk_place(step), chunk);
            }
            if (!whole_chunks) treat_elements(treat, last.k, kept, lds);
            R9V_UNROLL
            for (int step = 0; step < steps; ++step)
                last.x[step][0] = tile::keep_first(arch::load_local(lds, chunk_place(step)),
                                                   kept - stream_x::k(step));
        }
    }

    template<class Treat>
    R9V_INLINE static void treat_elements(const Treat& treat, index_t k, int kept,
                                          arch::local_bytes lds) {
        R9V_ROLLED
        for (int at = 0; at < steps * tile::chunk_elements; ++at) {
            const int e = at % tile::chunk_elements;
            const int lane_k = stream_x::k(at / tile::chunk_elements) + e;
            if (lane_k >= kept) continue;
            const std::uint32_t place =
                chunk_place(at / tile::chunk_elements) + static_cast<std::uint32_t>(2 * e);
            const std::uint16_t value = arch::load_local_short(lds, place);
            arch::store_local_short(lds, place, treat.single(value, stream_x::row(0), k, lane_k));
        }
    }

    /// The lane's own chunk of a step.
    R9V_INLINE static std::uint32_t chunk_place(int step) {
        return static_cast<std::uint32_t>(512 * step) + arch::lane_index() * 16;
    }

    R9V_INLINE void multiply(const piece& from) {
        R9V_UNROLL
        for (int step = 0; step < steps; ++step)
            for_each_sum([&](int i, arch::floats8& sum) {
                sum = arch::multiply_add<element>(from.w[i / columns][step][i % columns],
                                                  from.x[step][0], sum);
            });
    }

    R9V_INLINE void park(arch::local_bytes lds) {
        for_each_sum([&](int i, const arch::floats8& sum) {
            arch::store_local_floats(lds, parked(i), parked(i) + 512, sum);
        });
    }
    R9V_INLINE void add(arch::local_bytes lds) {
        for_each_sum([&](int i, arch::floats8& sum) {
            sum += arch::load_local_floats(lds, parked(i), parked(i) + 512);
        });
    }
    template<class Visit>
    R9V_INLINE void for_each_sum(Visit visit) {
        R9V_UNROLL
        for (int i = 0; i < results * columns; ++i)
            visit(i, sums_[i / columns][0][i % columns]);
    }
    R9V_INLINE static std::uint32_t parked(int i) {
        return static_cast<std::uint32_t>(1024 * i) + arch::lane_index() * 16;
    }

    const Program& program_;
    const gemm_geometry& geometry_;
    block_place place_;
    int wave_;
    stream_x x_;
    stream_w w_[results];
    index_t k_ = 0;
    tile_type sums_;
};

template<gemm_tile Tile, class Program>
R9V_INLINE void skinny_block(const Program& program, const gemm_geometry& geometry) {
    using kernel = skinny<Tile, Program>;
    alignas(16) R9V_SHARED static char shared[kernel::lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);

    kernel block{program, geometry};
    block.load_and_multiply(lds);
    block.add_waves(lds);
    block.finish(lds);
}

} // namespace r9v::inline R9V_ABI::kernels
