// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Non-owning views: a pointer, 64-bit extents and strides (in elements), and a layout that is part
// of the type. `tensor` views device memory, `host_tensor` host memory; they never convert into one
// another, so a program cannot mix them unnoticed.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tensor/element_type.hpp>

#include <concepts>
#include <cstddef>

namespace r9v::inline R9V_ABI {

/// What is known about the strides at compile time; it chooses the loads that a kernel compiles.
enum class layout {
    row_major,    ///< the last axis is contiguous (stride 1)
    column_major, ///< the last but one axis is contiguous: a transposed row-major matrix
    strided,      ///< any strides; right everywhere, with narrow accesses
};

/// Which memory a view points into.
enum class space { none, host, device };

/// One extent or stride; any integer type converts to it, so lists need no casts.
struct extent {
    index_t value = 0;
    constexpr extent() = default;
    template<std::integral T>
    constexpr extent(T v) : value{static_cast<index_t>(v)} {} // NOLINT(google-explicit-constructor)
};

/// What `tensor` and `host_tensor` share. Users name one of those two.
template<class T, int Rank, layout Layout, space Space>
struct view {
    static_assert(Rank >= 1 && Rank <= 5, "r9v: a tensor has 1 to 5 axes. Fold the others first.");

    using element_type = T;
    using value_type = std::remove_const_t<T>;
    static constexpr int rank = Rank;
    static constexpr layout element_layout = Layout;
    static constexpr space memory = Space;

    T* data = nullptr;
    index_t extents[Rank] = {};
    index_t strides[Rank] = {};

    [[nodiscard]] R9V_HD constexpr index_t size() const {
        index_t count = 1;
        for (int axis = 0; axis < Rank; ++axis)
            count *= extents[axis];
        return count;
    }
    [[nodiscard]] R9V_HD constexpr bool empty() const { return size() == 0; }

    /// Distance in elements from the first element to the element at `at`.
    template<std::convertible_to<index_t>... Indices>
        requires(sizeof...(Indices) == Rank)
    [[nodiscard]] R9V_HD constexpr index_t offset(Indices... at) const {
        const index_t position[Rank] = {static_cast<index_t>(at)...};
        index_t sum = 0;
        for (int axis = 0; axis < Rank; ++axis)
            sum += position[axis] * strides[axis];
        return sum;
    }

    /// The element at `at`; no bounds check. For device views: device code only.
    template<std::convertible_to<index_t>... Indices>
        requires(sizeof...(Indices) == Rank)
    [[nodiscard]] R9V_HD constexpr std::add_lvalue_reference_t<T> operator()(Indices... at) const {
        return data[offset(at...)];
    }

protected:
    constexpr view() = default;

    template<class Pointer>
    R9V_HD constexpr view(Pointer* pointer, const extent (&sizes)[Rank]) {
        set(pointer);
        index_t stride = 1;
        for (int axis = Rank - 1; axis >= 0; --axis) {
            extents[axis] = sizes[axis].value;
            strides[axis] = stride;
            stride *= sizes[axis].value;
        }
        if constexpr (Layout == layout::column_major && Rank >= 2) {
            strides[Rank - 2] = 1;
            strides[Rank - 1] = extents[Rank - 2];
        }
    }

    template<class Pointer>
    R9V_HD constexpr view(Pointer* pointer, const extent (&sizes)[Rank],
                          const extent (&steps)[Rank]) {
        set(pointer);
        for (int axis = 0; axis < Rank; ++axis) {
            extents[axis] = sizes[axis].value;
            strides[axis] = steps[axis].value;
        }
    }

private:
    template<class Pointer>
    R9V_HD constexpr void set(Pointer* pointer) {
        static_assert(std::is_same_v<element_of<Pointer>, T> ||
                          std::is_same_v<const element_of<Pointer>, T>,
                      "r9v: the pointer holds another element type than the tensor. Name the "
                      "pointer's own type, or let tensor{pointer, extents} deduce it.");
        if constexpr (std::is_same_v<Pointer, T> || std::is_same_v<const Pointer, T>) {
            data = pointer;
        } else {
            data = reinterpret_cast<T*>(pointer);
        }
    }
};

/// A view of device memory. `tensor x{pointer, {m, k}}` is packed row-major; a third list gives the
/// strides in elements. The pointer may be of an engine type (`_Float16*`, `__half*`, ...).
template<class T, int Rank, layout Layout = layout::row_major>
struct tensor : view<T, Rank, Layout, space::device> {
    using base = view<T, Rank, Layout, space::device>;
    constexpr tensor() = default;
    /// A view of nothing, for optional() and for extents of 0.
    R9V_HD constexpr tensor(std::nullptr_t, const extent (&sizes)[Rank])
        : base{static_cast<T*>(nullptr), sizes} {}

    template<class Pointer>
    R9V_HD constexpr tensor(Pointer* pointer, const extent (&sizes)[Rank]) : base{pointer, sizes} {}

    template<class Pointer>
    R9V_HD constexpr tensor(Pointer* pointer, const extent (&sizes)[Rank],
                            const extent (&steps)[Rank])
        : base{pointer, sizes, steps} {}

    /// A view of mutable elements reads as a view of constant ones.
    template<class U>
        requires std::is_same_v<const U, T>
    R9V_HD constexpr tensor(
        const tensor<U, Rank, Layout>& other) // NOLINT(google-explicit-constructor)
    {
        this->data = other.data;
        for (int axis = 0; axis < Rank; ++axis) {
            this->extents[axis] = other.extents[axis];
            this->strides[axis] = other.strides[axis];
        }
    }
};

/// A view of host memory, for `r9v::reference`.
template<class T, int Rank, layout Layout = layout::row_major>
struct host_tensor : view<T, Rank, Layout, space::host> {
    using base = view<T, Rank, Layout, space::host>;
    constexpr host_tensor() = default;
    /// A view of nothing, for optional() and for extents of 0.
    R9V_HD constexpr host_tensor(std::nullptr_t, const extent (&sizes)[Rank])
        : base{static_cast<T*>(nullptr), sizes} {}

    template<class Pointer>
    R9V_HD constexpr host_tensor(Pointer* pointer, const extent (&sizes)[Rank])
        : base{pointer, sizes} {}

    template<class Pointer>
    R9V_HD constexpr host_tensor(Pointer* pointer, const extent (&sizes)[Rank],
                                 const extent (&steps)[Rank])
        : base{pointer, sizes, steps} {}

    template<class U>
        requires std::is_same_v<const U, T>
    R9V_HD constexpr host_tensor(
        const host_tensor<U, Rank, Layout>& other) // NOLINT(google-explicit-constructor)
    {
        this->data = other.data;
        for (int axis = 0; axis < Rank; ++axis) {
            this->extents[axis] = other.extents[axis];
            this->strides[axis] = other.strides[axis];
        }
    }
};

template<class Pointer, std::size_t Rank>
tensor(Pointer*, const extent (&)[Rank]) -> tensor<element_of<Pointer>, static_cast<int>(Rank)>;
template<class Pointer, std::size_t Rank>
tensor(Pointer*, const extent (&)[Rank], const extent (&)[Rank])
    -> tensor<element_of<Pointer>, static_cast<int>(Rank)>;
template<class Pointer, std::size_t Rank>
host_tensor(Pointer*, const extent (&)[Rank])
    -> host_tensor<element_of<Pointer>, static_cast<int>(Rank)>;
template<class Pointer, std::size_t Rank>
host_tensor(Pointer*, const extent (&)[Rank], const extent (&)[Rank])
    -> host_tensor<element_of<Pointer>, static_cast<int>(Rank)>;

template<class T>
concept any_tensor = requires {
    typename T::element_type;
    { T::memory } -> std::convertible_to<space>;
    { T::element_layout } -> std::convertible_to<layout>;
} && (T::rank >= 1);

/// A view of floats, halves, ... that kernels may load and store.
template<class T>
concept tensor_of_elements = any_tensor<T> && is_element<typename T::value_type>;

} // namespace r9v::inline R9V_ABI
