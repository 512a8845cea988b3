// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The user's own mask: a functor of a score's position.
#pragma once

#include <r9v/ops/mask_range.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Function>
inline constexpr bool keeps_position =
    std::is_invocable_r_v<bool, const Function&, index_t, index_t, index_t, index_t>;
/// Asked second, so that the body of a generic lambda is compiled for one kind of argument.
template<class Function>
consteval bool keeps_anything() {
    if constexpr (keeps_position<Function>) {
        return true;
    } else {
        return std::is_invocable_r_v<bool, const Function&, const coordinate&>;
    }
}

template<class Function>
concept answers_tiles = requires(const Function& function, const score_tile& tile) {
    { function.tile(tile) } -> std::convertible_to<tile_answer>;
};
template<class Function>
concept answers_rows = requires(const Function& function, const row_range& rows) {
    { function.columns(rows) } -> std::convertible_to<column_range>;
};

} // namespace detail

template<class Function>
struct keep_if_op {
    static constexpr auto role = r9v::role::mask;
    Function function;

    [[nodiscard]] R9V_HD constexpr column_range columns_of(const row_range& rows) const
        requires detail::answers_rows<Function>
    {
        return detail::ordered(function.columns(rows));
    }
    [[nodiscard]] R9V_HD constexpr tile_answer keeps(const score_tile& tile) const
        requires detail::answers_tiles<Function>
    {
        return function.tile(tile);
    }
    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD run<Real, Width> operator()(Math math, run<Real, Width> x,
                                                     const coordinate& at) const {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            coordinate here = at;
            here.column_offset += i;
            x[i] = math.select(is_kept_at(here), x[i], Real{not_kept});
        }
        return x;
    }

private:
    [[nodiscard]] R9V_HD constexpr bool is_kept_at(const coordinate& at) const {
        if constexpr (detail::keeps_position<Function>) {
            return function(at.batch(), at.head(), at.query(), at.key());
        } else {
            return function(at);
        }
    }
};

/// Keeps the scores for which `function(batch, head, query, key)`, or `function(coordinate)`, is
/// true: a lambda or functor that can be called on the device. What it captures travels as bytes.
///
/// So that kernels skip tiles, it may have `tile_answer tile(const score_tile&) const`, which says
/// `none` or `all` only where that is true of every score in the tile, and `column_range
/// columns(const row_range&) const`, which says where the columns lie that these rows keep.
template<class Function>
[[nodiscard]] constexpr auto keep_if(const Function& function) {
    constexpr bool is_function = std::is_function_v<std::remove_pointer_t<Function>>;
    constexpr bool is_callable = detail::keeps_anything<Function>();
    constexpr bool travels = std::is_trivially_copyable_v<Function>;
    static_assert(!is_function,
                  "r9v: keep_if() cannot take a function pointer, which leads nowhere on the "
                  "device. Write keep_if([](auto batch, auto head, auto query, auto key) { return "
                  "... }).");
    static_assert(is_function || is_callable,
                  "r9v: keep_if() takes a function of a score's position. Write a lambda or "
                  "functor that can be called as const with four r9v::index_t (batch, head, query, "
                  "key), or with (r9v::coordinate), and gives a bool.");
    static_assert(is_function || !is_callable || travels,
                  "r9v: keep_if() takes a trivially copyable functor, since it travels to the "
                  "device as bytes. Capture numbers and tensors (views), not containers.");
    if constexpr (!is_function && is_callable && travels) {
        return keep_if_op<Function>{function};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
