// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Brings the band of the map under a tile to LDS: zeros for padding, the prologue's results for the
// rest.
#pragma once

#include <r9v/kernels/conv/stem/geometry.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Passes elements of a map through its prologue and rounds them to the map's type again.
template<class Head>
struct stem_prologue {
    using element = typename Head::element;
    using chain_type = std::remove_cvref_t<decltype(std::declval<Head>().x.prologue)>;
    static constexpr bool changes = chain_type::size != 0;

    const chain_type& ops;

    [[nodiscard]] R9V_INLINE std::uint16_t operator()(std::uint16_t bits, index_t image,
                                                      std::int32_t h, std::int32_t w,
                                                      std::int32_t c) const {
        // Where an element stands differs from lane to lane in all of its coordinates.
        run<float, 1> value{{arch::element_to_float<element>(bits, 0)}};
        const coordinate at{.batch_base = image, .row_base = w, .column_base = c, .head_base = h};
        value = r9v::transform(tile::device_math<index_t>{}, ops, at, value);
        return static_cast<std::uint16_t>(arch::element_from_float<element>(value[0]));
    }
};

/// Pixel (h, w) of image `image` is the band's first.
struct band_origin {
    index_t image;
    std::int32_t h;
    std::int32_t w;
};

template<int Threads, class Head>
class band_stager {
public:
    R9V_INLINE band_stager(const Head& head, const stem_map& map, const stem_band& band,
                           const band_origin& from, arch::local_bytes lds)
        : treat_{head.x.prologue},
          map_{map},
          band_{band},
          from_{from},
          image_{arch::to_global(head.x.view.data) + from.image * map.image_bytes},
          lds_{lds} {}

    /// Everything is in LDS behind the next barrier.
    R9V_INLINE void stage() const {
        if (band_.dense != 0) {
            stage_pieces();
            stage_edges();
        } else {
            stage_elements();
        }
        if constexpr (stem_prologue<Head>::changes) {
            arch::barrier();
            treat_elements();
        }
    }

private:
    static constexpr int together = 4; ///< loads of a thread that are on their way at once
    static constexpr int elements = 8; ///< of a piece

    /// 16 bytes of a row of the band: element `first`, counted from the row of the map's first.
    struct piece {
        std::uint32_t row;
        std::uint32_t at;
        std::int32_t first;
        bool row_exists;
    };
    [[nodiscard]] R9V_INLINE piece piece_of(std::uint32_t number) const {
        const std::uint32_t row = band_.of_pieces.quotient(number);
        const std::uint32_t at = number - row * band_.of_pieces.value;
        return {row, at, from_.w * map_.channels + static_cast<std::int32_t>(at) * elements,
                stem_map::is_below(from_.h + static_cast<std::int32_t>(row), map_.height)};
    }
    [[nodiscard]] R9V_INLINE std::int32_t row_elements() const {
        return map_.width * map_.channels;
    }
    [[nodiscard]] R9V_INLINE bool is_whole(const piece& p) const {
        return p.first >= 0 && p.first + elements <= row_elements();
    }
    [[nodiscard]] R9V_INLINE bool is_empty(const piece& p) const {
        return p.first + elements <= 0 || p.first >= row_elements();
    }
    [[nodiscard]] R9V_INLINE std::uint32_t place_of(const piece& p) const {
        return p.row * static_cast<std::uint32_t>(band_.pitch) + 16 * p.at;
    }

    /// Pieces that lie in a row of the map, and zeros for those that lie in the padding. What is
    /// partly one and partly the other is left to stage_edges().
    R9V_INLINE void stage_pieces() const {
        const arch::global_bytes base = image_ + map_.offset(from_.h, from_.w, 0);
        const std::uint32_t count = static_cast<std::uint32_t>(band_.rows) * band_.of_pieces.value;
        R9V_ROLLED
        for (std::uint32_t first = arch::thread_index(); first < count;
             first += together * Threads) {
            arch::words4 data[together];
            R9V_UNROLL
            for (int i = 0; i < together; ++i) {
                const piece p = piece_of(first + static_cast<std::uint32_t>(i * Threads));
                const bool loads = first + static_cast<std::uint32_t>(i * Threads) < count &&
                                   p.row_exists && is_whole(p);
                const std::uint32_t away =
                    p.row * static_cast<std::uint32_t>(map_.row_bytes) + 16 * p.at;
                data[i] = arch::load_bounded<16>(base, loads ? away : arch::outside);
            }
            R9V_UNROLL
            for (int i = 0; i < together; ++i) {
                const std::uint32_t number = first + static_cast<std::uint32_t>(i * Threads);
                const piece p = piece_of(number);
                if (number < count && (is_whole(p) || is_empty(p)))
                    arch::store_local(lds_, place_of(p), data[i]);
            }
        }
    }

    /// The pieces at the left and the right edge of the map, one element a thread.
    R9V_INLINE void stage_edges() const {
        const std::int32_t first = from_.w * map_.channels;
        const std::int32_t left = first < 0 ? -first / elements : 0;
        const std::int32_t right = (row_elements() - first) / elements;
        if (first >= 0 && right >= band_.pieces) return; // an inner tile
        const std::uint32_t count = static_cast<std::uint32_t>(band_.rows) * 2 * elements;
        R9V_ROLLED
        for (std::uint32_t number = arch::thread_index(); number < count; number += Threads) {
            const bool is_right = (number & elements) != 0;
            const std::int32_t at = is_right ? right : left;
            if (!stem_map::is_below(at, band_.pieces) || (is_right && at == left)) continue;
            const piece p = piece_of(number / (2 * elements) * band_.of_pieces.value +
                                     static_cast<std::uint32_t>(at));
            if (is_whole(p) || is_empty(p)) continue;
            const auto e = static_cast<std::int32_t>(number % elements);
            const bool exists = p.row_exists && stem_map::is_below(p.first + e, row_elements());
            const index_t away = (from_.h + static_cast<std::int32_t>(p.row)) * map_.row_bytes +
                                 index_t{p.first + e} * 2;
            std::uint16_t bits = 0;
            if (exists) bits = arch::load_global<2>(image_, away);
            arch::store_local_short(lds_, place_of(p) + static_cast<std::uint32_t>(2 * e), bits);
        }
    }

    /// Calls `visit(place in LDS, h, w, c, exists)` for the thread's elements of the band.
    template<class Visit>
    R9V_INLINE void for_each_element(const Visit& visit) const {
        const std::uint32_t count =
            static_cast<std::uint32_t>(band_.rows) * band_.of_elements.value;
        R9V_ROLLED
        for (std::uint32_t number = arch::thread_index(); number < count; number += Threads) {
            const std::uint32_t row = band_.of_elements.quotient(number);
            const std::uint32_t in_row = number - row * band_.of_elements.value;
            const std::uint32_t slot = map_.of_channels.quotient(in_row);
            const auto c = static_cast<std::int32_t>(in_row - slot * map_.of_channels.value);
            const std::int32_t h = from_.h + static_cast<std::int32_t>(row);
            const std::int32_t w = from_.w + static_cast<std::int32_t>(band_.pixel(slot));
            visit(row * static_cast<std::uint32_t>(band_.pitch) + 2 * in_row, h, w, c,
                  map_.has(h, w));
        }
    }

    R9V_INLINE void stage_elements() const {
        for_each_element(
            [&](std::uint32_t place, std::int32_t h, std::int32_t w, std::int32_t c, bool exists) {
                std::uint16_t bits = 0;
                if (exists) bits = arch::load_global<2>(image_, map_.offset(h, w, c));
                arch::store_local_short(lds_, place, bits);
            });
    }

    R9V_INLINE void treat_elements() const {
        for_each_element(
            [&](std::uint32_t place, std::int32_t h, std::int32_t w, std::int32_t c, bool exists) {
                if (!exists) return;
                const std::uint16_t bits = arch::load_local_short(lds_, place);
                arch::store_local_short(lds_, place, treat_(bits, from_.image, h, w, c));
            });
    }

    stem_prologue<Head> treat_;
    const stem_map& map_;
    const stem_band& band_;
    band_origin from_;
    arch::global_bytes image_;
    arch::local_bytes lds_;
};

} // namespace r9v::inline R9V_ABI::kernels
