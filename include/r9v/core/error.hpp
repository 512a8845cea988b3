// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How r9v fails at run time: `error` says what is wrong and what to write instead, `status` carries
// one or none. Both are values without allocation, so they work under -fno-exceptions and noexcept.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <source_location>

namespace r9v::inline R9V_ABI {

/// What went wrong, in the form `r9v: <what is wrong>. <what to write instead>.`, and where the
/// launch stands in the caller's source.
class error : public std::exception {
public:
    error() noexcept = default;

    /// printf-style; text beyond the fixed buffer is cut.
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 2, 3)))
#endif
    explicit error(const char* format, ...) noexcept {
        va_list arguments;
        va_start(arguments, format);
        std::vsnprintf(text_, sizeof text_, format, arguments);
        va_end(arguments);
    }

    [[nodiscard]] const char* what() const noexcept override { return text_; }
    [[nodiscard]] const std::source_location& where() const noexcept { return where_; }
    void set_where(const std::source_location& where) noexcept { where_ = where; }

private:
    char text_[384] = {};
    std::source_location where_{};
};

/// Success, or the error. `if (auto s = try_launch(...); !s) use(s.error().what());`
class [[nodiscard]] status {
public:
    status() noexcept = default;
    status(const r9v::error& reason) noexcept
        : failed_{true},
          error_{reason} {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const noexcept { return !failed_; }
    explicit operator bool() const noexcept { return !failed_; }
    [[nodiscard]] const r9v::error& error() const noexcept { return error_; }
    /// The text of the error; empty on success.
    [[nodiscard]] const char* what() const noexcept { return error_.what(); }

    /// Adds the caller's source location to a failure.
    [[nodiscard]] status at(const std::source_location& where) && noexcept {
        if (failed_) error_.set_where(where);
        return *this;
    }

private:
    bool failed_ = false;
    r9v::error error_{};
};

/// Throws the error of a failed status; without exceptions it prints the error and aborts, so code
/// built with -fno-exceptions calls the `try_` forms instead.
inline void throw_if_failed(const status& outcome) {
    if (outcome) return;
#if defined(__cpp_exceptions)
    throw outcome.error();
#else
    std::fprintf(stderr, "%s (%s:%u)\n", outcome.what(), outcome.error().where().file_name(),
                 static_cast<unsigned>(outcome.error().where().line()));
    std::abort();
#endif
}

} // namespace r9v::inline R9V_ABI
