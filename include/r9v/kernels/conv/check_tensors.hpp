// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What convolutions of every kind check alike: the filter's memory, and all tensors.
#pragma once

#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI::detail {

/// The filter's memory, which `packer` fills.
template<class Head>
[[nodiscard]] status check_filter_memory(const Head& head, const char* packer) noexcept {
    if (head.f.data == nullptr && head.f.extents.k * head.f.extents.c != 0)
        return error{"r9v: the filter has null data. Pass memory that %s filled.", packer};
    if (reinterpret_cast<std::uint64_t>(head.f.data) % 16 != 0)
        return error{"r9v: the filter is not aligned to 16 bytes. Pack it to memory that is."};
    return {};
}

/// Extents, layouts, pointers and overlaps of all tensors; of the filter where it `is_memory`.
template<class Program>
[[nodiscard]] status check_tensors(const Program& p, bool is_memory) noexcept {
    using element = typename Program::head_type::element;
    tensor_checks checks{p.head.result()};
    checks.input("x", p.head.x.view);
    if (is_memory)
        checks.input("the filter",
                     host_tensor<const element, 1>{p.head.f.data, {p.head.f.elements()}});
    visit_operands(p.chain, checks);
    checks.begin_prologue(p.head.source_extents());
    visit_operands(p.head.x.prologue, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI::detail
