// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "trace.hpp"

#include "../decode/program.hpp"
#include "../isa/access.hpp"
#include "../isa/instruction.hpp"
#include <algorithm>

namespace r9v_emulator::clock {
namespace {

constexpr u32 no_passes = 0;

bool is_memory(format layout) {
    return layout == format::memory_global || layout == format::memory_flat ||
           layout == format::memory_scratch || layout == format::memory_buffer;
}

address_space space_of(format layout) {
    switch (layout) {
    case format::memory_flat:
        return address_space::flat;
    case format::memory_scratch:
        return address_space::scratch;
    case format::memory_buffer:
        return address_space::buffer;
    case format::memory_lds:
        return address_space::lds;
    default:
        return address_space::global;
    }
}

bool stores(const op& o) {
    return o.info->src[1] != kind::none;
}

u32 line_of(const wave& w, u64 address) {
    return static_cast<u32>((address - w.launch->arena_begin) / line_bytes) & ~scratch_line;
}

void push_access(wave_trace& t, const std::vector<u32>& lines, bank_passes passes) {
    access_header header{};
    header.lines = static_cast<u32>(lines.size()) & 0xff;
    header.passes = passes.taken & 0xfff;
    header.ideal = passes.ideal & 0xfff;
    t.data.push_back(bits_as<u32>(header));
    t.data.insert(t.data.end(), lines.begin(), lines.end());
}

void add_line(std::vector<u32>& lines, u32 line) {
    if (!lines.empty() && lines.back() == line) return;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
}

/// A lane's scratch is spread so that the same dword of all lanes shares a line.
u32 scratch_line_of(const wave& w, u64 offset) {
    const u64 slot = w.owner->number * w.owner->wave_count + w.id;
    const u64 stride = w.launch->scratch_stride / 4 + 1;
    return scratch_line | static_cast<u32>((slot * stride + offset / 4) & (scratch_line - 1));
}

void record_memory(wave& w, const op& o, wave_trace& t) {
    const unsigned bytes = o.width ? o.width : 4;
    const address_space space = space_of(o.info->layout);
    lane_pointers at;
    resolve<false>(w, o, space, bytes, stores(o), at);
    static thread_local std::vector<u32> lines;
    lines.clear();
    for (unsigned l = 0; l < lanes; ++l) {
        if (!((at.mask & ~at.lds_mask) >> l & 1)) continue;
        if (space == address_space::scratch || at.address[l] >> 32 == private_aperture >> 32) {
            for (unsigned b = 0; b < bytes; b += 4)
                add_line(lines, scratch_line_of(w, (at.address[l] & 0xffffffff) + b));
            continue;
        }
        const u32 last = line_of(w, at.address[l] + bytes - 1);
        for (u32 line = line_of(w, at.address[l]); line <= last; ++line)
            add_line(lines, line);
    }
    bank_passes passes{no_passes, no_passes};
    if (at.lds_mask) {
        at.mask = at.lds_mask;
        passes = count_passes(at, bytes);
    }
    push_access(t, lines, passes);
}

bank_passes one_access(wave& w, const op& o, unsigned bytes) {
    lane_pointers at;
    resolve<false>(w, o, address_space::lds, bytes, stores(o), at);
    return count_passes(at, bytes);
}

void record_local(wave& w, const op& o, wave_trace& t) {
    if (o.cls == op_class::other) { // swizzles and permutes use the crossbar, not the banks
        push_access(t, {}, {1, 1});
        return;
    }
    const bool load = o.info->dst != kind::none;
    const bool two = o.info->name.find("2addr") != o.info->name.npos;
    if (!two) {
        const unsigned words = std::max(1u, words_of(o.info->src[1]));
        push_access(t, {}, one_access(w, o, o.width ? o.width : 4 * words));
        return;
    }
    // Two addresses in units of the element, or of 64 elements.
    const unsigned bytes = 4 * (load ? words_of(o.info->dst) / 2 : words_of(o.info->src[1]));
    const unsigned unit = bytes * (o.info->name.find("stride64") != o.info->name.npos ? 64 : 1);
    bank_passes sum{0, 0};
    for (unsigned half = 0; half < 2; ++half) {
        op one = o;
        one.offset = static_cast<i32>((static_cast<u32>(o.offset) >> (8 * half) & 0xff) * unit);
        const bank_passes passes = one_access(w, one, bytes);
        sum.taken += passes.taken;
        sum.ideal += passes.ideal;
    }
    push_access(t, {}, sum);
}

void record_scalar(wave& w, const op& o, wave_trace& t) {
    if (o.info->dst == kind::none) {
        push_access(t, {}, {0, 0});
        return;
    }
    // Of a buffer's descriptor, the lower 48 bits are the address.
    const u64 base = (scalar_word(w, o, 0, 0) | static_cast<u64>(scalar_word(w, o, 0, 1)) << 32) &
                     0xffffffffffffu;
    const u64 address = base + static_cast<u64>(static_cast<i64>(o.offset)) +
                        (is_scalar(o.src[1]) ? w.s[o.src[1] - scalar_first] : 0);
    std::vector<u32> lines{line_of(w, address)};
    add_line(lines, line_of(w, address + 4 * words_of(o.info->dst) - 1));
    push_access(t, lines, {0, 0});
}

} // namespace

void record(wave& w, const op& o) {
    wave_trace& t = w.owner->trace->waves[w.id];
    const auto slot = static_cast<u32>(w.launch->code->index_of(&o));
    if (slot == t.next && !t.runs.empty())
        ++t.runs.back().count;
    else
        t.runs.push_back({slot, 1});
    t.next = slot + o.advance;
    ++t.executed;
    if (is_memory(o.info->layout))
        record_memory(w, o, t);
    else if (o.info->layout == format::memory_lds)
        record_local(w, o, t);
    else if (o.info->layout == format::scalar_memory)
        record_scalar(w, o, t);
}

group_trace* recorder::begin(u64 order) {
    if (order >= minimum_ && executed_.load() > budget_) return nullptr;
    auto made = std::make_unique<group_trace>();
    made->order = order;
    made->waves.resize(waves_);
    const std::scoped_lock lock(mutex_);
    return groups_.emplace_back(std::move(made)).get();
}

void recorder::finish(group_trace& trace) {
    for (const wave_trace& w : trace.waves)
        trace.executed += w.executed;
    executed_.fetch_add(trace.executed);
}

std::vector<std::unique_ptr<group_trace>> recorder::take() {
    std::ranges::sort(groups_, {}, [](const auto& g) { return g->order; });
    // Threads may have kept a few more than one thread would have.
    u64 sum = 0;
    std::size_t kept = 0;
    while (kept < groups_.size() && groups_[kept]->order == kept &&
           (kept < minimum_ || sum <= budget_))
        sum += groups_[kept++]->executed;
    groups_.resize(kept);
    return std::move(groups_);
}

} // namespace r9v_emulator::clock
