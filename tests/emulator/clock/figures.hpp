// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Published figures beside modelled ones. What the model was fitted to are cycles of single
// instructions; the figures marked `judge` had no part in that.
#pragma once

#include <r9v_emulator/testing.hpp>

#include <string>
#include <vector>

namespace clock_figures {

enum class role {
    fitted, ///< a parameter of the model comes from it
    judge,  ///< never fitted
    input,  ///< the model's only source for a parameter, so agreement shows no more than that
    shown   ///< what was published does not say enough to judge by
};

struct figure {
    std::string name, unit;
    double published_low, published_high; ///< equal for one value
    r9v_emulator::modelled_interval modelled;
    double tolerance; ///< relative
    role what;
    std::string source;
    bool interval = false; ///< holds somewhere between the ends, not at each of them

    /// Whether the figure holds at each end, or, of an interval, between them.
    bool holds() const;
    double error() const; ///< of the mid value against the nearest published one, relative
};

/// Runs all kernels; takes some seconds.
std::vector<figure> measure();
/// As a table in Markdown.
std::string table(const std::vector<figure>& figures);

} // namespace clock_figures
