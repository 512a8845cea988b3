// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A callable kept in place, so that storing one never allocates.
#pragma once

#include <r9v/core/config.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace r9v::inline R9V_ABI::runtime {

template<class Signature, std::size_t Capacity>
class stored_call;

/// Holds one callable of up to `Capacity` bytes at a time; it is neither copied nor moved once
/// there.
template<class Result, class... Arguments, std::size_t Capacity>
class stored_call<Result(Arguments...), Capacity> {
public:
    stored_call() = default;
    stored_call(const stored_call&) = delete;
    stored_call& operator=(const stored_call&) = delete;
    ~stored_call() { reset(); }

    template<class Function>
    void emplace(Function&& f) {
        using held = std::decay_t<Function>;
        static_assert(sizeof(held) <= Capacity && alignof(held) <= alignof(std::max_align_t),
                      "r9v: a stage captures more than fits beside its slot (256 bytes). Capture a "
                      "pointer or a reference to what is large.");
        static_assert(std::is_invocable_r_v<Result, held&, Arguments...>);
        reset();
        ::new (static_cast<void*>(storage_)) held(std::forward<Function>(f));
        call_ = [](void* self, Arguments... arguments) -> Result {
            return (*static_cast<held*>(self))(std::forward<Arguments>(arguments)...);
        };
        destroy_ = [](void* self) {
            static_cast<held*>(self)->~held();
        };
    }

    /// Destroys the callable, and with it what it captured.
    void reset() noexcept {
        if (destroy_ != nullptr) destroy_(storage_);
        destroy_ = nullptr;
        call_ = nullptr;
    }

    Result operator()(Arguments... arguments) {
        return call_(storage_, std::forward<Arguments>(arguments)...);
    }

private:
    alignas(std::max_align_t) std::byte storage_[Capacity];
    Result (*call_)(void*, Arguments...) = nullptr;
    void (*destroy_)(void*) = nullptr;
};

} // namespace r9v::inline R9V_ABI::runtime
