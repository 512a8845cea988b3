// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/module.hpp"

#include "hip/device.hpp"
#include "hip/runtime.hpp"
#include "loader/bundle.hpp"

namespace r9v_emulator::hip {

module::~module() {
    for (const placed& there : placed_)
        for (const auto& [name, kernel] : there.functions)
            if (kernel->kernarg != 0) device_memory().release(kernel->kernarg);
}

void module::load(unsigned device) {
    const std::lock_guard lock(mutex_);
    placed& there = placed_[device];
    if (there.code) return;
    auto selected = loader::select_code_object(bundle_, current_device().target);
    there.code =
        std::make_unique<loader::code_object>(device_memory(), std::move(selected.image), device);
    connect_managed(*there.code);
    protect_constants(*there.code);
    for (const auto& kernel : there.code->kernels())
        there.functions.emplace(kernel.image.name, make_function(kernel, device));
}

/// A managed variable's device symbol holds the address of memory that both sides see.
void module::connect_managed(const loader::code_object& code) {
    for (const auto& variable : managed_) {
        const auto* const symbol = code.variable(variable.name);
        if (symbol) device_memory().write(symbol->address, &variable.address, 8);
    }
}

void module::protect_constants(const loader::code_object& code) {
    for (const auto& name : constants_) {
        const auto* const symbol = code.variable(name);
        if (symbol && symbol->size) device_memory().mark_constant(symbol->address, symbol->size);
    }
}

std::unique_ptr<function> module::make_function(const loader::loaded_kernel& kernel,
                                                unsigned device) {
    auto result = std::make_unique<function>();
    result->device = device;
    result->kernel = &kernel;
    if (kernel.metadata.kernarg_bytes == 0) return result;
    auto& memory = device_memory();
    // As the hardware's queues have it: compilers widen loads up to the next 16 bytes.
    const auto bytes = (std::uint64_t{kernel.metadata.kernarg_bytes} + 15) / 16 * 16;
    result->kernarg =
        memory.allocate(bytes, 64, "arguments of " + kernel.image.display_name, false, device);
    if (result->kernarg == 0) throw loader::load_error("device memory is too small for arguments");
    // Written before each launch, through the alias. Gaps count as written, too: code that takes a
    // byte out of a word loads the word.
    memory.mark_written(result->kernarg, bytes);
    return result;
}

function* module::find_function(const std::string& name, unsigned device) {
    load(device);
    const auto& functions = placed_[device].functions;
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second.get();
}

const loader::loaded_variable* module::find_variable(const std::string& name, unsigned device) {
    load(device);
    return placed_[device].code->variable(name);
}

std::vector<const kernel_image*> module::kernels() {
    const std::lock_guard lock(mutex_);
    std::vector<const kernel_image*> result;
    for (const placed& there : placed_)
        for (const auto& [name, kernel] : there.functions)
            result.push_back(&kernel->image());
    return result;
}

registry& registry::instance() {
    static auto& the_registry = *new registry;
    return the_registry;
}

module* registry::add_bundle(const void* bundle) {
    const std::unique_lock lock(mutex_);
    auto owned = std::make_unique<module>(bundle);
    auto* const result = owned.get();
    modules_.emplace(result, std::move(owned));
    return result;
}

void registry::remove_bundle(module* owner) {
    const std::unique_lock lock(mutex_);
    std::erase_if(functions_, [&](const auto& entry) { return entry.second.owner == owner; });
    std::erase_if(variables_, [&](const auto& entry) { return entry.second.owner == owner; });
    modules_.erase(owner);
}

void registry::add_function(module* owner, const void* stub, const char* name) {
    const std::unique_lock lock(mutex_);
    // Units that instantiate the same template share a stub; the first one's code serves all.
    const auto [entry, added] = functions_.try_emplace(stub);
    if (!added) return;
    entry->second.owner = owner;
    entry->second.name = name;
}

void registry::add_variable(module* owner, const void* shadow, const char* name, bool constant) {
    const std::unique_lock lock(mutex_);
    if (constant) owner->add_constant(name);
    variables_.try_emplace(shadow, registered_variable{owner, name, {}});
}

void registry::add_managed(module* owner, void** host_pointer, const void* initial,
                           const char* name, std::uint64_t size, unsigned alignment) {
    auto& memory = device_memory();
    const auto address = memory.allocate(size, std::max(alignment, 16U), name, true);
    memory.write(address, initial, size);
    *host_pointer = pointer_to(address);
    const std::unique_lock lock(mutex_);
    owner->add_managed({name, address});
    variables_.try_emplace(host_pointer, registered_variable{owner, name, {address, size}});
}

function* registry::find_function(const void* stub, unsigned device) {
    const std::shared_lock lock(mutex_);
    const auto found = functions_.find(stub);
    if (found == functions_.end()) return nullptr;
    auto& entry = found->second;
    auto& known = entry.resolved[device];
    if (auto* const resolved = known.load(std::memory_order_acquire)) return resolved;
    auto* const resolved = entry.owner->find_function(entry.name, device);
    if (!resolved) throw loader::load_error("kernel " + entry.name + " is not in the code object");
    known.store(resolved, std::memory_order_release);
    return resolved;
}

const loader::loaded_variable* registry::find_variable(const void* shadow) {
    const std::shared_lock lock(mutex_);
    const auto found = variables_.find(shadow);
    if (found == variables_.end()) return nullptr;
    const auto& variable = found->second;
    if (variable.managed.address != 0) return &variable.managed;
    return variable.owner->find_variable(variable.name, selected_device());
}

std::vector<const kernel_image*> registry::kernels() {
    const std::shared_lock lock(mutex_);
    std::vector<const kernel_image*> result;
    for (const auto& [handle, owned] : modules_) {
        const auto more = owned->kernels();
        result.insert(result.end(), more.begin(), more.end());
    }
    return result;
}

const char* registry::name_of(const void* stub) {
    const std::shared_lock lock(mutex_);
    const auto found = functions_.find(stub);
    return found == functions_.end() ? nullptr : found->second.name.c_str();
}

} // namespace r9v_emulator::hip
