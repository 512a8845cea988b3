// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A user's function that is kept for rare events; copies share it.
#pragma once

#include <r9v/core/config.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace r9v::inline R9V_ABI {

template<class Signature>
class callback;

/// Empty, or anything that can be called with these arguments.
template<class Result, class... Arguments>
class callback<Result(Arguments...)> {
public:
    callback() = default;
    template<class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, callback> &&
                 std::is_invocable_r_v<Result, Function&, Arguments...>)
    callback(Function&& function) // NOLINT(google-explicit-constructor)
        : function_{std::make_shared<std::decay_t<Function>>(std::forward<Function>(function))},
          call_{[](void* kept, Arguments... arguments) -> Result {
              return (*static_cast<std::decay_t<Function>*>(kept))(
                  std::forward<Arguments>(arguments)...);
          }} {}

    explicit operator bool() const noexcept { return call_ != nullptr; }
    Result operator()(Arguments... arguments) const {
        return call_(function_.get(), std::forward<Arguments>(arguments)...);
    }

private:
    std::shared_ptr<void> function_;
    Result (*call_)(void*, Arguments...) = nullptr;
};

} // namespace r9v::inline R9V_ABI
