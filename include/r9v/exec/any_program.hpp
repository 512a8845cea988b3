// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One type for every program, so that an engine can keep a graph of them.
#pragma once

#include <r9v/exec/launch.hpp>

#include <cstddef>
#include <new>
#include <type_traits>

namespace r9v::inline R9V_ABI {

/// Holds any complete program: trivially copyable, no allocation, launched like the program itself.
/// An empty one is refused at launch.
class any_program {
public:
    /// The largest program that fits, in bytes.
    static constexpr std::size_t capacity = 1024;

    any_program() = default;

    template<class Program>
        requires exec::launchable<Program>
    any_program(const Program& p) noexcept
        : actions_{&actions_for<Program>} { // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Program) <= capacity,
                      "r9v: the program is larger than any_program holds (1024 bytes). Split it "
                      "with tee() and a second program.");
        static_assert(std::is_trivially_copyable_v<Program>);
        ::new (static_cast<void*>(storage_)) Program(p);
    }

    [[nodiscard]] bool empty() const noexcept { return actions_ == nullptr; }

    /// Runs a program of host tensors; refuses one of device tensors.
    [[nodiscard]] status run_on_host() const {
        if (empty()) return nothing();
        return actions_->on_host(storage_);
    }
#if R9V_HAS_KERNELS
    /// Queues a program of device tensors; refuses one of host tensors.
    [[nodiscard]] status enqueue(platform::stream_handle s,
                                 const workspace& scratch) const noexcept {
        if (empty()) return nothing();
        return actions_->on_stream(storage_, s, scratch);
    }
    /// Whether it may run on the current device, and the scratch bytes that it needs.
    [[nodiscard]] status can_launch(std::size_t& scratch_bytes) const noexcept {
        if (empty()) return nothing();
        return actions_->can_launch(storage_, scratch_bytes);
    }
#endif

private:
    struct actions {
        status (*on_host)(const void*);
#if R9V_HAS_KERNELS
        status (*on_stream)(const void*, platform::stream_handle, const workspace&) noexcept;
        status (*can_launch)(const void*, std::size_t&) noexcept;
#endif
    };

    static status nothing() noexcept {
        return error{"r9v: the any_program is empty. Assign a program to it first."};
    }

    template<class Program>
    static const Program& held(const void* storage) noexcept {
        return *std::launder(static_cast<const Program*>(storage));
    }

    template<class Program>
    static status on_host(const void* storage) {
        if constexpr (exec::program_of<Program>::memory == space::device) {
            return error{"r9v: r9v::reference runs on host memory and this program has device "
                         "tensors. Use host_tensor, or launch on a stream."};
        } else {
            return try_launch(reference, held<Program>(storage));
        }
    }

#if R9V_HAS_KERNELS
    template<class Program>
    static status on_stream(const void* storage, platform::stream_handle s,
                            const workspace& scratch) noexcept {
        if constexpr (exec::program_of<Program>::memory == space::host) {
            return error{"r9v: a stream runs on device memory and this program has host tensors. "
                         "Use tensor, or launch on r9v::reference."};
        } else {
            return try_launch(s, held<Program>(storage), scratch);
        }
    }

    template<class Program>
    static status can_launch_held(const void* storage, std::size_t& scratch_bytes) noexcept {
        if constexpr (exec::program_of<Program>::memory == space::host) {
            return error{"r9v: a stream runs on device memory and this program has host tensors. "
                         "Use tensor, or launch on r9v::reference."};
        } else {
            prepared<exec::program_of<Program>> chosen{
                exec::job<Program>::of(held<Program>(storage))};
            status fits = exec::choose_kernel<Program>(chosen);
            scratch_bytes = chosen.workspace_bytes();
            return fits;
        }
    }
    template<class Program>
    static constexpr actions actions_for{&on_host<Program>, &on_stream<Program>,
                                         &can_launch_held<Program>};
#else
    template<class Program>
    static constexpr actions actions_for{&on_host<Program>};
#endif

    alignas(16) std::byte storage_[capacity];
    const actions* actions_ = nullptr;
};

inline status try_launch(const reference_executor&, const any_program& p,
                         const std::source_location& where = std::source_location::current()) {
    return p.run_on_host().at(where);
}

inline void launch(const reference_executor&, const any_program& p,
                   const std::source_location& where = std::source_location::current()) {
    throw_if_failed(p.run_on_host().at(where));
}

#if R9V_HAS_KERNELS

inline status
try_launch(platform::stream_handle s, const any_program& p, const workspace& scratch = {},
           const std::source_location& where = std::source_location::current()) noexcept {
    return p.enqueue(s, scratch).at(where);
}

[[nodiscard]] inline status
can_launch(const any_program& p,
           const std::source_location& where = std::source_location::current()) noexcept {
    std::size_t scratch_bytes = 0;
    return p.can_launch(scratch_bytes).at(where);
}

[[nodiscard]] inline std::size_t
workspace_bytes(const any_program& p,
                const std::source_location& where = std::source_location::current()) {
    std::size_t scratch_bytes = 0;
    throw_if_failed(p.can_launch(scratch_bytes).at(where));
    return scratch_bytes;
}

#endif

} // namespace r9v::inline R9V_ABI
