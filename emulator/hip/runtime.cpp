// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/runtime.hpp"

#include "clock/stopwatch.hpp"
#include "hip/deferral.hpp"
#include "hip/device.hpp"
#include "hip/host_access.hpp"
#include "hip/leaks.hpp"
#include "hip/log.hpp"
#include "report/timing_report.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace r9v_emulator::hip {
namespace {

constexpr int status_of_unread_faults = 70; // EX_SOFTWARE of sysexits.h
constexpr int status_of_leaks = 71;         // EX_OSERR: resources were not given back
constexpr unsigned most_host_threads = 64;

[[noreturn]] void refuse(const char* name, const char* value, const char* instead) {
    std::fprintf(stderr, "r9v-emulator: %s=%s is not known. Write %s.\n", name, value, instead);
    _exit(2);
}

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    if (!text || !*text) return otherwise;
    char* end = nullptr;
    const auto value = std::strtoull(text, &end, 0);
    if (*end != '\0' || *text == '-') refuse(name, text, "a whole number");
    return value;
}

bool switch_from(const char* name, bool otherwise) {
    const char* const text = std::getenv(name);
    if (!text || !*text) return otherwise;
    const std::string_view value(text);
    if (value != "0" && value != "1") refuse(name, text, "0 or 1");
    return value == "1";
}

execution_options options_from_environment() {
    execution_options options;
    options.strict = switch_from("R9V_EMULATOR_STRICT", true);
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    options.host_threads = static_cast<unsigned>(std::clamp<std::uint64_t>(
        number_from("R9V_EMULATOR_THREADS", cores), 1, most_host_threads));
    options.seed = number_from("R9V_EMULATOR_SEED", 0);
    const char* const poison = std::getenv("R9V_EMULATOR_POISON_STORE");
    if (poison && *poison) {
        const std::string_view value(poison);
        if (value != "report" && value != "carry") {
            refuse("R9V_EMULATOR_POISON_STORE", poison, "report or carry");
        }
        options.report_poison_store = value == "report";
    }
    const char* const races = std::getenv("R9V_EMULATOR_RACES");
    if (races && *races) {
        const std::string_view value(races);
        if (value != "used" && value != "all") refuse("R9V_EMULATOR_RACES", races, "used or all");
        options.report_overwritten_reads = value == "all";
    }
    return options;
}

report::format wanted_report() {
    const char* const text = std::getenv("R9V_EMULATOR_REPORT");
    if (!text || !*text) return report::format::none;
    const auto wanted = report::format_of(text);
    if (wanted == report::format::none) refuse("R9V_EMULATOR_REPORT", text, "text, json or html");
    return wanted;
}

/// The clock of the card that this process has, running if the environment asks for it.
void set_clock() {
    auto& timing = clock::stopwatch::instance();
    const char* const text = std::getenv("R9V_EMULATOR_CLOCK");
    const std::string_view wanted = text ? text : "";
    const bool on_or_off = wanted.empty() || wanted == "0" || wanted == "1";
    const auto* const card = clock::find_card(on_or_off ? current_device().key : wanted);
    if (!card && !on_or_off) {
        refuse("R9V_EMULATOR_CLOCK", text, "0, 1, 9070xt, r9700, 9060xt, 7900xtx or 7900xt");
    }
    if (card) timing.select(*card);
    const bool reports = wanted_report() != report::format::none;
    timing.turn(reports || (!wanted.empty() && wanted != "0"));
    timing.keep_code(reports, false);
}

thread_local unsigned selected = 0;

unsigned devices_from_environment() {
    const auto count = number_from("R9V_EMULATOR_DEVICES", 1);
    if (count < 1 || count > most_devices)
        refuse("R9V_EMULATOR_DEVICES", std::getenv("R9V_EMULATOR_DEVICES"), "1 to 8");
    return static_cast<unsigned>(count);
}

/// A program whose kernels did wrong must not end as if all were well, whatever it looked at.
void at_process_exit(int status, void*) {
    if (deferral::wanted()) {
        while (deferral::instance().step()) {
        }
    }
    const char* const path = std::getenv("R9V_EMULATOR_REPORT_FILE");
    report::write(wanted_report(), path ? path : "");
    const bool leaks =
        switch_from("R9V_EMULATOR_LEAKS", false) && report_leaks(device_memory()) != 0;
    const auto unread = launch_log::instance().unread();
    if (unread != 0)
        std::fprintf(stderr, "r9v-emulator: the process ends with %zu fault%s reported above.\n",
                     unread, unread == 1 ? "" : "s");
    if (status != 0 || (unread == 0 && !leaks)) return;
    std::fflush(nullptr);
    _exit(unread != 0 ? status_of_unread_faults : status_of_leaks);
}

} // namespace

runtime& runtime::instance() {
    static auto& the_runtime = *new runtime;
    return the_runtime;
}

unsigned selected_device() {
    return selected;
}
void select_device(unsigned ordinal) {
    selected = ordinal;
}

runtime::runtime()
    : memory_(current_device().memory_bytes, devices_from_environment()),
      options_(options_from_environment()) {
    launch_log::instance();
    set_clock();
    on_exit(at_process_exit, nullptr);
    install_host_access_handler(memory_);
}

execution_options runtime::options() const {
    const std::lock_guard lock(options_mutex_);
    return options_;
}

std::uint64_t runtime::seed() const {
    const std::lock_guard lock(options_mutex_);
    return options_.seed;
}

void runtime::set_options(const execution_options& changed) {
    const std::lock_guard lock(options_mutex_);
    options_ = changed;
}

std::uint64_t runtime::dispatch_packet() {
    constexpr std::uint64_t packet_bytes = 64;
    if (packet_ == 0) {
        packet_ = memory_.allocate(packet_bytes, packet_bytes, "dispatch packet");
        memory_.share(packet_);
    }
    return packet_;
}

} // namespace r9v_emulator::hip
