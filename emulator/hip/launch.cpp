// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/launch.hpp"

#include "clock/stopwatch.hpp"
#include "hip/device.hpp"
#include "hip/hostcall.hpp"
#include "hip/log.hpp"
#include "hip/runtime.hpp"
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace r9v_emulator::hip {
namespace {

/// The AQL kernel dispatch packet (HSA Platform System Architecture Specification).
struct dispatch_packet {
    std::uint16_t header;
    std::uint16_t dimensions;
    std::uint16_t threads[3];
    std::uint16_t reserved_0;
    std::uint32_t grid[3]; ///< threads
    std::uint32_t scratch_bytes;
    std::uint32_t lds_bytes;
    std::uint64_t kernel;
    std::uint64_t arguments;
    std::uint64_t reserved_1;
    std::uint64_t completion;
};
static_assert(sizeof(dispatch_packet) == 64);

constexpr std::uint16_t packet_type_dispatch = 2;

template<class... Values>
hipError_t refuse(const function& target, hipError_t error, const char* format, Values... values) {
    char reason[256];
    std::snprintf(reason, sizeof(reason), format, values...);
    std::fprintf(stderr, "r9v-emulator: launch of %s refused: %s.\n",
                 target.image().display_name.c_str(), reason);
    return error;
}

std::array<std::uint32_t, 3> array_of(dim3 d) {
    return {d.x, d.y, d.z};
}

std::uint16_t used_dimensions(const kernel_operation& work) {
    if (work.blocks.z * work.threads.z > 1) return 3;
    return work.blocks.y * work.threads.y > 1 ? 2 : 1;
}

std::uint64_t hidden_value(loader::argument_kind kind, const kernel_operation& work) {
    using enum loader::argument_kind;
    switch (kind) {
    case block_count_x:
        return work.blocks.x;
    case block_count_y:
        return work.blocks.y;
    case block_count_z:
        return work.blocks.z;
    case group_size_x:
        return work.threads.x;
    case group_size_y:
        return work.threads.y;
    case group_size_z:
        return work.threads.z;
    case grid_dims:
        return used_dimensions(work);
    case dynamic_lds_size:
        return work.dynamic_lds;
    case hostcall_buffer:
        return hostcall::instance().buffer();
    case private_base:
        return 0;
    case shared_base:
        return 0;
    default:
        return 0; // remainders and offsets: grids are whole blocks from the origin
    }
}

void write_arguments(const kernel_operation& work) {
    const auto& metadata = work.target->kernel->metadata;
    if (work.target->kernarg == 0) return;
    auto* const buffer = device_memory().alias(work.target->kernarg);
    std::memcpy(buffer, work.arguments.data(), work.arguments.size());
    for (const auto& hidden : metadata.hidden) {
        const auto value = hidden_value(hidden.kind, work);
        std::memcpy(buffer + hidden.offset, &value, std::min<std::size_t>(hidden.size, 8));
    }
}

void write_packet(const kernel_operation& work, std::uint64_t address) {
    const auto& image = work.target->image();
    dispatch_packet packet = {};
    packet.header = packet_type_dispatch;
    packet.dimensions = used_dimensions(work);
    const auto blocks = array_of(work.blocks);
    const auto threads = array_of(work.threads);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        packet.threads[axis] = static_cast<std::uint16_t>(threads[axis]);
        packet.grid[axis] = blocks[axis] * threads[axis];
    }
    packet.scratch_bytes = image.scratch_bytes;
    packet.lds_bytes = image.lds_bytes + work.dynamic_lds;
    packet.kernel = image.entry;
    packet.arguments = work.target->kernarg;
    device_memory().write(address, &packet, sizeof(packet));
}

hipError_t check_shape(const function& target, dim3 blocks, dim3 threads, launch_face face) {
    const auto wrong =
        face == launch_face::module ? hipErrorInvalidValue : hipErrorInvalidConfiguration;
    const std::uint64_t count = std::uint64_t{threads.x} * threads.y * threads.z;
    if (std::uint64_t{blocks.x} * blocks.y * blocks.z == 0 || count == 0) {
        return refuse(target, wrong, "grid (%u, %u, %u) of blocks (%u, %u, %u) is empty", blocks.x,
                      blocks.y, blocks.z, threads.x, threads.y, threads.z);
    }
    if (threads.x > threads_per_block || threads.y > threads_per_block ||
        threads.z > threads_per_block || count > threads_per_block) {
        return refuse(target, wrong, "a block of (%u, %u, %u) threads is larger than %u", threads.x,
                      threads.y, threads.z, threads_per_block);
    }
    if (blocks.y > largest_grid_yz || blocks.z > largest_grid_yz ||
        std::uint64_t{blocks.x} * threads.x > 0xffffffffU) {
        return refuse(target, wrong,
                      "grid (%u, %u, %u) is too large: y and z reach to %u, x times its threads "
                      "to 2^32 - 1",
                      blocks.x, blocks.y, blocks.z, largest_grid_yz);
    }
    if (count > target.image().max_threads) {
        return refuse(target, hipErrorLaunchFailure,
                      "blocks of %u threads, its launch bounds allow %u",
                      static_cast<unsigned>(count), target.image().max_threads);
    }
    return hipSuccess;
}

} // namespace

hipError_t check_launch(const function& target, dim3 blocks, dim3 threads, std::size_t dynamic_lds,
                        launch_face face) {
    const auto shape = check_shape(target, blocks, threads, face);
    if (shape != hipSuccess) return shape;
    const auto total = dynamic_lds + target.image().lds_bytes;
    if (dynamic_lds > lds_bytes_per_group || total > lds_bytes_per_group) {
        return refuse(target, hipErrorInvalidValue, "%zu bytes of LDS are more than %u", total,
                      lds_bytes_per_group);
    }
    return hipSuccess;
}

std::vector<std::byte> pack_arguments(const function& target, void** arguments) {
    const auto& described = target.kernel->metadata.arguments;
    if (described.empty()) return {};
    std::vector<std::byte> packed(described.back().offset + described.back().size);
    for (std::size_t i = 0; i < described.size(); ++i) {
        std::memcpy(packed.data() + described[i].offset, arguments[i], described[i].size);
    }
    return packed;
}

hipError_t pack_buffer(const function& target, void** extra, std::vector<std::byte>& packed) {
    const std::byte* buffer = nullptr;
    std::size_t size = 0;
    for (int i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = static_cast<const std::byte*>(extra[i + 1]);
        } else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
            size = *static_cast<const std::size_t*>(extra[i + 1]);
        } else {
            return hipErrorInvalidValue;
        }
    }
    const auto& described = target.kernel->metadata.arguments;
    const std::size_t needed =
        described.empty() ? 0 : std::size_t{described.back().offset} + described.back().size;
    if (size < needed || (needed != 0 && !buffer)) return hipErrorInvalidValue;
    packed.assign(buffer, buffer + needed);
    return hipSuccess;
}

void perform(const kernel_operation& work) {
    auto& log = launch_log::instance();
    if (log.sticky() != hipSuccess) return;
    auto& the_runtime = runtime::instance();
    launch_request request;
    request.device = work.target->device;
    request.peers = [](unsigned device, unsigned peer) {
        return runtime::instance().may_access(device, peer);
    };
    request.kernel = &work.target->image();
    std::ranges::copy(array_of(work.blocks), request.blocks);
    std::ranges::copy(array_of(work.threads), request.threads);
    request.dynamic_lds_bytes = work.dynamic_lds;
    request.kernarg = work.target->kernarg;
    request.on_message = hostcall::on_message;
    request.message_context = &hostcall::instance();

    const std::lock_guard lock(the_runtime.execution());
    request.dispatch_packet = the_runtime.dispatch_packet();
    write_arguments(work);
    write_packet(work, request.dispatch_packet);
    auto options = the_runtime.options();
    auto& timing = clock::stopwatch::instance();
    std::unique_ptr<clock::launch_trace> trace;
    if (timing.on()) trace = timing.prepare(request, options);
    auto result = execute(device_memory(), request, options);
    if (trace && result.faults.empty())
        timing.enter(device_memory(), request, result.counts, std::move(trace));
    log.enter(request, std::move(result));
}

int resident_blocks(const function& target, unsigned threads, std::size_t dynamic_lds) {
    const auto waves = (threads + wave_size - 1) / wave_size;
    if (waves == 0) return 0;
    constexpr unsigned granule = 24;
    const auto vgprs = std::max(1U, target.image().vgprs);
    const auto allocated = (vgprs + granule - 1) / granule * granule;
    const auto per_simd = std::min(waves_per_simd, registers_per_simd / allocated);
    auto blocks = per_simd * simds_per_processor / waves;
    const auto lds = target.image().lds_bytes + dynamic_lds;
    if (lds > lds_bytes_per_group) return 0;
    if (lds != 0) {
        blocks = std::min(blocks, static_cast<unsigned>(lds_bytes_per_processor / lds));
    }
    return static_cast<int>(std::min(blocks, 32U));
}

} // namespace r9v_emulator::hip
