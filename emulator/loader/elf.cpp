// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "loader/elf.hpp"

#include <algorithm>
#include <array>
#include <elf.h>
#include <utility>

namespace r9v_emulator::loader {
namespace {

constexpr unsigned osabi_amdgpu_hsa = 64;
constexpr unsigned abi_version_4 = 2, abi_version_5 = 3;
constexpr std::uint32_t note_metadata = 32;
constexpr std::uint64_t largest_image = std::uint64_t{1} << 31;

Elf64_Ehdr read_header(bytes image) {
    const auto header = read<Elf64_Ehdr>(image, 0, "the ELF header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        throw load_error("this is not an ELF file");
    }
    if (header.e_machine != EM_AMDGPU || header.e_ident[EI_OSABI] != osabi_amdgpu_hsa) {
        throw load_error("this ELF file is not an AMDGPU HSA code object");
    }
    const unsigned version = header.e_ident[EI_ABIVERSION];
    if (version != abi_version_4 && version != abi_version_5) {
        throw load_error("code object ABI version " + std::to_string(version) +
                         " is not known. Compile with -mcode-object-version=5");
    }
    if (header.e_type != ET_DYN) {
        throw load_error("this code object is not linked (ELF type " +
                         std::to_string(header.e_type) + "). Link it with ld.lld -shared");
    }
    return header;
}

void add_segment(elf_image& result, bytes image, const Elf64_Phdr& header) {
    if (header.p_memsz > largest_image || header.p_vaddr > largest_image ||
        header.p_filesz > header.p_memsz) {
        throw load_error("a segment of the code object has an impossible size");
    }
    elf_segment segment;
    segment.address = header.p_vaddr;
    segment.size = header.p_memsz;
    segment.contents = slice(image, header.p_offset, header.p_filesz, "a segment");
    segment.executable = (header.p_flags & PF_X) != 0;
    segment.writable = (header.p_flags & PF_W) != 0;
    if (result.segments.empty()) result.begin = segment.address;
    result.begin = std::min(result.begin, segment.address);
    result.end = std::max(result.end, segment.address + segment.size);
    result.segments.push_back(segment);
}

void read_notes(elf_image& result, bytes notes) {
    std::uint64_t position = 0;
    const auto padded = [](std::uint64_t size) {
        return (size + 3) & ~std::uint64_t{3};
    };
    while (position + sizeof(Elf64_Nhdr) <= notes.size()) {
        const auto note = read<Elf64_Nhdr>(notes, position, "a note");
        position += sizeof(note);
        const auto name = text(slice(notes, position, note.n_namesz, "the name of a note"));
        position += padded(note.n_namesz);
        const auto payload = slice(notes, position, note.n_descsz, "a note");
        position += padded(note.n_descsz);
        if (note.n_type == note_metadata && name == std::string_view("AMDGPU\0", 7)) {
            result.metadata = payload;
        }
    }
}

/// The bytes of the image from a virtual address to the end of its segment's contents.
bytes at_address(const elf_image& elf, std::uint64_t address, const char* what) {
    for (const auto& segment : elf.segments) {
        if (address >= segment.address && address - segment.address < segment.contents.size()) {
            return segment.contents.subspan(address - segment.address);
        }
    }
    throw load_error(std::string(what) + " of the code object lies outside its segments");
}

struct dynamic_tables {
    std::uint64_t symbols = 0, strings = 0, string_size = 0, hash = 0;
    std::uint64_t relocations = 0, relocation_size = 0;
};

dynamic_tables read_dynamic(bytes section) {
    dynamic_tables tables;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.size(); at += sizeof(Elf64_Dyn)) {
        const auto entry = read<Elf64_Dyn>(section, at, "the dynamic section");
        switch (entry.d_tag) {
        case DT_NULL:
            return tables;
        case DT_SYMTAB:
            tables.symbols = entry.d_un.d_ptr;
            break;
        case DT_STRTAB:
            tables.strings = entry.d_un.d_ptr;
            break;
        case DT_STRSZ:
            tables.string_size = entry.d_un.d_val;
            break;
        case DT_HASH:
            tables.hash = entry.d_un.d_ptr;
            break;
        case DT_RELA:
            tables.relocations = entry.d_un.d_ptr;
            break;
        case DT_RELASZ:
            tables.relocation_size = entry.d_un.d_val;
            break;
        default:
            break;
        }
    }
    return tables;
}

void read_symbols(elf_image& result, const dynamic_tables& tables) {
    const auto hash = at_address(result, tables.hash, "the symbol hash table");
    const auto count = read<std::uint32_t>(hash, 4, "the symbol hash table");
    const auto symbols = at_address(result, tables.symbols, "the symbol table");
    const auto strings = slice(at_address(result, tables.strings, "the string table"), 0,
                               tables.string_size, "the string table");
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto entry =
            read<Elf64_Sym>(symbols, std::uint64_t{i} * sizeof(Elf64_Sym), "a symbol");
        elf_symbol symbol;
        symbol.name = c_string(strings, entry.st_name, "the name of a symbol");
        symbol.address = entry.st_value;
        symbol.size = entry.st_size;
        symbol.defined = entry.st_shndx != SHN_UNDEF;
        symbol.weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
        symbol.is_object = ELF64_ST_TYPE(entry.st_info) == STT_OBJECT;
        result.symbols.push_back(symbol);
    }
}

void read_relocations(elf_image& result, const dynamic_tables& tables) {
    if (tables.relocation_size == 0) return;
    const auto table = slice(at_address(result, tables.relocations, "the relocation table"), 0,
                             tables.relocation_size, "the relocation table");
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size(); at += sizeof(Elf64_Rela)) {
        const auto entry = read<Elf64_Rela>(table, at, "a relocation");
        result.relocations.push_back(
            {entry.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
             static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info)), entry.r_addend});
    }
}

} // namespace

const elf_symbol* elf_image::find(std::string_view name) const {
    for (const auto& symbol : symbols) {
        if (symbol.defined && symbol.name == name) return &symbol;
    }
    return nullptr;
}

elf_image parse_elf(bytes image) {
    const auto header = read_header(image);
    elf_image result;
    result.machine_flags = header.e_flags;
    result.abi_version = header.e_ident[EI_ABIVERSION];
    bytes dynamic;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto program = read<Elf64_Phdr>(
            image, header.e_phoff + std::uint64_t{i} * header.e_phentsize, "a program header");
        if (program.p_type == PT_LOAD) add_segment(result, image, program);
        if (program.p_type == PT_NOTE) {
            read_notes(result, slice(image, program.p_offset, program.p_filesz, "the notes"));
        }
        if (program.p_type == PT_DYNAMIC) {
            dynamic = slice(image, program.p_offset, program.p_filesz, "the dynamic section");
        }
    }
    if (result.segments.empty()) throw load_error("the code object has no segment to load");
    if (result.metadata.empty()) throw load_error("the code object has no metadata note");
    if (dynamic.empty()) throw load_error("the code object has no dynamic section");
    const auto tables = read_dynamic(dynamic);
    read_symbols(result, tables);
    read_relocations(result, tables);
    return result;
}

std::string target_name(std::uint32_t machine_flags) {
    using named = std::pair<std::uint32_t, const char*>;
    constexpr std::array known = {
        named{0x3f, "gfx90a"},  named{0x4c, "gfx942"},  named{0x36, "gfx1030"},
        named{0x41, "gfx1100"}, named{0x46, "gfx1101"}, named{0x47, "gfx1102"},
        named{0x44, "gfx1103"}, named{0x43, "gfx1150"}, named{0x4a, "gfx1151"},
        named{0x48, "gfx1200"}, named{0x4e, "gfx1201"},
    };
    for (const auto& [machine, name] : known) {
        if (machine == (machine_flags & 0xff)) return name;
    }
    constexpr auto digits = "0123456789abcdef";
    return std::string("unknown (0x") + digits[machine_flags >> 4 & 15] +
           digits[machine_flags & 15] + ")";
}

} // namespace r9v_emulator::loader
