// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Device memory: one sparse arena mapped twice. The address that programs see is PROT_NONE on the
// host, so a host dereference of a device pointer faults as it does on a card; the emulator reads
// and writes through a second mapping. A shadow plane of one byte per byte says whether the byte is
// allocated and whether it was ever written: one vector compare answers bounds and poison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator {

/// Values of the shadow plane. Any value other than the first two means "written"; of these,
/// kernels may not store to `constant` bytes.
enum class shadow : std::uint8_t { unallocated = 0, unwritten = 1, constant = 2, written = 0xff };

struct allocation {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::string label;
    bool live = false;
    bool host = false; ///< registered host memory, at its own address
    bool host_visible = false;
    bool constants = false; ///< kernels may not store to some of it
    unsigned device = 0;
    bool shared = false;      ///< open to the kernels of every device
    std::uint64_t serial = 0; ///< no two allocations of the process have the same

    std::uint64_t end() const { return begin + bytes; }
};

class memory {
public:
    /// `capacity` is what allocate() hands out at most at one time, as a card's memory size.
    /// Several devices share the address space, each with a part of the arena and a capacity of its
    /// own.
    explicit memory(std::uint64_t capacity = std::uint64_t{16} << 30, unsigned devices = 1);
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    /// Returns a device address, or 0 when the capacity is used up. The bytes start unwritten, the
    /// allocation ends exactly at `bytes`, and at least 256 unallocated bytes follow it.
    /// A host-visible allocation (managed memory) may be dereferenced by the host.
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 256,
                           std::string_view label = {}, bool host_visible = false,
                           unsigned device = 0);
    /// Frees the live allocation that begins at `address`; false when there is none.
    bool release(std::uint64_t address);

    /// The live allocation or registered host range that holds `address`.
    std::optional<allocation> find(std::uint64_t address) const;
    /// For reports: the allocation (live or freed) that holds the address or ends nearest below.
    std::optional<allocation> nearest(std::uint64_t address) const;

    /// Everything that is allocated or registered, by address.
    std::vector<allocation> live() const;

    /// True when the whole range lies in live allocations or in one registered host range.
    bool accessible(std::uint64_t address, std::uint64_t bytes) const;
    /// True when the address lies in the arena (live or not).
    bool in_arena(std::uint64_t address) const { return address - base_ < span_; }

    /// Host view of a device address for reading and writing; nullptr outside the arena.
    /// Writes through it do not touch the shadow: follow them with mark_written().
    std::byte* alias(std::uint64_t address) const {
        return in_arena(address) ? alias_ + (address - base_) : nullptr;
    }
    std::uint8_t* shadow_of(std::uint64_t address) const {
        return in_arena(address) ? shadow_ + (address - base_) : nullptr;
    }

    // The following answer false, and do nothing, when a range is not accessible(). Addresses may
    // be device addresses or registered host ones.

    /// Host to device; the bytes count as written.
    bool write(std::uint64_t to, const void* from, std::uint64_t bytes);
    /// Device to host; see first_unwritten() for whether what was read means anything.
    bool read(void* to, std::uint64_t from, std::uint64_t bytes) const;
    /// Device to device; each byte carries its shadow along. The ranges may overlap.
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// Repeats a pattern of 1, 2 or 4 bytes `count` times; the bytes count as written.
    bool fill(std::uint64_t to, std::uint32_t pattern, unsigned pattern_bytes, std::uint64_t count);
    bool mark_written(std::uint64_t address, std::uint64_t bytes);
    /// Kernels may only read these bytes from now on; the host may still write them.
    bool mark_constant(std::uint64_t address, std::uint64_t bytes);
    /// Kernels of all devices may use the live allocation that begins here.
    bool share(std::uint64_t address);
    bool mark_unwritten(std::uint64_t address, std::uint64_t bytes);
    /// Offset of the first byte that was never written, if there is one.
    std::optional<std::uint64_t> first_unwritten(std::uint64_t address, std::uint64_t bytes) const;

    /// Makes a host range accessible to kernels at its own address (pinned host memory). All of it
    /// counts as written. False when it overlaps a registered range.
    bool register_host(void* pointer, std::uint64_t bytes, std::string_view label = {});
    bool unregister_host(void* pointer);
    /// The registered host range that holds all of [address, address + bytes), as a host pointer.
    std::byte* host_range(std::uint64_t address, std::uint64_t bytes) const;

    std::uint64_t capacity() const { return capacity_; }
    std::uint64_t used(unsigned device = 0) const;

    unsigned devices() const { return static_cast<unsigned>(parts_.size()); }
    /// The device that the address belongs to; only for addresses in_arena().
    unsigned device_of(std::uint64_t address) const {
        return static_cast<unsigned>((address - base_) / part_bytes());
    }
    std::uint64_t arena_begin(unsigned device = 0) const { return base_ + device * part_bytes(); }
    std::uint64_t arena_bytes() const { return part_bytes(); }
    /// Two words for each 8 bytes of the arena, zero at first, in which a check keeps who wrote and
    /// who read them last. `begin_order_checks` gives the number of the launch that uses them next,
    /// from 1 to 511; words of other numbers are old.
    std::uint64_t* last_writers() const { return writers_; }
    std::uint64_t* last_readers() const { return readers_; }
    unsigned begin_order_checks();
    /// That launch is done and has moved so many bytes.
    void end_order_checks(std::uint64_t bytes);

private:
    struct part {
        std::uint64_t next = 0, used = 0;
    };
    std::uint64_t part_bytes() const { return span_ / parts_.size(); }
    std::optional<std::uint64_t> place(unsigned device, std::uint64_t bytes,
                                       std::uint64_t alignment, bool visible);
    bool has_constants(std::uint64_t address) const;
    void drop_pages(std::uint64_t begin, std::uint64_t bytes);

    std::uint64_t capacity_ = 0;
    std::uint64_t base_ = 0;
    std::uint64_t span_ = 0;
    std::byte* alias_ = nullptr;
    std::uint8_t* shadow_ = nullptr;
    std::uint64_t* writers_ = nullptr;
    std::uint64_t* readers_ = nullptr;
    unsigned order_number_ = 0;
    std::uint64_t order_bytes_ = 0;
    int file_ = -1;

    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, allocation> allocations_; // live and freed, by begin
    std::map<std::uint64_t, allocation> host_ranges_;
    std::vector<part> parts_; // by device
};

} // namespace r9v_emulator
