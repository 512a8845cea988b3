// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rows of keys or values on their way from memory to registers: 16 bytes a lane and load.
#pragma once

#include <r9v/arch/common/fold.hpp>
#include <r9v/arch/select.hpp>
#include <r9v/kernels/attention/decode_layout.hpp>

namespace r9v::inline R9V_ABI::kernels {

namespace detail {

/// This lane's place among those that share a load.
template<class Layout>
struct decode_lane {
    std::int32_t group;   ///< which of the rows of a load it reads
    std::uint32_t column; ///< bytes from a row to its dims; the last ones where it has none

    R9V_INLINE explicit decode_lane(index_t dim) {
        const auto lane = static_cast<int>(arch::lane_index());
        const int chunk = lane % Layout::lanes;
        const int last = static_cast<int>(dim) / 8 - 1;
        group = lane / Layout::lanes;
        column = static_cast<std::uint32_t>((chunk < last ? chunk : last) * 16);
    }
};

} // namespace detail

template<class Layout, class Rows>
class decode_stream;

/// Rows at a constant stride: a scalar base for each load, and the lane's distance from it. Nothing
/// behind row `end - 1` is read: that row is read in its place.
template<class Layout, class T>
class decode_stream<Layout, strided_rows<T>> {
public:
    R9V_INLINE decode_stream(const strided_rows<T>& rows, index_t dim)
        : lane_{dim},
          first_{arch::to_global(rows.first)},
          stride_{2 * rows.stride},
          is_down_{rows.stride < 0},
          apart_{static_cast<std::uint32_t>(is_down_ ? Layout::groups - 1 - lane_.group
                                                     : lane_.group) *
                 distance()} {
        // A lane's distance is not negative: the base is the lowest row of a load.
        if (is_down_) first_ += (Layout::groups - 1) * stride_;
    }

    R9V_INLINE void seek(std::int32_t, std::int32_t) {}

    /// Rows from `key` on. Loads follow one another without gaps, behind a seek to the first.
    R9V_INLINE void load_first(std::int32_t key, std::int32_t end,
                               arch::words4 (&to)[Layout::loads]) {
        load(key, end, to);
    }
    R9V_INLINE void settle() {}
    R9V_INLINE void load(std::int32_t key, std::int32_t end, arch::words4 (&to)[Layout::loads]) {
        arch::schedule_fence();
        R9V_UNROLL
        for (int i = 0; i < Layout::loads; ++i) {
            const std::int32_t wanted = key + i * Layout::groups;
            const std::int32_t row = wanted < end ? wanted : end - 1;
            std::uint32_t offset = lane_.column;
            if constexpr (Layout::groups > 1) offset += within(end - 1 - row);
            arch::hide(offset);
            to[i] = arch::load_global<16>(first_ + row * stride_, offset);
        }
        arch::schedule_fence();
    }

private:
    [[nodiscard]] R9V_INLINE std::uint32_t distance() const {
        return static_cast<std::uint32_t>(is_down_ ? -stride_ : stride_);
    }
    /// The lane's distance where only `more` rows follow the first of a load.
    [[nodiscard]] R9V_INLINE std::uint32_t within(std::int32_t more) const {
        const bool all = more >= Layout::groups - 1;
        const auto most = static_cast<std::uint32_t>(more) * distance();
        const auto least = static_cast<std::uint32_t>(Layout::groups - 1 - more) * distance();
        return arch::between(apart_, is_down_ && !all ? least : 0,
                             is_down_ || all ? ~std::uint32_t{0} : most);
    }

    detail::decode_lane<Layout> lane_;
    arch::global_bytes first_;
    index_t stride_; ///< in bytes
    bool is_down_;
    std::uint32_t apart_;
};

/// Rows in pages. Each lane looks up one row of a batch that lasts several loads, so that a row's
/// page costs one division and one table entry however large the pages are; loads then ask the lane
/// that knows their row. The entries of the next batch are on their way meanwhile.
template<class Layout, class T>
class decode_stream<Layout, paged_rows<T>> {
    /// Rows of a batch for each group of lanes.
    static constexpr int batch_loads = Layout::near_lanes;
    static constexpr int batch = batch_loads * Layout::groups;
    static_assert(batch_loads % Layout::loads == 0);

public:
    R9V_INLINE decode_stream(const paged_rows<T>& rows, index_t dim) : lane_{dim}, rows_{rows} {}

    /// Sends for the entries of the first rows.
    R9V_INLINE void seek(std::int32_t key, std::int32_t end) {
        batch_end_ = key;
        look_up(key, end);
    }

    R9V_INLINE void load_first(std::int32_t key, std::int32_t end,
                               arch::words4 (&to)[Layout::loads]) {
        advance(end);
        load_known(key, to);
    }
    /// Entries that were sent for are there. In front of the loop: inside, the compiler would wait
    /// for all loads, since it cannot know that these came first.
    R9V_INLINE void settle() { arch::hide(entry_); }
    R9V_INLINE void load(std::int32_t key, std::int32_t end, arch::words4 (&to)[Layout::loads]) {
        if (key >= batch_end_) advance(end);
        load_known(key, to);
    }

private:
    R9V_INLINE void load_known(std::int32_t key, arch::words4 (&to)[Layout::loads]) const {
        const auto first = static_cast<std::uint32_t>(lane_.group * Layout::lanes +
                                                      (key + batch - batch_end_) / Layout::groups);
        arch::schedule_fence();
        R9V_UNROLL
        for (int i = 0; i < Layout::loads; ++i) {
            const std::uint32_t from = first + static_cast<std::uint32_t>(i);
            const arch::words2 address{word_from(low_, from), word_from(high_, from)};
            to[i] = arch::load_global<16>(__builtin_bit_cast(arch::global_bytes, address),
                                          index_t{lane_.column});
        }
        arch::schedule_fence();
    }
    R9V_INLINE static std::uint32_t word_from(std::uint32_t word, std::uint32_t lane) {
        return __builtin_bit_cast(std::uint32_t,
                                  arch::from_lane(__builtin_bit_cast(float, word), lane));
    }

    /// The entry for this lane's row of the batch that begins with `key`. Rows from `end` on have
    /// none: the last row's is read again.
    R9V_INLINE void look_up(std::int32_t key, std::int32_t end) {
        const auto slot = static_cast<std::int32_t>(arch::lane_index()) % batch_loads;
        const std::int32_t wanted = key + slot * Layout::groups + lane_.group;
        const auto row = static_cast<std::uint32_t>(wanted < end ? wanted : end - 1);
        const std::uint32_t page = rows_.page_size.quotient(row);
        row_ = row - page * rows_.page_size.value;
        entry_ = arch::load_global<4>(arch::to_global(rows_.pages), index_t{page} * 4);
    }
    R9V_INLINE void advance(std::int32_t end) {
        const index_t elements =
            static_cast<std::int32_t>(entry_) * rows_.page_stride + index_t{row_} * rows_.stride;
        const auto address = __builtin_bit_cast(arch::words2, arch::to_global(rows_.first) +
                                                                  elements * index_t{sizeof(T)});
        low_ = address[0];
        high_ = address[1];
        look_up(batch_end_ + batch, end);
        batch_end_ += batch;
    }

    detail::decode_lane<Layout> lane_;
    paged_rows<T> rows_;
    std::int32_t batch_end_ = 0;
    std::uint32_t low_ = 0; ///< of the address of this lane's row of the batch
    std::uint32_t high_ = 0;
    std::uint32_t entry_ = 0; ///< of the next batch
    std::uint32_t row_ = 0;   ///< in its page
};

} // namespace r9v::inline R9V_ABI::kernels
