// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/device.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace r9v_emulator::hip {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr int mebibyte = 1 << 20;

constexpr std::array devices = {
    device_description{"9070xt", "AMD Radeon RX 9070 XT", "gfx1201", 32, 16 * gibibyte, 2970000,
                       1258000, 256, 8 * mebibyte},
    device_description{"9060xt", "AMD Radeon RX 9060 XT", "gfx1200", 16, 16 * gibibyte, 3130000,
                       1258000, 128, 4 * mebibyte},
    device_description{"r9700", "AMD Radeon AI PRO R9700", "gfx1201", 32, 32 * gibibyte, 2920000,
                       1258000, 256, 8 * mebibyte},
    device_description{"7900xtx", "AMD Radeon RX 7900 XTX", "gfx1100", 48, 24 * gibibyte, 2499000,
                       1249000, 384, 6 * mebibyte},
    device_description{"7900xt", "AMD Radeon RX 7900 XT", "gfx1100", 42, 20 * gibibyte, 2394000,
                       1249000, 320, 6 * mebibyte},
};

const device_description& chosen_device() {
    const char* const wanted = std::getenv("R9V_EMULATOR_DEVICE");
    if (!wanted || !*wanted) return devices.front();
    for (const auto& device : devices) {
        if (std::string_view(device.key) == wanted) return device;
    }
    std::fprintf(stderr,
                 "r9v-emulator: R9V_EMULATOR_DEVICE=%s is not known. Write 9070xt, 9060xt, "
                 "r9700, 7900xtx or 7900xt.\n",
                 wanted);
    _exit(2);
}

hipDeviceArch_t features() {
    hipDeviceArch_t arch = {};
    arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = arch.hasSharedInt32Atomics = 1;
    arch.hasSharedFloatAtomicExch = arch.hasFloatAtomicAdd = arch.hasGlobalInt64Atomics = 1;
    arch.hasSharedInt64Atomics = arch.hasDoubles = arch.hasWarpVote = arch.hasWarpBallot = 1;
    arch.hasWarpShuffle = arch.hasThreadFenceSystem = arch.hasSyncThreadsExt = arch.has3dGrid = 1;
    return arch;
}

template<std::size_t Size>
void assign(char (&target)[Size], const char* text) {
    std::strncpy(target, text, Size - 1);
}

using described_attribute = std::pair<hipDeviceAttribute_t, int hipDeviceProp_t::*>;
constexpr described_attribute described_attributes[] = {
    {hipDeviceAttributeClockRate, &hipDeviceProp_t::clockRate},
    {hipDeviceAttributeCooperativeLaunch, &hipDeviceProp_t::cooperativeLaunch},
    {hipDeviceAttributeL2CacheSize, &hipDeviceProp_t::l2CacheSize},
    {hipDeviceAttributeComputeCapabilityMajor, &hipDeviceProp_t::major},
    {hipDeviceAttributeComputeCapabilityMinor, &hipDeviceProp_t::minor},
    {hipDeviceAttributeManagedMemory, &hipDeviceProp_t::managedMemory},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, &hipDeviceProp_t::maxThreadsPerMultiProcessor},
    {hipDeviceAttributeMemoryBusWidth, &hipDeviceProp_t::memoryBusWidth},
    {hipDeviceAttributeMemoryClockRate, &hipDeviceProp_t::memoryClockRate},
    {hipDeviceAttributeMultiprocessorCount, &hipDeviceProp_t::multiProcessorCount},
    {hipDeviceAttributePhysicalMultiProcessorCount, &hipDeviceProp_t::multiProcessorCount},
    {hipDeviceAttributePciBusId, &hipDeviceProp_t::pciBusID},
    {hipDeviceAttributePciDeviceId, &hipDeviceProp_t::pciDeviceID},
    {hipDeviceAttributePciDomainID, &hipDeviceProp_t::pciDomainID},
    {hipDeviceAttributeMaxRegistersPerBlock, &hipDeviceProp_t::regsPerBlock},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, &hipDeviceProp_t::regsPerBlock},
    {hipDeviceAttributeWarpSize, &hipDeviceProp_t::warpSize},
    {hipDeviceAttributeClockInstructionRate, &hipDeviceProp_t::clockInstructionRate},
    {hipDeviceAttributeGcnArch, &hipDeviceProp_t::gcnArch},
    {hipDeviceAttributeIsLargeBar, &hipDeviceProp_t::isLargeBar},
    {hipDeviceAttributeAsicRevision, &hipDeviceProp_t::asicRevision},
};

constexpr int lds = static_cast<int>(lds_bytes_per_group);
constexpr int largest_block = static_cast<int>(threads_per_block);
using constant_attribute = std::pair<hipDeviceAttribute_t, int>;
constexpr constant_attribute constant_attributes[] = {
    {hipDeviceAttributeEccEnabled, 0},
    {hipDeviceAttributeAsyncEngineCount, 2},
    {hipDeviceAttributeCanMapHostMemory, 1},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1},
    {hipDeviceAttributeComputeMode, hipComputeModeDefault},
    {hipDeviceAttributeComputePreemptionSupported, 1},
    {hipDeviceAttributeConcurrentKernels, 1},
    {hipDeviceAttributeConcurrentManagedAccess, 0},
    {hipDeviceAttributeCooperativeMultiDeviceLaunch, 0},
    {hipDeviceAttributeDirectManagedMemAccessFromHost, 0},
    {hipDeviceAttributeHostNativeAtomicSupported, 0},
    {hipDeviceAttributeIntegrated, 0},
    {hipDeviceAttributeIsMultiGpuBoard, 0},
    {hipDeviceAttributeKernelExecTimeout, 0},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor, 32},
    {hipDeviceAttributeMaxBlockDimX, largest_block},
    {hipDeviceAttributeMaxBlockDimY, largest_block},
    {hipDeviceAttributeMaxBlockDimZ, largest_block},
    {hipDeviceAttributeMaxThreadsDim, largest_block},
    {hipDeviceAttributeMaxThreadsPerBlock, largest_block},
    {hipDeviceAttributeMaxGridDimX, std::numeric_limits<int>::max()},
    {hipDeviceAttributeMaxGridDimY, largest_grid_yz},
    {hipDeviceAttributeMaxGridDimZ, largest_grid_yz},
    {hipDeviceAttributeMaxPitch, std::numeric_limits<int>::max()},
    {hipDeviceAttributePageableMemoryAccess, 0},
    {hipDeviceAttributePageableMemoryAccessUsesHostPageTables, 0},
    {hipDeviceAttributeMaxSharedMemoryPerBlock, lds},
    {hipDeviceAttributeSharedMemPerBlockOptin, lds},
    {hipDeviceAttributeSharedMemPerMultiprocessor, lds},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, lds},
    {hipDeviceAttributeReservedSharedMemPerBlock, 0},
    {hipDeviceAttributeStreamPrioritiesSupported, 1},
    {hipDeviceAttributeTextureAlignment, 256},
    {hipDeviceAttributeTexturePitchAlignment, 256},
    {hipDeviceAttributeTotalConstantMemory, std::numeric_limits<int>::max()},
    {hipDeviceAttributeUnifiedAddressing, 1},
    {hipDeviceAttributeMemoryPoolsSupported, 1},
    {hipDeviceAttributeCanUseStreamWaitValue, 0},
    {hipDeviceAttributeImageSupport, 0},
    {hipDeviceAttributeFineGrainSupport, 0},
};

} // namespace

const device_description& current_device() {
    static const device_description& device = chosen_device();
    return device;
}

hipDeviceProp_t properties_of(const device_description& device, int ordinal) {
    hipDeviceProp_t p = {};
    assign(p.name, device.name);
    assign(p.gcnArchName, device.target);
    p.totalGlobalMem = device.memory_bytes;
    p.sharedMemPerBlock = lds_bytes_per_group;
    p.maxSharedMemoryPerMultiProcessor = lds_bytes_per_group;
    p.regsPerBlock = static_cast<int>(registers_per_simd * wave_size * simds_per_processor);
    p.warpSize = wave_size;
    p.maxThreadsPerBlock = threads_per_block;
    for (int& limit : p.maxThreadsDim)
        limit = threads_per_block;
    p.maxGridSize[0] = std::numeric_limits<int>::max();
    p.maxGridSize[1] = p.maxGridSize[2] = static_cast<int>(largest_grid_yz);
    p.clockRate = device.clock_khz;
    p.memoryClockRate = device.memory_clock_khz;
    p.memoryBusWidth = device.bus_bits;
    p.totalConstMem = 2147483647;
    p.major = std::atoi(device.target + 3) / 100;
    p.multiProcessorCount = device.work_group_processors;
    p.l2CacheSize = device.l2_bytes;
    p.maxThreadsPerMultiProcessor =
        static_cast<int>(waves_per_simd * simds_per_processor * wave_size);
    p.clockInstructionRate = 100000;
    p.arch = features();
    p.concurrentKernels = 1;
    p.pciBusID = first_bus + ordinal;
    p.canMapHostMemory = 1;
    p.gcnArch = std::atoi(device.target + 3);
    p.cooperativeLaunch = 1;
    p.memPitch = 2147483647;
    p.textureAlignment = p.texturePitchAlignment = 256;
    p.isLargeBar = 0;
    p.managedMemory = 1;
    return p;
}

hipError_t attribute_of(const device_description& device, int ordinal,
                        hipDeviceAttribute_t attribute, int& value) {
    const auto properties = properties_of(device, ordinal);
    for (const auto& [known, member] : described_attributes) {
        if (known != attribute) continue;
        value = properties.*member;
        return hipSuccess;
    }
    for (const auto& [known, constant] : constant_attributes) {
        if (known != attribute) continue;
        value = constant;
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

} // namespace r9v_emulator::hip
