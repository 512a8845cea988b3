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
};

const device_description& chosen_device() {
    const char* const wanted = std::getenv("R9V_EMULATOR_DEVICE");
    if (!wanted || !*wanted) return devices.front();
    for (const auto& device : devices) {
        if (std::string_view(device.key) == wanted) return device;
    }
    std::fprintf(stderr,
                 "r9v-emulator: R9V_EMULATOR_DEVICE=%s is not known. Write 9070xt, 9060xt or "
                 "r9700.\n",
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

} // namespace

const device_description& current_device() {
    static const device_description& device = chosen_device();
    return device;
}

hipDeviceProp_t properties_of(const device_description& device) {
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
    p.major = 12;
    p.multiProcessorCount = device.work_group_processors;
    p.l2CacheSize = device.l2_bytes;
    p.maxThreadsPerMultiProcessor =
        static_cast<int>(waves_per_simd * simds_per_processor * wave_size);
    p.clockInstructionRate = 100000;
    p.arch = features();
    p.concurrentKernels = 1;
    p.pciBusID = 3;
    p.canMapHostMemory = 1;
    p.gcnArch = std::atoi(device.target + 3);
    p.cooperativeLaunch = 1;
    p.memPitch = 2147483647;
    p.textureAlignment = p.texturePitchAlignment = 256;
    p.isLargeBar = 0;
    p.managedMemory = 1;
    return p;
}

hipError_t attribute_of(const device_description& device, hipDeviceAttribute_t attribute,
                        int& value) {
    const auto p = properties_of(device);
    switch (attribute) {
    case hipDeviceAttributeEccEnabled:
        value = 0;
        break;
    case hipDeviceAttributeAsyncEngineCount:
        value = 2;
        break;
    case hipDeviceAttributeCanMapHostMemory:
        value = 1;
        break;
    case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
        value = 1;
        break;
    case hipDeviceAttributeClockRate:
        value = p.clockRate;
        break;
    case hipDeviceAttributeComputeMode:
        value = hipComputeModeDefault;
        break;
    case hipDeviceAttributeComputePreemptionSupported:
        value = 1;
        break;
    case hipDeviceAttributeConcurrentKernels:
        value = 1;
        break;
    case hipDeviceAttributeConcurrentManagedAccess:
        value = 0;
        break;
    case hipDeviceAttributeCooperativeLaunch:
        value = p.cooperativeLaunch;
        break;
    case hipDeviceAttributeCooperativeMultiDeviceLaunch:
        value = 0;
        break;
    case hipDeviceAttributeDirectManagedMemAccessFromHost:
        value = 0;
        break;
    case hipDeviceAttributeHostNativeAtomicSupported:
        value = 0;
        break;
    case hipDeviceAttributeIntegrated:
        value = 0;
        break;
    case hipDeviceAttributeIsMultiGpuBoard:
        value = 0;
        break;
    case hipDeviceAttributeKernelExecTimeout:
        value = 0;
        break;
    case hipDeviceAttributeL2CacheSize:
        value = p.l2CacheSize;
        break;
    case hipDeviceAttributeComputeCapabilityMajor:
        value = p.major;
        break;
    case hipDeviceAttributeComputeCapabilityMinor:
        value = p.minor;
        break;
    case hipDeviceAttributeManagedMemory:
        value = p.managedMemory;
        break;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
        value = 32;
        break;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
    case hipDeviceAttributeMaxThreadsDim:
    case hipDeviceAttributeMaxThreadsPerBlock:
        value = p.maxThreadsPerBlock;
        break;
    case hipDeviceAttributeMaxGridDimX:
        value = p.maxGridSize[0];
        break;
    case hipDeviceAttributeMaxGridDimY:
        value = p.maxGridSize[1];
        break;
    case hipDeviceAttributeMaxGridDimZ:
        value = p.maxGridSize[2];
        break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
        value = p.maxThreadsPerMultiProcessor;
        break;
    case hipDeviceAttributeMaxPitch:
        value = static_cast<int>(p.memPitch);
        break;
    case hipDeviceAttributeMemoryBusWidth:
        value = p.memoryBusWidth;
        break;
    case hipDeviceAttributeMemoryClockRate:
        value = p.memoryClockRate;
        break;
    case hipDeviceAttributeMultiprocessorCount:
        value = p.multiProcessorCount;
        break;
    case hipDeviceAttributePageableMemoryAccess:
    case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
        value = 0;
        break;
    case hipDeviceAttributePciBusId:
        value = p.pciBusID;
        break;
    case hipDeviceAttributePciDeviceId:
        value = p.pciDeviceID;
        break;
    case hipDeviceAttributePciDomainID:
        value = p.pciDomainID;
        break;
    case hipDeviceAttributeMaxRegistersPerBlock:
    case hipDeviceAttributeMaxRegistersPerMultiprocessor:
        value = p.regsPerBlock;
        break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeSharedMemPerBlockOptin:
    case hipDeviceAttributeSharedMemPerMultiprocessor:
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
        value = static_cast<int>(lds_bytes_per_group);
        break;
    case hipDeviceAttributeReservedSharedMemPerBlock:
        value = 0;
        break;
    case hipDeviceAttributeStreamPrioritiesSupported:
        value = 1;
        break;
    case hipDeviceAttributeTextureAlignment:
    case hipDeviceAttributeTexturePitchAlignment:
        value = 256;
        break;
    case hipDeviceAttributeTotalConstantMemory:
        value = static_cast<int>(p.totalConstMem);
        break;
    case hipDeviceAttributeUnifiedAddressing:
        value = 1;
        break;
    case hipDeviceAttributeWarpSize:
        value = p.warpSize;
        break;
    case hipDeviceAttributeMemoryPoolsSupported:
        value = 1;
        break;
    case hipDeviceAttributeClockInstructionRate:
        value = p.clockInstructionRate;
        break;
    case hipDeviceAttributeGcnArch:
        value = p.gcnArch;
        break;
    case hipDeviceAttributeIsLargeBar:
        value = p.isLargeBar;
        break;
    case hipDeviceAttributeAsicRevision:
        value = p.asicRevision;
        break;
    case hipDeviceAttributeCanUseStreamWaitValue:
        value = 0;
        break;
    case hipDeviceAttributeImageSupport:
        value = 0;
        break;
    case hipDeviceAttributePhysicalMultiProcessorCount:
        value = p.multiProcessorCount;
        break;
    case hipDeviceAttributeFineGrainSupport:
        value = 0;
        break;
    default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

} // namespace r9v_emulator::hip
