// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Data parallel primitives: which lane each lane's first source comes from.
#pragma once

#include "../wave/wave.hpp"

namespace r9v_emulator {

struct dpp_sources {
    int from[lanes]; ///< -1: no valid source, reads 0
    u32 enabled;     ///< lanes whose result is written (before EXEC)
};

/// Source lane by the control word alone; -1 outside the row.
int dpp_source_lane(const op& o, int lane);
dpp_sources dpp_lanes(const wave& w, const op& o);

} // namespace r9v_emulator
