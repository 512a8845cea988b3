// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How the user's part of some work fails, with or without exceptions.
#pragma once

#include <r9v/core/error.hpp>

#include <cstdlib>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace r9v::inline R9V_ABI::runtime {

/// What a stage ended with.
struct stage_failure {
    r9v::error reason;
    std::exception_ptr thrown; ///< what the stage threw, if it threw

    [[noreturn]] void raise() const {
#if defined(__cpp_exceptions)
        if (thrown) std::rethrow_exception(thrown);
#endif
        throw_if_failed(reason);
        std::abort();
    }
};

/// Calls `f`, which returns a status or anything else, which does not matter.
template<class Function, class... Arguments>
status call_stage(Function& f, Arguments&&... arguments) {
    using result = std::invoke_result_t<Function&, Arguments...>;
    if constexpr (!std::is_void_v<result> && std::is_convertible_v<result, status>) {
        return f(std::forward<Arguments>(arguments)...);
    } else {
        (void)f(std::forward<Arguments>(arguments)...);
        return {};
    }
}

/// Runs a stage, which returns nothing or a status, and answers how it failed, if it did.
template<class Stage>
std::optional<stage_failure> run_stage([[maybe_unused]] const char* name, Stage&& stage) noexcept {
    const auto run = [&]() -> std::optional<stage_failure> {
        if (status outcome = call_stage(stage); !outcome)
            return stage_failure{outcome.error(), nullptr};
        return std::nullopt;
    };
#if defined(__cpp_exceptions)
    try {
        return run();
    } catch (const error& e) {
        return stage_failure{e, std::current_exception()};
    } catch (const std::exception& e) {
        return stage_failure{error{"r9v: %s failed: %s. Handle it there, or where the result is "
                                   "asked for.",
                                   name, e.what()},
                             std::current_exception()};
    } catch (...) {
        return stage_failure{error{"r9v: %s threw something that is no std::exception. Handle it "
                                   "there, or where the result is asked for.",
                                   name},
                             std::current_exception()};
    }
#else
    return run();
#endif
}

} // namespace r9v::inline R9V_ABI::runtime
