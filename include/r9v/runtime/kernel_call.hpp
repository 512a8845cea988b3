// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The launch of a plain kernel, a copy and a fill as values: a plan can hold and change them.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/core/pack.hpp>
#include <r9v/runtime/work_sink.hpp>

#if R9V_GPU

#include <cstddef>
#include <utility>

namespace r9v::inline R9V_ABI {

/// A kernel of the user's own, with its sizes and arguments; made by call().
template<class... Parameters>
class kernel_call {
public:
    kernel_call(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                const Parameters&... arguments) noexcept
        : kernel_{reinterpret_cast<const void*>(kernel)},
          blocks_{blocks},
          threads_{threads},
          arguments_{make_pack(arguments...)} {}

    status send_to(runtime::work_sink& sink) const noexcept {
        auto values = arguments_;
        const auto launched = [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            void* pointers[] = {static_cast<void*>(&get<Is>(values))..., nullptr};
            return sink.kernel(kernel_, blocks_, threads_, pointers);
        }(std::index_sequence_for<Parameters...>{});
        return platform::check(launched, "launch");
    }

private:
    const void* kernel_;
    unsigned blocks_;
    unsigned threads_;
    pack<Parameters...> arguments_;
};

/// `call(kernel, blocks, threads, arguments...)`: kernel<<<blocks, threads>>>(arguments...), later.
template<class... Parameters, class... Arguments>
[[nodiscard]] kernel_call<Parameters...> call(void (*kernel)(Parameters...), unsigned blocks,
                                              unsigned threads,
                                              const Arguments&... arguments) noexcept {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                  "r9v: the kernel has another number of parameters. Write call(kernel, blocks, "
                  "threads, arguments...).");
    return {kernel, blocks, threads, static_cast<Parameters>(arguments)...};
}

/// A copy between host and device, later. The host side should be pinned.
class copy_call {
public:
    [[nodiscard]] static copy_call to_device(void* to, const void* from, std::size_t bytes) {
        return {to, from, bytes, false};
    }
    [[nodiscard]] static copy_call to_host(void* to, const void* from, std::size_t bytes) {
        return {to, from, bytes, true};
    }

    status send_to(runtime::work_sink& sink) const noexcept {
        return platform::check(sink.copy(to_, from_, bytes_, to_host_), "copy");
    }

private:
    copy_call(void* to, const void* from, std::size_t bytes, bool to_host) noexcept
        : to_{to},
          from_{from},
          bytes_{bytes},
          to_host_{to_host} {}

    void* to_;
    const void* from_;
    std::size_t bytes_;
    bool to_host_;
};

/// Bytes of device memory set to one value, later.
class fill_call {
public:
    fill_call(void* to, int byte, std::size_t bytes) noexcept
        : to_{to},
          bytes_{bytes},
          byte_{byte} {}

    status send_to(runtime::work_sink& sink) const noexcept {
        return platform::check(sink.fill(to_, bytes_, byte_, bytes_, 1), "fill");
    }

private:
    void* to_;
    std::size_t bytes_;
    int byte_;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
