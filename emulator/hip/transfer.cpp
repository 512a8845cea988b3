// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/transfer.hpp"

#include "clock/stopwatch.hpp"
#include "clock/timeline.hpp"
#include "hip/log.hpp"
#include "hip/runtime.hpp"
#include <cstring>

namespace r9v_emulator::hip {
namespace {

enum class place { host, registered, device };

place place_of(std::uint64_t address) {
    const auto& memory = device_memory();
    if (memory.in_arena(address)) return place::device;
    return memory.host_range(address, 1) ? place::registered : place::host;
}

/// Bytes from the first to the last one that a box touches.
std::uint64_t reach(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                    std::size_t slice) {
    if (width == 0 || height == 0 || depth == 0) return 0;
    return width + (height - 1) * pitch + (depth - 1) * slice;
}

bool row_accessible(std::uint64_t address, std::uint64_t bytes) {
    return place_of(address) == place::host || device_memory().accessible(address, bytes);
}

template<class Row>
void for_each_row(const copy_operation& work, Row row) {
    for (std::size_t z = 0; z < work.depth; ++z) {
        for (std::size_t y = 0; y < work.height; ++y) {
            row(address_of(work.to) + z * work.to_slice + y * work.to_pitch,
                address_of(work.from) + z * work.from_slice + y * work.from_pitch);
        }
    }
}

/// Whether the kind says that one side is on the device, and that side is plain host memory.
bool contradicts(const copy_operation& work) {
    const auto to = place_of(address_of(work.to));
    const auto from = place_of(address_of(work.from));
    const bool to_visible =
        to != place::device ||
        device_memory().find(address_of(work.to)).value_or(allocation{}).host_visible;
    const bool from_visible =
        from != place::device ||
        device_memory().find(address_of(work.from)).value_or(allocation{}).host_visible;
    switch (work.kind) {
    case hipMemcpyHostToHost:
        return !to_visible || !from_visible;
    case hipMemcpyHostToDevice:
        return to == place::host || !from_visible;
    case hipMemcpyDeviceToHost:
        return from == place::host || !to_visible;
    case hipMemcpyDeviceToDevice:
        return to == place::host || from == place::host;
    default:
        return false;
    }
}

/// A program that carries poison in memory must not take it for a result.
void report_unwritten(std::uint64_t from, std::uint64_t bytes) {
    const auto options = runtime::instance().options();
    if (!options.strict || options.report_poison_store) return;
    const auto first = device_memory().first_unwritten(from, bytes);
    if (!first) return;
    const auto where = device_memory().find(from);
    fault report;
    report.kind = "copy of unwritten memory to the host";
    report.address = from + *first;
    report.detail = "byte " + std::to_string(*first) + " of the copy was never written";
    if (where) {
        report.detail += "; allocation " + where->label + " of " + std::to_string(where->bytes) +
                         " bytes, offset " + std::to_string(from + *first - where->begin);
    }
    launch_log::instance().enter(std::move(report));
}

void copy_row(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    auto& memory = device_memory();
    const bool to_device = memory.in_arena(to);
    const bool from_device = memory.in_arena(from);
    if (to_device && from_device) {
        memory.copy(to, from, bytes);
    } else if (to_device) {
        memory.write(to, pointer_to(from), bytes);
    } else if (from_device) {
        report_unwritten(from, bytes);
        memory.read(pointer_to(to), from, bytes);
    } else {
        std::memmove(pointer_to(to), pointer_to(from), bytes);
    }
}

} // namespace

copy_operation plain_copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    copy_operation work;
    work.to = to;
    work.from = from;
    work.width = work.to_pitch = work.from_pitch = bytes;
    work.kind = kind;
    return work;
}

fill_operation plain_fill(void* to, std::uint32_t pattern, unsigned pattern_bytes,
                          std::size_t count) {
    fill_operation work;
    work.to = to;
    work.pattern = pattern;
    work.pattern_bytes = pattern_bytes;
    work.width = count;
    work.pitch = count * pattern_bytes;
    return work;
}

hipError_t check(const copy_operation& work) {
    if (reach(work.width, work.height, work.depth, work.to_pitch, work.to_slice) == 0) {
        return hipSuccess;
    }
    if (!work.to || !work.from) return hipErrorInvalidValue;
    if (work.kind < hipMemcpyHostToHost || work.kind > hipMemcpyDefault) {
        return hipErrorInvalidMemcpyDirection;
    }
    if (work.height * work.depth > 1 &&
        (work.to_pitch < work.width || work.from_pitch < work.width)) {
        return hipErrorInvalidPitchValue;
    }
    if (contradicts(work)) return hipErrorInvalidMemcpyDirection;
    bool inside = true;
    for_each_row(work, [&](std::uint64_t to, std::uint64_t from) {
        inside = inside && row_accessible(to, work.width) && row_accessible(from, work.width);
    });
    return inside ? hipSuccess : hipErrorInvalidValue;
}

hipError_t check(const fill_operation& work) {
    const auto row = work.width * work.pattern_bytes;
    const auto size = reach(row, work.height, work.depth, work.pitch, work.slice);
    if (size == 0) return hipSuccess;
    if (!work.to || (work.height > 1 && work.pitch < row)) return hipErrorInvalidValue;
    const auto begin = address_of(work.to);
    for (std::size_t z = 0; z < work.depth; ++z) {
        for (std::size_t y = 0; y < work.height; ++y) {
            if (!device_memory().accessible(begin + z * work.slice + y * work.pitch, row)) {
                return hipErrorInvalidValue;
            }
        }
    }
    return hipSuccess;
}

namespace {

void take_modelled_time(const copy_operation& work) {
    auto& timing = clock::stopwatch::instance();
    if (!timing.on()) return;
    using enum clock::copy_way;
    const bool to = place_of(address_of(work.to)) == place::device;
    const bool from = place_of(address_of(work.from)) == place::device;
    if (!to && !from) return; // the host's own work
    if (to && !from) timing.host_wrote();
    const auto way = to && from ? on_device : to ? to_device : to_host;
    clock::timeline::instance().copy(timing.selected(), way, work.width * work.height * work.depth);
}

void take_modelled_time(const fill_operation& work) {
    auto& timing = clock::stopwatch::instance();
    if (!timing.on()) return;
    clock::timeline::instance().copy(timing.selected(), clock::copy_way::fill,
                                     work.pattern_bytes * work.width * work.height * work.depth);
}

} // namespace

void perform(const copy_operation& work) {
    if (work.width == 0) return;
    take_modelled_time(work);
    for_each_row(work,
                 [&](std::uint64_t to, std::uint64_t from) { copy_row(to, from, work.width); });
}

void perform(const fill_operation& work) {
    if (work.width == 0) return;
    take_modelled_time(work);
    const auto begin = address_of(work.to);
    for (std::size_t z = 0; z < work.depth; ++z) {
        for (std::size_t y = 0; y < work.height; ++y) {
            device_memory().fill(begin + z * work.slice + y * work.pitch, work.pattern,
                                 work.pattern_bytes, work.width);
        }
    }
}

bool reads_pageable(const copy_operation& work) {
    return work.width != 0 && place_of(address_of(work.from)) == place::host;
}

bool writes_pageable(const copy_operation& work) {
    return work.width != 0 && place_of(address_of(work.to)) == place::host;
}

void stage_source(copy_operation& work) {
    const auto size = reach(work.width, work.height, work.depth, work.from_pitch, work.from_slice);
    const auto* const begin = static_cast<const std::byte*>(work.from);
    work.staged = std::make_shared<std::vector<std::byte>>(begin, begin + size);
    work.from = work.staged->data();
}

} // namespace r9v_emulator::hip
