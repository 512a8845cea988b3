// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/host_access.hpp"

#include "device/memory.hpp"
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace r9v_emulator::hip {
namespace {

const memory* guarded_memory = nullptr;
struct sigaction previous_action = {};

void print_allocation(std::uint64_t address) {
    char line[512];
    const auto found = guarded_memory->nearest(address);
    int size = 0;
    if (!found) {
        size = std::snprintf(line, sizeof(line),
                             "r9v-emulator: host access to device memory at 0x%llx "
                             "(no allocation)\n",
                             static_cast<unsigned long long>(address));
    } else {
        const bool inside = address < found->end();
        size = std::snprintf(
            line, sizeof(line),
            "r9v-emulator: host access to device memory at 0x%llx (allocation%s%s of %llu bytes at "
            "0x%llx%s, %llu bytes %s). Copy with hipMemcpy instead.\n",
            static_cast<unsigned long long>(address), found->label.empty() ? "" : " ",
            found->label.c_str(), static_cast<unsigned long long>(found->bytes),
            static_cast<unsigned long long>(found->begin), found->live ? "" : ", freed",
            static_cast<unsigned long long>(inside ? address - found->begin
                                                   : address - found->end()),
            inside ? "in" : "past its end");
    }
    const auto length = static_cast<std::size_t>(size);
    if (write(STDERR_FILENO, line, length < sizeof(line) ? length : sizeof(line) - 1) < 0) return;
}

void chain(int signal, siginfo_t* info, void* context) {
    if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
        previous_action.sa_sigaction(signal, info, context);
    } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
        previous_action.sa_handler(signal);
    } else {
        // Returning repeats the access, which then ends the process as if we had not been here.
        sigaction(signal, &previous_action, nullptr);
    }
}

void on_fault(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    if (!guarded_memory->in_arena(address)) return chain(signal, info, context);
    print_allocation(address);
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
}

} // namespace

void install_host_access_handler(const memory& device_memory) {
    guarded_memory = &device_memory;
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_action);
}

} // namespace r9v_emulator::hip
