// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs workgroups: each wave until it waits, sleeps, ends or has used its turn.
#pragma once

#include "wave.hpp"

namespace r9v_emulator {

/// Takes workgroups of the launch until there are none left.
void run_groups(launch_state& launch, worker& host, bool strict);

} // namespace r9v_emulator
