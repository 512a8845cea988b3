// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Modules: the program's own fat binary, found in its image, loaded a second time by hand.

#include "support.hpp"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <link.h>

extern "C" {
__device__ int module_value = 11;
__global__ void module_kernel(int* out, int factor) {
    *out = module_value * factor;
}
}

namespace {

constexpr const char* bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";

/// The bundle among this program's segments that holds `name`.
const char* find_bundle(const char* name) {
    struct search {
        const char* name;
        const char* found = nullptr;
    } wanted{name};
    const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
        auto& result = *static_cast<search*>(data);
        if (*info->dlpi_name) return 0; // the program itself has no name
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& header = info->dlpi_phdr[i];
            if (header.p_type != PT_LOAD || (header.p_flags & PF_X) != 0) continue;
            const auto* const begin =
                reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
            const auto* at = static_cast<const char*>(
                memmem(begin, header.p_filesz, bundle_magic, std::strlen(bundle_magic)));
            while (at) {
                const auto rest = header.p_filesz - static_cast<std::size_t>(at - begin);
                const auto* const next = static_cast<const char*>(
                    memmem(at + 1, rest - 1, bundle_magic, std::strlen(bundle_magic)));
                const auto size = next ? static_cast<std::size_t>(next - at) : rest;
                if (memmem(at, size, result.name, std::strlen(result.name)) &&
                    memmem(at, size, "hipv4-amdgcn", 12)) {
                    result.found = at;
                    return 1;
                }
                at = next;
            }
        }
        return 0;
    };
    dl_iterate_phdr(look, &wanted);
    return wanted.found;
}

TEST(Module, LoadsAndLaunches) {
    const auto* const bundle = find_bundle("module_kernel.kd");
    ASSERT_NE(bundle, nullptr);
    hipModule_t module;
    R9V_HIP(hipModuleLoadData(&module, bundle));
    hipFunction_t kernel;
    R9V_HIP(hipModuleGetFunction(&kernel, module, "module_kernel"));
    R9V_HIP_IS(hipErrorNotFound, hipModuleGetFunction(&kernel, module, "no_such_kernel"));
    R9V_HIP(hipModuleGetFunction(&kernel, module, "module_kernel"));
    void* variable = nullptr;
    std::size_t size = 0;
    R9V_HIP(hipModuleGetGlobal(&variable, &size, module, "module_value"));
    EXPECT_EQ(size, sizeof(int));
    R9V_HIP(hipMemsetD32(variable, 6, 1));

    const device_array<int> out(1);
    int* pointer = out.data();
    int factor = 7;
    void* arguments[] = {&pointer, &factor};
    R9V_HIP(hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT_EQ(out.host()[0], 42) << "the module has its own variable";

    struct {
        int* out;
        int factor;
    } buffer{pointer, 9};
    std::size_t buffer_size = sizeof(buffer);
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &buffer_size, HIP_LAUNCH_PARAM_END};
    R9V_HIP(hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    EXPECT_EQ(out.host()[0], 54);
    R9V_HIP_IS(hipErrorInvalidValue,
               hipModuleLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    R9V_HIP_IS(hipErrorInvalidValue,
               hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra));
    int value = 0;
    R9V_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel));
    EXPECT_EQ(value, 1024);
    R9V_HIP(hipModuleUnload(module));
    R9V_HIP_IS(hipErrorInvalidHandle, hipModuleUnload(module));

    module_kernel<<<1, 1>>>(pointer, 2);
    EXPECT_EQ(out.host()[0], 22) << "the program's own copy was not touched";
}

TEST(Module, RefusesOtherData) {
    hipModule_t module;
    const std::vector<char> nonsense(8192, 'x');
    R9V_HIP_IS(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, nonsense.data()));
    R9V_HIP_IS(hipErrorFileNotFound, hipModuleLoad(&module, "/no/such/file.co"));
    R9V_HIP_IS(hipErrorInvalidValue, hipModuleLoadData(&module, nullptr));
}

} // namespace
