// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "layer.hpp"

int main() {
    return layer::run_on_reference();
}
