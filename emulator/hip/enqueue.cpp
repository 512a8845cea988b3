// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/enqueue.hpp"

#include "hip/error.hpp"
#include "hip/transfer.hpp"

namespace r9v_emulator::hip {

hipError_t enqueue(hipStream_t handle, hipGraphNodeType type, operation work) {
    auto& table = stream_table::instance();
    const auto target = table.find(handle);
    if (!target) return hipErrorInvalidHandle;
    if (const auto captured = capture_work(*target, type, work)) return *captured;
    target->submit(std::move(work), table.implied_order(*target));
    return hipSuccess;
}

hipError_t enqueue_copy(hipStream_t handle, hipGraphNodeType type, copy_operation work) {
    const auto valid = check(work);
    if (valid != hipSuccess) return valid;
    auto& table = stream_table::instance();
    const auto target = table.find(handle);
    if (!target) return hipErrorInvalidHandle;
    if (const auto captured = capture_work(*target, type, work)) return *captured;
    const auto order = table.implied_order(*target);
    if (reads_pageable(work) && !target->would_run_now(order)) stage_source(work);
    const bool must_wait = writes_pageable(work);
    const auto point = target->submit(std::move(work), order);
    if (must_wait) point.wait();
    return hipSuccess;
}

hipError_t copy_now(copy_operation work) {
    const auto allowed = refuse_unsafe_call();
    if (allowed != hipSuccess) return allowed;
    const auto result = enqueue_copy(nullptr, hipGraphNodeTypeMemcpy, std::move(work));
    if (result != hipSuccess) return result;
    stream_table::instance().null_stream().synchronize();
    return sticky_error();
}

hipError_t fill_now(const fill_operation& work) {
    const auto allowed = refuse_unsafe_call();
    if (allowed != hipSuccess) return allowed;
    const auto result = fill_later(nullptr, work);
    if (result != hipSuccess) return result;
    stream_table::instance().null_stream().synchronize();
    return sticky_error();
}

hipError_t fill_later(hipStream_t handle, const fill_operation& work) {
    const auto valid = check(work);
    return valid != hipSuccess ? valid : enqueue(handle, hipGraphNodeTypeMemset, work);
}

} // namespace r9v_emulator::hip
