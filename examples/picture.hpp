// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Files that the examples of networks read: pictures, and values that they must give.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// A picture of size x size pixels as a binary PPM (P6, 8 bits, no comments): [row, column, rgb].
inline std::vector<std::uint8_t> read_ppm(const std::string& path, int size) {
    std::ifstream file{path, std::ios::binary};
    std::string magic;
    int width = 0, height = 0, most = 0;
    file >> magic >> width >> height >> most;
    file.get();
    if (!file || magic != "P6" || width != size || height != size || most != 255)
        throw std::runtime_error{path + " is no PPM of " + std::to_string(size) + " x " +
                                 std::to_string(size) + " pixels of 8 bits: see data/README.md"};
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size * size * 3));
    file.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
    if (!file) throw std::runtime_error{path + " is too short"};
    return pixels;
}

/// A file of f32 values, as data/make_networks.py writes them.
inline std::vector<float> read_values(const std::string& path, std::size_t count) {
    std::vector<float> values(count);
    std::ifstream file{path, std::ios::binary};
    const auto size = static_cast<std::streamsize>(count * sizeof(float));
    if (!file.read(reinterpret_cast<char*>(values.data()), size) || file.peek() != EOF)
        throw std::runtime_error{path + " does not hold the values of data/make_networks.py"};
    return values;
}

} // namespace example
