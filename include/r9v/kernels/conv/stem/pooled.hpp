// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// conv2d(...) | ops | max_pool({...}) | ops | store(y) on the host: ops in front of the pool follow
// the convolution's result, ops behind it the pooled one. Checks, extents, and the reference.
#pragma once

#include <r9v/kernels/conv/reference.hpp>
#include <r9v/kernels/conv/rules.hpp>
#include <r9v/kernels/conv/stem/beside_pool.hpp>
#include <r9v/kernels/pool/rules.hpp>
#include <r9v/numeric/bits.hpp>
#include <r9v/ops/bind.hpp>
#include <r9v/ops/pool.hpp>

#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Chain>
[[nodiscard]] const pooling& pooling_of(const Chain& ops) {
    return get<static_cast<std::size_t>(Chain::pool_position)>(ops.ops).how;
}

/// Extents of the pooled result.
template<class Head>
[[nodiscard]] extents pooled_result(const Head& head, const pooling& how) {
    extents size = head.result();
    size.heads = convolved_extent(size.heads, how.window.height, how.stride.height,
                                  how.dilation.height, how.pad.top, how.pad.bottom);
    size.rows = convolved_extent(size.rows, how.window.width, how.stride.width, how.dilation.width,
                                 how.pad.left, how.pad.right);
    return size;
}

/// Calls `visit(op)` for the ops in front of the pool, or for those behind it.
template<bool Behind, class Chain, class Visit>
void for_each_beside_pool(Chain& ops, Visit&& visit) {
    constexpr auto pool = static_cast<std::size_t>(std::remove_cv_t<Chain>::pool_position);
    constexpr auto size = static_cast<std::size_t>(std::remove_cv_t<Chain>::size);
    constexpr std::size_t first = Behind ? pool + 1 : 0;
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (visit(get<first + Is>(ops.ops)), ...);
    }(std::make_index_sequence<(Behind ? size : pool) - first>{});
}

/// Shows an op's tensors, if it has any.
template<class Op, class Visit>
void visit_op(const Op& op, Visit&& visit) {
    if constexpr (requires { op.visit_operands(visit); }) op.visit_operands(visit);
}

} // namespace detail

/// Whether a convolution with a pool may run.
template<class Head, class Chain>
[[nodiscard]] status check_pooled(const program<Head, Chain>& p) noexcept {
    if (const status fits = detail::check_convolution(p.head); !fits) return fits;
    const pooling& how = detail::pooling_of(p.chain);
    const extents size = p.head.result();
    if (const status fits =
            detail::check_window("height", size.heads, how.window.height, how.stride.height,
                                 how.dilation.height, how.pad.top, how.pad.bottom);
        !fits)
        return fits;
    if (const status fits =
            detail::check_window("width", size.rows, how.window.width, how.stride.width,
                                 how.dilation.width, how.pad.left, how.pad.right);
        !fits)
        return fits;

    detail::tensor_checks checks{detail::pooled_result(p.head, how)};
    const auto visit = [&](const auto& op) {
        detail::visit_op(op, checks);
    };
    checks.input("x", p.head.x.view);
    const index_t elements = p.head.f.elements();
    checks.input("the filter",
                 host_tensor<const typename Head::element, 1>{p.head.f.data, {elements}});
    detail::for_each_beside_pool<true>(p.chain, visit);
    // Other blocks may read what stands in front of the pool while results are written.
    checks.begin_prologue(size);
    detail::for_each_beside_pool<false>(p.chain, visit);
    checks.begin_prologue(p.head.source_extents());
    visit_operands(p.head.x.prologue, checks);
    checks.check_overlap();
    return checks.outcome();
}

template<class Head, class Chain>
void bind_pooled(program<Head, Chain>& p) {
    const extents size = p.head.result();
    const extents pooled = detail::pooled_result(p.head, detail::pooling_of(p.chain));
    const auto to = [](const extents& result) {
        return [&result]<class Op>(Op& op) {
            if constexpr (detail::binds_extents<Op>) op.bind(result);
        };
    };
    detail::for_each_beside_pool<false>(p.chain, to(size));
    detail::for_each_beside_pool<true>(p.chain, to(pooled));
    r9v::bind(p.head.x.prologue, p.head.source_extents());
}

namespace detail {

/// The convolution's result of one image behind the ops in front of the pool: [p, q, k].
template<class Head, class Chain>
[[nodiscard]] std::vector<double>
map_before_pool(const program<Head, Chain>& p, const std::vector<double>& map,
                const std::vector<double>& weights, index_t image) {
    const extents size = p.head.result();
    std::vector<double> values;
    std::vector<double> sums(static_cast<std::size_t>(size.rows * size.columns));
    for (index_t row = 0; row < size.heads; ++row) {
        convolve_row(p.head, map, weights, image, row, sums);
        for (index_t i = 0; i < size.rows * size.columns; ++i) {
            const coordinate at{.batch_base = image,
                                .row_base = i / size.columns,
                                .column_base = i % size.columns,
                                .head_base = row};
            run<double, 1> x{{sums[static_cast<std::size_t>(i)]}};
            run_beside_pool<false>(reference_math{}, p.chain, x, at);
            // Kernels pool elements: what is too large for their type is infinite.
            const double rounded = reference_math::round_to<typename Head::element>(x[0]);
            values.push_back(is_inf(rounded) ? rounded : x[0]);
        }
    }
    return values;
}

/// The largest value of channel `k` under the window at (row, column); NaN where there is one.
[[nodiscard]] inline double largest_under(const std::vector<double>& values, const extents& size,
                                          const pooling& how, index_t row, index_t column,
                                          index_t k) {
    constexpr std::uint64_t lowest = numeric::double_infinity | std::uint64_t{1} << 63;
    double largest = numeric::from_opaque_bits<double>(lowest);
    for (index_t r = 0; r < how.window.height; ++r)
        for (index_t s = 0; s < how.window.width; ++s) {
            const index_t p = row * how.stride.height + r * how.dilation.height - how.pad.top;
            const index_t q = column * how.stride.width + s * how.dilation.width - how.pad.left;
            if (p < 0 || p >= size.heads || q < 0 || q >= size.rows) continue;
            largest = reference_math::max(
                largest, values[static_cast<std::size_t>((p * size.rows + q) * size.columns + k)]);
        }
    return largest;
}

} // namespace detail

/// Runs a checked program with a pool on host views.
template<class Head, class Chain>
void run_pooled_reference(const program<Head, Chain>& p) {
    const Head& head = p.head;
    const pooling& how = detail::pooling_of(p.chain);
    const extents size = head.result();
    const extents pooled = detail::pooled_result(head, how);
    const std::vector<double> map = detail::load_map(head);
    const std::vector<double> weights = detail::load_filter(head);
    for (index_t b = 0; b < pooled.batches; ++b) {
        const std::vector<double> values = detail::map_before_pool(p, map, weights, b);
        for (index_t row = 0; row < pooled.heads; ++row)
            for (index_t column = 0; column < pooled.rows; ++column)
                for (index_t k = 0; k < pooled.columns; ++k) {
                    run<double, 1> x{{detail::largest_under(values, size, how, row, column, k)}};
                    detail::run_beside_pool<true>(reference_math{}, p.chain, x,
                                                  coordinate{.batch_base = b,
                                                             .row_base = column,
                                                             .column_base = k,
                                                             .head_base = row});
                }
    }
}

} // namespace r9v::inline R9V_ABI
