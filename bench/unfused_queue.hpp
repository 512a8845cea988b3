// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs the layers that fused ones are compared with.
#pragma once

#include "operand_bytes.hpp"
#include "unfused.hpp"
#include <examples/transformer.hpp>

namespace unfused {

/// Queues programs and plain kernels, and adds up the bytes of what they read and write.
class queue : public example::on_device {
public:
    explicit queue(const r9v::stream& s) : on_device{s}, handle{s.handle()} {}

    template<class Program>
    void run(const Program& p) {
        bytes += bench::operand_bytes(p);
        on_device::run(p);
    }

    hipStream_t handle;
    double bytes = 0;
};

} // namespace unfused
