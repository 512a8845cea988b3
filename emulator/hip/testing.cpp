// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "r9v_emulator/testing.hpp"

#include "hip/log.hpp"
#include "hip/module.hpp"
#include "hip/runtime.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

std::vector<const kernel_image*> find_kernels(std::string_view part) {
    auto found = hip::registry::instance().kernels();
    std::erase_if(found, [&](const kernel_image* kernel) {
        return kernel->display_name.find(part) == std::string::npos;
    });
    return found;
}

const kernel_image* the_kernel(std::string_view part) {
    const auto found = find_kernels(part);
    return found.size() == 1 ? found.front() : nullptr;
}

} // namespace

launch_record last_launch() {
    return hip::launch_log::instance().last();
}

launch_counts last_counts() {
    return last_launch().counts;
}

launch_totals totals() {
    return hip::launch_log::instance().totals();
}

void reset_counts() {
    hip::launch_log::instance().reset();
}

std::vector<fault> take_faults() {
    return hip::launch_log::instance().take_faults();
}

execution_options options() {
    return hip::runtime::instance().options();
}

void set_options(const execution_options& changed) {
    hip::runtime::instance().set_options(changed);
}

std::vector<std::string> kernels_named(std::string_view part) {
    std::vector<std::string> names;
    for (const auto* const kernel : find_kernels(part))
        names.push_back(kernel->display_name);
    std::ranges::sort(names);
    return names;
}

std::vector<listed_instruction> instructions_of(std::string_view part) {
    const auto* const kernel = the_kernel(part);
    if (!kernel) return {};
    return list_instructions(hip::device_memory(), *kernel);
}

std::vector<listed_instruction> waits_of(std::string_view part) {
    const auto* const kernel = the_kernel(part);
    if (!kernel) return {};
    return list_waits(hip::device_memory(), *kernel);
}

} // namespace r9v_emulator
