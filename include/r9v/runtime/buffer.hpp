// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory: from a pool, in the order of a stream; or straight from the runtime, for
// start-up, tests and examples.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/direct_memory.hpp>
#include <r9v/runtime/memory_resource.hpp>
#include <r9v/runtime/stream.hpp>
#include <r9v/tensor/tensor.hpp>

#if R9V_GPU

#include <limits>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// `size` elements of device memory; contents undefined until written. Throws r9v::error when there
/// is no such memory. The destructor frees in the order of the stream of the allocation: work
/// queued there may still use the memory, work on other streams after record_use(). Where the
/// process ends, forked or reset the device, it does nothing.
template<class T>
class buffer {
public:
    /// Nothing.
    buffer() = default;
    /// Straight from the runtime, on the current device. Allocation and release may block the
    /// device: at start-up, not per request.
    explicit buffer(index_t size,
                    const std::source_location& where = std::source_location::current())
        : buffer{direct_memory(), size, stream_ref{}, where} {}
    /// From a pool or adaptor, which must outlive the buffer.
    buffer(memory_resource& from, index_t size, const stream_ref& stream,
           const std::source_location& where = std::source_location::current())
        : from_{&from} {
        throw_if_failed(try_make(*this, from, size, stream, where));
    }
    /// Allocates as `buffer{size}` and copies `values`, and waits for the copy.
    explicit buffer(const std::vector<T>& values,
                    const std::source_location& where = std::source_location::current())
        : buffer{static_cast<index_t>(values.size()), where} {
        upload(values.data(), static_cast<index_t>(values.size()));
    }
    buffer(buffer&& other) noexcept
        : from_{std::exchange(other.from_, nullptr)},
          data_{std::exchange(other.data_, nullptr)},
          size_{std::exchange(other.size_, 0)} {}
    buffer& operator=(buffer&& other) noexcept {
        std::swap(from_, other.from_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() {
        if (data_ != nullptr) (void)from_->try_deallocate(data_, bytes());
    }

    /// The constructor without exceptions: fills `made`, or says why not and leaves it as it was.
    static memory_status
    try_make(buffer& made, memory_resource& from, index_t size, const stream_ref& stream,
             const std::source_location& where = std::source_location::current()) noexcept {
        constexpr auto most = std::numeric_limits<std::size_t>::max() / 2 / sizeof(T);
        const auto count = static_cast<std::size_t>(size < 0 ? 0 : size);
        void* pointer = nullptr;
        const std::size_t bytes = count > most ? most * sizeof(T) : count * sizeof(T);
        if (memory_status made_room =
                from.try_allocate(pointer, bytes, stream, memory_alignment, where);
            !made_room)
            return made_room;
        buffer fresh;
        fresh.from_ = &from;
        fresh.data_ = static_cast<T*>(pointer);
        fresh.size_ = static_cast<index_t>(count);
        made = std::move(fresh);
        return {};
    }

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// A packed row-major view: `b.view({rows, columns})`.
    template<std::size_t Rank>
    [[nodiscard]] auto view(const extent (&sizes)[Rank]) const {
        return tensor<element_of<T>, static_cast<int>(Rank)>{data_, sizes};
    }

    /// Work on `stream` uses the memory too: freeing waits for it. Throws r9v::memory_error.
    void record_use(const stream_ref& stream) const {
        if (data_ != nullptr) from_->record_use(data_, stream);
    }
    /// Frees now, in the order of `stream`: all uses must be ordered before this point in it.
    void free(const stream_ref& stream) {
        if (data_ == nullptr) return;
        from_->deallocate(data_, bytes(), stream);
        data_ = nullptr;
        size_ = 0;
    }

    /// Copies `count` elements from the host and waits.
    void upload(const T* from, index_t count) const {
        const auto size = static_cast<std::size_t>(count) * sizeof(T);
        throw_if_failed(
            platform::check(platform::copy_to_device(data_, from, size, nullptr), "upload"));
        throw_if_failed(platform::check(platform::stream_synchronize(nullptr), "upload"));
    }
    /// Waits for `after`, then copies everything to the host.
    [[nodiscard]] std::vector<T> download(const stream& after) const {
        std::vector<T> values(static_cast<std::size_t>(size_));
        throw_if_failed(platform::check(
            platform::copy_to_host(values.data(), data_, bytes(), after.handle()), "download"));
        after.synchronize();
        return values;
    }

private:
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

    memory_resource* from_ = nullptr;
    T* data_ = nullptr;
    index_t size_ = 0;
};

/// A packed row-major tensor with its memory: `owned_tensor<half, 2> y{pool, {m, n}, stream}`.
template<class T, int Rank>
class owned_tensor {
public:
    owned_tensor() = default;
    owned_tensor(memory_resource& from, const extent (&sizes)[Rank], const stream_ref& stream,
                 const std::source_location& where = std::source_location::current())
        : view_{nullptr, sizes},
          memory_{from, view_.size(), stream, where} {
        view_.data = memory_.data();
    }
    owned_tensor(owned_tensor&& other) noexcept
        : view_{std::exchange(other.view_, {})},
          memory_{std::move(other.memory_)} {}
    owned_tensor& operator=(owned_tensor&& other) noexcept {
        std::swap(view_, other.view_);
        memory_ = std::move(other.memory_);
        return *this;
    }

    /// What programs take.
    [[nodiscard]] const tensor<T, Rank>& view() const noexcept { return view_; }
    operator const tensor<T, Rank>&() const noexcept { // NOLINT(google-explicit-constructor)
        return view_;
    }
    [[nodiscard]] const buffer<T>& memory() const noexcept { return memory_; }
    [[nodiscard]] buffer<T>& memory() noexcept { return memory_; }

private:
    tensor<T, Rank> view_;
    buffer<T> memory_;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
