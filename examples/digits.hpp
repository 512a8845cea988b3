// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Reads data/digits.bin, whose format is in data/train_digits.py: a trained network and images.
#pragma once

#include <r9v/numeric/convert.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// A 64-128-10 network and the images that its training has not seen.
struct digits {
    int inputs = 0, hidden = 0, outputs = 0, images = 0;
    std::vector<r9v::half> w1;     ///< [hidden, inputs]
    std::vector<float> b1;         ///< [hidden]
    std::vector<r9v::half> w2;     ///< [outputs, hidden]
    std::vector<float> b2;         ///< [outputs]
    std::vector<r9v::half> pixels; ///< [images, inputs], 0 to 16
    std::vector<std::uint8_t> labels;
};

template<class T>
std::vector<T> read(std::istream& file, int count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
}

inline digits read_digits(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    const auto magic = read<char>(file, 8);
    const auto sizes = read<std::int32_t>(file, 4);
    if (!file || std::memcmp(magic.data(), "r9vdigit", 8) != 0)
        throw std::runtime_error{path + " is not a file of digits"};
    digits d;
    d.inputs = sizes[0];
    d.hidden = sizes[1];
    d.outputs = sizes[2];
    d.images = sizes[3];
    d.w1 = read<r9v::half>(file, d.hidden * d.inputs);
    d.b1 = read<float>(file, d.hidden);
    d.w2 = read<r9v::half>(file, d.outputs * d.hidden);
    d.b2 = read<float>(file, d.outputs);
    d.pixels = read<r9v::half>(file, d.images * d.inputs);
    d.labels = read<std::uint8_t>(file, d.images);
    if (!file) throw std::runtime_error{path + " is too short"};
    return d;
}

/// The first `count` images side by side, and below each what it was taken for.
inline void print_images(const digits& d, const std::vector<int>& taken_for, int count) {
    constexpr int side = 8;
    for (int line = 0; line < side; ++line) {
        for (int image = 0; image < count; ++image) {
            for (int column = 0; column < side; ++column) {
                const int at = (image * side + line) * side + column;
                const float ink = r9v::to_float(d.pixels[static_cast<std::size_t>(at)]) / 17.0f;
                std::putchar(" .:-=+*#@"[static_cast<int>(ink * 9.0f)]);
            }
            std::fputs("  ", stdout);
        }
        std::putchar('\n');
    }
    for (int image = 0; image < count; ++image)
        std::printf("   %d      ", taken_for[static_cast<std::size_t>(image)]);
    std::fputs("\n\n", stdout);
}

} // namespace example
