// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "r9v_emulator/testing.hpp"

#include "hip/log.hpp"
#include "hip/runtime.hpp"

namespace r9v_emulator {

launch_record last_launch() {
    return hip::launch_log::instance().last();
}

launch_counts last_counts() {
    return last_launch().counts;
}

launch_totals totals() {
    return hip::launch_log::instance().totals();
}

void reset_counts() {
    hip::launch_log::instance().reset();
}

std::vector<fault> take_faults() {
    return hip::launch_log::instance().take_faults();
}

execution_options options() {
    return hip::runtime::instance().options();
}

void set_options(const execution_options& changed) {
    hip::runtime::instance().set_options(changed);
}

} // namespace r9v_emulator
