// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Filters over volumes. They lie as flat filters do, with the rows of taps of all frames one after
// another.
#pragma once

#include <r9v/kernels/conv/filter.hpp>

namespace r9v::inline R9V_ABI {

/// Extents of a filter over volumes: [k, t, r, s, c / groups].
struct volume_filter_extents {
    index_t k = 0; ///< output channels
    index_t t = 0; ///< frames of taps
    index_t r = 0; ///< rows of taps in a frame
    index_t s = 0; ///< columns of taps
    index_t c = 0; ///< input channels of a group
    friend constexpr bool operator==(const volume_filter_extents&,
                                     const volume_filter_extents&) = default;
};

namespace detail {

/// The flat filter that lies the same.
[[nodiscard]] R9V_HD constexpr filter_extents flattened(const volume_filter_extents& of) {
    return {of.k, of.t * of.r, of.s, of.c};
}

} // namespace detail

/// Elements that pack_volume_filter() writes.
[[nodiscard]] constexpr index_t packed_volume_elements(const volume_filter_extents& of) {
    return packed_filter_elements(detail::flattened(of));
}

/// A view of packed weights in memory of kind `Where`; made by volume_filter().
template<class T, space Where>
struct packed_volume_filter {
    using value_type = T;
    static constexpr space memory = Where;
    const T* data = nullptr;
    volume_filter_extents extents;

    /// Elements of the packed weights.
    [[nodiscard]] constexpr index_t elements() const { return packed_volume_elements(extents); }
    /// The weight of output channel `k`, tap (`t`, `r`, `s`) and input channel `c` of the group.
    [[nodiscard]] R9V_HD constexpr T at(index_t k, index_t t, index_t r, index_t s,
                                        index_t c) const {
        return data[detail::packed_place(detail::flattened(extents), k, t * extents.r + r, s, c)];
    }
};

template<class T>
inline constexpr bool is_packed_volume_filter = false;
template<class T, space Where>
inline constexpr bool is_packed_volume_filter<packed_volume_filter<T, Where>> = true;

/// Packs `from`, [k, t, r, s, c] with any strides (PyTorch's [k, c, t, r, s] is
/// `channels_last(w)`), into `to`, which has room for packed_volume_elements() elements, both in
/// host memory. Copy the result to the device as it is.
template<any_tensor View>
    requires(View::rank == 5 && View::memory == space::host)
void pack_volume_filter(const View& from, typename View::value_type* to) {
    using element = typename View::value_type;
    const index_t rows = from.extents[2];
    const filter_extents of = detail::flattened(
        {from.extents[0], from.extents[1], rows, from.extents[3], from.extents[4]});
    bool all_finite = true;
    for (index_t i = 0; i < packed_filter_elements(of); ++i)
        to[i] = from_double<element>(0.0);
    for (index_t k = 0; k < of.k; ++k)
        for (index_t row = 0; row < of.r; ++row)
            for (index_t s = 0; s < of.s; ++s)
                for (index_t c = 0; c < of.c; ++c) {
                    const element value = from(k, row / rows, row % rows, s, c);
                    to[detail::packed_place(of, k, row, s, c)] = value;
                    const double wide = to_double(value);
                    all_finite = all_finite && !is_nan(wide) && !is_inf(wide);
                }
    if (!all_finite)
        to[packed_filter_elements(of) - detail::filter_trailer] = from_double<element>(1.0);
}

/// Weights that pack_volume_filter() packed, in device memory.
template<class Pointer>
[[nodiscard]] constexpr auto volume_filter(Pointer* packed, const volume_filter_extents& of) {
    using element = std::remove_const_t<element_of<Pointer>>;
    return packed_volume_filter<element, space::device>{reinterpret_cast<const element*>(packed),
                                                        of};
}

/// The same in host memory, for r9v::reference.
template<class Pointer>
[[nodiscard]] constexpr auto host_volume_filter(Pointer* packed, const volume_filter_extents& of) {
    using element = std::remove_const_t<element_of<Pointer>>;
    return packed_volume_filter<element, space::host>{reinterpret_cast<const element*>(packed), of};
}

} // namespace r9v::inline R9V_ABI
