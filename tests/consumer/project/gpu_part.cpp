// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "on_gpu.hpp"

int gpu_part();

int gpu_part() {
    return layer::run_on_gpu();
}
