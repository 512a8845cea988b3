// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/leaks.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>

namespace r9v_emulator::hip {
namespace {

constexpr std::size_t most_lines = 16;

/// What the runtime keeps for itself has other labels than the call that a program made.
bool is_of_the_program(const allocation& a) {
    return a.label.starts_with("hip");
}

} // namespace

std::size_t report_leaks(const memory& device) {
    auto left = device.live();
    std::erase_if(left, [](const allocation& a) { return !is_of_the_program(a); });
    if (left.empty()) return 0;
    std::ranges::stable_sort(left, std::greater{}, &allocation::bytes);
    std::uint64_t bytes = 0;
    for (const allocation& a : left)
        bytes += a.bytes;
    std::fprintf(stderr, "r9v-emulator: %zu allocation%s of %llu bytes in all %s never freed:\n",
                 left.size(), left.size() == 1 ? "" : "s", static_cast<unsigned long long>(bytes),
                 left.size() == 1 ? "was" : "were");
    for (const allocation& a : std::span(left).first(std::min(most_lines, left.size())))
        std::fprintf(stderr, "  %llu bytes at %#llx by %s\n",
                     static_cast<unsigned long long>(a.bytes),
                     static_cast<unsigned long long>(a.begin), a.label.c_str());
    if (left.size() > most_lines) std::fprintf(stderr, "  and more\n");
    return left.size();
}

} // namespace r9v_emulator::hip
