// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Engine types as they are: which r9v element type a pointer of the engine's own type holds. The
// bits are the same, so views reinterpret the pointer and never touch the values.
#pragma once

#include <r9v/core/config.hpp>
#include <r9v/numeric/element.hpp>

#include <cstdint>
#include <type_traits>

// Types of the GPU runtime's headers, which r9v does not include here.
#if defined(__HIP__)
struct __half;
struct hip_bfloat16;
struct __hip_bfloat16;
#elif defined(__CUDACC__)
struct __half;
struct __nv_bfloat16;
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

/// The r9v type with the same bits as the engine type `T`; `T` itself for types r9v owns.
template<class T>
struct element_of {
    using type = T;
};
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || __GNUC__ >= 13)
template<>
struct element_of<_Float16> {
    using type = half;
};
#endif
#if defined(__HIP__)
template<>
struct element_of<__half> {
    using type = half;
};
template<>
struct element_of<hip_bfloat16> {
    using type = bf16;
};
template<>
struct element_of<__hip_bfloat16> {
    using type = bf16;
};
template<>
struct element_of<__bf16> {
    using type = bf16;
};
#elif defined(__CUDACC__)
template<>
struct element_of<__half> {
    using type = half;
};
template<>
struct element_of<__nv_bfloat16> {
    using type = bf16;
};
#endif

} // namespace detail

/// Element type of a view made from a `T*`: `_Float16` and `__half` become `half`, the runtime's
/// bfloat types become `bf16`, constness stays.
template<class T>
using element_of =
    std::conditional_t<std::is_const_v<T>,
                       const typename detail::element_of<std::remove_const_t<T>>::type,
                       typename detail::element_of<T>::type>;

} // namespace r9v::inline R9V_ABI
