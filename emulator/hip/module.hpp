// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Programs' device code: fat binaries that host code registers before main, and modules that it
// loads itself. Both are placed on the device when they are first used.
#pragma once

#include "hip/runtime.hpp"
#include "loader/code_object.hpp"
#include <array>
#include <atomic>
#include <cstdint>
#include <hip/hip_runtime_api.h>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace r9v_emulator::hip {

/// A kernel that can be launched; what hipFunction_t points to.
struct function {
    const loader::loaded_kernel* kernel = nullptr;
    std::uint64_t kernarg = 0; ///< device address of its argument buffer, or 0 if it has none
    std::int64_t dynamic_lds_limit = -1; ///< set by hipFuncSetAttribute, negative if not
    unsigned device = 0;                 ///< that its code lies on

    const kernel_image& image() const { return kernel->image; }
};

/// One code object and its kernels, on each device that has used it; what hipModule_t points to.
class module {
public:
    /// A bundle in the program's own image, read when it is first needed.
    explicit module(const void* bundle) : bundle_(bundle) {}
    ~module();

    /// The kernel with this mangled name on a device, or null.
    function* find_function(const std::string& name, unsigned device);
    const loader::loaded_variable* find_variable(const std::string& name, unsigned device);

    /// The kernels of a module that is on the device; none before it is.
    std::vector<const kernel_image*> kernels();

    /// Places the code on the device now, if it is not there yet.
    void load(unsigned device);

    struct managed_variable {
        std::string name;
        std::uint64_t address = 0;
    };
    void add_managed(managed_variable variable) { managed_.push_back(std::move(variable)); }
    void add_constant(std::string name) { constants_.push_back(std::move(name)); }

private:
    struct placed {
        std::unique_ptr<loader::code_object> code;
        std::unordered_map<std::string, std::unique_ptr<function>> functions;
    };
    void connect_managed(const loader::code_object& code);
    void protect_constants(const loader::code_object& code);
    std::unique_ptr<function> make_function(const loader::loaded_kernel& kernel, unsigned device);

    std::mutex mutex_;
    const void* bundle_;
    std::array<placed, most_devices> placed_;
    std::vector<managed_variable> managed_;
    std::vector<std::string> constants_; ///< __constant__ variables, which kernels only read
};

/// What host code registered: stubs that stand for kernels, shadows that stand for variables.
class registry {
public:
    static registry& instance();

    module* add_bundle(const void* bundle);
    void remove_bundle(module* owner);
    void add_function(module* owner, const void* stub, const char* name);
    void add_variable(module* owner, const void* shadow, const char* name, bool constant);
    void add_managed(module* owner, void** host_pointer, const void* initial, const char* name,
                     std::uint64_t size, unsigned alignment);

    /// The kernel of a stub, or null where none was registered; on the selected device if none is
    /// given.
    function* find_function(const void* stub, unsigned device = selected_device());
    /// The variable of a shadow on the selected device, or null where none was registered.
    const loader::loaded_variable* find_variable(const void* shadow);
    /// All kernels that are on the device.
    std::vector<const kernel_image*> kernels();
    /// The mangled name of a stub's kernel, or null.
    const char* name_of(const void* stub);

private:
    struct registered_function {
        module* owner = nullptr;
        std::string name;
        std::array<std::atomic<function*>, most_devices> resolved = {};
    };
    struct registered_variable {
        module* owner = nullptr;
        std::string name;
        loader::loaded_variable managed; ///< address 0 where the code object holds the variable
    };

    std::shared_mutex mutex_;
    std::unordered_map<module*, std::unique_ptr<module>> modules_;
    std::unordered_map<const void*, registered_function> functions_;
    std::unordered_map<const void*, registered_variable> variables_;
};

} // namespace r9v_emulator::hip
