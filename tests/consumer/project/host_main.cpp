// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Host code beside HIP code in one program.
#include "layer.hpp"

int gpu_part();

int main() {
    return gpu_part() + layer::run_on_reference();
}
