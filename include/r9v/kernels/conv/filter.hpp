// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Filters as the kernels want them, packed once, when a network is loaded. Dense: for each output
// channel its taps, for each tap the input channels, filled with zeros to whole steps of the matrix
// instruction. Stem: see stem_layout. Depthwise: for each tap its channels.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/numeric/convert.hpp>
#include <r9v/tensor/tensor.hpp>

namespace r9v::inline R9V_ABI {

/// Extents of a filter: [k, r, s, c / groups].
struct filter_extents {
    index_t k = 0; ///< output channels
    index_t r = 0; ///< rows of taps
    index_t s = 0; ///< columns of taps
    index_t c = 0; ///< input channels of a group
    friend constexpr bool operator==(const filter_extents&, const filter_extents&) = default;
};

namespace detail {

/// Input channels are packed in steps of a slab.
inline constexpr index_t filter_step = 32;

/// Maps of up to 4 channels have the channels of a whole row of taps side by side in memory, so a
/// row of taps is packed as one tap (`stem`).
[[nodiscard]] R9V_HD constexpr bool is_stem(const filter_extents& of) {
    return of.c <= 4 && of.s * of.c <= 64;
}
/// Taps as the kernel counts them, and the elements of each.
[[nodiscard]] R9V_HD constexpr index_t packed_taps(const filter_extents& of) {
    return is_stem(of) ? of.r : of.r * of.s;
}
[[nodiscard]] R9V_HD constexpr index_t packed_depth(const filter_extents& of) {
    const index_t depth = is_stem(of) ? of.s * of.c : of.c;
    return ceil_div(depth, filter_step) * filter_step;
}
/// Elements of one output channel.
[[nodiscard]] R9V_HD constexpr index_t packed_row(const filter_extents& of) {
    return packed_taps(of) * packed_depth(of);
}
/// Behind the weights, in elements: 16 bytes of which the first is not 0 where some weight is
/// infinite or NaN.
inline constexpr index_t filter_trailer = 8;
/// Where a dense filter has the weight of a tap and an input channel.
[[nodiscard]] R9V_HD constexpr index_t packed_place(const filter_extents& of, index_t k, index_t r,
                                                    index_t s, index_t c) {
    const index_t in_row =
        is_stem(of) ? r * packed_depth(of) + s * of.c : (r * of.s + s) * packed_depth(of);
    return k * packed_row(of) + in_row + c;
}

/// A stem filter in the order in which the matrix instruction takes it. A row of the filter, with
/// the channels of its taps side by side, is cut into chunks of 8 elements. A step of the
/// instruction takes two chunks: one of each of two neighbouring rows, and of the last row, where
/// their number is odd, two neighbouring ones. 3x3 over 3 channels takes 3 steps, 7x7 takes 11:
///
///     row 0 | a0 a1 |    step 0: a0 b0    step 1: a1 b1    step 2: c0 c1
///         1 | b0 b1 |
///         2 | c0 c1 |
///
/// For each 16 output channels and each step: the first chunk of each, then the second of each.
struct stem_layout {
    static constexpr index_t chunk = 8;
    static constexpr index_t channels = 16; ///< output channels side by side
    static constexpr index_t step_elements = 2 * chunk * channels;

    index_t chunks = 0; ///< of a row of the filter
    index_t pairs = 0;  ///< of rows
    index_t steps = 0;

    R9V_HD constexpr explicit stem_layout(const filter_extents& of)
        : chunks{ceil_div(of.s * of.c, chunk)},
          pairs{of.r / 2},
          steps{pairs * chunks + of.r % 2 * ceil_div<index_t>(chunks, 2)} {}

    [[nodiscard]] R9V_HD constexpr index_t elements(index_t k) const {
        return ceil_div(k, channels) * steps * step_elements;
    }
    /// Where element `e` of row `r` of the filter of output channel `k` is; e counts channels of
    /// taps through.
    [[nodiscard]] R9V_HD constexpr index_t place(index_t k, index_t r, index_t e) const {
        const bool in_pair = r < 2 * pairs;
        const index_t at = e / chunk;
        const index_t step = in_pair ? r / 2 * chunks + at : pairs * chunks + at / 2;
        const index_t half = in_pair ? r % 2 : at % 2;
        return (((k / channels * steps + step) * 2 + half) * channels + k % channels) * chunk +
               e % chunk;
    }
};

/// Channels of a tap of a depthwise filter: whole loads of 16 bytes.
[[nodiscard]] R9V_HD constexpr index_t depthwise_row(const filter_extents& of) {
    return ceil_div<index_t>(of.k, 8) * 8;
}

} // namespace detail

/// Elements that pack_filter() writes.
[[nodiscard]] constexpr index_t packed_filter_elements(const filter_extents& of) {
    return of.k * detail::packed_row(of) + detail::filter_trailer;
}

/// Elements that pack_stem_filter() writes.
[[nodiscard]] constexpr index_t packed_stem_elements(const filter_extents& of) {
    return detail::stem_layout{of}.elements(of.k) + detail::filter_trailer;
}

/// Elements that pack_depthwise_filter() writes.
[[nodiscard]] constexpr index_t packed_depthwise_elements(const filter_extents& of) {
    return of.r * of.s * detail::depthwise_row(of);
}

/// What kind of filter it is, and so which kernels a convolution with it has.
enum class filter_kind {
    dense,     ///< any channels and groups
    stem,      ///< maps of up to 4 channels, such as images
    depthwise, ///< every output channel sees one input channel, its own
};

/// A view of packed weights in memory of kind `Where`; made by filter() and its like.
template<class T, space Where, filter_kind Kind = filter_kind::dense>
struct packed_filter {
    using value_type = T;
    static constexpr space memory = Where;
    static constexpr filter_kind kind = Kind;
    const T* data = nullptr;
    filter_extents extents;

    /// Elements of the packed weights.
    [[nodiscard]] constexpr index_t elements() const {
        switch (Kind) {
        case filter_kind::depthwise:
            return packed_depthwise_elements(extents);
        case filter_kind::stem:
            return packed_stem_elements(extents);
        default:
            return packed_filter_elements(extents);
        }
    }
    /// The weight of output channel `k`, tap (`r`, `s`) and input channel `c` of the group.
    [[nodiscard]] R9V_HD constexpr T at(index_t k, index_t r, index_t s, index_t c) const {
        if constexpr (Kind == filter_kind::depthwise) {
            return data[(r * extents.s + s) * detail::depthwise_row(extents) + k];
        } else if constexpr (Kind == filter_kind::stem) {
            return data[detail::stem_layout{extents}.place(k, r, s * extents.c + c)];
        } else {
            return data[detail::packed_place(extents, k, r, s, c)];
        }
    }
};

template<class T>
inline constexpr bool is_packed_filter = false;
template<class T, space Where, filter_kind Kind>
inline constexpr bool is_packed_filter<packed_filter<T, Where, Kind>> = true;

namespace detail {

/// Writes `elements` zeros and the trailer, then each weight of `from` to `place(k, r, s, c)`.
template<class View, class Place>
void pack_weights(const View& from, index_t elements, const Place& place,
                  typename View::value_type* to) {
    using element = typename View::value_type;
    bool all_finite = true;
    for (index_t i = 0; i < elements + filter_trailer; ++i)
        to[i] = from_double<element>(0.0);
    for (index_t k = 0; k < from.extents[0]; ++k)
        for (index_t r = 0; r < from.extents[1]; ++r)
            for (index_t s = 0; s < from.extents[2]; ++s)
                for (index_t c = 0; c < from.extents[3]; ++c) {
                    const element value = from(k, r, s, c);
                    to[place(k, r, s, c)] = value;
                    const double wide = to_double(value);
                    all_finite = all_finite && !is_nan(wide) && !is_inf(wide);
                }
    if (!all_finite) to[elements] = from_double<element>(1.0);
}

} // namespace detail

/// Packs `from`, [k, r, s, c] with any strides (PyTorch's [k, c, r, s] is `channels_last(w)`), into
/// `to`, which has room for packed_filter_elements() elements, both in host memory. Copy the result
/// to the device as it is.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_filter(const View& from, typename View::value_type* to) {
    const filter_extents of{from.extents[0], from.extents[1], from.extents[2], from.extents[3]};
    detail::pack_weights(
        from, of.k * detail::packed_row(of),
        [&](index_t k, index_t r, index_t s, index_t c) {
            return detail::packed_place(of, k, r, s, c);
        },
        to);
}

/// The same for stem_filter(): up to 4 channels, rows of up to 64 weights. `to` has room for
/// packed_stem_elements() elements.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_stem_filter(const View& from, typename View::value_type* to) {
    const filter_extents of{from.extents[0], from.extents[1], from.extents[2], from.extents[3]};
    const detail::stem_layout layout{of};
    detail::pack_weights(
        from, layout.elements(of.k),
        [&](index_t k, index_t r, index_t s, index_t c) {
            return layout.place(k, r, s * of.c + c);
        },
        to);
}

/// Packs `from`, [k, r, s, 1] with any strides, into `to`, which has room for
/// packed_depthwise_elements() elements, both in host memory.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_depthwise_filter(const View& from, typename View::value_type* to) {
    using element = typename View::value_type;
    const filter_extents of{from.extents[0], from.extents[1], from.extents[2], 1};
    const index_t row = detail::depthwise_row(of);
    for (index_t r = 0; r < of.r; ++r)
        for (index_t s = 0; s < of.s; ++s)
            for (index_t k = 0; k < row; ++k)
                to[(r * of.s + s) * row + k] =
                    k < of.k ? element{from(k, r, s, 0)} : from_double<element>(0.0);
}

namespace detail {

template<filter_kind Kind, space Where, class Pointer>
[[nodiscard]] constexpr auto view_filter(Pointer* packed, const filter_extents& of) {
    using element = std::remove_const_t<r9v::element_of<Pointer>>;
    return packed_filter<element, Where, Kind>{reinterpret_cast<const element*>(packed), of};
}

} // namespace detail

/// Weights that pack_filter() packed, in device memory.
template<class Pointer>
[[nodiscard]] constexpr auto filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::dense, space::device>(packed, of);
}

/// Weights that pack_stem_filter() packed, over maps of up to 4 channels such as images: a kernel
/// of its own for them. In device memory.
template<class Pointer>
[[nodiscard]] constexpr auto stem_filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::stem, space::device>(packed, of);
}

/// Weights [k, r, s, 1] that pack_depthwise_filter() packed, in device memory. The map has k
/// channels, or k / m of them of which each is seen by m output channels.
template<class Pointer>
[[nodiscard]] constexpr auto depthwise_filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::depthwise, space::device>(packed, of);
}

/// The same three in host memory, for r9v::reference.
template<class Pointer>
[[nodiscard]] constexpr auto host_filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::dense, space::host>(packed, of);
}
template<class Pointer>
[[nodiscard]] constexpr auto host_stem_filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::stem, space::host>(packed, of);
}
template<class Pointer>
[[nodiscard]] constexpr auto host_depthwise_filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::depthwise, space::host>(packed, of);
}

} // namespace r9v::inline R9V_ABI
