// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "memory_system.hpp"

#include "trace.hpp"

namespace r9v_emulator::clock {
namespace {

constexpr unsigned l0_ways = 8, scalar_ways = 4, l2_ways = 16, infinity_ways = 16;
constexpr u32 lines_a_page = (2u << 20) / line_bytes;

/// Takes a server for `work` cycles from `time` on; answers when it begins.
double serve(double& free, double time, double work, double& busy) {
    const double begin = std::max(free, time);
    free = begin + work;
    busy += work;
    return begin;
}

} // namespace

device_caches::device_caches(const card& c)
    : l2(u64{c.l2_kib} * 1024, line_bytes, l2_ways),
      infinity(u64{c.infinity_mib} << 20, c.arch.fabric_bytes, infinity_ways) {}

void device_caches::clear() {
    l2.clear();
    infinity.clear();
}

void device_caches::age(u64 lines) {
    for (u64 n = 0; n < std::min(lines, l2.lines() + infinity.lines() * 2); ++n) {
        if (n < l2.lines()) l2.put(foreign_, 0);
        if (n % 2 == 0) infinity.put(foreign_ / 2, 0);
        if (++foreign_ >= scratch_line) foreign_ = 0x60000000;
    }
}

memory_system::memory_system(const card& c, outlook o, double ghz, device_caches& kept,
                             u64 written_bytes)
    : card_(c),
      kept_(kept),
      l0_(c.compute_units, cache(c.arch.l0_bytes, line_bytes, l0_ways)),
      scalar_(c.processors(), cache(c.arch.scalar_cache_bytes, line_bytes, scalar_ways)),
      link_(c.compute_units),
      l0_free_(c.compute_units),
      scalar_link_(c.processors()),
      l0_latency_(pick(c.arch.l0_latency, o)),
      l2_latency_(pick(c.arch.l2_latency, o)),
      infinity_latency_(pick(c.arch.infinity_latency, o)),
      dram_latency_(pick(c.arch.dram_latency, o)),
      scalar_latency_(pick(c.arch.scalar_latency, o)),
      walk_(pick(c.arch.page_walk, o)),
      l2_bytes_(pick(c.arch.l2_bytes_cycle, o) * c.l2_kib / 8192),
      infinity_bytes_(pick(c.arch.infinity_gbs, o) / ghz * c.infinity_mib / 64),
      dram_bytes_(c.dram_gbs * pick(c.arch.dram_share, o) / ghz),
      stores_leave_l2_(written_bytes > u64{c.l2_kib} * 1024),
      stores_leave_infinity_(written_bytes > u64{c.infinity_mib} << 20) {}

double memory_system::page_walk(u32 line) {
    return kept_.pages.insert(line / lines_a_page).second ? walk_ : 0;
}

double memory_system::from_fabric(u32 line, double time) {
    const unsigned bytes = card_.arch.fabric_bytes;
    const u32 block = line / (bytes / line_bytes);
    ++traffic_.infinity_requests;
    const double begin =
        serve(infinity_free_, time, bytes / infinity_bytes_, traffic_.infinity_busy);
    if (const auto* const hit = kept_.infinity.find(block)) {
        ++traffic_.infinity_hits;
        return std::max(begin + infinity_latency_, hit->arrives - kept_.base);
    }
    traffic_.dram_read_bytes += bytes;
    const double read = serve(dram_free_, begin, bytes / dram_bytes_, traffic_.dram_busy);
    const double arrives = read + dram_latency_ + page_walk(line);
    kept_.infinity.put(block, arrives + kept_.base);
    return arrives;
}

double memory_system::from_l2(double& link, u32 line, double time) {
    double unused = 0;
    const double sent = serve(link, time, double{line_bytes} / card_.arch.link_bytes, unused);
    const double begin = serve(l2_free_, sent, line_bytes / l2_bytes_, traffic_.l2_busy);
    ++traffic_.l2_lines;
    if (const auto* const hit = kept_.l2.find(line)) {
        ++traffic_.l2_hits;
        return std::max(begin + l2_latency_, hit->arrives - kept_.base);
    }
    const double arrives = from_fabric(line, begin);
    // A request to the fabric brings the neighbour, too.
    const u32 lines = card_.arch.fabric_bytes / line_bytes;
    for (u32 n = line / lines * lines; n < line / lines * lines + lines; ++n)
        kept_.l2.put(n, arrives + kept_.base);
    return arrives;
}

double memory_system::load(unsigned cu, u32 line, double time) {
    double unused = 0;
    const double begin = serve(l0_free_[cu], time, card_.arch.l0_line, unused);
    ++traffic_.l0_lines;
    if (const auto* const hit = l0_[cu].find(line)) {
        ++traffic_.l0_hits;
        return std::max(begin + l0_latency_, hit->arrives);
    }
    const double arrives = from_l2(link_[cu], line, begin);
    l0_[cu].put(line, arrives);
    return arrives;
}

double memory_system::scalar_load(unsigned processor, u32 line, double time) {
    cache& mine = scalar_[processor];
    if (const auto* const hit = mine.find(line))
        return std::max(time + scalar_latency_, hit->arrives);
    const double arrives = from_l2(scalar_link_[processor], line, time);
    mine.put(line, arrives);
    return arrives;
}

double memory_system::store(unsigned cu, u32 line, double time) {
    double unused = 0;
    const double given = serve(l0_free_[cu], time, card_.arch.l0_line, unused);
    const double sent = serve(link_[cu], given, double{line_bytes} / card_.arch.link_bytes, unused);
    const double begin = serve(l2_free_, sent, line_bytes / l2_bytes_, traffic_.l2_busy);
    ++traffic_.l2_written_lines;
    if (kept_.l2.find(line)) return begin + l2_latency_;
    kept_.l2.put(line, begin + kept_.base);
    double done = begin;
    if (stores_leave_l2_)
        done = serve(infinity_free_, done, line_bytes / infinity_bytes_, traffic_.infinity_busy);
    if (stores_leave_infinity_) {
        done = serve(dram_free_, done, line_bytes / dram_bytes_, traffic_.dram_busy);
        traffic_.dram_written_bytes += line_bytes;
    } else {
        const u32 block = line / (card_.arch.fabric_bytes / line_bytes);
        if (!kept_.infinity.find(block)) kept_.infinity.put(block, done + kept_.base);
    }
    return done + l2_latency_;
}

double memory_system::atomic(unsigned cu, u32 line, double time) {
    // L2 executes it: one line a cycle of its channel, after the line is there.
    double unused = 0;
    const double sent = serve(l0_free_[cu], time, card_.arch.l0_line, unused);
    return from_l2(link_[cu], line, sent);
}

} // namespace r9v_emulator::clock
