// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Modelled time of a launch: three replays, one for each end of the intervals and one between, and
// from the workgroups that were recorded to all of them.
#pragma once

#include "replay.hpp"
#include <array>
#include <string>

namespace r9v_emulator::clock {

/// Caches as each of the three replays left them.
class card_state {
public:
    explicit card_state(const card& c);
    device_caches& caches(outlook o) { return caches_[static_cast<unsigned>(o)]; }
    const card& which() const { return *card_; }
    /// Host copies leave nothing of a kernel's data in the caches.
    void clear();

private:
    const card* card_;
    std::vector<device_caches> caches_;
};

/// Shares of what the device could do in the launch's time (mid), 0 to 1.
struct utilisation {
    double wmma = 0, vector = 0; ///< vector: all that the vector ALUs execute, WMMA too
    double transcendental = 0, lds = 0, l0 = 0, l2 = 0, infinity = 0, dram = 0, dispatch = 0;
};

struct modelled {
    interval microseconds{0, 0, 0};
    double ghz = 0;            ///< shader clock under this load
    double sampled = 1;        ///< share of the launch's instructions that were replayed
    double sampling_error = 0; ///< of the time, relative
    utilisation used;
    std::string bound;                              ///< what bounds it
    replay_result mid;                              ///< of what was sampled
    std::array<std::vector<op_time>, outlooks> ops; ///< of each replay, as launch_trace::ops
    double scale = 1;                               ///< from the sample's traffic to the launch's
};

modelled model(const launch_trace& trace, card_state& state);

const char* name_of(stall s);

} // namespace r9v_emulator::clock
