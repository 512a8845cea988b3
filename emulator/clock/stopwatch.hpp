// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The clock of this process: whether it runs, for which card, and what it has modelled so far.
#pragma once

#include "../device/launch.hpp"
#include "model.hpp"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace r9v_emulator::clock {

/// One instruction of a kernel with what it cost.
struct annotated {
    std::uint64_t pc = 0;
    std::string text;
    u64 executed = 0;  ///< by the waves that were replayed
    double cycles = 0; ///< of a wave, for each time it is executed
    double share = 0;  ///< of all cycles of waves
};

/// A kernel launched with one shape; the figures are those of its last launch.
struct kernel_record {
    std::string name;
    std::uint32_t blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
    std::uint32_t lds_bytes = 0, scratch_bytes = 0, vgprs = 0, sgprs = 0;
    launch_counts counts;
    u64 launches = 0;
    interval total_us{0, 0, 0}; ///< over all launches
    modelled last;
    double flops = 0; ///< matrix and vector operations of the last launch
    std::vector<annotated> code;
};

class stopwatch {
public:
    static stopwatch& instance();

    bool on() const { return on_.load(std::memory_order_relaxed); }
    void turn(bool on);
    /// Whether records keep annotated code, for a report, and whether last_code() answers.
    void keep_code(bool records, bool last) {
        keep_code_ = records;
        keep_last_code_ = last;
    }
    void select(const card& c);
    const card& selected() const { return *card_; }

    /// A trace to execute with, its shape and limits filled in.
    std::unique_ptr<launch_trace> prepare(const launch_request& request,
                                          execution_options& options) const;
    /// Models a launch that has been executed, and puts it into its stream's time.
    void enter(memory& device, const launch_request& request, const launch_counts& counts,
               std::unique_ptr<launch_trace> trace);
    /// The host has written device memory.
    void host_wrote();

    std::vector<kernel_record> kernels() const;
    kernel_record last() const;
    /// The trace of the last launch, for modelling it on other cards; may be empty.
    std::shared_ptr<const launch_trace> last_trace() const;
    /// The text of the instructions of the last trace.
    std::vector<annotated> last_code() const;
    void reset();

private:
    stopwatch();
    const modelled& modelled_of(const launch_request& request, const launch_counts& counts,
                                const launch_trace& trace);
    struct repeated;

    std::atomic<bool> on_{false};
    bool keep_code_ = false, keep_last_code_ = false;
    mutable std::mutex mutex_;
    const card* card_;
    std::unique_ptr<card_state> state_;
    std::map<std::string, kernel_record> kernels_;
    std::map<std::string, std::shared_ptr<repeated>> known_;
    std::string last_;
    std::shared_ptr<const launch_trace> last_trace_;
    std::vector<annotated> last_code_;
};

} // namespace r9v_emulator::clock
