// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "options.hpp"

#include <cstdlib>
#include <cstring>

namespace r9v_emulator::tool {
namespace {

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

double real(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end) throw wrong_usage(quoted(text) + " is no number");
    return value;
}

std::int64_t whole(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const long long value = copy.starts_with('-')
                                ? std::strtoll(copy.c_str(), &end, 0)
                                : static_cast<long long>(std::strtoull(copy.c_str(), &end, 0));
    if (copy.empty() || *end) throw wrong_usage(quoted(text) + " is no whole number");
    return value;
}

/// "4096", "16K", "4M", "1G"
std::size_t size(std::string_view text) {
    std::size_t unit = 1;
    if (!text.empty()) {
        const char last = text.back();
        if (last == 'K') unit = std::size_t{1} << 10;
        if (last == 'M') unit = std::size_t{1} << 20;
        if (last == 'G') unit = std::size_t{1} << 30;
    }
    if (unit != 1) text.remove_suffix(1);
    return static_cast<std::size_t>(whole(text)) * unit;
}

filling filling_of(std::string_view name) {
    if (name == "zero") return filling::zero;
    if (name == "f32") return filling::f32;
    if (name == "f16") return filling::f16;
    if (name == "bf16") return filling::bf16;
    if (name == "bytes") return filling::bytes;
    if (name == "index") return filling::index;
    throw wrong_usage("a buffer is filled with zero, f32, f16, bf16, bytes or index, not with " +
                      quoted(name));
}

template<class T>
void set(argument& to, T value) {
    to.bytes = sizeof(T);
    std::memcpy(to.value.data(), &value, sizeof value);
}

std::array<unsigned, 3> triple(std::string_view text) {
    std::array<unsigned, 3> out{1, 1, 1};
    for (unsigned& n : out) {
        const std::size_t comma = text.find(',');
        n = static_cast<unsigned>(whole(text.substr(0, comma)));
        if (n == 0) throw wrong_usage("a grid and a block have at least one in each direction");
        if (comma == text.npos) return out;
        text.remove_prefix(comma + 1);
    }
    throw wrong_usage("a grid and a block have three numbers at most");
}

} // namespace

argument parse_argument(std::string_view text) {
    argument out;
    out.text = text;
    const std::size_t colon = text.find(':');
    if (colon == text.npos)
        throw wrong_usage("the argument " + quoted(text) +
                          " has no type; write i32:" + std::string(text) + ", or buffer:SIZE");
    const std::string_view type = text.substr(0, colon), rest = text.substr(colon + 1);
    if (type == "buffer") {
        const std::size_t next = rest.find(':');
        out.buffer = true;
        out.bytes = size(rest.substr(0, next));
        if (next != rest.npos) out.fill = filling_of(rest.substr(next + 1));
        if (out.bytes == 0) throw wrong_usage("the buffer " + quoted(text) + " is empty");
    } else if (type == "i8" || type == "u8") {
        set(out, static_cast<std::uint8_t>(whole(rest)));
    } else if (type == "i16" || type == "u16") {
        set(out, static_cast<std::uint16_t>(whole(rest)));
    } else if (type == "i32" || type == "u32") {
        set(out, static_cast<std::uint32_t>(whole(rest)));
    } else if (type == "i64" || type == "u64") {
        set(out, static_cast<std::uint64_t>(whole(rest)));
    } else if (type == "f16") {
        __extension__ typedef _Float16 half;
        set(out, static_cast<half>(real(rest)));
    } else if (type == "f32") {
        set(out, static_cast<float>(real(rest)));
    } else if (type == "f64") {
        set(out, real(rest));
    } else {
        throw wrong_usage("the argument " + quoted(text) +
                          " has a type that is not known; write buffer, i32, u64, f32 and so on");
    }
    return out;
}

options parse(const std::vector<std::string>& words) {
    options out;
    if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        out.help = true;
        return out;
    }
    if (words[0] != "run" && words[0] != "kernels")
        throw wrong_usage(quoted(words[0]) + " is no command; write run or kernels");
    out.list = words[0] == "kernels";
    bool arguments = false;
    for (std::size_t n = 1; n < words.size(); ++n) {
        const std::string& word = words[n];
        const bool option = word.starts_with("--");
        if (option) arguments = false;
        if (word == "--args") {
            arguments = true;
            continue;
        }
        if (arguments) {
            out.arguments.push_back(parse_argument(word));
            continue;
        }
        if (!option) {
            if (out.file.empty())
                out.file = word;
            else if (out.kernel.empty() && !out.list)
                out.kernel = word;
            else
                throw wrong_usage("what is " + quoted(word) + "? Arguments stand after --args");
            continue;
        }
        if (n + 1 == words.size()) throw wrong_usage(word + " needs a value after it");
        const std::string& value = words[++n];
        if (word == "--grid")
            out.grid = triple(value);
        else if (word == "--block")
            out.block = triple(value);
        else if (word == "--lds")
            out.lds_bytes = static_cast<unsigned>(size(value));
        else if (word == "--repeat")
            out.repeat = static_cast<unsigned>(whole(value));
        else if (word == "--device")
            out.device = value;
        else if (word == "--report")
            out.report = value;
        else if (word == "--output")
            out.output = value;
        else if (word == "--print")
            out.print = static_cast<int>(whole(value));
        else
            throw wrong_usage(word + " is no option");
    }
    if (out.file.empty()) throw wrong_usage("the code object's file is missing");
    if (out.kernel.empty() && !out.list) throw wrong_usage("the kernel's name is missing");
    return out;
}

const char* usage() {
    return "r9v-emulator run FILE KERNEL [options] --args ARGUMENT...\n"
           "r9v-emulator kernels FILE\n"
           "\n"
           "Runs one kernel of a code object (.hsaco, or an offload bundle) on the software "
           "device\n"
           "and reports its modelled time. KERNEL is its symbol, or a part of its name that no\n"
           "other kernel has. `kernels` lists them with the sizes of their arguments.\n"
           "\n"
           "  --grid X[,Y[,Z]]   workgroups         --block X[,Y[,Z]]  threads of each\n"
           "  --lds BYTES        dynamic LDS        --repeat N         launches; the last is "
           "reported\n"
           "  --device KEY       9070xt, r9700, 9060xt, 7900xtx or 7900xt; default: by the code\n"
           "  --report FORMAT    text, json or html --output FILE      where it goes\n"
           "  --print N          the first values of argument N (from 0), a buffer, afterwards\n"
           "\n"
           "Arguments, in the kernel's order:\n"
           "  buffer:SIZE[:FILL] device memory; SIZE in bytes, or 16K, 4M, 1G; FILL: zero, bytes,\n"
           "                     f32, f16, bf16 (random in -1 to 1), index (u32 0, 1, 2 ...)\n"
           "  i8: u8: i16: u16: i32: u32: i64: u64: f16: f32: f64:   a value, e.g. i32:4096\n";
}

} // namespace r9v_emulator::tool
