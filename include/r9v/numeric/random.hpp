// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Random bits as a function of (seed, index), for stochastic rounding: no state, the same on host
// and device, and independent of how a kernel spreads its work.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

namespace numeric {

struct random_words {
    std::uint32_t word[4];
};

/// Philox4x32 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
/// (SC 2011). Seven rounds pass every test of BigCrush (their table 2).
template<int Rounds = 7>
[[nodiscard]] R9V_HD constexpr random_words philox4x32(random_words counter, std::uint32_t key0,
                                                       std::uint32_t key1) {
    R9V_UNROLL
    for (int round = 0; round < Rounds; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xd251'1f53u} * counter.word[0];
        const std::uint64_t product1 = std::uint64_t{0xcd9e'8d57u} * counter.word[2];
        counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                    static_cast<std::uint32_t>(product1),
                    static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                    static_cast<std::uint32_t>(product0)}};
        key0 += 0x9e37'79b9u;
        key1 += 0xbb67'ae85u;
    }
    return counter;
}

} // namespace numeric

/// The random bits of the indices 4 * block to 4 * block + 3: a run of neighbours pays once for
/// four of them.
[[nodiscard]] R9V_HD constexpr numeric::random_words random_block(std::uint64_t seed,
                                                                  std::uint64_t block) {
    return numeric::philox4x32(
        {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0u, 0u}},
        static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// 32 uniform random bits that depend on nothing but seed and index.
[[nodiscard]] R9V_HD constexpr std::uint32_t random_bits(std::uint64_t seed, std::uint64_t at) {
    const numeric::random_words drawn = random_block(seed, at / 4);
    // Selects instead of an index that only run time knows, which would go through memory.
    const std::uint32_t low = at % 2 == 0 ? drawn.word[0] : drawn.word[1];
    const std::uint32_t high = at % 2 == 0 ? drawn.word[2] : drawn.word[3];
    return at % 4 < 2 ? low : high;
}

} // namespace r9v::inline R9V_ABI
