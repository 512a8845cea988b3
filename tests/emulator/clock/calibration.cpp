// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The model against published figures, each within its tolerance. With --table, prints them.
#include "figures.hpp"
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <string_view>

namespace {

using clock_figures::figure;

const std::vector<figure>& figures() {
    static const std::vector<figure> all = clock_figures::measure();
    return all;
}

TEST(Calibration, FiguresHold) {
    EXPECT_GE(figures().size(), 20U);
    for (const figure& f : figures()) {
        if (f.what == clock_figures::role::shown) continue;
        EXPECT_TRUE(f.holds()) << f.name << ": published " << f.published_low << " to "
                               << f.published_high << ", modelled " << f.modelled.low << ", "
                               << f.modelled.mid << ", " << f.modelled.high;
    }
}

TEST(Calibration, NoKernelWasWrong) {
    EXPECT_FALSE(figures().empty());
    EXPECT_TRUE(r9v_emulator::take_faults().empty());
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--table") {
        std::fputs(clock_figures::table(clock_figures::measure()).c_str(), stdout);
        return 0;
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
