// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/log.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace r9v_emulator::hip {
namespace {

constexpr std::array summed = {
    &launch_counts::waves,
    &launch_counts::wmma,
    &launch_counts::wmma_cycles,
    &launch_counts::valu,
    &launch_counts::valu_cycles,
    &launch_counts::transcendental,
    &launch_counts::salu,
    &launch_counts::branches,
    &launch_counts::smem,
    &launch_counts::global_loads,
    &launch_counts::global_stores,
    &launch_counts::global_atomics,
    &launch_counts::scratch_accesses,
    &launch_counts::global_bytes_loaded,
    &launch_counts::global_bytes_stored,
    &launch_counts::global_lines_loaded,
    &launch_counts::global_lines_stored,
    &launch_counts::lds_loads,
    &launch_counts::lds_stores,
    &launch_counts::lds_load_passes,
    &launch_counts::lds_load_passes_ideal,
    &launch_counts::lds_store_passes,
    &launch_counts::lds_store_passes_ideal,
    &launch_counts::waits,
    &launch_counts::barriers,
    &launch_counts::other,
};
static_assert(sizeof(launch_counts) == summed.size() * sizeof(std::uint64_t),
              "a field of launch_counts is missing above");

hipError_t error_of(const fault& report) {
    const bool address = report.kind.find("bounds") != std::string::npos ||
                         report.kind.find("address") != std::string::npos ||
                         report.kind == "memory of another device";
    return address ? hipErrorIllegalAddress : hipErrorLaunchFailure;
}

launch_record record_of(const launch_request& request, const launch_counts& counts) {
    launch_record record;
    record.kernel = request.kernel->display_name;
    record.counts = counts;
    for (int axis = 0; axis < 3; ++axis) {
        record.blocks[axis] = request.blocks[axis];
        record.threads[axis] = request.threads[axis];
    }
    record.lds_bytes = request.kernel->lds_bytes + request.dynamic_lds_bytes;
    record.scratch_bytes = request.kernel->scratch_bytes;
    record.vgprs = request.kernel->vgprs;
    record.sgprs = request.kernel->sgprs;
    return record;
}

} // namespace

void add(launch_counts& sum, const launch_counts& more) {
    for (const auto field : summed)
        sum.*field += more.*field;
}

launch_log& launch_log::instance() {
    // Never destroyed: streams may still be at work while the process ends.
    static auto& log = *new launch_log;
    return log;
}

void launch_log::enter(const launch_request& request, launch_result&& result) {
    const std::lock_guard lock(mutex_);
    last_ = record_of(request, result.counts);
    ++totals_.launches;
    add(totals_.counts, result.counts);
    auto& of_kernel = totals_.kernels[last_.kernel];
    ++of_kernel.launches;
    add(of_kernel.counts, result.counts);
    last_.profile = std::move(result.profile);
    for (auto& report : result.faults)
        keep(std::move(report));
}

void launch_log::enter(fault&& report) {
    const std::lock_guard lock(mutex_);
    keep(std::move(report));
}

void launch_log::keep(fault&& report) {
    const auto text = report.text();
    if (printed_.insert(text).second) {
        const bool ended = text.ends_with('\n');
        std::fprintf(stderr, "%s%s", text.c_str(), ended ? "" : "\n");
    }
    if (sticky() == hipSuccess) sticky_.store(error_of(report));
    faults_.push_back(std::move(report));
    const char* const abort_wanted = std::getenv("R9V_EMULATOR_ABORT");
    if (abort_wanted && *abort_wanted == '1') std::abort();
}

std::vector<fault> launch_log::take_faults() {
    const std::lock_guard lock(mutex_);
    sticky_.store(hipSuccess);
    printed_.clear();
    return std::exchange(faults_, {});
}

launch_record launch_log::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

launch_totals launch_log::totals() const {
    const std::lock_guard lock(mutex_);
    return totals_;
}

void launch_log::reset() {
    const std::lock_guard lock(mutex_);
    totals_ = {};
    last_ = {};
}

std::size_t launch_log::unread() const {
    const std::lock_guard lock(mutex_);
    return faults_.size();
}

} // namespace r9v_emulator::hip
