// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "global_order.hpp"

#include "../decode/program.hpp"
#include "../isa/access.hpp"
#include "check.hpp"
#include <algorithm>
#include <bit>
#include <immintrin.h>

namespace r9v_emulator {
namespace {

/// Who accessed 8 bytes last: which of them, by an atomic or not, which wave of which workgroup of
/// which launch, and how many barriers it had signalled and releases it had made before.
class accessor {
public:
    explicit constexpr accessor(u64 bits) : bits_(bits) {}
    static accessor of(const wave& w, bool atomic) {
        const u64 group = w.owner->number % several_groups;
        return accessor{(atomic ? atomic_bit : 0) | u64{w.id} << wave_at |
                        std::min<u64>(w.signals, most_signals) << signals_at |
                        std::min<u64>(w.releases, most_releases) << releases_at |
                        group << group_at | w.launch->order->launch() << launch_at};
    }

    constexpr u64 bits() const { return bits_; }
    constexpr u64 bytes() const { return bits_ & 0xff; }
    constexpr bool atomic() const { return (bits_ & atomic_bit) != 0; }
    constexpr u64 signals() const { return bits_ >> signals_at & most_signals; }
    constexpr u64 releases() const { return bits_ >> releases_at & most_releases; }
    /// Wave and workgroup, as releases are kept under.
    constexpr u64 who() const { return wave() | group() << 8; }
    constexpr u64 wave() const { return bits_ >> wave_at & several_waves; }
    constexpr u64 group() const { return bits_ >> group_at & several_groups; }
    constexpr u64 launch() const { return bits_ >> launch_at; }
    constexpr bool is_of(const accessor& other) const {
        return wave() == other.wave() && group() == other.group() && launch() == other.launch();
    }
    constexpr bool several() const { return wave() == several_waves; }
    constexpr bool saturated() const {
        return signals() == most_signals || releases() == most_releases;
    }

    constexpr accessor with_signals(u64 n) const {
        return accessor{(bits_ & ~(most_signals << signals_at)) | n << signals_at};
    }
    constexpr accessor with_bytes(u64 bytes) const { return accessor{bits_ | bytes}; }
    /// The readers `a` and `b`, neither of which came before the other, of the bytes that both
    /// read.
    static constexpr accessor joined(const accessor& a, const accessor& b) {
        const u64 group = a.group() == b.group() ? a.group() : several_groups;
        const u64 atomic = a.bits_ & b.bits_ & atomic_bit;
        return accessor{(a.bytes() & b.bytes()) | atomic | several_waves << wave_at |
                        std::max(a.signals(), b.signals()) << signals_at | group << group_at |
                        a.launch() << launch_at};
    }

    static constexpr u64 several_groups = 0x3fffff;
    static constexpr unsigned group_at = 33, launch_at = 55;

private:
    static constexpr u64 atomic_bit = 0x100, several_waves = 0x3f;
    static constexpr u64 most_signals = 0xfff, most_releases = 0x3f;
    static constexpr unsigned wave_at = 9, signals_at = 15, releases_at = 27;

    u64 bits_;
};

/// Whether the access `before`, of another wave of this launch, is ordered before what `w` does
/// now.
bool is_ordered(const wave& w, const accessor& own, const accessor& before) {
    if (before.saturated()) return true;
    if (before.group() == own.group() && before.signals() < w.waits) return true;
    if (w.acquired == 0) return false;
    if (before.several()) return true; // who of them released is not known
    return w.launch->order->released(before.who(), static_cast<u32>(before.releases()), w.acquired);
}

bool is_race(const wave& w, const accessor& own, const accessor& before, u64 bytes) {
    if (before.launch() != own.launch() || (before.bytes() & bytes) == 0) return false;
    if (before.is_of(own) || (before.atomic() && own.atomic())) return false;
    return !is_ordered(w, own, before);
}

/// Which of 8 bytes lie in [first, last], a bit each.
u64 bytes_inside(u64 eight, u64 first, u64 last) {
    u64 inside = 0xff;
    if (eight << 3 < first) inside &= u64{0xff} << (first & 7);
    if ((eight << 3) + 7 > last) inside &= u64{0xff} >> (7 - (last & 7));
    return inside;
}

std::string name_of(const accessor& other) {
    if (other.several()) return "several waves have";
    return "wave " + std::to_string(other.wave()) + " of workgroup " +
           std::to_string(other.group()) + " has";
}

void report_race(wave& w, const op& o, int lane, u64 address, const accessor& other,
                 std::string_view kind) {
    report(w, o, "global race", lane, address,
           std::string(kind) + ": " + name_of(other) + " accessed it, and nothing orders the two");
}

void note_unordered_read(wave& w, const op& o, const accessor& other) {
    launch_state& launch = *w.launch;
    const std::scoped_lock lock(launch.fault_mutex);
    if (!launch.unordered_read.empty()) return;
    launch.unordered_read = "wave " + std::to_string(w.id) + " of workgroup " +
                            std::to_string(w.owner->number) + " read by " +
                            launch.code->text_at(address_of(w, o)) + " what " + name_of(other) +
                            " written, and nothing orders the two";
}

u64 joined_writers(const accessor& own, const accessor& before, u64 bytes) {
    const bool same = before.is_of(own);
    return own.with_bytes(same ? bytes | before.bytes() : bytes).bits();
}
u64 joined_readers(const wave& w, const accessor& own, const accessor& before, u64 bytes) {
    const accessor next = own.with_bytes(bytes);
    if (before.launch() != own.launch()) return next.bits();
    if (before.is_of(own)) return next.with_bytes(before.bytes()).bits();
    if (!before.several() && is_ordered(w, own, before)) return next.bits();
    // Who read what is kept for bytes that several read; of others, for those read last.
    if ((before.bytes() & bytes) == 0) return before.several() ? before.bits() : next.bits();
    if (before.several() && before.group() == own.group()) {
        const u64 signals = std::max(before.signals(), own.signals());
        return before.with_signals(signals).bits();
    }
    return accessor::joined(next, before).bits();
}

/// A read of 16 bytes, the most frequent access, at once: true where no other wave has written
/// here and the readers' marks are as they must be.
bool mark_whole_read(const u64* writers, u64* readers, const accessor& own) {
    const auto all = [](u64 value) {
        return _mm_set1_epi64x(static_cast<long long>(value));
    };
    const auto is = [](__m128i a, __m128i b) {
        return _mm_movemask_epi8(_mm_cmpeq_epi64(a, b));
    };
    const __m128i launch = all(own.launch());
    const __m128i written = _mm_loadu_si128(reinterpret_cast<const __m128i*>(writers));
    const __m128i read = _mm_loadu_si128(reinterpret_cast<const __m128i*>(readers));
    if (is(_mm_srli_epi64(written, accessor::launch_at), launch) != 0) return false;
    if (is(_mm_srli_epi64(read, accessor::launch_at), launch) == 0) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(readers), all(own.with_bytes(0xff).bits()));
        return true;
    }
    // Read by several workgroups, or by this wave a moment ago: the marks stay.
    const u64 several =
        own.launch() << accessor::launch_at | accessor::several_groups << accessor::group_at | 0xff;
    const u64 where =
        ~u64{0} << accessor::launch_at | accessor::several_groups << accessor::group_at | 0xff;
    return is(_mm_and_si128(read, all(where)), all(several)) == 0xffff ||
           is(read, all(own.with_bytes(0xff).bits())) == 0xffff;
}

} // namespace

global_order::global_order(memory& device)
    : device_(device),
      launch_(device.begin_order_checks()),
      writers_(device.last_writers()),
      readers_(device.last_readers()) {}

void global_order::end(u64 bytes) {
    device_.end_order_checks(bytes);
}

void global_order::release(u64 wave) {
    const std::scoped_lock lock(mutex_);
    releases_[wave].push_back(++clock_);
}

bool global_order::released(u64 wave, u32 number, u64 time) {
    const std::scoped_lock lock(mutex_);
    const auto found = releases_.find(wave);
    return found != releases_.end() && number < found->second.size() &&
           found->second[number] <= time;
}

void acquire(wave& w) {
    if (w.launch->order) w.acquired = w.launch->order->now();
}

void check_scalar_order(wave& w, const op& o, u64 address, const std::byte* data, unsigned bytes) {
    const launch_state& launch = *w.launch;
    if (!launch.order || w.acquired != 0) return;
    const u64 first = static_cast<u64>(data - launch.arena), last = first + bytes - 1;
    if (first >= launch.arena_bytes) return;
    for (u64 eight = first >> 3; eight <= last >> 3; ++eight) {
        const accessor writer{launch.order->writers()[eight]};
        if (writer.launch() != launch.order->launch() ||
            (writer.bytes() & bytes_inside(eight, first, last)) == 0)
            continue;
        report(w, o, "stale scalar load", -1, address,
               name_of(writer) + " written it in this launch; scalar caches do not see that");
        return;
    }
}

u32 check_global_order(wave& w, const op& o, const lane_pointers& at, unsigned bytes, bool write,
                       bool atomic) {
    launch_state& launch = *w.launch;
    if (!launch.order) return 0;
    const bool overwritten_reads = launch.options->report_overwritten_reads;
    u32 unordered = 0;
    global_order& order = *launch.order;
    const accessor own = accessor::of(w, atomic);
    // What comes before is released when nothing of it is on its way.
    if (atomic && write && w.unreleased && w.stores == 0) {
        order.release(own.who());
        ++w.releases;
        w.unreleased = false;
    }
    if (!atomic) w.unreleased = true;
    for (u32 rest = at.mask & ~at.lds_mask; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const u64 first = static_cast<u64>(at.data[l] - launch.arena), last = first + bytes - 1;
        if (first >= launch.arena_bytes) continue; // host memory
        if (!write && bytes == 16 && (first & 7) == 0 &&
            mark_whole_read(order.writers() + (first >> 3), order.readers() + (first >> 3), own))
            continue;
        for (u64 eight = first >> 3; eight <= last >> 3; ++eight) {
            const u64 inside = bytes_inside(eight, first, last);
            const accessor writer{order.writers()[eight]}, reader{order.readers()[eight]};
            if (is_race(w, own, writer, inside)) [[unlikely]] {
                if (write) {
                    report_race(w, o, l, at.address[l], writer, "write after write");
                } else if (!atomic) { // polling for what another wave will write is no race
                    note_unordered_read(w, o, writer);
                    unordered |= 1u << l;
                }
            } else if (write && overwritten_reads && is_race(w, own, reader, inside)) {
                report_race(w, o, l, at.address[l], reader, "write after read");
            }
            if (write)
                order.writers()[eight] = joined_writers(own, writer, inside);
            else
                order.readers()[eight] = joined_readers(w, own, reader, inside);
        }
    }
    return unordered;
}

} // namespace r9v_emulator
