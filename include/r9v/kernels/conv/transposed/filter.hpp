// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Filters of transposed convolutions as the kernels want them: tap by tap the weights of all output
// channels. Each pixel of the result sees only every stride-th tap, and whichever those are, each
// of them lies in one piece. The stride need not be known.
#pragma once

#include <r9v/kernels/conv/filter.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Elements of one output channel under one tap.
[[nodiscard]] R9V_HD constexpr index_t transposed_depth(const filter_extents& of) {
    return ceil_div(of.c, filter_step) * filter_step;
}

/// Where a weight is.
[[nodiscard]] R9V_HD constexpr index_t transposed_place(const filter_extents& of, index_t k,
                                                        index_t r, index_t s, index_t c) {
    return ((r * of.s + s) * of.k + k) * transposed_depth(of) + c;
}

} // namespace detail

/// Elements that pack_transposed_filter() writes.
[[nodiscard]] R9V_HD constexpr index_t packed_transposed_elements(const filter_extents& of) {
    return of.r * of.s * of.k * detail::transposed_depth(of) + detail::filter_trailer;
}

/// A view of packed weights in memory of kind `Where`; made by transposed_filter().
template<class T, space Where>
struct packed_transposed_filter {
    using value_type = T;
    static constexpr space memory = Where;
    const T* data = nullptr;
    filter_extents extents;

    /// Elements of the packed weights.
    [[nodiscard]] R9V_HD constexpr index_t elements() const {
        return packed_transposed_elements(extents);
    }
    /// The weight from input channel `c` of the group to output channel `k` through tap (`r`, `s`).
    [[nodiscard]] R9V_HD constexpr T at(index_t k, index_t r, index_t s, index_t c) const {
        return data[detail::transposed_place(extents, k, r, s, c)];
    }
};

template<class T>
inline constexpr bool is_packed_transposed_filter = false;
template<class T, space Where>
inline constexpr bool is_packed_transposed_filter<packed_transposed_filter<T, Where>> = true;

/// Packs `from`, PyTorch's [c, k / groups, r, s] with any strides, into `to`, which has room for
/// packed_transposed_elements({k, r, s, c / groups}), both in host memory. Groups divide c. Copy
/// the result to the device as it is.
template<any_tensor View>
    requires(View::rank == 4 && View::memory == space::host)
void pack_transposed_filter(const View& from, typename View::value_type* to, int groups = 1) {
    using element = typename View::value_type;
    const index_t of_group = from.extents[1];
    const filter_extents of{of_group * groups, from.extents[2], from.extents[3],
                            from.extents[0] / groups};
    bool all_finite = true;
    for (index_t i = 0; i < packed_transposed_elements(of); ++i)
        to[i] = from_double<element>(0.0);
    for (index_t k = 0; k < of.k; ++k)
        for (index_t r = 0; r < of.r; ++r)
            for (index_t s = 0; s < of.s; ++s)
                for (index_t c = 0; c < of.c; ++c) {
                    const element value = from(k / of_group * of.c + c, k % of_group, r, s);
                    to[detail::transposed_place(of, k, r, s, c)] = value;
                    const double wide = to_double(value);
                    all_finite = all_finite && !is_nan(wide) && !is_inf(wide);
                }
    if (!all_finite)
        to[packed_transposed_elements(of) - detail::filter_trailer] = from_double<element>(1.0);
}

/// Weights that pack_transposed_filter() packed, in device memory: {k, r, s, c / groups}.
template<class Pointer>
[[nodiscard]] constexpr auto transposed_filter(Pointer* packed, const filter_extents& of) {
    using element = std::remove_const_t<element_of<Pointer>>;
    return packed_transposed_filter<element, space::device>{
        reinterpret_cast<const element*>(packed), of};
}

/// The same in host memory, for r9v::reference.
template<class Pointer>
[[nodiscard]] constexpr auto host_transposed_filter(Pointer* packed, const filter_extents& of) {
    using element = std::remove_const_t<element_of<Pointer>>;
    return packed_transposed_filter<element, space::host>{reinterpret_cast<const element*>(packed),
                                                          of};
}

} // namespace r9v::inline R9V_ABI
