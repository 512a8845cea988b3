// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "loader/code_object.hpp"

#include "device/memory.hpp"
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace r9v_emulator::loader {
namespace {

enum relocation_type : std::uint32_t {
    relocation_none = 0,
    relocation_abs32_lo = 1,
    relocation_abs32_hi = 2,
    relocation_abs64 = 3,
    relocation_rel32 = 4,
    relocation_rel64 = 5,
    relocation_abs32 = 6,
    relocation_relative64 = 13,
};

/// The AMDHSA kernel descriptor, 64 bytes (LLVM, "User Guide for AMDGPU Backend").
struct kernel_descriptor {
    std::uint32_t lds_bytes;
    std::uint32_t scratch_bytes;
    std::uint32_t kernarg_bytes;
    std::uint32_t reserved_0;
    std::int64_t entry_offset;
    std::uint8_t reserved_1[20];
    std::uint32_t rsrc3;
    std::uint32_t rsrc1;
    std::uint32_t rsrc2;
    std::uint16_t properties;
    std::uint16_t kernarg_preload;
    std::uint32_t reserved_2;
};
static_assert(sizeof(kernel_descriptor) == 64);

constexpr std::uint64_t page = 4096;
constexpr std::uint16_t property_wave32 = 1 << 10;

std::string demangle(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? std::string(text.get()) : name;
}

} // namespace

code_object::code_object(memory& device_memory, std::vector<std::byte> image, unsigned device)
    : memory_(device_memory),
      image_(std::move(image)),
      elf_(parse_elf(image_)),
      target_(target_name(elf_.machine_flags)) {
    const auto metadata = parse_metadata(elf_.metadata);
    place_segments(device);
    try {
        relocate();
        find_kernels(metadata);
        find_variables();
        protect_segments();
    } catch (...) {
        memory_.release(base_);
        throw;
    }
}

code_object::~code_object() {
    memory_.release(base_);
}

void code_object::place_segments(unsigned device) {
    const auto first_page = elf_.begin / page * page;
    base_ = memory_.allocate(elf_.end - first_page, page, "code object", false, device);
    if (base_ == 0) throw load_error("device memory is too small for the code object");
    load_bias_ = base_ - first_page;
    for (const auto& segment : elf_.segments) {
        const auto address = segment.address + load_bias_;
        memory_.write(address, segment.contents.data(), segment.contents.size());
        const auto tail = segment.size - segment.contents.size();
        if (tail != 0) memory_.fill(address + segment.contents.size(), 0, 1, tail);
    }
}

/// Code and read-only data, once relocation has had its turn.
void code_object::protect_segments() {
    for (const auto& segment : elf_.segments)
        if (!segment.writable && segment.size != 0)
            memory_.mark_constant(segment.address + load_bias_, segment.size);
}

void code_object::relocate() {
    for (const auto& relocation : elf_.relocations)
        apply(relocation);
}

void code_object::apply(const elf_relocation& relocation) {
    const auto place = relocation.address + load_bias_;
    auto value = static_cast<std::uint64_t>(relocation.addend);
    if (relocation.type == relocation_relative64) {
        value += load_bias_;
    } else if (relocation.type != relocation_none) {
        if (relocation.symbol >= elf_.symbols.size()) {
            throw load_error("a relocation names a symbol that is not there");
        }
        const auto& symbol = elf_.symbols[relocation.symbol];
        if (!symbol.defined && !symbol.weak) {
            throw load_error("the code object uses '" + std::string(symbol.name) +
                             "', which it does not define. Link it with -fgpu-rdc");
        }
        value += symbol.defined ? symbol.address + load_bias_ : 0;
    }
    const auto store = [&](std::uint64_t bits, unsigned size) {
        if (!memory_.write(place, &bits, size)) {
            throw load_error("a relocation lies outside the code object");
        }
    };
    switch (relocation.type) {
    case relocation_none:
        return;
    case relocation_abs64:
    case relocation_relative64:
        return store(value, 8);
    case relocation_rel64:
        return store(value - place, 8);
    case relocation_abs32:
    case relocation_abs32_lo:
        return store(value, 4);
    case relocation_abs32_hi:
        return store(value >> 32, 4);
    case relocation_rel32:
        return store(value - place, 4);
    default:
        throw load_error("relocation type " + std::to_string(relocation.type) + " is not known");
    }
}

void code_object::read_descriptor(loaded_kernel& kernel) const {
    const auto* const symbol = elf_.find(kernel.metadata.descriptor);
    if (!symbol) throw load_error("kernel " + kernel.metadata.name + " has no descriptor");
    kernel_descriptor descriptor;
    const auto address = symbol->address + load_bias_;
    if (!memory_.read(&descriptor, address, sizeof(descriptor))) {
        throw load_error("the descriptor of kernel " + kernel.metadata.name +
                         " lies outside the code object");
    }
    auto& image = kernel.image;
    image.entry = address + static_cast<std::uint64_t>(descriptor.entry_offset);
    image.lds_bytes = descriptor.lds_bytes;
    image.scratch_bytes = descriptor.scratch_bytes;
    image.kernarg_bytes = descriptor.kernarg_bytes;
    image.rsrc1 = descriptor.rsrc1;
    image.rsrc2 = descriptor.rsrc2;
    image.rsrc3 = descriptor.rsrc3;
    image.properties = descriptor.properties;
    if ((descriptor.properties & property_wave32) == 0) {
        throw load_error("kernel " + kernel.metadata.name +
                         " is compiled for wave64. Compile it without -mwavefrontsize64");
    }
}

void code_object::find_kernels(const object_metadata& metadata) {
    for (const auto& described : metadata.kernels) {
        auto& kernel = kernels_.emplace_back();
        kernel.metadata = described;
        read_descriptor(kernel);
        auto& image = kernel.image;
        image.isa = target_.starts_with("gfx11") ? generation::rdna3 : generation::rdna4;
        image.name = described.name;
        image.display_name = demangle(described.name);
        image.vgprs = described.vgprs;
        image.sgprs = described.sgprs;
        image.max_threads = described.max_threads;
        image.object_bytes = image_.data();
        image.object_size = image_.size();
        image.load_bias = load_bias_;
        const auto inside = [&](const elf_segment& segment) {
            return segment.executable && image.entry - load_bias_ - segment.address < segment.size;
        };
        const auto code = std::ranges::find_if(elf_.segments, inside);
        if (code == elf_.segments.end()) {
            throw load_error("kernel " + described.name + " does not start in a code segment");
        }
        image.code_begin = code->address + load_bias_;
        image.code_end = image.code_begin + code->size;
        const auto* const symbol = elf_.find(image.name);
        if (symbol && symbol->size) image.end = image.entry + symbol->size;
    }
}

void code_object::find_variables() {
    for (const auto& symbol : elf_.symbols) {
        if (!symbol.defined || !symbol.is_object || symbol.name.ends_with(".kd")) continue;
        variables_.insert_or_assign(std::string(symbol.name),
                                    loaded_variable{symbol.address + load_bias_, symbol.size});
    }
}

const loaded_kernel* code_object::kernel(std::string_view name) const {
    const auto found = std::ranges::find_if(
        kernels_, [&](const loaded_kernel& kernel) { return kernel.image.name == name; });
    return found == kernels_.end() ? nullptr : &*found;
}

const loaded_variable* code_object::variable(std::string_view name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
}

} // namespace r9v_emulator::loader
