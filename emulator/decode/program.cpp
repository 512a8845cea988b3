// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "program.hpp"

#include "../check/check.hpp"
#include "../isa/control.hpp"
#include "bind.hpp"
#include "disassembler.hpp"
#include <algorithm>
#include <stdexcept>
#include <sys/mman.h>

namespace r9v_emulator {
namespace {

/// A run of straight code ends here; what follows is decoded when execution comes there.
bool ends_run(std::string_view name) {
    return name == "s_endpgm" || name == "s_branch" || name == "s_setpc_b64";
}

u32 first_dword(const std::byte* code) {
    u32 word;
    std::memcpy(&word, code, sizeof word);
    return word;
}

/// The second half of a pair may read what the first has written: then the first half runs last,
/// and when each writes a source of the other, the second reads a copy made before.
bool reads(const op& by, u16 index) {
    return std::ranges::any_of(by.src, [&](u16 s) { return s == index; });
}

bool bind_half(std::string_view text, u32 encoding, bool strict, generation isa, op& to) {
    const instruction_text split = split_instruction(text);
    const instruction* info = find_instruction(split.mnemonic, isa);
    if (!info || !bind(split, *info, encoding, to)) return false;
    to.fn = strict ? info->strict : info->plain;
    return true;
}

/// The pair's own slot holds the first half, the slot after it the second.
bool bind_pair(std::string_view text, u32 encoding, bool strict, generation isa, u8 advance,
               op* slot) {
    const std::size_t middle = text.find(" :: ");
    op x{}, y{};
    if (!bind_half(text.substr(0, middle), encoding, strict, isa, x) ||
        !bind_half(text.substr(middle + 4), encoding, strict, isa, y))
        return false;
    if (reads(y, x.dst)) {
        if (!reads(x, y.dst)) {
            std::swap(x, y);
        } else {
            for (u16& index : y.src)
                if (index == x.dst) index = first_temporary;
            x.aux = 1u + x.dst; // saved into the temporary before either half runs
        }
    }
    x.fn = nullptr;
    x.advance = advance;
    slot[1] = y;
    *slot = x;
    __atomic_store_n(&slot->fn, strict ? &run_pair_strict : &run_pair, __ATOMIC_RELEASE);
    return true;
}

} // namespace

program::program(memory& device, const kernel_image& kernel, bool strict, std::vector<u64> dropped)
    : device_(device),
      begin_(kernel.code_begin),
      end_(kernel.code_end),
      isa_(kernel.isa),
      strict_(strict),
      dropped_(std::move(dropped)) {
    void* slots = mmap(nullptr, (size() + 4) * sizeof(op), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) throw std::runtime_error("r9v: no memory for decoded code.");
    slots_ = static_cast<op*>(slots);
    std::ranges::sort(dropped_);
}

program::~program() {
    munmap(slots_, (size() + 4) * sizeof(op));
}

std::string program::text_at(u64 address) {
    const std::size_t room = std::min<u64>(end_ - address, 20);
    return disassemble({device_.alias(address), room}, address, isa_).text;
}

bool program::decode_one(op* slot) {
    const u64 address = address_of(slot);
    const std::byte* code = device_.alias(address);
    const disassembled found =
        disassemble({code, std::min<u64>(end_ - address, 20)}, address, isa_);
    const u32 encoding = first_dword(code);
    op made{};
    clear_op(made);
    const std::string_view text = found.text;
    bool last = false;
    handler run = &unknown_instruction;
    if (std::ranges::binary_search(dropped_, address)) {
        run = &do_nothing;
        made.info = no_operation();
        made.cls = op_class::other;
    } else if (text.find(" :: ") != text.npos) {
        if (bind_pair(text, encoding, strict_, isa_, static_cast<u8>(found.bytes / 4), slot))
            return true;
    } else if (!text.empty()) {
        const instruction_text split = split_instruction(text);
        const instruction* info = find_instruction(split.mnemonic, isa_);
        if (info && bind(split, *info, encoding, made)) run = strict_ ? info->strict : info->plain;
        last = ends_run(split.mnemonic);
    }
    if (!made.info || run == &unknown_instruction) {
        clear_op(made);
        made.info = no_operation();
        made.cls = op_class::other;
        last = true;
    }
    // gfx11 code does not say which stores are atomic: any may be.
    if (isa_ == generation::rdna3 && made.cls == op_class::global_store) made.flags |= flag_scoped;
    made.advance = static_cast<u8>(std::max(1u, found.bytes / 4));
    made.fn = nullptr;
    *slot = made;
    // The handler is what makes the slot valid for other threads, so it comes last.
    __atomic_store_n(&slot->fn, run, __ATOMIC_RELEASE);
    return !last;
}

void program::decode(const op* from) {
    const std::scoped_lock lock(mutex_);
    op* slot = slots_ + index_of(from);
    op* const end = slots_ + size();
    while (slot < end && !slot->fn) {
        if (!decode_one(slot)) break;
        slot += slot->advance;
    }
}

} // namespace r9v_emulator
