// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The runtime's own allocation as a memory resource: every call goes to the driver and may block.
#pragma once

#include <r9v/runtime/gpu_backend.hpp>
#include <r9v/runtime/pool_messages.hpp>

#include <map>
#include <mutex>

namespace r9v::inline R9V_ABI {

/// Memory of the current device straight from a backend's allocate() and release(). The runtimes'
/// own release waits until the device has done everything, so any stream may have used the memory.
template<class Backend>
class basic_direct_memory final : public memory_resource {
public:
    explicit basic_direct_memory(Backend backend = {}) : backend_{std::move(backend)} {
        runtime::watch_process();
    }
    basic_direct_memory(const basic_direct_memory&) = delete;
    basic_direct_memory& operator=(const basic_direct_memory&) = delete;
    ~basic_direct_memory() override {
        for (const auto& [pointer, owned] : live_)
            if (owned.made.lost() == runtime::loss::none) (void)backend_.release(owned.memory);
    }

private:
    struct allocation {
        void* memory; ///< as the driver gave it
        std::size_t bytes;
        runtime::moment made;
    };

    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        if (!is_power_of_two(request.alignment)) return runtime::bad_alignment(request.alignment);
        int device = 0;
        (void)backend_.current_device(&device);
        const runtime::moment now{device};
        // The driver aligns to 256 bytes or more; the rest is made room for. Not a byte more than
        // was asked for, so that tools see what runs past the end.
        const std::size_t more =
            request.alignment > memory_alignment ? request.alignment - memory_alignment : 0;
        void* memory = nullptr;
        if (now.lost() != runtime::loss::none) return runtime::lost_since(now);
        const bool absurd = request.bytes > any_size / 2 || more > any_size / 4;
        const int failed =
            absurd ? Backend::out_of_memory
                   : take(&memory, request.bytes + more == 0 ? 1 : request.bytes + more);
        const std::lock_guard guard{mutex_};
        if (failed != Backend::success) return refuse(failed, request.bytes);
        pointer = reinterpret_cast<void*>(
            align_up(reinterpret_cast<std::uintptr_t>(memory), request.alignment));
        live_.insert({static_cast<char*>(pointer), {memory, request.bytes, now}});
        counter_.add(request.bytes);
        return {};
    }

    [[nodiscard]] int take(void** memory, std::size_t bytes) noexcept {
        if constexpr (requires { backend_.allocate_uncaptured(memory, bytes); }) {
            return backend_.allocate_uncaptured(memory, bytes);
        } else {
            return backend_.allocate(memory, bytes);
        }
    }

    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref*) noexcept override {
        std::unique_lock locked{mutex_, std::defer_lock};
        if (runtime::process.exiting.load(std::memory_order_relaxed))
            return runtime::lost_since(runtime::moment{0});
        locked.lock();
        const auto found = live_.find(static_cast<char*>(pointer));
        if (found == live_.end()) return not_live(static_cast<char*>(pointer));
        if (bytes != any_size && bytes != found->second.bytes)
            return runtime::refused_free(memory_fault::wrong_size, pointer, bytes,
                                         found->second.bytes, figures_locked());
        if (found->second.made.lost() != runtime::loss::none)
            return runtime::lost_since(found->second.made);
        void* const memory = found->second.memory;
        counter_.subtract(found->second.bytes);
        live_.erase(found);
        locked.unlock();
        const int failed = backend_.release(memory);
        locked.lock();
        return failed == Backend::success ? memory_status{} : refuse(failed, 0);
    }

    memory_status do_record_use(void* pointer, const stream_ref&) noexcept override {
        const std::lock_guard guard{mutex_};
        return live_.contains(static_cast<char*>(pointer)) ? memory_status{}
                                                           : not_live(static_cast<char*>(pointer));
    }

    [[nodiscard]] memory_figures do_figures() const noexcept override {
        const std::lock_guard guard{mutex_};
        return figures_locked();
    }

    [[nodiscard]] memory_figures figures_locked() const noexcept {
        return {0, 0, counter_.current_bytes, counter_.peak_bytes, counter_.current_bytes};
    }
    [[nodiscard]] memory_status not_live(const char* pointer) const noexcept {
        auto after = live_.upper_bound(const_cast<char*>(pointer));
        const bool inside =
            after != live_.begin() && (--after)->first + after->second.bytes > pointer;
        return runtime::refused_free(inside ? memory_fault::interior_pointer
                                            : memory_fault::foreign_pointer,
                                     pointer, any_size, 0, figures_locked());
    }
    [[nodiscard]] memory_status refuse(int code, std::size_t bytes) const noexcept {
        memory_figures now = figures_locked();
        now.requested = bytes;
        if (code == Backend::out_of_memory) return runtime::no_memory(now, false);
        return runtime::call_failed("allocation of device memory", Backend::text(code), now);
    }

    Backend backend_;
    mutable std::mutex mutex_;
    std::map<char*, allocation> live_;
    memory_counter counter_;
};

#if R9V_GPU

/// The resource behind `buffer<T>{size}`; never destroyed, so buffers may live as long as they
/// like.
template<class Backend = runtime::gpu_backend>
memory_resource& direct_memory() {
    static auto& resource = *new basic_direct_memory<Backend>;
    return resource;
}

#endif // R9V_GPU

} // namespace r9v::inline R9V_ABI
