// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "on_gpu.hpp"

int main() {
    return layer::run_on_gpu() + layer::run_on_reference();
}
