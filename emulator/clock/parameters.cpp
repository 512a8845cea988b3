// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "parameters.hpp"

#include <algorithm>

namespace r9v_emulator::clock {
namespace {

constexpr microarchitecture rdna4{.generation = 12};

constexpr microarchitecture rdna3 = [] {
    microarchitecture a{.generation = 11};
    a.barrier = 18;     // measured 16 to 21
    a.lds_latency = 46; // ds_load_b32 in 47
    a.fabric_bytes = 128;
    a.in_order_return = true;
    a.wmma16_after_other_wave = {0, 1, 3};
    a.infinity_latency = {320, 350, 380}; // 128 to 150 ns
    a.infinity_gbs = {3500, 2700, 1800};
    return a;
}();

constexpr interval pcie4{26, 22, 12}, pcie5{54, 45, 22};

constexpr card cards[] = {
    {"9070xt", "Radeon RX 9070 XT", rdna4, 64, 2.97, 2.74, 2.95, 640, 8192, 64, pcie5, 195, 389,
     48.7},
    {"r9700", "Radeon AI PRO R9700", rdna4, 64, 2.92, 2.57, 2.90, 640, 8192, 64, pcie5, 191, 383,
     47.8},
    {"9060xt", "Radeon RX 9060 XT", rdna4, 32, 3.13, 3.13, 3.13, 320, 4096, 32, pcie5, 103, 205,
     25.6},
    {"7900xtx", "Radeon RX 7900 XTX", rdna3, 96, 2.5, 2.5, 2.5, 960, 6144, 96, pcie4, 123, 123,
     61.4},
    {"7900xt", "Radeon RX 7900 XT", rdna3, 84, 2.4, 2.4, 2.4, 800, 6144, 80, pcie4, 103, 103, 51.6},
};

} // namespace

const card* find_card(std::string_view key) {
    const auto* const found = std::ranges::find(cards, key, &card::key);
    return found == std::end(cards) ? nullptr : found;
}

unsigned waves_per_simd(const card& c, unsigned vgprs) {
    const unsigned granule = c.arch.register_granule;
    const unsigned used = (std::max(1u, vgprs) + granule - 1) / granule * granule;
    return std::clamp(c.arch.registers / used, 1u, c.arch.slots);
}

} // namespace r9v_emulator::clock
