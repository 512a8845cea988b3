// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Waves that each compute a small tile of their own, with fragments straight from memory: for few
// pixels, where k is split among the waves of a block, and for few channels in a group.
#pragma once

#include <r9v/kernels/conv/prologue.hpp>
#include <r9v/kernels/conv/tap_by_tap.hpp>
#include <r9v/kernels/conv/tuning.hpp>
#include <r9v/kernels/merge_taps.hpp>
#include <r9v/tile/finish.hpp>
#include <r9v/tile/patch_stream.hpp>
#include <r9v/tile/stream.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// What a wave computes: a tile, and which of the waves that split its k it is.
struct streamed_place {
    int group;
    index_t pixel;
    index_t channel; ///< within the group
    int pixels;      ///< that exist; not positive beyond the last
    int channels;
    int part; ///< which of a pixel's parts, for taps
    int way;  ///< of the waves that split k
    int first_wave;

    template<conv_tile Tile>
    R9V_INLINE static streamed_place of(const conv_geometry& g) {
        const tile::tile_position at = g.tiles.at(arch::block_x());
        const int wave = static_cast<int>(arch::wave_index());
        const int tile = wave >> g.split.k;
        const int down = tile >> g.split.n;
        const int across = tile - (down << g.split.n);
        streamed_place place;
        place.way = wave - (tile << g.split.k);
        place.first_wave = tile << g.split.k;
        place.group = static_cast<int>(at.batch);
        place.pixel = ((index_t{at.row} << g.split.m) + down) * Tile.m;
        const int column = (static_cast<int>(at.column) << g.split.n) + across;
        place.channel = index_t{column} * Tile.n;
        place.pixels = count(g.m - place.pixel, Tile.m);
        place.channels = count(g.n - place.channel, Tile.n);
        place.part = place.group * static_cast<int>(ceil_div<index_t>(g.n, arch::fragment_size)) +
                     column * (Tile.n / arch::fragment_size);
        return place;
    }
    [[nodiscard]] R9V_INLINE bool exists() const { return pixels > 0 && channels > 0; }

private:
    R9V_INLINE static int count(index_t left, int step) {
        return left < step ? static_cast<int>(left) : step;
    }
};

template<conv_tile Tile, class Program>
class streamed {
    using head = typename Program::head_type;
    using element = typename head::element;
    static constexpr int rows = Tile.m / arch::fragment_size;
    static constexpr int columns = Tile.n / arch::fragment_size;
    static constexpr int fragments = rows * columns;
    static constexpr int fragment_bytes = 1024;
    using stream_x = tile::patch_stream<rows, patch_prologue<head>>;
    using stream_w = tile::fragment_stream<columns, tile::slab_steps, tile::order::k_contiguous>;
    struct partials : partials_writer<conv_geometry> {
        [[nodiscard]] R9V_INLINE coordinate located(const coordinate& at) const {
            return this->geometry.located(at);
        }
    };
    using finisher = tile::finisher<1, rows, 1, typename Program::chain_type, partials>;
    static_assert(finisher::lds_bytes <= fragment_bytes);

    struct piece {
        typename stream_x::piece x;
        typename stream_w::piece w;
    };

public:
    using treat = patch_prologue<head>;
    using tile_type = arch::floats8[rows][columns];
    static constexpr int wave_bytes = fragments * fragment_bytes;
    static constexpr int lds_bytes = Tile.waves_k * wave_bytes;

    R9V_INLINE streamed(const Program& program, const conv_geometry& geometry,
                        const streamed_place& place, const treat& of_group)
        : program_{program},
          geometry_{geometry},
          place_{place},
          treat_{of_group},
          x_{geometry.map, of_group} {}

    /// Each of the waves that share a tile sums its own range of the slabs of k.
    R9V_INLINE void load_and_multiply() {
        for_each_sum([](int, arch::floats8& sum) { sum = arch::floats8{}; });
        if (!place_.exists() || geometry_.k == 0) return;
        const auto* map = reinterpret_cast<const char*>(program_.head.x.view.data);
        const tile::patch_panel x{map + place_.group * geometry_.map.channels *
                                            geometry_.map.channel_bytes,
                                  static_cast<std::uint32_t>(place_.pixel), place_.pixels};
        const index_t row_bytes = geometry_.k * index_t{sizeof(element)};
        const tile::panel w{arch::to_global(program_.head.f.data) +
                                (place_.group * geometry_.n + place_.channel) * row_bytes,
                            row_bytes, index_t{sizeof(element)}, place_.channels};
        const auto slabs = static_cast<std::int32_t>(geometry_.k / tile::slab_depth);
        const std::int32_t first = share_of(slabs, place_.way);
        multiply_range(x, w, first, share_of(slabs, place_.way + 1) - first);
        if (!has_only_finite_weights(program_.head.f)) {
            for_each_sum([](int, arch::floats8& sum) { sum = arch::floats8{}; });
            tap_by_tap<element, treat> plain{geometry_.map, treat_, x, w};
            if (place_.way == 0) plain.multiply(0, 0, sums_);
        }
    }

    /// All sums meet in LDS; of the waves that share a tile, which are as many as it has columns of
    /// fragments or more, each finishes one of these, adding up the parts of k in their order.
    R9V_INLINE void add_and_finish(arch::local_bytes lds) {
        for_each_sum([&](int i, const arch::floats8& sum) {
            arch::store_local_floats(own(lds), parked(i), parked(i) + fragment_bytes / 2, sum);
        });
        arch::barrier();
        if (place_.exists() && place_.way < columns) finish(lds, place_.way);
    }

private:
    /// The first slab of way `way`.
    R9V_INLINE std::int32_t share_of(std::int32_t slabs, int way) const {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(slabs) *
                                             static_cast<std::uint32_t>(way) >>
                                         geometry_.split.k);
    }

    /// Two pieces in registers: one is loaded while the other is multiplied.
    R9V_INLINE void multiply_range(const tile::patch_panel& x, const tile::panel& w,
                                   std::int32_t first, std::int32_t left) {
        if (left <= 0) return;
        x_.attach(x);
        x_.seek(static_cast<std::uint32_t>(first));
        w_.attach(w);
        w_.seek(index_t{first} * tile::slab_depth);
        piece a;
        piece b;
        load(a);
        for (; left > 2; left -= 2) {
            load(b);
            multiply(a);
            load(a);
            multiply(b);
        }
        if (left == 2) {
            load(b);
            multiply(a);
            multiply(b);
        } else {
            multiply(a);
        }
    }

    R9V_INLINE void load(piece& to) {
        arch::schedule_fence();
        w_.load(to.w);
        w_.advance(tile::slab_depth);
        x_.load(to.x);
        arch::schedule_fence();
    }

    /// Sums are pinned behind it: the compiler would sink all products below the branches of the
    /// next load, and need registers for one more piece.
    R9V_INLINE void multiply(const piece& from) {
        R9V_UNROLL
        for (int step = 0; step < tile::slab_steps; ++step) {
            arch::words4 x[rows];
            R9V_UNROLL
            for (int i = 0; i < rows; ++i)
                x[i] = x_.fragment(from.x, step, i);
            for_each_sum([&](int i, arch::floats8& sum) {
                sum = arch::multiply_add<element>(from.w[step][i % columns], x[i / columns], sum);
            });
        }
        for_each_sum([](int, arch::floats8& sum) { arch::hide(sum); });
    }

    R9V_INLINE void finish(arch::local_bytes lds, int column) {
        const int channel = column * arch::fragment_size;
        if (channel >= place_.channels) return;
        // Nobody else reads this column, so that its first part's place serves the finisher.
        const arch::local_bytes first =
            lds + place_.first_wave * wave_bytes + column * rows * fragment_bytes;
        const std::uint32_t low = arch::lane_index() * 16;
        arch::floats8 sums[1][rows][1] = {};
        R9V_ROLLED
        for (int way = 0; way < 1 << geometry_.split.k; ++way)
            R9V_UNROLL
        for (int row = 0; row < rows; ++row)
            sums[0][row][0] += arch::load_local_floats(
                first + way * wave_bytes + row * fragment_bytes, low, low + fragment_bytes / 2);
        const index_t of_tile = place_.group * geometry_.n + place_.channel;
        finisher last{chain_of(program_),
                      {0, place_.pixel, of_tile + channel, place_.pixel + place_.pixels,
                       of_tile + place_.channels},
                      {{geometry_, place_.part + column}}};
        const bool whole = finisher::is_repeated && geometry_.wide_chain != 0 &&
                           place_.pixels == Tile.m &&
                           channel + arch::fragment_size <= place_.channels;
        last.finish(sums, first, whole, geometry_.wide_chain != 0);
    }

    template<class Visit>
    R9V_INLINE void for_each_sum(Visit visit) {
        R9V_UNROLL
        for (int i = 0; i < fragments; ++i)
            visit(i, sums_[i / columns][i % columns]);
    }
    R9V_INLINE static arch::local_bytes own(arch::local_bytes lds) {
        return lds + static_cast<int>(arch::wave_index()) * wave_bytes;
    }
    R9V_INLINE static std::uint32_t parked(int i) {
        const int place = i % columns * rows + i / columns;
        return static_cast<std::uint32_t>(fragment_bytes * place) + arch::lane_index() * 16;
    }

    const Program& program_;
    const conv_geometry& geometry_;
    streamed_place place_;
    const treat& treat_;
    stream_x x_;
    stream_w w_;
    tile_type sums_;
};

template<conv_tile Tile, class Program>
R9V_INLINE void streamed_block(const Program& program, const conv_geometry& geometry) {
    using kernel = streamed<Tile, Program>;
    alignas(16) R9V_SHARED static char shared[kernel::lds_bytes];

    const auto place = streamed_place::of<Tile>(geometry);
    const typename kernel::treat treat{program.head, geometry.map,
                                       index_t{place.group} * geometry.map.channels};
    kernel block{program, geometry, place, treat};
    block.load_and_multiply();
    block.add_and_finish(arch::to_local(shared));
}

} // namespace r9v::inline R9V_ABI::kernels
