// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What every head that reads a map knows of it.
#pragma once

#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI {

/// A map [batch, height, width, channels] (Axes 2) or [batch, length, channels] (Axes 1, of height
/// 1), and the ops on it: `Source` is a source<View, prologue>.
template<class Source, int Axes>
struct map_source {
    using source_type = Source;
    using x_view = std::remove_cvref_t<decltype(std::declval<Source>().view)>;
    using element = typename x_view::value_type;
    using prologue_type = std::remove_cvref_t<decltype(std::declval<Source>().prologue)>;
    static constexpr int results = 1;
    static constexpr int axes = Axes;
    static constexpr space memory = Source::memory;

    Source x;

    [[nodiscard]] R9V_HD constexpr index_t batches() const { return x.view.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t height() const {
        return Axes == 2 ? x.view.extents[1] : 1;
    }
    [[nodiscard]] R9V_HD constexpr index_t width() const { return x.view.extents[Axes]; }
    [[nodiscard]] R9V_HD constexpr index_t channels() const { return x.view.extents[Axes + 1]; }
    [[nodiscard]] R9V_HD constexpr index_t row_stride() const {
        return Axes == 2 ? x.view.strides[1] : 0;
    }
    [[nodiscard]] R9V_HD constexpr index_t pixel_stride() const { return x.view.strides[Axes]; }
    [[nodiscard]] R9V_HD constexpr index_t channel_stride() const {
        return x_view::element_layout == layout::row_major ? 1 : x.view.strides[Axes + 1];
    }
    [[nodiscard]] R9V_HD constexpr index_t offset(index_t b, index_t h, index_t w,
                                                  index_t c) const {
        return b * x.view.strides[0] + h * row_stride() + w * pixel_stride() + c * channel_stride();
    }
    /// What the prologue's operands follow: [b, h, w, c].
    [[nodiscard]] constexpr extents source_extents() const {
        return {batches(), width(), channels(), height()};
    }
};

} // namespace r9v::inline R9V_ABI
