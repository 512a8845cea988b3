// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory, straight from the runtime: for start-up, tests and examples.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/stream.hpp>
#include <r9v/tensor/tensor.hpp>

#if R9V_GPU

#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// `size` elements of device memory of the current device; contents undefined until written.
/// Every function throws r9v::error when the runtime refuses. Allocation and release may block the
/// device: allocate at start-up, not per request.
template<class T>
class buffer {
public:
    explicit buffer(index_t size) : size_{size} {
        void* pointer = nullptr;
        throw_if_failed(platform::check(platform::allocate(&pointer, bytes()), "allocation"));
        data_ = static_cast<T*>(pointer);
    }
    /// Allocates and copies `values`, and waits for the copy.
    explicit buffer(const std::vector<T>& values) : buffer{static_cast<index_t>(values.size())} {
        upload(values.data(), static_cast<index_t>(values.size()));
    }
    buffer(buffer&& other) noexcept
        : data_{std::exchange(other.data_, nullptr)},
          size_{std::exchange(other.size_, 0)} {}
    buffer& operator=(buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() {
        if (data_ != nullptr) (void)platform::release(data_);
    }

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// A packed row-major view: `b.view({rows, columns})`.
    template<std::size_t Rank>
    [[nodiscard]] auto view(const extent (&sizes)[Rank]) const {
        return tensor<element_of<T>, static_cast<int>(Rank)>{data_, sizes};
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

    T* data_ = nullptr;
    index_t size_ = 0;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
