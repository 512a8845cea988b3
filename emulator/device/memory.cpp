// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace r9v_emulator {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t guard = 256;
constexpr std::uint64_t freed_kept = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

std::uint8_t value_of(shadow state) {
    return static_cast<std::uint8_t>(state);
}

void* map(void* where, std::uint64_t bytes, int protection, int file) {
    const int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    const int fixed = where ? MAP_FIXED_NOREPLACE : 0;
    void* at = mmap(where, bytes, protection, kind | MAP_NORESERVE | fixed, file, 0);
    return at == MAP_FAILED ? nullptr : at;
}

} // namespace

memory::memory(std::uint64_t capacity, unsigned devices) : capacity_(capacity), parts_(devices) {
    file_ = memfd_create("r9v device memory", MFD_CLOEXEC);
    if (file_ < 0) throw std::runtime_error("r9v: no memory file. Allow memfd_create.");
    // A large span means that freed addresses need not be used again soon; a limited address space
    // (ulimit -v) takes a smaller one.
    const std::uint64_t smallest = std::uint64_t{1} << 30;
    for (std::uint64_t span = std::uint64_t{1} << 40; span >= smallest; span /= 4) {
        if (ftruncate(file_, static_cast<off_t>(span)) != 0) continue;
        void* here = reinterpret_cast<void*>(std::uint64_t{0x200000000000});
        void* device = map(here, span, PROT_NONE, file_);
        if (!device) device = map(nullptr, span, PROT_NONE, file_);
        void* inside = device ? map(nullptr, span, PROT_READ | PROT_WRITE, file_) : nullptr;
        void* plane = inside ? map(nullptr, span, PROT_READ | PROT_WRITE, -1) : nullptr;
        if (plane) {
            base_ = reinterpret_cast<std::uint64_t>(device);
            span_ = span;
            alias_ = static_cast<std::byte*>(inside);
            shadow_ = static_cast<std::uint8_t*>(plane);
            madvise(plane, span, MADV_DONTDUMP);
            for (unsigned n = 0; n < devices; ++n)
                parts_[n].next = arena_begin(n) + page;
            return;
        }
        if (device) munmap(device, span);
        if (inside) munmap(inside, span);
    }
    close(file_);
    throw std::runtime_error("r9v: no address space for device memory. Raise ulimit -v.");
}

memory::~memory() {
    munmap(reinterpret_cast<void*>(base_), span_);
    munmap(alias_, span_);
    munmap(shadow_, span_);
    if (writers_) munmap(writers_, span_);
    if (readers_) munmap(readers_, span_);
    close(file_);
}

unsigned memory::begin_order_checks() {
    constexpr unsigned last_number = 511;
    constexpr std::uint64_t kept_bytes = std::uint64_t{1} << 30;
    const std::unique_lock lock(mutex_);
    if (!writers_) {
        writers_ = static_cast<std::uint64_t*>(map(nullptr, span_, PROT_READ | PROT_WRITE, -1));
        readers_ = static_cast<std::uint64_t*>(map(nullptr, span_, PROT_READ | PROT_WRITE, -1));
        if (!writers_ || !readers_) return 0;
        madvise(writers_, span_, MADV_DONTDUMP);
        madvise(readers_, span_, MADV_DONTDUMP);
    }
    if (order_number_ == last_number || order_bytes_ > kept_bytes) {
        madvise(writers_, span_, MADV_DONTNEED);
        madvise(readers_, span_, MADV_DONTNEED);
        order_number_ = 0;
        order_bytes_ = 0;
    }
    return ++order_number_;
}

void memory::end_order_checks(std::uint64_t bytes) {
    const std::unique_lock lock(mutex_);
    order_bytes_ += bytes;
}

std::optional<std::uint64_t> memory::place(unsigned device, std::uint64_t bytes,
                                           std::uint64_t alignment, bool visible) {
    const std::uint64_t tail = visible ? page : guard;
    const std::uint64_t begin = round_up(parts_[device].next, alignment);
    const std::uint64_t end = round_up(begin + bytes, tail) + guard;
    if (end < arena_begin(device) + part_bytes()) {
        parts_[device].next = end;
        return begin;
    }
    // The span is used up: take the first gap between live allocations that is large enough.
    std::uint64_t from = arena_begin(device) + page;
    for (const auto& [address, entry] : allocations_) {
        if (!entry.live || entry.device != device) continue;
        const std::uint64_t candidate = round_up(from, alignment);
        if (round_up(candidate + bytes, tail) + guard <= address) return candidate;
        from = round_up(entry.end(), page) + guard;
    }
    return std::nullopt;
}

std::uint64_t memory::allocate(std::uint64_t bytes, std::uint64_t alignment, std::string_view label,
                               bool host_visible, unsigned device) {
    const std::unique_lock lock(mutex_);
    bytes = std::max<std::uint64_t>(bytes, 1);
    if (bytes > capacity_ - parts_[device].used) return 0;
    if (host_visible) alignment = std::max(alignment, page);
    const auto begin =
        place(device, bytes, std::max<std::uint64_t>(alignment, guard), host_visible);
    if (!begin) return 0;
    std::erase_if(allocations_, [&](const auto& entry) {
        return !entry.second.live && entry.second.begin < *begin + bytes &&
               *begin < entry.second.end();
    });
    static std::atomic<std::uint64_t> serial{0};
    allocations_[*begin] = {
        *begin, bytes,   std::string(label), true, false, host_visible, false, device,
        false,  ++serial};
    parts_[device].used += bytes;
    if (host_visible)
        mprotect(reinterpret_cast<void*>(*begin), round_up(bytes, page), PROT_READ | PROT_WRITE);
    // The host writes managed memory unseen, so all of it counts as written.
    const auto state = host_visible ? shadow::written : shadow::unwritten;
    std::memset(shadow_ + (*begin - base_), value_of(state), bytes);
    return *begin;
}

void memory::drop_pages(std::uint64_t begin, std::uint64_t bytes) {
    const std::uint64_t offset = begin - base_;
    const std::uint64_t first = round_up(offset, page);
    const std::uint64_t last = (offset + bytes) / page * page;
    if (first >= last) {
        std::memset(shadow_ + offset, 0, bytes);
        return;
    }
    std::memset(shadow_ + offset, 0, first - offset);
    std::memset(shadow_ + last, 0, offset + bytes - last);
    madvise(shadow_ + first, last - first, MADV_DONTNEED);
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
              static_cast<off_t>(last - first));
}

std::vector<allocation> memory::live() const {
    const std::shared_lock lock(mutex_);
    std::vector<allocation> all;
    for (const auto* const map : {&allocations_, &host_ranges_})
        for (const auto& [address, entry] : *map)
            if (entry.live) all.push_back(entry);
    return all;
}

bool memory::release(std::uint64_t address) {
    const std::unique_lock lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end() || !found->second.live) return false;
    allocation& entry = found->second;
    entry.live = false;
    parts_[entry.device].used -= entry.bytes;
    if (entry.host_visible)
        mprotect(reinterpret_cast<void*>(address), round_up(entry.bytes, page), PROT_NONE);
    drop_pages(address, entry.bytes);
    // Freed entries serve reports only; the oldest addresses go first.
    if (allocations_.size() > 2 * freed_kept) {
        for (auto at = allocations_.begin(); allocations_.size() > freed_kept;) {
            if (at == allocations_.end()) break;
            at = at->second.live ? std::next(at) : allocations_.erase(at);
        }
    }
    return true;
}

std::optional<allocation> memory::find(std::uint64_t address) const {
    const std::shared_lock lock(mutex_);
    for (const auto* table : {&allocations_, &host_ranges_}) {
        auto at = table->upper_bound(address);
        if (at == table->begin()) continue;
        --at;
        if (at->second.live && address < at->second.end()) return at->second;
    }
    return std::nullopt;
}

std::optional<allocation> memory::nearest(std::uint64_t address) const {
    const std::shared_lock lock(mutex_);
    const auto* table = in_arena(address) ? &allocations_ : &host_ranges_;
    auto at = table->upper_bound(address);
    if (at == table->begin()) return std::nullopt;
    return std::prev(at)->second;
}

std::byte* memory::host_range(std::uint64_t address, std::uint64_t bytes) const {
    const std::shared_lock lock(mutex_);
    auto at = host_ranges_.upper_bound(address);
    if (at == host_ranges_.begin()) return nullptr;
    --at;
    const allocation& entry = at->second;
    if (address - entry.begin > entry.bytes || bytes > entry.bytes - (address - entry.begin))
        return nullptr;
    return reinterpret_cast<std::byte*>(address);
}

bool memory::accessible(std::uint64_t address, std::uint64_t bytes) const {
    if (bytes == 0) return true;
    if (!in_arena(address)) return host_range(address, bytes) != nullptr;
    const std::shared_lock lock(mutex_);
    auto at = allocations_.upper_bound(address);
    if (at == allocations_.begin()) return false;
    --at;
    const allocation& entry = at->second;
    return entry.live && address - entry.begin < entry.bytes &&
           bytes <= entry.bytes - (address - entry.begin);
}

bool memory::write(std::uint64_t to, const void* from, std::uint64_t bytes) {
    if (!accessible(to, bytes)) return false;
    if (bytes == 0) return true;
    std::byte* target = in_arena(to) ? alias(to) : reinterpret_cast<std::byte*>(to);
    std::memcpy(target, from, bytes);
    return mark_written(to, bytes);
}

bool memory::read(void* to, std::uint64_t from, std::uint64_t bytes) const {
    if (!accessible(from, bytes)) return false;
    if (bytes == 0) return true;
    const std::byte* source = in_arena(from) ? alias(from) : reinterpret_cast<std::byte*>(from);
    std::memcpy(to, source, bytes);
    return true;
}

bool memory::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    if (!accessible(to, bytes) || !accessible(from, bytes)) return false;
    if (bytes == 0) return true;
    std::byte* target = in_arena(to) ? alias(to) : reinterpret_cast<std::byte*>(to);
    const std::byte* source = in_arena(from) ? alias(from) : reinterpret_cast<std::byte*>(from);
    std::memmove(target, source, bytes);
    if (!in_arena(from) || has_constants(from) || has_constants(to)) return mark_written(to, bytes);
    if (in_arena(to)) std::memmove(shadow_of(to), shadow_of(from), bytes);
    return true;
}

bool memory::fill(std::uint64_t to, std::uint32_t pattern, unsigned pattern_bytes,
                  std::uint64_t count) {
    const std::uint64_t bytes = count * pattern_bytes;
    if (!accessible(to, bytes)) return false;
    if (bytes == 0) return true;
    std::byte* target = in_arena(to) ? alias(to) : reinterpret_cast<std::byte*>(to);
    if (pattern_bytes == 1) {
        std::memset(target, static_cast<int>(pattern & 0xff), bytes);
    } else {
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(target + i * pattern_bytes, &pattern, pattern_bytes);
    }
    return mark_written(to, bytes);
}

bool memory::mark_written(std::uint64_t address, std::uint64_t bytes) {
    if (!accessible(address, bytes)) return false;
    if (!bytes || !in_arena(address)) return true;
    std::uint8_t* const plane = shadow_of(address);
    if (has_constants(address)) {
        for (std::uint64_t i = 0; i < bytes; ++i)
            if (plane[i] != value_of(shadow::constant)) plane[i] = value_of(shadow::written);
    } else {
        std::memset(plane, value_of(shadow::written), bytes);
    }
    return true;
}

bool memory::mark_constant(std::uint64_t address, std::uint64_t bytes) {
    if (!in_arena(address) || !accessible(address, bytes)) return false;
    std::memset(shadow_of(address), value_of(shadow::constant), bytes);
    const std::unique_lock lock(mutex_);
    std::prev(allocations_.upper_bound(address))->second.constants = true;
    return true;
}

bool memory::has_constants(std::uint64_t address) const {
    if (!in_arena(address)) return false;
    const std::shared_lock lock(mutex_);
    const auto at = allocations_.upper_bound(address);
    return at != allocations_.begin() && std::prev(at)->second.constants;
}

bool memory::share(std::uint64_t address) {
    const std::unique_lock lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end() || !found->second.live) return false;
    return found->second.shared = true;
}

bool memory::mark_unwritten(std::uint64_t address, std::uint64_t bytes) {
    if (!accessible(address, bytes)) return false;
    if (bytes && in_arena(address))
        std::memset(shadow_of(address), value_of(shadow::unwritten), bytes);
    return true;
}

std::optional<std::uint64_t> memory::first_unwritten(std::uint64_t address,
                                                     std::uint64_t bytes) const {
    if (!in_arena(address) || !accessible(address, bytes)) return std::nullopt;
    const auto* found = static_cast<const std::uint8_t*>(
        std::memchr(shadow_of(address), value_of(shadow::unwritten), bytes));
    if (!found) return std::nullopt;
    return static_cast<std::uint64_t>(found - shadow_of(address));
}

bool memory::register_host(void* pointer, std::uint64_t bytes, std::string_view label) {
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    const std::unique_lock lock(mutex_);
    auto after = host_ranges_.lower_bound(begin);
    if (after != host_ranges_.end() && after->second.begin < begin + bytes) return false;
    if (after != host_ranges_.begin() && std::prev(after)->second.end() > begin) return false;
    host_ranges_[begin] = {begin, bytes, std::string(label), true, true, true, false, 0, false, 0};
    return true;
}

bool memory::unregister_host(void* pointer) {
    const std::unique_lock lock(mutex_);
    return host_ranges_.erase(reinterpret_cast<std::uint64_t>(pointer)) == 1;
}

std::uint64_t memory::used(unsigned device) const {
    const std::shared_lock lock(mutex_);
    return parts_[device].used;
}

} // namespace r9v_emulator
