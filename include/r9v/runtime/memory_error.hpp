// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How memory resources fail: an r9v::error that also says which kind it is and, with numbers, how
// the resource stood.
#pragma once

#include <r9v/core/error.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace r9v::inline R9V_ABI {

/// What went wrong, for code that decides by it.
enum class memory_fault {
    none,
    out_of_memory,         ///< the device, the cap or the limit has no more
    growth_during_capture, ///< more memory was needed while the stream was captured
    bad_alignment,         ///< not a power of two
    double_free,           ///< freed before
    foreign_pointer,       ///< never came from this resource
    interior_pointer,      ///< inside an allocation, not at its begin
    wrong_size,            ///< freed with another size than it was allocated with
    wrong_device,          ///< a stream of another device
    runtime_failed,        ///< a call of the GPU runtime failed
    process_exiting,       ///< the process ends: nothing is done any more
    forked,                ///< made before a fork, used in the child
    device_reset,          ///< made before the device was reset
};

/// How a memory resource stands, in bytes.
struct memory_figures {
    std::size_t requested = 0;    ///< by the call that failed
    std::size_t largest_free = 0; ///< the largest that fits without growth
    std::size_t live = 0;         ///< allocated and not freed
    std::size_t peak = 0;         ///< the most that was ever live
    std::size_t reserved = 0;     ///< taken from the device
};

class memory_error : public error {
public:
    memory_error(memory_fault kind, const r9v::error& text, const memory_figures& figures) noexcept
        : error{text},
          kind_{kind},
          figures_{figures} {}
    [[nodiscard]] memory_fault kind() const noexcept { return kind_; }
    [[nodiscard]] const memory_figures& figures() const noexcept { return figures_; }

private:
    memory_fault kind_;
    memory_figures figures_;
};

/// Thrown where the kind is memory_fault::out_of_memory or growth_during_capture.
class out_of_memory : public memory_error {
public:
    explicit out_of_memory(const memory_error& reason) noexcept : memory_error{reason} {}
};

/// Success, or a memory_error; converts to r9v::status.
class [[nodiscard]] memory_status {
public:
    // Not defaulted: `return {}` would clear the whole text, on every allocation.
    memory_status() noexcept {}                        // NOLINT(modernize-use-equals-default)
    memory_status(const memory_error& reason) noexcept // NOLINT(google-explicit-constructor)
        : error_{reason} {}

    [[nodiscard]] bool ok() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] memory_fault kind() const noexcept {
        return error_ ? error_->kind() : memory_fault::none;
    }
    /// Only where !ok().
    [[nodiscard]] const memory_error& error() const noexcept { return *error_; }
    /// The text of the error; empty on success.
    [[nodiscard]] const char* what() const noexcept { return error_ ? error_->what() : ""; }
    operator status() const noexcept { // NOLINT(google-explicit-constructor)
        return error_ ? status{*error_} : status{};
    }
    [[nodiscard]] memory_status at(const std::source_location& where) && noexcept {
        if (error_) error_->set_where(where);
        return std::move(*this);
    }

private:
    std::optional<memory_error> error_;
};

/// Throws what failed: out_of_memory, or memory_error. Without exceptions, prints it and aborts.
inline void throw_if_failed(const memory_status& outcome) {
    if (outcome) return;
#if defined(__cpp_exceptions)
    if (outcome.kind() == memory_fault::out_of_memory ||
        outcome.kind() == memory_fault::growth_during_capture)
        throw out_of_memory{outcome.error()};
    throw outcome.error();
#else
    throw_if_failed(static_cast<status>(outcome));
#endif
}

} // namespace r9v::inline R9V_ABI
