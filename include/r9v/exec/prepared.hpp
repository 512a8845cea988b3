// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A program that has been checked and has its kernel, ready to be queued again and again.
#pragma once

#include <r9v/exec/bind.hpp>
#include <r9v/kernels/gemm/tuning.hpp>
#include <r9v/platform/gpu.hpp>

#if R9V_HAS_KERNELS

#include <r9v/exec/merge.hpp>

#include <cstddef>

namespace r9v::inline R9V_ABI {

/// Scratch memory on the device for one launch; its contents do not matter before and after. Two
/// launches that may run at the same time need memory of their own.
struct workspace {
    void* data = nullptr; ///< aligned to 16 bytes
    std::size_t bytes = 0;
};

/// What `prepare` returns: a value, valid while the program's tensors are.
template<class Program>
class prepared {
public:
    /// Not ready before `prepare` or `try_prepare` has chosen: they make these.
    explicit prepared(const Program& p) : program_{p} {}

    /// Bytes of scratch memory that a launch needs.
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return scratch_bytes_; }
    /// The tile that was chosen, for logs and tuning; all zero when there is nothing to compute.
    [[nodiscard]] const gemm_tile& tile() const noexcept { return tile_; }

    /// Queues the work on `s`: fills for taps, the kernel, and a merge kernel for ordered taps.
    [[nodiscard]] status enqueue(platform::stream_handle s,
                                 const workspace& scratch) const noexcept;

private:
    template<class, class>
    friend struct executor;

    Program program_; // never assigned: a capturing lambda has no assignment
    gemm_geometry geometry_{};
    gemm_tile tile_{};
    const void* kernel_ = nullptr;
    const void* merge_kernel_ = nullptr;
    unsigned blocks_ = 0;
    unsigned merge_blocks_ = 0;
    std::size_t scratch_bytes_ = 0;
    exec::fill_list fills_{};
};

template<class Program>
status prepared<Program>::enqueue(platform::stream_handle s,
                                  const workspace& scratch) const noexcept {
    if (scratch.bytes < scratch_bytes_ || (scratch_bytes_ != 0 && scratch.data == nullptr))
        return error{"r9v: the program needs %zu bytes of scratch memory and has %zu. Pass "
                     "workspace{data, workspace_bytes(program)} to launch().",
                     scratch_bytes_, scratch.data == nullptr ? 0 : scratch.bytes};
    for (int i = 0; i < fills_.count; ++i) {
        const exec::fill& f = fills_.fills[i];
        const auto filled = f.rows == 1 || f.pitch == f.width
                                ? platform::fill(f.data, f.byte, f.width * f.rows, s)
                                : platform::fill_rows(f.data, f.pitch, f.byte, f.width, f.rows, s);
        if (filled != platform::success) return platform::check(filled, "memset");
    }
    if (blocks_ == 0) return {};
    gemm_geometry geometry = geometry_;
    geometry.partials = static_cast<float*>(scratch.data);
    void* arguments[] = {const_cast<Program*>(&program_), &geometry};
    auto launched =
        platform::launch(kernel_, blocks_, static_cast<unsigned>(tile_.threads()), arguments, s);
    if (launched == platform::success && merge_blocks_ != 0)
        launched =
            platform::launch(merge_kernel_, merge_blocks_, exec::merge_threads, arguments, s);
    return platform::check(launched, "launch");
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_HAS_KERNELS
