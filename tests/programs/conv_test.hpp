// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Random convolutions for program tests.
#pragma once

#include <r9v/conv.hpp>

#include "program_test.hpp"

namespace r9v_test {

struct conv_case {
    index_t n, h, w, c, k, r, s;
    r9v::convolution how;

    [[nodiscard]] r9v::filter_extents filter() const { return {k, r, s, c / how.groups}; }
    [[nodiscard]] index_t p() const {
        return r9v::convolved_extent(h, r, how.stride.height, how.dilation.height, how.pad.top,
                                     how.pad.bottom);
    }
    [[nodiscard]] index_t q() const {
        return r9v::convolved_extent(w, s, how.stride.width, how.dilation.width, how.pad.left,
                                     how.pad.right);
    }
};

inline std::ostream& operator<<(std::ostream& to, const conv_case& g) {
    const r9v::padding& pad = g.how.pad;
    return to << "map [" << g.n << ", " << g.h << ", " << g.w << ", " << g.c << "], filter [" << g.k
              << ", " << g.r << ", " << g.s << "], stride " << g.how.stride.height << ","
              << g.how.stride.width << ", dilation " << g.how.dilation.height << ","
              << g.how.dilation.width << ", pad " << pad.top << "," << pad.bottom << "," << pad.left
              << "," << pad.right << ", groups " << g.how.groups;
}

/// What random convolutions are drawn from.
struct conv_range {
    std::vector<index_t> channels{1, 2, 3, 4, 8, 16, 20, 32, 48, 64, 80, 96, 255};
    bool grouped = true;
    bool flat = false; ///< along one axis
};

/// `count` convolutions whose filter fits, of at most about `work` products.
std::vector<conv_case> random_convolutions(std::size_t count, const conv_range& from = {},
                                           double work = 2e6);

/// Packed random weights of a case, the same on both sides. `special` puts infinities among them.
template<class T, side Side>
auto packed_weights(memory<Side>& m, const conv_case& g, double special = 0) {
    const r9v::filter_extents of = g.filter();
    std::vector<T> plain(static_cast<std::size_t>(of.k * of.r * of.s * of.c));
    memory_record weights{seed() + 977};
    for (T& w : plain)
        w = weights.random_value<T>({.special = special});
    std::vector<T> packed(static_cast<std::size_t>(r9v::packed_filter_elements(of)));
    r9v::pack_filter(r9v::host_tensor{plain.data(), {of.k, of.r, of.s, of.c}}, packed.data());
    std::size_t next = 0;
    const auto view =
        m.template filled<T>({static_cast<index_t>(packed.size())}, [&](const position&, double) {
            return r9v::to_double(packed[next++]);
        });
    return r9v::packed_filter<T, Side == side::host ? r9v::space::host : r9v::space::device>{
        view.data, of};
}

/// `make(memory, case)` returns the program; it is called once for each side.
template<class Element, class Make>
void check_convolutions(const Make& make, const std::vector<conv_case>& cases,
                        const error_growth& growth = {}) {
    std::uint64_t number = 0;
    for (const conv_case& g : cases) {
        SCOPED_TRACE(::testing::Message() << g << ", R9V_SEED " << seed());
        const shape size{g.n * g.p() * g.q(), g.k, g.r * g.s * g.c / g.how.groups};
        check_case<Element>(make, g, size, growth, seed() + ++number);
        if (::testing::Test::HasFailure()) return;
    }
}

} // namespace r9v_test
