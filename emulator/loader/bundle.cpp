// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "loader/bundle.hpp"

#include "loader/elf.hpp"
#include <algorithm>
#include <elf.h>
#include <zstd.h>

namespace r9v_emulator::loader {
namespace {

constexpr std::string_view plain_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_magic = "CCOB";
constexpr std::uint64_t largest_bundle = std::uint64_t{1} << 32;

struct entry {
    std::string_view identifier; ///< hipv4-amdgcn-amd-amdhsa--gfx1201
    std::uint64_t offset = 0, size = 0;
};

std::vector<entry> entries_of(bytes bundle) {
    auto position = std::uint64_t{plain_magic.size()};
    const auto next = [&] {
        const auto value = read<std::uint64_t>(bundle, position, "the offload bundle's header");
        position += sizeof(value);
        return value;
    };
    std::vector<entry> result;
    const auto count = next();
    for (std::uint64_t i = 0; i < count; ++i) {
        entry item;
        item.offset = next();
        item.size = next();
        const auto length = next();
        item.identifier = text(slice(bundle, position, length, "the offload bundle's header"));
        position += length;
        result.push_back(item);
    }
    return result;
}

/// The processor of a bundle entry without its feature flags, empty for the host's entry.
std::string_view target_of(std::string_view identifier) {
    const auto at = identifier.rfind("gfx");
    if (!identifier.starts_with("hip") || at == std::string_view::npos) return {};
    const auto target = identifier.substr(at);
    return target.substr(0, target.find(':'));
}

selected_object from_bundle(bytes bundle, std::string_view target) {
    std::string present;
    for (const auto& item : entries_of(bundle)) {
        const auto name = target_of(item.identifier);
        if (name.empty()) continue;
        if (name == target) {
            const auto image = slice(bundle, item.offset, item.size, "a bundled code object");
            return {std::string(name), {image.begin(), image.end()}};
        }
        present += (present.empty() ? "" : ", ") + std::string(name);
    }
    throw load_error("the program has no code for " + std::string(target) + ", only for " +
                     (present.empty() ? "the host" : present) +
                     ". Compile it with --offload-arch=" + std::string(target));
}

/// Header of a compressed bundle; version 3 widened the sizes to 64 bits.
struct compressed_header {
    std::uint64_t total = 0; ///< with the header; 0 in version 1, which has no such field
    std::uint64_t uncompressed = 0;
    std::uint64_t size = 0; ///< of the header
    unsigned method = 0;
};

compressed_header read_compressed_header(bytes image) {
    constexpr const char* what = "the compressed offload bundle's header";
    const auto version = read<std::uint16_t>(image, 4, what);
    compressed_header header;
    header.method = read<std::uint16_t>(image, 6, what);
    if (version == 2) {
        header.total = read<std::uint32_t>(image, 8, what);
        header.uncompressed = read<std::uint32_t>(image, 12, what);
        header.size = 24;
    } else if (version == 3) {
        header.total = read<std::uint64_t>(image, 8, what);
        header.uncompressed = read<std::uint64_t>(image, 16, what);
        header.size = 32;
    } else {
        throw load_error("compressed offload bundle of version " + std::to_string(version) +
                         " is not known. Compile without --offload-compress");
    }
    return header;
}

std::vector<std::byte> decompress(bytes image) {
    constexpr unsigned method_zstd = 1;
    const auto header = read_compressed_header(image);
    if (header.method != method_zstd) {
        throw load_error("the offload bundle is compressed by method " +
                         std::to_string(header.method) +
                         " and only zstd is known. Compile with "
                         "-offload-compression-algorithm=zstd, or without --offload-compress");
    }
    if (header.total < header.size || header.uncompressed > largest_bundle) {
        throw load_error("the compressed offload bundle has impossible sizes");
    }
    const auto packed =
        slice(image, header.size, header.total - header.size, "the compressed offload bundle");
    std::vector<std::byte> plain(header.uncompressed);
    const auto size = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0 || size != plain.size()) {
        throw load_error("the compressed offload bundle is damaged");
    }
    return plain;
}

selected_object from_elf(bytes image, std::string_view target) {
    const auto found = target_name(read<Elf64_Ehdr>(image, 0, "the ELF header").e_flags);
    if (found != target) {
        throw load_error("the code object is for " + found + ", the device is " +
                         std::string(target));
    }
    return {found, {image.begin(), image.end()}};
}

bool starts_with(bytes image, std::string_view magic) {
    return image.size() >= magic.size() && text(image).starts_with(magic);
}

/// How far an image of unknown size reaches, by its own headers.
std::uint64_t size_by_headers(const void* address) {
    const auto* const start = static_cast<const std::byte*>(address);
    // The headers tell sizes; until they are read the image has no bound of its own.
    const bytes unbounded(start, largest_bundle);
    const auto magic = [&](std::string_view text) {
        return std::memcmp(start, text.data(), text.size()) == 0;
    };
    if (magic(compressed_magic)) return read_compressed_header(unbounded).total;
    std::uint64_t end = 0;
    if (magic({ELFMAG, SELFMAG})) {
        const auto header = read<Elf64_Ehdr>(unbounded, 0, "the ELF header");
        end = header.e_shoff + std::uint64_t{header.e_shentsize} * header.e_shnum;
        for (unsigned i = 0; i < header.e_phnum; ++i) {
            const auto program = read<Elf64_Phdr>(
                unbounded, header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
            end = std::max(end, program.p_offset + program.p_filesz);
        }
    } else if (magic(plain_magic)) {
        for (const auto& item : entries_of(unbounded))
            end = std::max(end, item.offset + item.size);
    } else {
        throw load_error("the image is neither an offload bundle nor a code object");
    }
    return end;
}

} // namespace

selected_object select_code_object(bytes image, std::string_view target) {
    if (starts_with(image, compressed_magic)) return from_bundle(decompress(image), target);
    if (starts_with(image, plain_magic)) return from_bundle(image, target);
    if (starts_with(image, {ELFMAG, SELFMAG})) return from_elf(image, target);
    throw load_error("the image is neither an offload bundle nor a code object");
}

selected_object select_code_object(const void* address, std::string_view target) {
    return select_code_object(
        bytes(static_cast<const std::byte*>(address), size_by_headers(address)), target);
}

} // namespace r9v_emulator::loader
