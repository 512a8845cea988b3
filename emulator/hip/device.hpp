// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The card that is emulated: R9V_EMULATOR_DEVICE picks which.
#pragma once

#include <cstdint>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {

/// Figures of one product (AMD's specification pages).
struct device_description {
    const char* key; ///< value of R9V_EMULATOR_DEVICE
    const char* name;
    const char* target;        ///< gfx1201
    int work_group_processors; ///< ROCm reports these as multiprocessors: two compute units each
    std::uint64_t memory_bytes;
    int clock_khz;
    int memory_clock_khz;
    int bus_bits;
    int l2_bytes;
};

constexpr unsigned lds_bytes_per_group = 64 * 1024;
constexpr unsigned lds_bytes_per_processor = 128 * 1024;
constexpr unsigned threads_per_block = 1024;
constexpr unsigned registers_per_simd = 1536; ///< vector registers of one wave32 lane group
constexpr unsigned simds_per_processor = 4;
constexpr unsigned waves_per_simd = 16;
constexpr unsigned wave_size = 32;
constexpr std::uint32_t largest_grid_yz = 65535;

constexpr int first_bus = 3; ///< PCI bus of device 0

/// What every emulated device is. An unknown R9V_EMULATOR_DEVICE ends the process with a message.
const device_description& current_device();

hipDeviceProp_t properties_of(const device_description& device, int ordinal);

/// The value of an attribute, or hipErrorInvalidValue.
hipError_t attribute_of(const device_description& device, int ordinal,
                        hipDeviceAttribute_t attribute, int& value);

} // namespace r9v_emulator::hip
