// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The loader against images made here, byte by byte: right ones, and each way to be wrong.

#include "emulator/device/memory.hpp"
#include "emulator/loader/bundle.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/loader/msgpack.hpp"
#include <cstring>
#include <elf.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace {

using namespace r9v_emulator;         // NOLINT(google-build-using-namespace)
using namespace r9v_emulator::loader; // NOLINT(google-build-using-namespace)

bytes view(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string error_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const load_error& error) {
        return error.what();
    }
    return "no error";
}

template<class T>
std::string raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// MessagePack, as an encoder would write it in its shortest forms.
std::string pack(const std::string& text) {
    if (text.size() < 32) return char(0xa0 | text.size()) + text;
    return std::string("\xd9") + char(text.size()) + text;
}
std::string pack(unsigned value) {
    if (value < 128) return std::string(1, char(value));
    return std::string("\xcd") + char(value >> 8) + char(value);
}
std::string map_of(unsigned count, const std::string& body) {
    return char(0x80 | count) + body;
}
std::string array_of(unsigned count, const std::string& body) {
    return char(0x90 | count) + body;
}

std::string argument_of(unsigned offset, unsigned size, const std::string& kind) {
    return map_of(3, pack(".offset") + pack(offset) + pack(".size") + pack(size) +
                         pack(".value_kind") + pack(kind));
}

std::string metadata_of(const std::string& kind = "hidden_block_count_x") {
    const auto arguments =
        array_of(2, argument_of(0, 8, "global_buffer") + argument_of(8, 4, kind));
    const auto kernel =
        map_of(7, pack(".name") + pack("_Z4fillPi") + pack(".symbol") + pack("_Z4fillPi.kd") +
                      pack(".kernarg_segment_size") + pack(264) + pack(".vgpr_count") + pack(9) +
                      pack(".sgpr_count") + pack(12) + pack(".max_flat_workgroup_size") +
                      pack(256) + pack(".args") + arguments);
    return map_of(2, pack("amdhsa.target") + pack("amdgcn-amd-amdhsa--gfx1201") +
                         pack("amdhsa.kernels") + array_of(1, kernel));
}

struct image_options {
    std::uint32_t machine = 0x4e;
    unsigned char abi_version = 3;
    std::string metadata = metadata_of();
    std::uint32_t relocation_type = 13;  // R_AMDGPU_RELATIVE64
    std::uint64_t relocation_symbol = 3; // missing
    std::uint16_t properties = 0x408;    // wave32, kernarg pointer
};

/// A code object with one kernel, one variable and one relocation. Offsets are addresses.
std::string image_of(const image_options& options = {}) {
    constexpr std::uint64_t note_at = 0x200, dynamic_at = 0x600, symbols_at = 0x700;
    constexpr std::uint64_t strings_at = 0x800, hash_at = 0x880, relocations_at = 0x8c0;
    constexpr std::uint64_t descriptor_at = 0x900, code_at = 0x1000, data_at = 0x2000;
    constexpr std::uint64_t data_size = 16, bss_size = 48;
    std::string image(data_at + data_size, '\0');
    const auto put = [&](std::uint64_t at, const std::string& text) {
        image.replace(at, text.size(), text);
    };
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_OSABI] = 64;
    header.e_ident[EI_ABIVERSION] = options.abi_version;
    header.e_type = ET_DYN;
    header.e_machine = EM_AMDGPU;
    header.e_flags = options.machine;
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 5;
    put(0, raw(header));
    const auto segment = [](std::uint32_t type, std::uint32_t flags, std::uint64_t at,
                            std::uint64_t size, std::uint64_t in_memory) {
        return raw(Elf64_Phdr{type, flags, at, at, at, size, in_memory, 0x1000});
    };
    const auto note = raw(Elf64_Nhdr{7, static_cast<Elf64_Word>(options.metadata.size()), 32}) +
                      std::string("AMDGPU\0\0", 8) + options.metadata;
    put(sizeof(header), segment(PT_LOAD, PF_R, 0, 0x940, 0x940) +
                            segment(PT_LOAD, PF_R | PF_X, code_at, 0x40, 0x40) +
                            segment(PT_LOAD, PF_R | PF_W, data_at, data_size, bss_size) +
                            segment(PT_NOTE, PF_R, note_at, note.size(), note.size()) +
                            segment(PT_DYNAMIC, PF_R, dynamic_at, 0x70, 0x70));
    put(note_at, note);
    const auto entry = [](std::int64_t tag, std::uint64_t value) {
        return raw(Elf64_Dyn{tag, {value}});
    };
    put(dynamic_at, entry(DT_SYMTAB, symbols_at) + entry(DT_STRTAB, strings_at) +
                        entry(DT_STRSZ, 40) + entry(DT_HASH, hash_at) +
                        entry(DT_RELA, relocations_at) + entry(DT_RELASZ, 24) + entry(DT_NULL, 0));
    put(strings_at, std::string("\0_Z4fillPi.kd\0counter\0missing\0", 31));
    const auto symbol = [](std::uint32_t name, std::uint16_t section, std::uint64_t at,
                           std::uint64_t size) {
        return raw(Elf64_Sym{name, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, section, at, size});
    };
    put(symbols_at, symbol(0, SHN_UNDEF, 0, 0) + symbol(1, 1, descriptor_at, 64) +
                        symbol(14, 2, data_at, 4) + symbol(22, SHN_UNDEF, 0, 0));
    put(hash_at, raw(std::uint32_t{1}) + raw(std::uint32_t{4}));
    put(relocations_at,
        raw(Elf64_Rela{data_at + 8,
                       ELF64_R_INFO(options.relocation_symbol, options.relocation_type),
                       static_cast<std::int64_t>(data_at)}));
    const auto number = [&](std::uint64_t at, const auto& value) {
        put(at, raw(value));
    };
    number(descriptor_at, std::uint32_t{128});
    number(descriptor_at + 4, std::uint32_t{16});
    number(descriptor_at + 8, std::uint32_t{264});
    number(descriptor_at + 16, static_cast<std::int64_t>(code_at - descriptor_at));
    number(descriptor_at + 44, std::uint32_t{3});
    number(descriptor_at + 48, std::uint32_t{1});
    number(descriptor_at + 52, std::uint32_t{2});
    number(descriptor_at + 56, options.properties);
    number(code_at, std::uint32_t{0xbfb00000}); // s_endpgm
    number(data_at, std::uint32_t{7});
    return image;
}

std::vector<std::byte> image_bytes(const image_options& options = {}) {
    const auto text = image_of(options);
    const auto all = view(text);
    return {all.begin(), all.end()};
}

std::string load_error_of(const image_options& options) {
    memory device(1 << 20);
    return error_of([&] { code_object(device, image_bytes(options)); });
}

TEST(CodeObject, PlacesKernelsVariablesAndRelocations) {
    memory device(1 << 20);
    const auto used = device.used();
    {
        const code_object object(device, image_bytes());
        EXPECT_EQ(object.target(), "gfx1201");
        const auto* const kernel = object.kernel("_Z4fillPi");
        ASSERT_NE(kernel, nullptr);
        EXPECT_EQ(object.kernel("_Z4fill"), nullptr);
        const auto& image = kernel->image;
        EXPECT_EQ(image.display_name, "fill(int*)");
        EXPECT_EQ(image.entry, image.code_begin);
        EXPECT_EQ(image.code_end - image.code_begin, 0x40U);
        EXPECT_EQ(image.entry - image.load_bias, 0x1000U);
        EXPECT_LT(image.code_end, std::uint64_t{1} << 47);
        EXPECT_EQ(image.lds_bytes, 128U);
        EXPECT_EQ(image.scratch_bytes, 16U);
        EXPECT_EQ(image.kernarg_bytes, 264U);
        EXPECT_EQ(image.rsrc1, 1U);
        EXPECT_EQ(image.rsrc2, 2U);
        EXPECT_EQ(image.rsrc3, 3U);
        EXPECT_EQ(image.vgprs, 9U);
        EXPECT_EQ(image.max_threads, 256U);
        ASSERT_EQ(kernel->metadata.arguments.size(), 1U);
        EXPECT_EQ(kernel->metadata.arguments[0].size, 8U);
        ASSERT_EQ(kernel->metadata.hidden.size(), 1U);
        EXPECT_EQ(kernel->metadata.hidden[0].kind, argument_kind::block_count_x);
        EXPECT_EQ(kernel->metadata.hidden[0].offset, 8U);

        const auto* const counter = object.variable("counter");
        ASSERT_NE(counter, nullptr);
        EXPECT_EQ(counter->size, 4U);
        std::uint32_t value = 0;
        ASSERT_TRUE(device.read(&value, counter->address, 4));
        EXPECT_EQ(value, 7U);
        std::uint64_t pointer = 0, beyond = 1;
        ASSERT_TRUE(device.read(&pointer, counter->address + 8, 8));
        EXPECT_EQ(pointer, counter->address);
        ASSERT_TRUE(device.read(&beyond, counter->address + 40, 8));
        EXPECT_EQ(beyond, 0U) << "memory beyond a segment's contents is zero";
        EXPECT_EQ(object.variable("_Z4fillPi.kd"), nullptr);
        EXPECT_EQ(object.variable("missing"), nullptr);
    }
    EXPECT_EQ(device.used(), used);
}

TEST(CodeObject, RelocatesBySymbol) {
    memory device(1 << 20);
    // R_AMDGPU_ABS64 of `counter`; its addend is the address that RELATIVE64 uses.
    const code_object object(device, image_bytes({.relocation_type = 3, .relocation_symbol = 2}));
    const auto address = object.variable("counter")->address;
    std::uint64_t pointer = 0;
    ASSERT_TRUE(device.read(&pointer, address + 8, 8));
    EXPECT_EQ(pointer, address + 0x2000);
}

TEST(CodeObject, Refusals) {
    EXPECT_EQ(load_error_of({}), "no error");
    EXPECT_EQ(load_error_of({.abi_version = 4}),
              "code object ABI version 4 is not known. Compile with -mcode-object-version=5");
    EXPECT_EQ(load_error_of({.metadata = metadata_of("hidden_magic")}),
              "kernel _Z4fillPi has an argument of unknown kind 'hidden_magic'");
    EXPECT_EQ(load_error_of({.relocation_type = 3}),
              "the code object uses 'missing', which it does not define. Link it with -fgpu-rdc");
    EXPECT_EQ(load_error_of({.relocation_type = 99, .relocation_symbol = 2}),
              "relocation type 99 is not known");
    EXPECT_EQ(load_error_of({.properties = 8}), "kernel _Z4fillPi is compiled for wave64. Compile "
                                                "it without -mwavefrontsize64");
    EXPECT_EQ(load_error_of({.metadata = "\xc1"}), "code object metadata has an unknown tag 193");
    EXPECT_EQ(load_error_of({.metadata = std::string(40, '\x91')}),
              "code object metadata is nested too deeply");
    memory small(4096);
    EXPECT_EQ(error_of([&] { code_object(small, image_bytes()); }),
              "device memory is too small for the code object");
}

TEST(CodeObject, EveryTruncationIsRefused) {
    memory device(1 << 20);
    const auto whole = image_bytes();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<long>(size));
        EXPECT_NE(error_of([&] { code_object(device, std::move(part)); }), "no error") << size;
    }
    EXPECT_EQ(device.used(), 0U);
}

TEST(CodeObject, EveryDamagedByteIsRefusedOrHarmless) {
    memory device(1 << 20);
    const auto whole = image_bytes();
    for (std::size_t at = 0; at < 0x940; ++at) {
        auto damaged = whole;
        damaged[at] ^= std::byte{0xff};
        static_cast<void>(error_of([&] { code_object(device, std::move(damaged)); }));
    }
    EXPECT_EQ(device.used(), 0U);
}

std::string bundle_of(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string head = "__CLANG_OFFLOAD_BUNDLE__" + raw(std::uint64_t{entries.size()});
    std::uint64_t offset = 4096;
    std::string body;
    for (const auto& [name, content] : entries) {
        head += raw(offset) + raw(std::uint64_t{content.size()}) + raw(std::uint64_t{name.size()});
        head += name;
        body += content;
        offset += content.size();
    }
    head.resize(4096, '\0');
    return head + body;
}

const std::string host_name = "host-x86_64-unknown-linux-gnu-";
const std::string target_prefix = "hipv4-amdgcn-amd-amdhsa--";

std::string content_for(const std::string& bundle, const std::string& target) {
    const auto found = select_code_object(bundle.data(), target);
    EXPECT_EQ(found.target, target);
    return std::string(text(found.image));
}

TEST(Bundle, SelectsByTarget) {
    const auto bundle = bundle_of({{host_name, ""},
                                   {target_prefix + "gfx1200", "first"},
                                   {target_prefix + "gfx1201:xnack-", "second"}});
    EXPECT_EQ(content_for(bundle, "gfx1200"), "first");
    EXPECT_EQ(content_for(bundle, "gfx1201"), "second");
    EXPECT_EQ(error_of([&] { select_code_object(view(bundle), "gfx1100"); }),
              "the program has no code for gfx1100, only for gfx1200, gfx1201. Compile it with "
              "--offload-arch=gfx1100");
    EXPECT_EQ(error_of([&] { select_code_object(view(bundle_of({{host_name, ""}})), "gfx1201"); }),
              "the program has no code for gfx1201, only for the host. Compile it with "
              "--offload-arch=gfx1201");
}

TEST(Bundle, BareCodeObjects) {
    const auto image = image_of();
    EXPECT_EQ(content_for(image, "gfx1201").size(), image.size());
    EXPECT_EQ(error_of([&] { select_code_object(view(image), "gfx1200"); }),
              "the code object is for gfx1201, the device is gfx1200");
}

TEST(Bundle, Refusals) {
    EXPECT_EQ(error_of([] { select_code_object(view("something else"), "gfx1201"); }),
              "the image is neither an offload bundle nor a code object");
    const auto compressed = [](std::uint16_t version, std::uint16_t method) {
        return "CCOB" + raw(version) + raw(method) + raw(std::uint32_t{40}) +
               raw(std::uint32_t{100}) + std::string(24, '?');
    };
    EXPECT_EQ(error_of([&] { select_code_object(view(compressed(9, 1)), "gfx1201"); }),
              "compressed offload bundle of version 9 is not known. Compile without "
              "--offload-compress");
    EXPECT_EQ(error_of([&] { select_code_object(view(compressed(2, 0)), "gfx1201"); }),
              "the offload bundle is compressed by method 0 and only zstd is known. Compile with "
              "-offload-compression-algorithm=zstd, or without --offload-compress");
    EXPECT_EQ(error_of([&] { select_code_object(view(compressed(2, 1)), "gfx1201"); }),
              "the compressed offload bundle is damaged");
    const auto bundle = bundle_of({{target_prefix + "gfx1201", "content"}});
    EXPECT_NE(error_of([&] { select_code_object(view(bundle).first(40), "gfx1201"); }), "no error");
}

TEST(MessagePack, Numbers) {
    const auto number = [](const std::string& text) {
        return unpack(view(text)).integer;
    };
    EXPECT_EQ(number("\x05"), 5);
    EXPECT_EQ(number("\xff"), -1);
    EXPECT_EQ(number("\xcc\xff"), 255);
    EXPECT_EQ(number("\xcd\x12\x34"), 0x1234);
    EXPECT_EQ(number("\xce\x12\x34\x56\x78"), 0x12345678);
    EXPECT_EQ(number("\xcf\x12\x34\x56\x78\x01\x02\x03\x04"), 0x1234567801020304);
    EXPECT_EQ(number("\xd0\x80"), -128);
    EXPECT_EQ(number("\xd1\xff\xfe"), -2);
    EXPECT_EQ(number("\xd2\xff\xff\xff\xfd"), -3);
    EXPECT_EQ(unpack(view("\xc3")).type, packed_value::kind::boolean);
    EXPECT_EQ(unpack(view("\xc0")).type, packed_value::kind::nil);
    EXPECT_EQ(unpack(view(std::string("\xda\0\3abc", 6))).text, "abc");
}

} // namespace
