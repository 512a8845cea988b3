// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Places a code object in device memory: segments, relocations, kernels and variables.
#pragma once

#include "device/launch.hpp"
#include "loader/bytes.hpp"
#include "loader/elf.hpp"
#include "loader/metadata.hpp"
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator {

class memory;

namespace loader {

/// A kernel as the execution core and as the runtime see it.
struct loaded_kernel {
    kernel_image image;
    kernel_metadata metadata;
};

/// A `__device__`, `__constant__` or `__managed__` variable in device memory.
struct loaded_variable {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
};

/// One code object, loaded for as long as this value lives.
class code_object {
public:
    /// Throws load_error where the image cannot be used.
    code_object(memory& device_memory, std::vector<std::byte> image, unsigned device = 0);
    ~code_object();
    code_object(const code_object&) = delete;
    code_object& operator=(const code_object&) = delete;

    const std::string& target() const { return target_; }
    const std::deque<loaded_kernel>& kernels() const { return kernels_; }
    const std::map<std::string, loaded_variable, std::less<>>& variables() const {
        return variables_;
    }
    /// The kernel with this mangled name, or null.
    const loaded_kernel* kernel(std::string_view name) const;
    /// The variable with this mangled name, or null.
    const loaded_variable* variable(std::string_view name) const;

private:
    void place_segments(unsigned device);
    void protect_segments();
    void relocate();
    void apply(const elf_relocation& relocation);
    void find_kernels(const object_metadata& metadata);
    void read_descriptor(loaded_kernel& kernel) const;
    void find_variables();

    memory& memory_;
    std::vector<std::byte> image_;
    elf_image elf_;
    std::string target_;
    std::uint64_t base_ = 0; ///< device address of the lowest segment
    std::uint64_t load_bias_ = 0;
    std::deque<loaded_kernel> kernels_;
    std::map<std::string, loaded_variable, std::less<>> variables_;
};

} // namespace loader
} // namespace r9v_emulator
