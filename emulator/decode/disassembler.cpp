// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "disassembler.hpp"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <mutex>
#include <stdexcept>

namespace r9v_emulator {
namespace {

class llvm_context {
public:
    explicit llvm_context(const char* processor) {
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUDisassembler();
        context_ = LLVMCreateDisasmCPU("amdgcn--amdhsa", processor, nullptr, 0, nullptr, nullptr);
        if (!context_)
            throw std::runtime_error("r9v: LLVM has no " + std::string(processor) +
                                     " disassembler. Use LLVM 19 or later.");
    }
    ~llvm_context() { LLVMDisasmDispose(context_); }
    llvm_context(const llvm_context&) = delete;
    llvm_context& operator=(const llvm_context&) = delete;

    disassembled one(std::span<const std::byte> code, std::uint64_t address) {
        const std::scoped_lock lock(mutex_);
        char text[512] = "";
        // The C interface takes a pointer to non-const bytes but only reads them.
        auto* bytes = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(code.data()));
        const std::size_t size =
            LLVMDisasmInstruction(context_, bytes, code.size(), address, text, sizeof text);
        std::string_view trimmed = text;
        while (!trimmed.empty() && (trimmed.front() == ' ' || trimmed.front() == '\t'))
            trimmed.remove_prefix(1);
        return {size ? std::string(trimmed) : std::string(), static_cast<unsigned>(size)};
    }

private:
    LLVMDisasmContextRef context_ = nullptr;
    std::mutex mutex_;
};

} // namespace

disassembled disassemble(std::span<const std::byte> code, std::uint64_t address, generation isa) {
    if (isa == generation::rdna3) {
        static llvm_context context("gfx1100");
        return context.one(code, address);
    }
    static llvm_context context("gfx1201");
    return context.one(code, address);
}

} // namespace r9v_emulator
