// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Collecting faults: one per kind and instruction, and an end to the launch when there are many.
#include "../decode/program.hpp"
#include "../report/report.hpp"
#include "check.hpp"
#include <algorithm>
#include <bit>

namespace r9v_emulator {
namespace {

constexpr std::size_t most_faults = 16;

void add_fault(wave& w, const op& o, std::string_view kind, int lane, u64 address,
               const std::string& detail) {
    launch_state& launch = *w.launch;
    const std::scoped_lock lock(launch.fault_mutex);
    const u64 pc = address_of(w, o);
    const bool known = std::ranges::any_of(
        launch.faults, [&](const fault& f) { return f.pc == pc && f.kind == kind; });
    if (known || launch.faults.size() >= most_faults) return;
    const kernel_image& kernel = *launch.request->kernel;
    fault f;
    f.kind = kind;
    f.kernel = kernel.display_name.empty() ? kernel.name : kernel.display_name;
    f.instruction = launch.code->text_at(pc);
    f.pc = pc;
    f.source = source_line(kernel, pc);
    std::copy_n(w.owner->block, 3, f.block);
    f.wave = static_cast<int>(w.id);
    f.lane = lane;
    f.address = address;
    f.detail = detail;
    launch.faults.push_back(std::move(f));
}

} // namespace

u64 address_of(const wave& w, const op& o) {
    program& code = *w.launch->code;
    return code.address_of(code.holds(&o) ? &o : w.current);
}

int lowest_lane(u32 mask) {
    return mask ? std::countr_zero(mask) : -1;
}

void report(wave& w, const op& o, std::string_view kind, int lane, u64 address,
            const std::string& detail) {
    add_fault(w, o, kind, lane, address, detail);
    if (w.launch->faults.size() < most_faults) return;
    w.launch->stop = true;
    throw launch_stopped{};
}

void report_fatal(wave& w, const op& o, std::string_view kind, int lane, u64 address,
                  const std::string& detail) {
    add_fault(w, o, kind, lane, address, detail);
    w.launch->stop = true;
    throw launch_stopped{};
}

void report_poison(wave& w, const op& o, std::string_view what, u32 lane_mask, u64 address) {
    std::string detail = "a value that was never written decides here";
    {
        const std::scoped_lock lock(w.launch->fault_mutex);
        if (!w.launch->unordered_read.empty())
            detail = "a value that was never written, or was in a global race, decides here; " +
                     w.launch->unordered_read;
    }
    report(w, o, "poison reaches " + std::string(what), lowest_lane(lane_mask), address, detail);
}

} // namespace r9v_emulator
