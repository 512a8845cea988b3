// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What clang's host code calls before main and around each <<<>>> launch. These run before our own
// constructors: all state lives in function-local statics.

#include "hip/module.hpp"
#include "hip/runtime.hpp"
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

/// What clang emits for each fat binary.
struct binary_wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* bundle;
    void* unused;
};
constexpr std::uint32_t binary_magic = 0x48495046; // "HIPF"

struct call_configuration {
    dim3 blocks, threads;
    std::size_t dynamic_lds = 0;
    hipStream_t stream = nullptr;
};

std::vector<call_configuration>& pushed_configurations() {
    thread_local std::vector<call_configuration> stack;
    return stack;
}

module* module_of(void** handle) {
    return reinterpret_cast<module*>(handle);
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

void** __hipRegisterFatBinary(const void* data) {
    const auto& wrapper = *static_cast<const binary_wrapper*>(data);
    if (wrapper.magic != binary_magic || wrapper.version != 1) {
        std::fprintf(stderr, "r9v-emulator: the program registers an unknown kind of fat binary. "
                             "Compile it with clang's -x hip.\n");
        std::abort();
    }
    runtime::instance();
    return reinterpret_cast<void**>(registry::instance().add_bundle(wrapper.bundle));
}

void __hipUnregisterFatBinary(void** handle) {
    registry::instance().remove_bundle(module_of(handle));
}

void __hipRegisterFunction(void** handle, const void* stub, char*, const char* name, unsigned,
                           void*, void*, dim3*, dim3*, int*) {
    registry::instance().add_function(module_of(handle), stub, name);
}

void __hipRegisterVar(void** handle, void* shadow, char*, const char* name, int, std::size_t,
                      int constant, int) {
    registry::instance().add_variable(module_of(handle), shadow, name, constant != 0);
}

void __hipRegisterManagedVar(void** handle, void** pointer, void* initial, const char* name,
                             std::size_t size, unsigned alignment) {
    registry::instance().add_managed(module_of(handle), pointer, initial, name, size, alignment);
}

// Textures and surfaces do not exist on the emulated device; a kernel that uses one faults there.
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}

hipError_t __hipPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t dynamic_lds,
                                      hipStream_t stream) {
    pushed_configurations().push_back({blocks, threads, dynamic_lds, stream});
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* blocks, dim3* threads, std::size_t* dynamic_lds,
                                     hipStream_t* stream) {
    auto& stack = pushed_configurations();
    if (stack.empty()) return hipErrorMissingConfiguration;
    *blocks = stack.back().blocks;
    *threads = stack.back().threads;
    *dynamic_lds = stack.back().dynamic_lds;
    *stream = stack.back().stream;
    stack.pop_back();
    return hipSuccess;
}

} // extern "C"
