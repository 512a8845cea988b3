// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The battery's world on the model device.
#pragma once

#include <r9v/runtime/direct_memory.hpp>

#include <gtest/gtest.h>
#include <tests/runtime/model_device.hpp>
#include <tests/runtime/pool_battery.hpp>

namespace r9v_test {

using model_pool = r9v::basic_pool<model_backend>;

struct model_world {
    using stream = model_stream;

    explicit model_world(std::uint64_t seed, unsigned laziness = 2) : device{seed, laziness} {}

    stream make_stream() { return stream{device}; }
    void settle() {
        (void)device.device_synchronize();
        for (const std::string& fault : device.faults())
            ADD_FAILURE() << fault;
    }
    void check(bool holds, const char* what) { EXPECT_TRUE(holds) << what; }
    [[nodiscard]] std::size_t too_much() const { return device.capacity + 1; }
    /// What is queued on `after` from now on runs behind what is queued on `before`.
    void order(const stream& before, const stream& after) {
        void* event = nullptr;
        (void)device.event_create(&event);
        (void)device.event_record(event, before.handle());
        (void)device.stream_wait(after.handle(), event);
        (void)device.event_destroy(event);
    }

    model_device device;
};

} // namespace r9v_test
