// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

namespace r9v_emulator {

class memory;

namespace hip {

/// Names the allocation when the host dereferences a device pointer, before the process dies of it
/// as it would with a card. Other segmentation faults go to the handler that was there before.
void install_host_access_handler(const memory& device_memory);

} // namespace hip
} // namespace r9v_emulator
