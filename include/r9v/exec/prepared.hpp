// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A program that has been checked and has its kernels, ready to be queued again and again.
#pragma once

#include <r9v/exec/fills.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/work_sink.hpp>

#if R9V_HAS_KERNELS

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
    using family = family_of<Program>;

public:
    /// Not ready before `prepare` or `try_prepare` has chosen: they make these.
    explicit prepared(const Program& p) : program_{p} {}

    /// Bytes of scratch memory that a launch needs.
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.scratch_bytes; }
    /// The tile that was chosen, for logs and tuning; all zero when there is nothing to compute.
    [[nodiscard]] const typename family::tile& tile() const noexcept { return plan_.tile; }
    /// Kernels that a launch queues, fills for taps not counted.
    [[nodiscard]] int kernels() const noexcept { return plan_.count; }

    /// Queues the work on `s`: fills for taps, then the kernels.
    [[nodiscard]] status enqueue(platform::stream_handle s,
                                 const workspace& scratch) const noexcept {
        runtime::stream_sink to{s};
        return send_to(to, scratch);
    }
    /// The same work, piece by piece, to a stream_sink or any other work_sink.
    template<class Sink>
    [[nodiscard]] status send_to(Sink& sink, const workspace& scratch) const noexcept;

private:
    template<class, class>
    friend struct executor;

    Program program_; // never assigned: a capturing lambda has no assignment
    launch_plan<typename family::geometry, typename family::tile> plan_{};
    exec::fill_list fills_{};
};

template<class Program>
template<class Sink>
status prepared<Program>::send_to(Sink& sink, const workspace& scratch) const noexcept {
    const std::size_t needed = plan_.scratch_bytes;
    if (scratch.bytes < needed || (needed != 0 && scratch.data == nullptr))
        return error{"r9v: the program needs %zu bytes of scratch memory and has %zu. Pass "
                     "workspace{data, workspace_bytes(program)} to launch().",
                     needed, scratch.data == nullptr ? 0 : scratch.bytes};
    for (int i = 0; i < fills_.count; ++i) {
        const exec::fill& f = fills_.fills[i];
        const auto filled = sink.fill(f.data, f.pitch, f.byte, f.width, f.rows);
        if (filled != platform::success) return platform::check(filled, "memset");
    }
    auto geometry = plan_.geometry;
    geometry.attach(scratch.data);
    void* arguments[] = {const_cast<Program*>(&program_), &geometry};
    for (int i = 0; i < plan_.count; ++i) {
        const kernel_step& step = plan_.steps[i];
        const auto launched = sink.kernel(step.kernel, step.blocks, step.threads, arguments);
        if (launched != platform::success) return platform::check(launched, "launch");
    }
    return {};
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_HAS_KERNELS
