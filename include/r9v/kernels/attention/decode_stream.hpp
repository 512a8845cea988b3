// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rows of keys or values on their way from memory to registers: 16 bytes a lane and load.
#pragma once

#include <r9v/arch/select.hpp>
#include <r9v/kernels/attention/decode_layout.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Lanes whose dims do not exist keep what their registers held. Rows from `end` on are never read:
/// the last one is read in their place.
template<class Layout, class Rows>
class decode_stream {
    static constexpr int loads = Layout::loads;

public:
    R9V_INLINE decode_stream(const Rows& rows, index_t dim, bool near)
        : rows_{rows},
          base_{arch::to_global(rows.first)},
          near_{near} {
        const auto lane = static_cast<int>(arch::lane_index());
        const int chunk = lane % Layout::lanes;
        group_ = lane / Layout::lanes;
        chunk_offset_ = static_cast<std::uint32_t>(chunk * 16);
        exists_ = chunk * 8 < dim;
        if constexpr (!Rows::is_paged) {
            R9V_UNROLL
            for (int i = 0; i < loads; ++i)
                offset_[i] = static_cast<std::uint32_t>(key_of(i)) *
                                 static_cast<std::uint32_t>(2 * rows.stride) +
                             chunk_offset_;
        }
    }

    /// Rows from `key` on, of which `left` exist.
    R9V_INLINE void load(std::int32_t key, std::int32_t left, arch::words4 (&to)[loads]) {
        if constexpr (!Rows::is_paged) {
            if (near_ && left >= Layout::step) {
                load_near(key, to);
                return;
            }
        }
        load_any(key, left, to);
    }

private:
    [[nodiscard]] R9V_INLINE std::int32_t key_of(int i) const {
        return i * Layout::groups + group_;
    }

    R9V_INLINE void load_near(std::int32_t key, arch::words4 (&to)[loads]) {
        const arch::global_bytes from = base_ + index_t{key} * (2 * rows_.stride);
        if (!exists_) return;
        R9V_UNROLL
        for (int i = 0; i < loads; ++i) {
            arch::hide(offset_[i]);
            to[i] = arch::load_global<16>(from, offset_[i]);
        }
    }
    R9V_INLINE void load_any(std::int32_t key, std::int32_t left, arch::words4 (&to)[loads]) {
        if (!exists_) return;
        R9V_UNROLL
        for (int i = 0; i < loads; ++i) {
            const std::int32_t at = key_of(i) < left ? key_of(i) : left - 1;
            to[i] = arch::load_global<16>(base_, 2 * rows_.offset(key + at) +
                                                     static_cast<index_t>(chunk_offset_));
        }
    }

    Rows rows_;
    arch::global_bytes base_;
    bool near_;
    bool exists_;
    std::int32_t group_;
    std::uint32_t chunk_offset_;
    std::uint32_t offset_[loads];
};

} // namespace r9v::inline R9V_ABI::kernels
