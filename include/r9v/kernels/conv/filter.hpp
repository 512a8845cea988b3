// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Filters as the kernels want them, packed once, when a network is loaded. Dense: for each output
// channel its taps, for each tap the input channels, filled with zeros to whole steps of the matrix
// instruction. Depthwise: for each tap its channels.
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

/// Channels of a tap of a depthwise filter: whole loads of 16 bytes.
[[nodiscard]] R9V_HD constexpr index_t depthwise_row(const filter_extents& of) {
    return ceil_div<index_t>(of.k, 8) * 8;
}

} // namespace detail

/// Elements that pack_filter() writes.
[[nodiscard]] constexpr index_t packed_filter_elements(const filter_extents& of) {
    return of.k * detail::packed_row(of) + detail::filter_trailer;
}

/// Elements that pack_depthwise_filter() writes.
[[nodiscard]] constexpr index_t packed_depthwise_elements(const filter_extents& of) {
    return of.r * of.s * detail::depthwise_row(of);
}

/// What kind of filter it is, and so which kernels a convolution with it has.
enum class filter_kind {
    dense,     ///< any channels and groups
    stem,      ///< maps of up to 4 channels, such as images; packed as dense ones are
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
        return Kind == filter_kind::depthwise ? packed_depthwise_elements(extents)
                                              : packed_filter_elements(extents);
    }
    /// The weight of output channel `k`, tap (`r`, `s`) and input channel `c` of the group.
    [[nodiscard]] R9V_HD constexpr T at(index_t k, index_t r, index_t s, index_t c) const {
        if constexpr (Kind == filter_kind::depthwise) {
            return data[(r * extents.s + s) * detail::depthwise_row(extents) + k];
        } else {
            return data[detail::packed_place(extents, k, r, s, c)];
        }
    }
};

template<class T>
inline constexpr bool is_packed_filter = false;
template<class T, space Where, filter_kind Kind>
inline constexpr bool is_packed_filter<packed_filter<T, Where, Kind>> = true;

/// Packs `from`, [k, r, s, c] with any strides (PyTorch's [k, c, r, s] is `channels_last(w)`), into
/// `to`, which has room for packed_filter_elements() elements, both in host memory. Copy the result
/// to the device as it is.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_filter(const View& from, typename View::value_type* to) {
    using element = typename View::value_type;
    const filter_extents of{from.extents[0], from.extents[1], from.extents[2], from.extents[3]};
    bool all_finite = true;
    for (index_t i = 0; i < packed_filter_elements(of); ++i)
        to[i] = from_double<element>(0.0);
    for (index_t k = 0; k < of.k; ++k)
        for (index_t r = 0; r < of.r; ++r)
            for (index_t s = 0; s < of.s; ++s)
                for (index_t c = 0; c < of.c; ++c) {
                    const element value = from(k, r, s, c);
                    to[detail::packed_place(of, k, r, s, c)] = value;
                    const double wide = to_double(value);
                    all_finite = all_finite && !is_nan(wide) && !is_inf(wide);
                }
    if (!all_finite) to[of.k * detail::packed_row(of)] = from_double<element>(1.0);
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
    return packed_filter<r9v::element_of<Pointer>, Where, Kind>{
        reinterpret_cast<const r9v::element_of<Pointer>*>(packed), of};
}

} // namespace detail

/// Weights that pack_filter() packed, in device memory.
template<class Pointer>
[[nodiscard]] constexpr auto filter(Pointer* packed, const filter_extents& of) {
    return detail::view_filter<filter_kind::dense, space::device>(packed, of);
}

/// Weights that pack_filter() packed, over maps of up to 4 channels such as images: a kernel of its
/// own for them. In device memory.
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
