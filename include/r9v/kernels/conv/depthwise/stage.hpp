// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A block's part of the map and of the filter, from global memory to LDS: each element once. LDS
// holds chunks of 8 channels: rows of pixels of chunks, and taps of chunks in front of them.
// Padding is zeros there, put around what the prologue gives.
#pragma once

#include <r9v/kernels/conv/depthwise/place.hpp>

namespace r9v::inline R9V_ABI::kernels {

inline constexpr std::int32_t depthwise_notes_bytes = 32;

template<class Head, int Threads>
class depthwise_stage {
    using element = typename Head::element;
    static constexpr int waves = Threads / arch::wave_size;
    static_assert(waves * 2 <= depthwise_notes_bytes);
    /// Loads of a lane on their way at a time.
    static constexpr int together = 4;

public:
    R9V_INLINE depthwise_stage(const Head& head, const depthwise_geometry& g,
                               const depthwise_place& place, arch::local_bytes lds)
        : head_{head},
          g_{g},
          place_{place},
          lds_{lds},
          tile_chunks_{static_cast<std::int32_t>(g.tile_chunks.value)},
          taps_{g.filter_rows * g.filter_columns},
          h_{place.row * g.stride_height - g.pad_top},
          w_{place.column * g.stride_width - g.pad_left} {
        const std::int32_t rows = least(g.tile_rows, g.rows - place.row);
        const std::int32_t end =
            h_ + (rows - 1) * g.stride_height + (g.filter_rows - 1) * g.dilation_height + 1;
        skipped_ = h_ < 0 ? -h_ : 0;
        h_ += skipped_;
        rows_ = least(end, g.height) - h_;
    }

    /// Where tap 0 is, and where the first pixel is, or would be: rows in the padding are not
    /// staged.
    [[nodiscard]] R9V_INLINE std::uint32_t weights() const { return depthwise_notes_bytes; }
    [[nodiscard]] R9V_INLINE std::uint32_t pixels() const {
        return staged() - offset(16 * skipped_ * g_.pitch);
    }

    R9V_INLINE void load() const {
        // On its way while the map is.
        const arch::words4 first = request_weights(thread());
        if (g_.wide_map != 0) {
            load_wide();
        } else {
            load_scattered();
        }
        put_weights(first);
        arch::barrier();
    }

    /// Whether some weight of the block is infinite or NaN: such a weight must not meet padding.
    [[nodiscard]] R9V_INLINE bool has_special_weights() const {
        const auto note = static_cast<std::uint32_t>(2 * (arch::lane_index() % waves));
        return arch::lanes_where(arch::load_local_short(lds_, note) != 0) != 0;
    }

private:
    [[nodiscard]] R9V_INLINE std::uint32_t staged() const {
        return offset(depthwise_notes_bytes + 16 * taps_ * tile_chunks_);
    }
    R9V_INLINE static std::int32_t least(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
    R9V_INLINE static std::int32_t thread() {
        return static_cast<std::int32_t>(arch::thread_index());
    }
    R9V_INLINE static std::uint32_t offset(std::int32_t n) { return static_cast<std::uint32_t>(n); }
    R9V_INLINE static std::int32_t quotient(const tile::divisor& by, std::int32_t n) {
        return static_cast<std::int32_t>(by.quotient(static_cast<std::uint32_t>(n)));
    }
    R9V_INLINE static std::int32_t value(const tile::divisor& d) {
        return static_cast<std::int32_t>(d.value);
    }

    /// Chunk number `item` of the block's weights. A filter's channels are filled up to whole
    /// chunks.
    [[nodiscard]] R9V_INLINE arch::words4 request_weights(std::int32_t item) const {
        const arch::global_bytes base = arch::to_global(head_.f.data) + 16 * place_.chunk;
        const std::int32_t tap = quotient(g_.tile_chunks, item);
        const std::int32_t chunk = item - tap * tile_chunks_;
        const bool exists = tap < taps_ && place_.chunk + chunk < value(g_.of_outputs);
        return arch::load_bounded<16>(
            base, exists ? offset(16 * (tap * value(g_.of_outputs) + chunk)) : arch::outside);
    }
    R9V_INLINE void put_weights(arch::words4 w) const {
        bool special = false;
        for (std::int32_t item = thread(); item < taps_ * tile_chunks_; item += Threads) {
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                special = special || is_special(w[word]);
            arch::store_local(lds_, weights() + offset(16 * item), w);
            if (item + Threads < taps_ * tile_chunks_) w = request_weights(item + Threads);
        }
        const bool any = arch::lanes_where(special) != 0;
        if (arch::lane_index() == 0)
            arch::store_local_short(lds_, 2 * arch::wave_index(), any ? 1 : 0);
    }
    R9V_INLINE static bool is_special(std::uint32_t word) {
        constexpr std::uint32_t exponent = std::is_same_v<element, half> ? 0x7c00u : 0x7f80u;
        return (word & exponent) == exponent || (word >> 16 & exponent) == exponent;
    }

    /// Where a thread is in the staged part of the map: chunk by chunk, without divisions.
    struct walk {
        std::int32_t row;
        std::int32_t column;
        std::int32_t chunk;
        std::uint32_t from; ///< bytes from the first staged pixel of the map
        std::uint32_t to;   ///< and in LDS
    };
    /// A chunk of input channels on its way.
    struct chunk_in_flight {
        arch::words4 data;
        walk at;
        bool exists;
    };

    R9V_INLINE void load_wide() const {
        const std::int32_t chunks = value(g_.stage_chunks);
        const std::int32_t first_channel =
            8 * quotient(g_.multiplier, place_.chunk); // groups begin with whole input chunks
        const arch::global_bytes base = arch::to_global(head_.x.view.data) +
                                        (place_.image * g_.image_bytes + h_ * g_.row_bytes +
                                         w_ * g_.pixel_bytes + 2 * first_channel);
        const std::int32_t channels = quotient(g_.multiplier, g_.outputs) - first_channel;
        walk at = start(chunks);
        R9V_ROLLED
        for (std::int32_t first = 0; first < rows_ * value(g_.stage_columns) * chunks;
             first += together * Threads) {
            chunk_in_flight flying[together];
            R9V_UNROLL
            for (int i = 0; i < together; ++i) {
                flying[i].at = at;
                flying[i].exists = at.row < rows_ && 8 * at.chunk < channels &&
                                   depthwise_geometry::is_below(w_ + at.column, g_.width);
                flying[i].data =
                    arch::load_bounded<16>(base, flying[i].exists ? at.from : arch::outside);
                advance(at, chunks);
            }
            R9V_UNROLL
            for (int i = 0; i < together; ++i)
                if (flying[i].at.row < rows_) put(flying[i], first_channel);
        }
    }
    [[nodiscard]] R9V_INLINE walk start(std::int32_t chunks) const {
        walk at;
        const std::int32_t pixel = quotient(g_.stage_chunks, thread());
        at.chunk = thread() - pixel * chunks;
        at.row = quotient(g_.stage_columns, pixel);
        at.column = pixel - at.row * value(g_.stage_columns);
        at.from = bytes_to(at.row, at.column, at.chunk);
        at.to = staged() + offset(16 * (at.row * g_.pitch + at.column * tile_chunks_ +
                                        at.chunk * value(g_.multiplier)));
        return at;
    }
    R9V_INLINE void advance(walk& at, std::int32_t chunks) const {
        const std::int32_t columns = value(g_.stage_columns);
        at.chunk += g_.step_chunks;
        const bool next_pixel = at.chunk >= chunks;
        at.chunk -= next_pixel ? chunks : 0;
        at.column += g_.step_columns + (next_pixel ? 1 : 0);
        const bool next_row = at.column >= columns;
        at.column -= next_row ? columns : 0;
        at.row += g_.step_rows + (next_row ? 1 : 0);
        at.from += bytes_to(g_.step_rows, g_.step_columns, g_.step_chunks) +
                   (next_pixel ? bytes_to(0, 1, -chunks) : 0) +
                   (next_row ? bytes_to(1, -columns, 0) : 0);
        at.to += offset(16 * (g_.step_rows * g_.pitch + g_.step_columns * tile_chunks_ +
                              g_.step_chunks * value(g_.multiplier))) +
                 (next_row ? offset(16 * (g_.pitch - columns * tile_chunks_)) : 0);
    }
    [[nodiscard]] R9V_INLINE std::uint32_t bytes_to(std::int32_t rows, std::int32_t columns,
                                                    std::int32_t chunks) const {
        return offset(rows) * static_cast<std::uint32_t>(g_.row_bytes) +
               offset(columns) * static_cast<std::uint32_t>(g_.pixel_bytes) + offset(16 * chunks);
    }

    R9V_INLINE void put(chunk_in_flight& c, [[maybe_unused]] std::int32_t first_channel) const {
        if constexpr (depthwise_prologue<Head>::changes)
            c.data = depthwise_prologue<Head>{head_}(c.data,
                                                     {.batch_base = place_.image,
                                                      .row_base = w_ + c.at.column,
                                                      .column_base = first_channel + 8 * c.at.chunk,
                                                      .head_base = h_ + c.at.row},
                                                     c.exists);
        if (g_.multiplier.value == 1) {
            arch::store_local(lds_, c.at.to, c.data);
            return;
        }
        // An input channel once for each of its output channels.
        const auto times = static_cast<std::uint32_t>(g_.multiplier.value);
        R9V_ROLLED
        for (std::uint32_t copy = 0; copy < times; ++copy)
            R9V_UNROLL
        for (std::uint32_t i = 0; i < 8; ++i)
            arch::store_local_short(lds_, c.at.to + 2 * (i * times + copy),
                                    static_cast<std::uint16_t>(c.data[i / 2] >> 16 * (i % 2)));
    }

    /// Any strides, any number of channels: 2-byte loads, lanes along the pixels.
    R9V_INLINE void load_scattered() const {
        const std::int32_t all_pixels = value(g_.stage_pixels);
        R9V_ROLLED
        for (std::int32_t item = thread(); item < all_pixels * tile_chunks_; item += Threads) {
            const std::int32_t chunk = quotient(g_.stage_pixels, item);
            const std::int32_t pixel = item - chunk * all_pixels;
            const std::int32_t row = quotient(g_.stage_columns, pixel);
            const std::int32_t column = pixel - row * value(g_.stage_columns);
            if (row >= rows_) continue;
            const bool inside = depthwise_geometry::is_below(w_ + column, g_.width);
            const std::int32_t first = 8 * (place_.chunk + chunk);
            std::uint32_t bits[8];
            R9V_UNROLL
            for (int i = 0; i < 8; ++i)
                bits[i] = depthwise_element(g_, head_, place_.image, h_ + row, w_ + column,
                                            quotient(g_.multiplier, first + i),
                                            inside && first + i < g_.outputs);
            arch::words4 data;
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                data[word] = bits[2 * word] | bits[2 * word + 1] << 16;
            arch::store_local(
                lds_, staged() + offset(16 * (row * g_.pitch + column * tile_chunks_ + chunk)),
                data);
        }
    }

    const Head& head_;
    const depthwise_geometry& g_;
    const depthwise_place& place_;
    arch::local_bytes lds_;
    std::int32_t tile_chunks_;
    std::int32_t taps_;
    std::int32_t h_;       ///< of the first staged pixel
    std::int32_t w_;       ///< the same; in the padding where negative
    std::int32_t rows_;    ///< of the map that are staged
    std::int32_t skipped_; ///< rows of padding above them
};

} // namespace r9v::inline R9V_ABI::kernels
