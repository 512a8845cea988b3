// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One launch from request to result: host threads, decoded code, counts.
#include "launch.hpp"

#include "../check/global_order.hpp"
#include "../clock/replay.hpp"
#include "../decode/disassembler.hpp"
#include "../decode/program.hpp"
#include "../wave/schedule.hpp"
#include "../wave/setup.hpp"
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>

namespace r9v_emulator {
namespace {

/// Decoded code belongs to the allocation that holds it, not to an address that may be used again.
struct program_key {
    u64 allocation;
    u64 begin;
    bool strict;
    auto operator<=>(const program_key&) const = default;
};

struct program_cache {
    std::mutex mutex;
    std::map<program_key, std::shared_ptr<program>> programs;
};
/// More than any program holds at one time; what is dropped is decoded again.
constexpr std::size_t most_programs = 256;

program_cache& cache() {
    static program_cache* const all = new program_cache; // outlives every user of the device
    return *all;
}

std::shared_ptr<program> program_of(memory& device, const kernel_image& kernel,
                                    const execution_options& options) {
    const auto make = [&](std::vector<u64> dropped) {
        return std::make_shared<program>(device, kernel, options.strict, std::move(dropped));
    };
    if (!options.dropped.empty()) return make(options.dropped);
    const auto holder = device.find(kernel.code_begin);
    if (!holder) throw std::invalid_argument("r9v: the kernel's code is not in device memory.");
    program_cache& all = cache();
    const std::scoped_lock lock(all.mutex);
    if (all.programs.size() >= most_programs) all.programs.clear();
    auto& found = all.programs[{holder->serial, kernel.code_begin, options.strict}];
    if (!found) found = make({});
    return found;
}

void add_counts(launch_counts& to, const worker& from) {
    const auto count = [&](op_class c) {
        return from.by_class[static_cast<unsigned>(c)];
    };
    const auto cycles = [&](op_class c) {
        return from.cycles_by_class[static_cast<unsigned>(c)];
    };
    const launch_counts& c = from.counts;
    to.wmma += count(op_class::wmma);
    to.wmma_cycles += cycles(op_class::wmma);
    to.valu += count(op_class::valu);
    to.valu_cycles += cycles(op_class::valu);
    to.transcendental += count(op_class::transcendental);
    to.salu += count(op_class::salu);
    to.branches += count(op_class::branch);
    to.smem += count(op_class::smem);
    to.global_loads += count(op_class::global_load);
    to.global_stores += count(op_class::global_store);
    to.global_atomics += count(op_class::global_atomic);
    to.scratch_accesses += count(op_class::scratch);
    to.lds_loads += count(op_class::lds_load);
    to.lds_stores += count(op_class::lds_store);
    to.waits += count(op_class::wait);
    to.barriers += count(op_class::barrier);
    to.other += count(op_class::other);
    to.global_bytes_loaded += c.global_bytes_loaded;
    to.global_bytes_stored += c.global_bytes_stored;
    to.global_lines_loaded += c.global_lines_loaded;
    to.global_lines_stored += c.global_lines_stored;
    to.lds_load_passes += c.lds_load_passes;
    to.lds_load_passes_ideal += c.lds_load_passes_ideal;
    to.lds_store_passes += c.lds_store_passes;
    to.lds_store_passes_ideal += c.lds_store_passes_ideal;
}

/// Waves are large, so a host thread keeps the ones it has for its next launch.
std::vector<std::unique_ptr<group>>& kept_groups() {
    thread_local std::vector<std::unique_ptr<group>> groups;
    return groups;
}

void prepare(launch_state& launch, memory& device, const launch_request& request,
             const execution_options& options) {
    const kernel_image& kernel = *request.kernel;
    launch.device = &device;
    launch.request = &request;
    launch.options = &options;
    launch.arena_begin = device.arena_begin(request.device);
    launch.arena_bytes = device.arena_bytes();
    launch.arena = device.alias(launch.arena_begin);
    launch.shadow = device.shadow_of(launch.arena_begin);
    launch.lds_bytes = kernel.lds_bytes + request.dynamic_lds_bytes;
    launch.scratch_stride = scratch_bytes(kernel);
    launch.vector_registers = kernel.vgprs ? std::min(256u, (kernel.vgprs + 7) / 8 * 8) : 256u;
    launch.groups = u64{request.blocks[0]} * request.blocks[1] * request.blocks[2];
}

std::vector<instruction_profile> profile_of(program& code, const std::vector<worker>& workers) {
    std::vector<instruction_profile> out;
    for (std::size_t i = 0; i < code.size(); ++i) {
        u64 executed = 0;
        for (const worker& host : workers)
            executed += host.profile[i];
        if (!executed) continue;
        const u64 pc = code.begin() + 4 * i;
        out.push_back({pc, code.text_at(pc), executed});
    }
    return out;
}

u32 waves_a_group(const launch_request& request) {
    return (request.threads[0] * request.threads[1] * request.threads[2] + lanes - 1) / lanes;
}

void finish_trace(clock::recorder& kept, const launch_state& launch,
                  const std::vector<worker>& workers, const launch_counts& counts) {
    clock::launch_trace& trace = *launch.options->trace;
    clock::collect(kept, *launch.code, trace);
    trace.total_groups = launch.groups;
    trace.stored_bytes = counts.global_bytes_stored;
    trace.total_executed = 0;
    for (const worker& host : workers)
        trace.total_executed = std::accumulate(std::begin(host.by_class), std::end(host.by_class),
                                               trace.total_executed);
}

} // namespace

launch_result execute(memory& device, const launch_request& request,
                      const execution_options& options) {
    launch_state launch;
    prepare(launch, device, request, options);
    const std::shared_ptr<program> code = program_of(device, *request.kernel, options);
    launch.code = code.get();
    std::optional<clock::recorder> kept;
    if (options.trace) {
        kept.emplace(options.trace_minimum, options.trace_budget, waves_a_group(request));
        launch.record = &*kept;
    }
    const u64 threads = std::clamp<u64>(options.host_threads, 1, std::max<u64>(launch.groups, 1));
    std::vector<worker> workers(threads);
    for (std::size_t n = 0; n < threads; ++n) {
        workers[n].launch = &launch;
        workers[n].random = options.seed + n;
        if (options.profile) workers[n].profile.assign(code->size(), 0);
    }
    std::optional<global_order> order;
    if (options.strict && launch.groups * waves_a_group(request) > 1) order.emplace(device);
    launch.order = order && order->active() ? &*order : nullptr;
    std::vector<std::thread> helpers;
    for (std::size_t n = 1; n < threads; ++n)
        helpers.emplace_back([&, n] { run_groups(launch, workers[n], options.strict); });
    workers[0].spare = std::move(kept_groups());
    run_groups(launch, workers[0], options.strict);
    for (std::thread& helper : helpers)
        helper.join();
    launch_result result;
    for (const worker& host : workers)
        add_counts(result.counts, host);
    if (order) order->end(result.counts.global_bytes_loaded + result.counts.global_bytes_stored);
    result.counts.waves = launch.groups * waves_a_group(request);
    if (options.profile) result.profile = profile_of(*code, workers);
    if (kept) finish_trace(*kept, launch, workers, result.counts);
    result.faults = std::move(launch.faults);
    for (worker& host : workers)
        for (auto& spare : host.spare)
            if (kept_groups().size() < 4) kept_groups().push_back(std::move(spare));
    return result;
}

std::vector<listed_instruction> list_instructions(memory& device, const kernel_image& kernel) {
    std::vector<listed_instruction> out;
    const u64 end = kernel.end ? kernel.end : kernel.code_end;
    for (u64 pc = kernel.entry; pc < end;) {
        const std::size_t room = std::min<u64>(end - pc, 20);
        const disassembled found = disassemble({device.alias(pc), room}, pc, kernel.isa);
        if (found.text.empty() || found.text.starts_with("s_code_end")) break;
        out.push_back({pc, found.text});
        pc += found.bytes;
    }
    return out;
}

std::vector<listed_instruction> list_waits(memory& device, const kernel_image& kernel) {
    std::vector<listed_instruction> all = list_instructions(device, kernel);
    std::erase_if(all, [](const listed_instruction& i) {
        return !i.text.starts_with("s_wait") && !i.text.starts_with("s_barrier") &&
               !i.text.starts_with("global_inv") && !i.text.starts_with("global_wb");
    });
    return all;
}

void forget_code(memory& device, std::uint64_t code_begin) {
    const auto holder = device.find(code_begin);
    if (!holder) return;
    program_cache& all = cache();
    const std::scoped_lock lock(all.mutex);
    for (const bool strict : {false, true})
        all.programs.erase({holder->serial, code_begin, strict});
}

} // namespace r9v_emulator
