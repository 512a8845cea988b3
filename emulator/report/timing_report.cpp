// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "timing_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace r9v_emulator::report {
namespace {

constexpr double line = clock::line_bytes;

/// Where a branch goes that ends with "... 65520": the disassembler prints simm16, in dwords after
/// the branch.
std::uint64_t branch_target(const clock::annotated& a) {
    const std::size_t at = a.text.find_first_of("0123456789", a.text.find(' '));
    if (!a.text.starts_with("s_cbranch") && !a.text.starts_with("s_branch")) return 0;
    if (at == std::string::npos) return 0;
    const auto simm = static_cast<std::int16_t>(std::strtoul(a.text.c_str() + at, nullptr, 10));
    return a.pc + 4 + static_cast<std::uint64_t>(static_cast<std::int64_t>(simm) * 4);
}

} // namespace

format format_of(std::string_view name) {
    if (name == "text") return format::text;
    if (name == "json") return format::json;
    return name == "html" ? format::html : format::none;
}

timing_report collect() {
    const auto& timing = clock::stopwatch::instance();
    return {&timing.selected(), timing.kernels(), clock::timeline::instance().spans()};
}

level_bytes levels_of(const clock::kernel_record& k) {
    const clock::memory_traffic& t = k.last.mid.traffic;
    const double scale = k.last.scale;
    level_bytes b;
    b.l0 = static_cast<double>(t.l0_lines) * line * scale;
    b.l2 = static_cast<double>(t.l2_lines + t.l2_written_lines) * line * scale;
    b.dram = static_cast<double>(t.dram_read_bytes + t.dram_written_bytes) * scale;
    b.infinity = static_cast<double>(t.infinity_requests) * line * 2 * scale +
                 static_cast<double>(t.dram_written_bytes) * scale;
    return b;
}

roofline_point point_of(const clock::kernel_record& k) {
    const level_bytes b = levels_of(k);
    const double bytes = b.dram > 0 ? b.dram : std::max(b.l2, 1.0);
    const double us = std::max(k.last.microseconds.mid, 1e-6);
    return {k.flops / bytes, k.flops / us / 1e6};
}

std::string shape_of(const clock::kernel_record& k) {
    char text[96];
    std::snprintf(text, sizeof text, "(%u, %u, %u) x (%u, %u, %u)", k.blocks[0], k.blocks[1],
                  k.blocks[2], k.threads[0], k.threads[1], k.threads[2]);
    return text;
}

std::vector<clock::annotated> main_loop(const clock::kernel_record& k) {
    double best = 0;
    std::uint64_t from = 0, to = 0;
    for (const clock::annotated& a : k.code) {
        const std::uint64_t target = branch_target(a);
        if (target == 0 || target > a.pc) continue;
        double share = 0;
        std::uint64_t most = 0;
        for (const clock::annotated& inside : k.code) {
            if (inside.pc < target || inside.pc > a.pc) continue;
            share += inside.share;
            most = std::max(most, inside.executed);
        }
        // An outer loop holds its inner one: take it only where it adds much.
        if (share > best * 1.1 && a.executed * 2 > most) {
            best = share;
            from = target;
            to = a.pc;
        }
    }
    std::vector<clock::annotated> loop;
    for (const clock::annotated& a : k.code)
        if (to == 0 || (a.pc >= from && a.pc <= to)) loop.push_back(a);
    return loop;
}

std::string fixed(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, std::isfinite(value) ? value : 0.0);
    return text;
}

std::string with_unit(double value, std::string_view unit) {
    const char* prefix[] = {"", "k", "M", "G", "T"};
    int n = 0;
    while (value >= 1000 && n < 4) {
        value /= 1000;
        ++n;
    }
    return fixed(value, value < 10 && n    ? 2
                        : value < 100 && n ? 1
                                           : 0) +
           " " + prefix[n] + std::string(unit);
}

bool write(format how, const std::string& path) {
    if (how == format::none) return true;
    const timing_report r = collect();
    const std::string text = how == format::text   ? as_text(r)
                             : how == format::json ? as_json(r)
                                                   : as_html(r);
    if (how == format::text && path.empty()) {
        if (r.kernels.empty()) return true;
        std::fputs(text.c_str(), stderr);
        return true;
    }
    const std::string name = !path.empty()         ? path
                             : how == format::json ? "r9v-emulator-report.json"
                                                   : "r9v-emulator-report.html";
    std::ofstream file(name, std::ios::binary);
    file << text;
    file.close();
    if (file) return true;
    std::fprintf(stderr, "r9v-emulator: the report cannot be written to %s.\n", name.c_str());
    return false;
}

} // namespace r9v_emulator::report
