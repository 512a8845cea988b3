// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "timing_report.hpp"
#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace r9v_emulator::report {
namespace {

constexpr std::size_t most_kernels = 20, most_lines = 120;

__attribute__((format(printf, 2, 3))) void add(std::string& to, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to += text;
}

double percent(double part, double of) {
    return of > 0 ? 100 * part / of : 0;
}

void add_instructions(std::string& out, const launch_counts& c) {
    add(out,
        "  instructions  %llu WMMA, %llu VALU, %llu transcendental, %llu SALU, %llu SMEM, %llu "
        "branches,\n                %llu/%llu/%llu global loads/stores/atomics, %llu/%llu LDS "
        "loads/stores, %llu scratch, %llu waits, %llu barriers\n",
        static_cast<unsigned long long>(c.wmma), static_cast<unsigned long long>(c.valu),
        static_cast<unsigned long long>(c.transcendental), static_cast<unsigned long long>(c.salu),
        static_cast<unsigned long long>(c.smem), static_cast<unsigned long long>(c.branches),
        static_cast<unsigned long long>(c.global_loads),
        static_cast<unsigned long long>(c.global_stores),
        static_cast<unsigned long long>(c.global_atomics),
        static_cast<unsigned long long>(c.lds_loads), static_cast<unsigned long long>(c.lds_stores),
        static_cast<unsigned long long>(c.scratch_accesses),
        static_cast<unsigned long long>(c.waits), static_cast<unsigned long long>(c.barriers));
    const auto vector = static_cast<double>(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
    const auto passes = static_cast<double>(c.lds_load_passes + c.lds_store_passes);
    const auto ideal = static_cast<double>(c.lds_load_passes_ideal + c.lds_store_passes_ideal);
    add(out, "  WMMA share    %.1f %% of vector cycles;  LDS conflicts %.1f %% of %.0f passes\n",
        percent(static_cast<double>(c.wmma_cycles), vector), percent(passes - ideal, passes),
        passes);
}

void add_memory(std::string& out, const clock::kernel_record& k) {
    const launch_counts& c = k.counts;
    const clock::memory_traffic& t = k.last.mid.traffic;
    const level_bytes b = levels_of(k);
    add(out, "  global        %s loaded in %llu lines, %s stored in %llu lines\n",
        with_unit(static_cast<double>(c.global_bytes_loaded), "B").c_str(),
        static_cast<unsigned long long>(c.global_lines_loaded),
        with_unit(static_cast<double>(c.global_bytes_stored), "B").c_str(),
        static_cast<unsigned long long>(c.global_lines_stored));
    add(out,
        "  levels        L0 %s (%.0f %% hits), L2 %s (%.0f %% hits), Infinity Cache %s (%.0f %% "
        "hits), DRAM %s\n",
        with_unit(b.l0, "B").c_str(),
        percent(static_cast<double>(t.l0_hits), static_cast<double>(t.l0_lines)),
        with_unit(b.l2, "B").c_str(),
        percent(static_cast<double>(t.l2_hits), static_cast<double>(t.l2_lines)),
        with_unit(b.infinity, "B").c_str(),
        percent(static_cast<double>(t.infinity_hits), static_cast<double>(t.infinity_requests)),
        with_unit(b.dram, "B").c_str());
}

void add_time(std::string& out, const clock::kernel_record& k, const clock::card& c) {
    const clock::modelled& m = k.last;
    const clock::utilisation& u = m.used;
    add(out, "  time          %s us (%s to %s) at %.2f GHz", fixed(m.microseconds.mid, 2).c_str(),
        fixed(m.microseconds.low, 2).c_str(), fixed(m.microseconds.high, 2).c_str(), m.ghz);
    if (m.sampled < 1)
        add(out, "; %.2g %% of its instructions replayed, sampling error %.1f %%", 100 * m.sampled,
            100 * m.sampling_error);
    add(out, "\n  bound by      %s\n", m.bound.c_str());
    add(out,
        "  busy          vector %.0f %% (WMMA %.0f %%), LDS %.0f %%, L0 %.0f %%, L2 %.0f %%, "
        "Infinity Cache %.0f %%, DRAM %.0f %%\n",
        100 * u.vector, 100 * u.wmma, 100 * u.lds, 100 * u.l0, 100 * u.l2, 100 * u.infinity,
        100 * u.dram);
    add(out,
        "  registers     %u VGPRs, %u SGPRs, %u B LDS, %u B scratch; occupancy %u of %u waves\n",
        k.vgprs, k.sgprs, k.lds_bytes, k.scratch_bytes, m.mid.waves_a_simd, c.arch.slots);
    double stalled = 0;
    for (const auto s : m.mid.stalls)
        stalled += static_cast<double>(s);
    std::string line = "  waves wait    ";
    for (unsigned n = 0; n < static_cast<unsigned>(clock::stall::count); ++n) {
        const double share = percent(static_cast<double>(m.mid.stalls[n]), stalled);
        if (share < 1) continue;
        add(line, "%s %.0f %%, ", clock::name_of(static_cast<clock::stall>(n)), share);
    }
    if (line.ends_with(", ")) line.resize(line.size() - 2);
    out += line + "\n";
}

void add_loop(std::string& out, const clock::kernel_record& k) {
    const auto loop = main_loop(k);
    if (loop.empty()) return;
    const bool all = loop.size() == k.code.size();
    add(out, "  %s: cycles of a wave each time, share of all, instruction\n",
        all ? "code" : "main loop");
    std::size_t shown = 0;
    for (const clock::annotated& a : loop) {
        if (++shown > most_lines) {
            add(out, "    ... %zu more\n", loop.size() - most_lines);
            break;
        }
        add(out, "    %8.1f  %5.1f %%  %s\n", a.cycles, 100 * a.share, a.text.c_str());
    }
}

} // namespace

std::string as_text(const timing_report& r) {
    std::string out = "r9v-emulator: modelled time on " + std::string(r.card->name) + "\n";
    double all = 0;
    for (const auto& k : r.kernels)
        all += k.total_us.mid;
    for (std::size_t n = 0; n < std::min(most_kernels, r.kernels.size()); ++n) {
        const clock::kernel_record& k = r.kernels[n];
        add(out, "\n%s\n  launches      %llu of %s, %s us in all (%.1f %%)\n", k.name.c_str(),
            static_cast<unsigned long long>(k.launches), shape_of(k).c_str(),
            fixed(k.total_us.mid, 1).c_str(), percent(k.total_us.mid, all));
        add_time(out, k, *r.card);
        const roofline_point p = point_of(k);
        add(out, "  roofline      %s TFLOPS at %s operations a byte\n", fixed(p.tflops, 2).c_str(),
            fixed(p.intensity, 1).c_str());
        add_instructions(out, k.counts);
        add_memory(out, k);
        add_loop(out, k);
    }
    if (r.kernels.size() > most_kernels)
        add(out, "\n%zu more kernels\n", r.kernels.size() - most_kernels);
    return out;
}

} // namespace r9v_emulator::report
