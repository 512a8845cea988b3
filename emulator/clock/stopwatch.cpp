// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "stopwatch.hpp"

#include "../decode/disassembler.hpp"
#include "../device/memory.hpp"
#include "timeline.hpp"
#include <algorithm>
#include <cstdlib>

namespace r9v_emulator::clock {
namespace {

constexpr u64 default_budget = 1'000'000; ///< wave instructions
/// A launch that does exactly what one before did is replayed twice: with cold caches and as it
/// finds them. Then its time is known.
constexpr unsigned replays = 2;

u64 budget() {
    const char* const text = std::getenv("R9V_EMULATOR_CLOCK_SAMPLE");
    return text && *text ? std::strtoull(text, nullptr, 0) : default_budget;
}

/// Tells launches apart that take different time.
std::string identity(const launch_request& request, const launch_counts& counts) {
    std::string key = request.kernel->name;
    const auto add = [&](u64 n) {
        key += '/' + std::to_string(n);
    };
    add(request.kernel->entry);
    for (const u32 n : request.blocks)
        add(n);
    for (const u32 n : request.threads)
        add(n);
    add(request.dynamic_lds_bytes);
    key.append(reinterpret_cast<const char*>(&counts), sizeof counts);
    return key;
}

std::string shape_key(const launch_request& request) {
    std::string key = request.kernel->display_name;
    for (int axis = 0; axis < 3; ++axis)
        key += '/' + std::to_string(request.blocks[axis]) + 'x' +
               std::to_string(request.threads[axis]);
    return key;
}

/// Nominal operations: a 16x16x16 product is 8192; other vector instructions count one a lane, a
/// multiply-add is not told apart.
double operations(const launch_counts& c) {
    return static_cast<double>(c.wmma) * 8192 + static_cast<double>(c.valu) * 32;
}

/// In the order of trace.ops.
std::vector<annotated> annotate(memory& device, const launch_request& request,
                                const launch_trace& trace) {
    std::vector<annotated> out;
    for (const timed_op& o : trace.ops) {
        annotated a;
        a.pc = request.kernel->code_begin + 4 * u64{o.slot};
        const std::size_t room = std::min<u64>(request.kernel->code_end - a.pc, 20);
        a.text = disassemble({device.alias(a.pc), room}, a.pc, request.kernel->isa).text;
        out.push_back(std::move(a));
    }
    return out;
}

void add_cycles(std::vector<annotated>& code, const replay_result& r) {
    double all = 0;
    for (const op_time& t : r.ops)
        all += static_cast<double>(t.cycles);
    for (std::size_t n = 0; n < code.size(); ++n) {
        annotated& a = code[n];
        a.executed = r.ops[n].executed;
        const auto cycles = static_cast<double>(r.ops[n].cycles);
        if (a.executed) a.cycles = cycles / static_cast<double>(a.executed);
        if (all > 0) a.share = cycles / all;
    }
    std::ranges::sort(code, {}, &annotated::pc);
}

} // namespace

struct stopwatch::repeated {
    unsigned replayed = 0;
    modelled result;
};

stopwatch& stopwatch::instance() {
    static auto& the_stopwatch = *new stopwatch; // outlives streams at work while the process ends
    return the_stopwatch;
}

stopwatch::stopwatch() : card_(find_card("9070xt")) {}

void stopwatch::turn(bool on) {
    on_.store(on);
    timeline::turn(on);
}

void stopwatch::select(const card& c) {
    const std::scoped_lock lock(mutex_);
    card_ = &c;
    state_.reset();
    known_.clear();
}

std::unique_ptr<launch_trace> stopwatch::prepare(const launch_request& request,
                                                 execution_options& options) const {
    auto trace = std::make_unique<launch_trace>();
    const u32 threads = request.threads[0] * request.threads[1] * request.threads[2];
    trace->waves_a_group = (threads + lanes - 1) / lanes;
    trace->vgprs = request.kernel->vgprs;
    trace->lds_bytes = request.kernel->lds_bytes + request.dynamic_lds_bytes;
    trace->processor_mode = request.kernel->rsrc1 >> 29 & 1;
    options.trace = trace.get();
    // Twice what fits at one time shows how workgroups replace each other.
    options.trace_minimum = 2 * u64{resident_groups(*card_, *trace)};
    options.trace_budget = budget();
    return trace;
}

const modelled& stopwatch::modelled_of(const launch_request& request, const launch_counts& counts,
                                       const launch_trace& trace) {
    if (!state_) state_ = std::make_unique<card_state>(*card_);
    auto& known = known_[identity(request, counts)];
    if (!known) known = std::make_shared<repeated>();
    if (known->replayed < replays) {
        known->result = model(trace, *state_);
        ++known->replayed;
    }
    return known->result;
}

void stopwatch::enter(memory& device, const launch_request& request, const launch_counts& counts,
                      std::unique_ptr<launch_trace> trace) {
    const std::scoped_lock lock(mutex_);
    const modelled& m = modelled_of(request, counts, *trace);
    last_ = shape_key(request);
    kernel_record& record = kernels_[last_];
    if (!record.launches) record.name = request.kernel->display_name;
    for (int axis = 0; axis < 3; ++axis) {
        record.blocks[axis] = request.blocks[axis];
        record.threads[axis] = request.threads[axis];
    }
    record.lds_bytes = trace->lds_bytes;
    record.scratch_bytes = request.kernel->scratch_bytes;
    record.vgprs = request.kernel->vgprs;
    record.sgprs = request.kernel->sgprs;
    record.counts = counts;
    record.flops = operations(counts);
    ++record.launches;
    record.total_us.low += m.microseconds.low;
    record.total_us.mid += m.microseconds.mid;
    record.total_us.high += m.microseconds.high;
    record.last = m;
    if (keep_last_code_) last_code_ = annotate(device, request, *trace);
    if (keep_code_ && record.code.empty()) {
        record.code = annotate(device, request, *trace);
        add_cycles(record.code, m.mid);
    }
    timeline::instance().kernel(*card_, record.name, m.microseconds.mid, m.bound);
    last_trace_ = std::move(trace);
}

void stopwatch::host_wrote() {
    const std::scoped_lock lock(mutex_);
    if (state_) state_->clear();
}

std::vector<kernel_record> stopwatch::kernels() const {
    const std::scoped_lock lock(mutex_);
    std::vector<kernel_record> all;
    for (const auto& [key, record] : kernels_)
        all.push_back(record);
    std::ranges::sort(all, std::greater{}, [](const kernel_record& k) { return k.total_us.mid; });
    return all;
}

kernel_record stopwatch::last() const {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(last_);
    return found == kernels_.end() ? kernel_record{} : found->second;
}

std::shared_ptr<const launch_trace> stopwatch::last_trace() const {
    const std::scoped_lock lock(mutex_);
    return last_trace_;
}

std::vector<annotated> stopwatch::last_code() const {
    const std::scoped_lock lock(mutex_);
    return last_code_;
}

void stopwatch::reset() {
    const std::scoped_lock lock(mutex_);
    kernels_.clear();
    known_.clear();
    state_.reset();
    last_trace_.reset();
}

} // namespace r9v_emulator::clock
