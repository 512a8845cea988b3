// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include "../hip/support.hpp"
#include <cstdio>
#include <random>

inline std::vector<unsigned> random_values(std::size_t count, unsigned seed) {
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    std::vector<unsigned> values(count);
    for (unsigned& value : values)
        value = static_cast<unsigned>(random());
    return values;
}
