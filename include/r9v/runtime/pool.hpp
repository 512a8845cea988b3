// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The pool: stream-ordered memory on plain slabs of the device, which it does not give back.
#pragma once

#include <r9v/runtime/lock.hpp>
#include <r9v/runtime/pool_options.hpp>
#include <r9v/runtime/pool_order.hpp>
#include <r9v/runtime/process.hpp>

#include <condition_variable>
#include <mutex>

namespace r9v::inline R9V_ABI {

template<class Backend>
class basic_pool;

/// Memory that a captured plan uses: while it is open, what is allocated on its stream comes from
/// here, and what was allocated so returns here and nowhere else. Keep it as long as the plan.
/// Movable; must end before the pool does.
template<class Backend>
class kept_memory {
public:
    kept_memory() = default;
    kept_memory(kept_memory&& other) noexcept
        : pool_{std::exchange(other.pool_, nullptr)},
          keeper_{std::exchange(other.keeper_, nullptr)} {}
    kept_memory& operator=(kept_memory&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(keeper_, other.keeper_);
        return *this;
    }
    kept_memory(const kept_memory&) = delete;
    kept_memory& operator=(const kept_memory&) = delete;
    /// As give_back(): in the order of the stream that it was kept for.
    ~kept_memory() { give_back(); }

    /// The capture is over: the stream allocates from the pool again.
    void close() noexcept {
        if (pool_ != nullptr) pool_->close(*keeper_);
    }
    /// The plan is gone: its memory may be used by what is queued on its stream from now on.
    void give_back() noexcept {
        if (pool_ != nullptr) pool_->give_back(*keeper_, nullptr);
        pool_ = nullptr;
    }
    /// The same, where the plan ran last on another stream.
    void give_back(const stream_ref& last) noexcept {
        if (pool_ != nullptr) pool_->give_back(*keeper_, &last);
        pool_ = nullptr;
    }
    /// Bytes that are kept and free.
    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return pool_ == nullptr ? 0 : pool_->free_bytes(*keeper_);
    }

private:
    friend class basic_pool<Backend>;
    kept_memory(basic_pool<Backend>& pool, runtime::stream_entry& keeper) noexcept
        : pool_{&pool},
          keeper_{&keeper} {}

    basic_pool<Backend>* pool_ = nullptr;
    runtime::stream_entry* keeper_ = nullptr;
};

/// A stream-ordered pool; r9v::memory_pool is the one of the GPU runtime. An allocation is served
/// by the free blocks of its own stream, else by one of another stream's behind an event, else by
/// joining free neighbours, else by growth. Streams and buffers may end in any order, but before
/// the pool; at the process's end, in a fork's child and after a device reset the destructor does
/// nothing.
template<class Backend>
class basic_pool final : public memory_resource {
public:
    /// Takes `options.reserve` bytes from the device. Throws r9v::memory_error.
    explicit basic_pool(pool_options options = {}, Backend backend = {})
        : options_{std::move(options)},
          backend_{std::move(backend)},
          device_{device_of_options()},
          made_{device_} {
        runtime::watch_process();
        if (options_.reserve != 0) throw_if_failed(try_reserve(options_.reserve));
    }
    ~basic_pool() override;

    /// Grows until at least `bytes` bytes are taken from the device.
    void reserve(std::size_t bytes) { throw_if_failed(try_reserve(bytes)); }
    memory_status try_reserve(std::size_t bytes) noexcept;

    /// Waits until slabs without a live block are no longer used and gives them back to the device,
    /// as long as `keep` bytes stay. Returns the bytes given back.
    std::size_t trim(std::size_t keep = 0) noexcept;

    /// From now on, until it is closed, what is allocated on `stream` is kept for a plan that is
    /// captured on it. One at a time for each stream; throws r9v::memory_error.
    [[nodiscard]] kept_memory<Backend> keep(const stream_ref& stream) {
        kept_memory<Backend> kept;
        throw_if_failed(try_keep(kept, stream));
        return kept;
    }
    memory_status try_keep(kept_memory<Backend>& kept, const stream_ref& stream) noexcept;

    /// Before a raw handle of a stream is destroyed that the pool was told outlives it.
    void forget(const stream_ref& stream) noexcept;

    [[nodiscard]] int device() const noexcept { return device_; }
    [[nodiscard]] pool_statistics statistics() const;
    [[nodiscard]] pool_snapshot snapshot() const;
    /// Peaks are counted anew from what is live now.
    void reset_peaks() noexcept;
    [[nodiscard]] Backend& backend() noexcept { return backend_; }

private:
    friend class kept_memory<Backend>;
    using entry = runtime::stream_entry;
    using block = runtime::block;
    using order = runtime::event_order<Backend>;
    using guard = std::unique_lock<runtime::brief_mutex>;

    /// Sets the pool's device for a scope.
    class device_scope {
    public:
        explicit device_scope(basic_pool& pool) : backend_{pool.backend_} {
            if (backend_.current_device(&before_) != Backend::success) before_ = pool.device_;
            changed_ = before_ != pool.device_;
            if (changed_) (void)backend_.set_device(pool.device_);
        }
        device_scope(const device_scope&) = delete;
        device_scope& operator=(const device_scope&) = delete;
        ~device_scope() {
            if (changed_) (void)backend_.set_device(before_);
        }

    private:
        Backend& backend_;
        int before_ = 0;
        bool changed_ = false;
    };

    /// What is needed for one allocation.
    struct wanted {
        std::size_t bytes;     ///< rounded up
        std::size_t gap;       ///< the same with what alignment may cost
        std::size_t requested; ///< as asked for
        std::size_t alignment;
    };

    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override;
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override;
    memory_status do_record_use(void* pointer, const stream_ref& stream) noexcept override;
    [[nodiscard]] memory_figures do_figures() const noexcept override;

    [[nodiscard]] int device_of_options() noexcept {
        int current = options_.device;
        if (current < 0 && backend_.current_device(&current) != Backend::success) current = 0;
        return current;
    }

    // Under the lock.
    memory_status find_entry(entry*& found, const stream_ref& stream);
    memory_status add_entry(entry*& found, const stream_ref& stream, std::uint64_t number);
    void adopt_ended_streams();
    int take(block*& taken, entry& stream, const wanted& need, bool& capturing);
    int take_own(block*& taken, entry& stream, const wanted& need, bool& capturing);
    int steal(block*& taken, entry& stream, const wanted& need);
    int merge(block*& taken, entry& stream, const wanted& need, bool capturing);
    int claim(block& b, entry& stream);
    void make_live(block& b, entry& stream, const wanted& need);
    void account(block& b, entry& stream);
    void cool_all();
    memory_status fence_uses(block& b);
    void drop_uses(block& b);
    memory_status free_block(block& b, entry& stream);

    // Without it.
    memory_status allocate_slowly(void*& pointer, const stream_ref& stream, const wanted& need);
    memory_status grow(block*& taken, const stream_ref& stream, const wanted* need,
                       std::size_t bytes);
    [[nodiscard]] bool may_leave(const runtime::slab& s);
    int wait_on_host(const runtime::fence& f);
    int allocate_slab(void*& memory, std::size_t& bytes, std::size_t least);
    std::size_t release_slabs(std::size_t keep, std::size_t at_most);
    void close(entry& keeper) noexcept;
    void give_back(entry& keeper, const stream_ref* last) noexcept;
    [[nodiscard]] std::size_t free_bytes(const entry& keeper) const noexcept;

    [[nodiscard]] memory_status lost() const noexcept;
    [[nodiscard]] memory_figures figures_locked() const noexcept;
    [[nodiscard]] pool_statistics statistics_locked() const;
    [[nodiscard]] memory_status shortage(std::size_t bytes, bool capped) const noexcept;
    [[nodiscard]] memory_status growth_refused(std::size_t bytes) const noexcept;
    [[nodiscard]] memory_status refuse_free(const void* pointer, memory_fault kind,
                                            std::size_t bytes, std::size_t live) const noexcept;
    [[nodiscard]] memory_status failed_call(int code, const char* what) const noexcept;

    pool_options options_;
    Backend backend_;
    int device_;
    runtime::moment made_;
    mutable runtime::brief_mutex mutex_;
    runtime::pool_heap<> heap_;
    runtime::stream_table<> streams_;
    order order_{backend_};
    runtime::recycled<runtime::foreign_use> uses_;
    runtime::tag_table<> tags_;
    std::size_t steals_ = 0;
    std::size_t merges_ = 0;
    std::size_t growths_ = 0;
    bool growing_ = false; ///< one thread at a time asks the device for more
    std::condition_variable_any grown_;
};

} // namespace r9v::inline R9V_ABI

#include <r9v/runtime/pool_allocate.hpp>
#include <r9v/runtime/pool_free.hpp>
#include <r9v/runtime/pool_growth.hpp>
#include <r9v/runtime/pool_messages.hpp>
