// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Where pieces of device work go: onto a stream, or into the nodes of a graph that holds them
// already.
#pragma once

#include <r9v/platform/gpu.hpp>

#if R9V_GPU

#include <cstddef>

namespace r9v::inline R9V_ABI::runtime {

/// Takes work piece by piece; each answers what the runtime answered.
class work_sink {
public:
    /// Sets `rows` rows of `width` bytes, `pitch` bytes apart.
    virtual platform::result fill(void* to, std::size_t pitch, int byte, std::size_t width,
                                  std::size_t rows) noexcept = 0;
    virtual platform::result copy(void* to, const void* from, std::size_t bytes,
                                  bool to_host) noexcept = 0;
    virtual platform::result kernel(const void* kernel, unsigned blocks, unsigned threads,
                                    void** arguments) noexcept = 0;

protected:
    ~work_sink() = default;
};

/// Queues on a stream.
class stream_sink final : public work_sink {
public:
    explicit stream_sink(platform::stream_handle s) noexcept : stream_{s} {}

    platform::result fill(void* to, std::size_t pitch, int byte, std::size_t width,
                          std::size_t rows) noexcept override {
        return rows == 1 || pitch == width
                   ? platform::fill(to, byte, width * rows, stream_)
                   : platform::fill_rows(to, pitch, byte, width, rows, stream_);
    }
    platform::result copy(void* to, const void* from, std::size_t bytes,
                          bool to_host) noexcept override {
        return to_host ? platform::copy_to_host(to, from, bytes, stream_)
                       : platform::copy_to_device(to, from, bytes, stream_);
    }
    platform::result kernel(const void* kernel, unsigned blocks, unsigned threads,
                            void** arguments) noexcept override {
        return platform::launch(kernel, blocks, threads, arguments, stream_);
    }

private:
    platform::stream_handle stream_;
};

} // namespace r9v::inline R9V_ABI::runtime

#endif // R9V_GPU
