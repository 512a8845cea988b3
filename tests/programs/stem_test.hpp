// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Random convolutions over maps of 1 to 4 channels.
#pragma once

#include "conv_test.hpp"

namespace r9v_test {

/// `count` of them, of at most about `work` products.
inline std::vector<conv_case> random_stems(std::size_t count, const conv_range& from = {},
                                           double work = 2e6) {
    constexpr index_t channels[] = {1, 3, 8, 16, 20, 32, 33, 48, 64, 80, 96, 255};
    std::vector<conv_case> cases = random_convolutions(
        count, {.channels = {1, 2, 3, 4}, .grouped = false, .flat = from.flat}, work / 16);
    std::mt19937_64 random{seed() + count};
    for (conv_case& g : cases)
        g.k = channels[std::uniform_int_distribution<std::size_t>{0,
                                                                  std::size(channels) - 1}(random)];
    return cases;
}

/// Packed random weights of a case, the same on both sides. `special` puts infinities among them.
template<class T, side Side>
auto stem_weights(memory<Side>& m, const conv_case& g, double special = 0) {
    const r9v::filter_extents of = g.filter();
    std::vector<T> plain(static_cast<std::size_t>(of.k * of.r * of.s * of.c));
    memory_record weights{seed() + 977};
    for (T& w : plain)
        w = weights.random_value<T>({.special = special});
    std::vector<T> packed(static_cast<std::size_t>(r9v::packed_stem_elements(of)));
    r9v::pack_stem_filter(r9v::host_tensor{plain.data(), {of.k, of.r, of.s, of.c}}, packed.data());
    std::size_t next = 0;
    const auto view =
        m.template filled<T>({static_cast<index_t>(packed.size())}, [&](const position&, double) {
            return r9v::to_double(packed[next++]);
        });
    constexpr auto kind = r9v::filter_kind::stem;
    return r9v::packed_filter<T, Side == side::host ? r9v::space::host : r9v::space::device, kind>{
        view.data, of};
}

} // namespace r9v_test
