// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The battery's world on a GPU (HIP or CUDA): kernels write and check, slowly on purpose.
#pragma once

#include <r9v/memory_tools.hpp>
#include <r9v/platform/device.hpp>

#include <cstdio>
#include <tests/runtime/pool_battery.hpp>
#include <vector>

namespace r9v_test {

/// One word in each 256 bytes, by one block. `spin` rounds of nothing first: other streams get
/// ahead.
__global__ void pool_touch(std::uint64_t* memory, unsigned words, std::uint64_t value, int write,
                           unsigned spin, unsigned* wrong) {
    unsigned waste = static_cast<unsigned>(value);
    for (unsigned i = 0; i < spin; ++i)
        waste = waste * 1664525U + 1013904223U;
    if (spin != 0 && waste == 1U) value ^= 1U; // keeps the loop
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
        if (write != 0)
            memory[32U * i] = value;
        else if (memory[32U * i] != value)
            atomicAdd(wrong, 1U);
    }
}

class gpu_world {
public:
    class stream {
    public:
        explicit stream(gpu_world& world) : world_{&world} {}
        operator r9v::stream_ref() const { return own_; } // NOLINT(google-explicit-constructor)
        [[nodiscard]] r9v::platform::stream_handle handle() const { return own_.handle(); }
        void write(void* memory, std::size_t bytes, std::uint64_t value) {
            touch(memory, bytes, value, 1);
        }
        void expect(void* memory, std::size_t bytes, std::uint64_t value) {
            touch(memory, bytes, value, 0);
        }

    private:
        void touch(void* memory, std::size_t bytes, std::uint64_t value, int write) {
            const auto words = static_cast<unsigned>((bytes + 255 - 7) / 256);
            pool_touch<<<1, 64, 0, own_.handle()>>>(static_cast<std::uint64_t*>(memory),
                                                    bytes < 8 ? 0U : words, value, write,
                                                    world_->spin, world_->wrong_.data());
        }
        r9v::stream own_;
        gpu_world* world_;
    };

    explicit gpu_world(unsigned slowness) : spin{slowness}, wrong_{std::vector<unsigned>{0U}} {}

    stream make_stream() { return stream{*this}; }
    void settle() {
        check(r9v::platform::device_synchronize() == r9v::platform::success, "the device works");
        const r9v::stream reader;
        check(wrong_.download(reader)[0] == 0, "memory holds what was written");
    }
    void check(bool holds, const char* what) {
        if (holds) return;
        ++failures;
        std::printf("FAILED: %s\n", what);
    }
    [[nodiscard]] std::size_t too_much() const {
        std::size_t free = 0;
        std::size_t total = 0;
        (void)r9v::platform::memory_info(&free, &total);
        return total + 1;
    }
    void order(const stream& before, const stream& after) {
        r9v::platform::event_handle event{};
        (void)r9v::platform::event_create(&event, false, false);
        (void)r9v::platform::event_record(event, before.handle());
        (void)r9v::platform::stream_wait(after.handle(), event);
        (void)r9v::platform::event_destroy(event);
    }

    unsigned spin;
    std::atomic<int> failures{0};

private:
    friend class stream;
    r9v::buffer<unsigned> wrong_;
};

} // namespace r9v_test
