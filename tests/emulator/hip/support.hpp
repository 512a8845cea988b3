// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <string>
#include <thread>
#include <vector>

#define R9V_HIP(call) ASSERT_EQ(hipGetErrorName(call), std::string("hipSuccess")) << #call
/// The call answers this error, and so does hipGetLastError, once.
#define R9V_HIP_IS(error, call)                                                                    \
    EXPECT_STREQ(hipGetErrorName(call), #error) << #call;                                          \
    EXPECT_EQ(hipGetLastError(), error) << #call

/// Device memory of `count` elements for the life of the value.
template<class T>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count) {
        EXPECT_EQ(hipMalloc(&data_, count * sizeof(T)), hipSuccess);
    }
    explicit device_array(const std::vector<T>& host) : device_array(host.size()) {
        EXPECT_EQ(hipMemcpy(data_, host.data(), count_ * sizeof(T), hipMemcpyHostToDevice),
                  hipSuccess);
    }
    ~device_array() { static_cast<void>(hipFree(data_)); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    std::vector<T> host() const {
        std::vector<T> result(count_);
        EXPECT_EQ(hipMemcpy(result.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost),
                  hipSuccess);
        return result;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// Holds a stream back until it is opened, as a long kernel would.
class gate {
public:
    explicit gate(hipStream_t stream) {
        EXPECT_EQ(hipLaunchHostFunc(stream, wait, this), hipSuccess);
    }
    ~gate() {
        open();
        while (!passed_.load())
            std::this_thread::yield();
    }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    void open() { open_.store(true); }

private:
    static void wait(void* data) {
        auto& self = *static_cast<gate*>(data);
        while (!self.open_.load())
            std::this_thread::yield();
        self.passed_.store(true);
    }
    std::atomic<bool> open_ = false;
    std::atomic<bool> passed_ = false;
};
