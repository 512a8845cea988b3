// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Filters as the kernels want them: for each output channel its taps, for each tap the input
// channels, filled with zeros to whole steps of the matrix instruction. Packed once, when a network
// is loaded.
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

} // namespace detail

/// Elements that `packed_filter` needs.
[[nodiscard]] constexpr index_t packed_filter_elements(const filter_extents& of) {
    return of.k * detail::packed_row(of) + detail::filter_trailer;
}

/// A view of packed weights in memory of kind `Where`; made by pack_filter().
template<class T, space Where>
struct packed_filter {
    using value_type = T;
    static constexpr space memory = Where;
    const T* data = nullptr;
    filter_extents extents;
};

template<class T>
inline constexpr bool is_packed_filter = false;
template<class T, space Where>
inline constexpr bool is_packed_filter<packed_filter<T, Where>> = true;

/// Packs `from`, [k, r, s, c] with any strides (PyTorch's [k, c, r, s] is `channels_last(w)`), into
/// `to`, which has room for packed_filter_elements() elements, both in host memory. Copy the result
/// to the device as it is.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_filter(const View& from, typename View::value_type* to) {
    using element = typename View::value_type;
    const filter_extents of{from.extents[0], from.extents[1], from.extents[2], from.extents[3]};
    const index_t depth = detail::packed_depth(of);
    const index_t row = detail::packed_row(of);
    const bool stem = detail::is_stem(of);
    bool all_finite = true;
    for (index_t i = 0; i < packed_filter_elements(of); ++i)
        to[i] = from_double<element>(0.0);
    for (index_t k = 0; k < of.k; ++k)
        for (index_t r = 0; r < of.r; ++r)
            for (index_t s = 0; s < of.s; ++s)
                for (index_t c = 0; c < of.c; ++c) {
                    const element value = from(k, r, s, c);
                    const index_t at = stem ? r * depth + s * of.c + c : (r * of.s + s) * depth + c;
                    to[k * row + at] = value;
                    const double wide = to_double(value);
                    all_finite = all_finite && !is_nan(wide) && !is_inf(wide);
                }
    if (!all_finite) to[of.k * row] = from_double<element>(1.0);
}

/// The packed weights in device memory.
template<class Pointer>
[[nodiscard]] constexpr auto filter(Pointer* packed, const filter_extents& of) {
    return packed_filter<element_of<Pointer>, space::device>{
        reinterpret_cast<const element_of<Pointer>*>(packed), of};
}

/// The packed weights in host memory, for r9v::reference.
template<class Pointer>
[[nodiscard]] constexpr auto host_filter(Pointer* packed, const filter_extents& of) {
    return packed_filter<element_of<Pointer>, space::host>{
        reinterpret_cast<const element_of<Pointer>*>(packed), of};
}

} // namespace r9v::inline R9V_ABI
