// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the clock has to say, as text, as JSON (which is also a Chrome trace of the streams), or as
// one HTML page.
#pragma once

#include "../clock/stopwatch.hpp"
#include "../clock/timeline.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator::report {

enum class format { none, text, json, html };

/// The format of a name; none where there is no such format.
format format_of(std::string_view name);

struct timing_report {
    const clock::card* card = nullptr;
    std::vector<clock::kernel_record> kernels; ///< the one with most time first
    std::vector<clock::span> spans;
};

/// All that the process has modelled so far.
timing_report collect();

std::string as_text(const timing_report& r);
std::string as_json(const timing_report& r);
std::string as_html(const timing_report& r);

/// Writes the report of the process; to standard error where `path` is empty and the format is
/// text, else to the path or to r9v-emulator-report.json or .html. False, with a line on standard
/// error, where that cannot be written.
bool write(format how, const std::string& path);

// Shared by the formats.

/// Bytes that went between the levels in a kernel's last launch, over all of its workgroups.
struct level_bytes {
    double l0 = 0, l2 = 0, infinity = 0, dram = 0;
};
level_bytes levels_of(const clock::kernel_record& k);
/// Operations per second, and per byte of DRAM traffic (of L2 traffic where there is none).
struct roofline_point {
    double intensity = 0, tflops = 0;
};
roofline_point point_of(const clock::kernel_record& k);
/// "(64, 1, 1) x 256"
std::string shape_of(const clock::kernel_record& k);
/// The straight stretch of code between two branch targets where most cycles go: a main loop.
std::vector<clock::annotated> main_loop(const clock::kernel_record& k);
std::string fixed(double value, int digits);
std::string with_unit(double value, std::string_view unit);

} // namespace r9v_emulator::report
