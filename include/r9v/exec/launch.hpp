// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The verb. `launch` throws, `try_launch` returns; both check everything first and write nothing
// when they refuse. `prepare` checks and chooses once, for programs that run many times.
#pragma once

#include <r9v/exec/complete.hpp>
#include <r9v/exec/executor.hpp>
#include <r9v/exec/job.hpp>
#include <r9v/exec/reference.hpp>
#include <r9v/runtime/stream.hpp>

#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace r9v::inline R9V_ABI {

/// Runs `p` on the host, in double, and blocks until done. The status carries the reason of a
/// refusal, with which nothing was written.
template<class T>
status try_launch(const reference_executor&, const T& p,
                  const std::source_location& where = std::source_location::current()) {
    if constexpr (exec::may_launch<T, space::host>()) {
        return exec::run_on_host(exec::job<T>::of(p)).at(where);
    } else {
        return {};
    }
}

/// Runs `p` on the host, in double, and blocks until done. Throws r9v::error.
template<class T>
void launch(const reference_executor& host, const T& p,
            const std::source_location& where = std::source_location::current()) {
    throw_if_failed(try_launch(host, p, where));
}

/// Tiles are a matter of kernels: on the host, `p` as it is.
template<auto Tile, class T>
void launch(const reference_executor& host, const T& p,
            const std::source_location& where = std::source_location::current()) {
    throw_if_failed(try_launch(host, p, where));
}

#if R9V_HAS_KERNELS

namespace exec {

/// Checks and chooses; `chosen` was made from `p`'s program.
template<launchable T>
[[nodiscard]] status choose_kernel(prepared<program_of<T>>& chosen) noexcept {
    if constexpr (may_launch<T, space::device>()) {
        return executor<program_of<T>, tiles_of<T>>::prepare(chosen);
    } else {
        return {};
    }
}

} // namespace exec

/// Checks `p` and chooses its kernel for the current device. The result is launched with
/// `launch(s, prepared)`, which checks nothing again: pointers and extents are fixed.
/// Throws r9v::error when the program cannot run.
template<exec::launchable T>
[[nodiscard]] auto prepare(const T& p,
                           const std::source_location& where = std::source_location::current()) {
    prepared<exec::program_of<T>> chosen{exec::job<T>::of(p)};
    throw_if_failed(exec::choose_kernel<T>(chosen).at(where));
    return chosen;
}

/// prepare() without exceptions: fills `chosen`, or says why not and leaves it empty.
template<exec::launchable T>
[[nodiscard]] status
try_prepare(const T& p, std::optional<prepared<exec::program_of<T>>>& chosen,
            const std::source_location& where = std::source_location::current()) noexcept {
    chosen.emplace(exec::job<T>::of(p));
    status fits = exec::choose_kernel<T>(*chosen).at(where);
    if (!fits) chosen.reset();
    return fits;
}

/// Whether `p` may run on the current device, or the reason why not. Launches nothing.
template<exec::launchable T>
[[nodiscard]] status
can_launch(const T& p,
           const std::source_location& where = std::source_location::current()) noexcept {
    prepared<exec::program_of<T>> chosen{exec::job<T>::of(p)};
    return exec::choose_kernel<T>(chosen).at(where);
}

/// Bytes of scratch memory that `launch(s, p, scratch)` needs on the current device; 0 for most
/// programs. Throws r9v::error when the program cannot run.
template<exec::launchable T>
[[nodiscard]] std::size_t
workspace_bytes(const T& p, const std::source_location& where = std::source_location::current()) {
    return prepare(p, where).workspace_bytes();
}

/// Queues `p` on a stream of the current device: one of the runtime's own, or an r9v::stream.
/// Never allocates, never blocks, never reads device memory on the host; may be captured into a
/// graph. `scratch` is needed where workspace_bytes(p) is not 0. On a refusal nothing is written.
template<class T>
status try_launch(platform::stream_handle s, const T& p, const workspace& scratch = {},
                  const std::source_location& where = std::source_location::current()) noexcept {
    if constexpr (exec::may_launch<T, space::device>()) {
        prepared<exec::program_of<T>> chosen{exec::job<T>::of(p)};
        if (status fits = exec::choose_kernel<T>(chosen); !fits) return std::move(fits).at(where);
        return chosen.enqueue(s, scratch).at(where);
    } else {
        return {};
    }
}

/// Queues what `prepare` returned.
template<class Program>
status try_launch(platform::stream_handle s, const prepared<Program>& p,
                  const workspace& scratch = {},
                  const std::source_location& where = std::source_location::current()) noexcept {
    return p.enqueue(s, scratch).at(where);
}

template<class T>
status try_launch(const stream& s, const T& p, const workspace& scratch = {},
                  const std::source_location& where = std::source_location::current()) noexcept {
    return try_launch(s.handle(), p, scratch, where);
}

/// try_launch that throws r9v::error instead of returning it.
template<class T>
void launch(platform::stream_handle s, const T& p, const workspace& scratch = {},
            const std::source_location& where = std::source_location::current()) {
    throw_if_failed(try_launch(s, p, scratch, where));
}

template<class T>
void launch(const stream& s, const T& p, const workspace& scratch = {},
            const std::source_location& where = std::source_location::current()) {
    throw_if_failed(try_launch(s.handle(), p, scratch, where));
}

/// `launch<gemm_tile{.m = 128, ...}>(s, program)`: with that tile and no other.
template<auto Tile, class Where, class Head, class Chain>
    requires(!std::is_same_v<Where, reference_executor>)
void launch(const Where& s, const program<Head, Chain>& p, const workspace& scratch = {},
            const std::source_location& where = std::source_location::current()) {
    r9v::launch(s, only<Tile>(p), scratch, where);
}

#endif // R9V_HAS_KERNELS

} // namespace r9v::inline R9V_ABI
