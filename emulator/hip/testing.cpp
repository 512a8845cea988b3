// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "r9v_emulator/testing.hpp"

#include "clock/stopwatch.hpp"
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

modelled_interval plain(const clock::interval& i) {
    return {i.low, i.mid, i.high};
}

/// Each instruction's cycles in the three replays.
std::vector<modelled_instruction> instruction_cycles(const clock::modelled& m) {
    std::vector<modelled_instruction> code;
    for (const clock::annotated& a : clock::stopwatch::instance().last_code())
        code.push_back({a.pc, a.text, 0, {}});
    double modelled_interval::* const member[] = {&modelled_interval::low, &modelled_interval::mid,
                                                  &modelled_interval::high};
    for (unsigned o = 0; o < clock::outlooks; ++o)
        for (std::size_t n = 0; n < std::min(code.size(), m.ops[o].size()); ++n) {
            const auto times = std::max<std::uint64_t>(1, m.ops[o][n].executed);
            code[n].executed = m.ops[o][n].executed;
            code[n].cycles.*member[o] =
                static_cast<double>(m.ops[o][n].cycles) / static_cast<double>(times);
        }
    std::ranges::sort(code, {}, &modelled_instruction::pc);
    return code;
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

void set_clock(bool on) {
    hip::runtime::instance();
    auto& timing = clock::stopwatch::instance();
    timing.keep_code(on, on);
    timing.turn(on);
}

modelled_launch model_last_launch(std::string_view name, bool warm) {
    const clock::card* const card = clock::find_card(name);
    const auto trace = clock::stopwatch::instance().last_trace();
    if (!card || !trace) return {};
    clock::card_state state(*card);
    if (warm) clock::model(*trace, state);
    modelled_launch out;
    const clock::modelled m = clock::model(*trace, state);
    out.kernel = clock::stopwatch::instance().last().name;
    out.bound = m.bound;
    out.microseconds = plain(m.microseconds);
    out.ghz = m.ghz;
    out.sampled = m.sampled;
    out.sampling_error = m.sampling_error;
    out.replayed_waves = trace->groups.size() * trace->waves_a_group;
    out.code = instruction_cycles(m);
    return out;
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
