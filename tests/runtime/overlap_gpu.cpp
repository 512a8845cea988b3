// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ring, fork and plan on the backend's runtime.
#include "overlap_battery.hpp"
#include "plan_battery.hpp"

int main() {
    battery::ring_tests();
    battery::fork_tests();
    battery::plan_tests();
    return battery::report("overlap and plans");
}
