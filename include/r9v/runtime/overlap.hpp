// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The overlap ring: while one item computes, the next is copied to the device and the previous one
// back.
#pragma once

#include <r9v/runtime/overlap_core.hpp>
#include <r9v/runtime/overlap_future.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace r9v::inline R9V_ABI {

/// A ring of slots, each with pinned staging memory, device memory and events, over three streams:
/// copies to the device, compute, copies back. All of it is made once; an item makes nothing.
///
/// An item is three callables, each of which may throw, or return a status:
///     fill(host_block& in)         on the calling thread: writes the input
///     compute(overlap_slot& at)    on a producer's thread, in order: queues work on at.stream
///     consume(const host_block&)   on the ring's thread, in order: reads the output
/// fill may be a host_source and consume a host_target instead. Any number of threads may submit.
///
/// When a stage fails, the ring takes no more items, those that are in it end as usual, and the
/// failure is what get() of that item's future throws. restart() opens the ring again.
/// The destructor waits for what is in the ring, and throws nothing.
template<runtime::overlap_device Device>
class basic_overlap_ring {
public:
    using slot_type = overlap_slot<typename Device::stream_type>;

    /// Throws r9v::error when the options make no sense or the runtime refuses.
    explicit basic_overlap_ring(const overlap_options& options, const Device& device = Device{}) {
        throw_if_failed(make(options, device, core_));
    }
    /// The same without exceptions: fills `ring`, or says why not.
    [[nodiscard]] static status try_make(const overlap_options& options,
                                         std::optional<basic_overlap_ring>& ring,
                                         const Device& device = Device{}) {
        std::unique_ptr<core_type> core;
        if (status outcome = make(options, device, core); !outcome) return outcome;
        ring.emplace(basic_overlap_ring{made{}, std::move(core)});
        return {};
    }

    /// Waits for a free slot. Throws r9v::error when the ring takes no more items.
    template<class Fill, class Compute, class Consume>
    [[nodiscard]] overlap_future submit(Fill&& fill, Compute&& compute, Consume&& consume) {
        return submit_until(moment::max(), std::forward<Fill>(fill), std::forward<Compute>(compute),
                            std::forward<Consume>(consume));
    }
    /// The future is empty when no slot is free.
    template<class Fill, class Compute, class Consume>
    [[nodiscard]] overlap_future submit_now(Fill&& fill, Compute&& compute, Consume&& consume) {
        return submit_until(moment::min(), std::forward<Fill>(fill), std::forward<Compute>(compute),
                            std::forward<Consume>(consume));
    }
    /// The future is empty when no slot came free in time.
    template<class Rep, class Period, class Fill, class Compute, class Consume>
    [[nodiscard]] overlap_future submit_within(const std::chrono::duration<Rep, Period>& time,
                                               Fill&& fill, Compute&& compute, Consume&& consume) {
        const auto deadline =
            runtime::ring_state::clock::now() + std::chrono::duration_cast<moment::duration>(time);
        return submit_until(deadline, std::forward<Fill>(fill), std::forward<Compute>(compute),
                            std::forward<Consume>(consume));
    }
    /// submit() that answers instead of throwing.
    template<class Fill, class Compute, class Consume>
    [[nodiscard]] status try_submit(overlap_future& future, Fill&& fill, Compute&& compute,
                                    Consume&& consume) noexcept {
        return place(moment::max(), future, std::forward<Fill>(fill),
                     std::forward<Compute>(compute), std::forward<Consume>(consume));
    }
    /// submit_now() that answers instead of throwing: `future` is empty when no slot is free.
    template<class Fill, class Compute, class Consume>
    [[nodiscard]] status try_submit_now(overlap_future& future, Fill&& fill, Compute&& compute,
                                        Consume&& consume) noexcept {
        return place(moment::min(), future, std::forward<Fill>(fill),
                     std::forward<Compute>(compute), std::forward<Consume>(consume));
    }

    /// Waits until everything in the ring has ended. Failures stay with their futures.
    void drain() { throw_if_failed(core_->state().drain()); }
    /// Takes no more items, and leaves out what those in the ring have yet to do.
    void cancel() noexcept { core_->state().cancel_all(); }
    /// Drains, and takes items again after a failure or cancel().
    void restart() { throw_if_failed(core_->state().reopen()); }
    [[nodiscard]] status try_restart() noexcept { return core_->state().reopen(); }
    /// Whether it takes items: not after a failure or cancel().
    [[nodiscard]] bool open() noexcept { return core_->state().open(); }

    [[nodiscard]] overlap_statistics statistics() const noexcept {
        return core_->meter().read(core_->state().count());
    }
    void reset_statistics() noexcept { core_->meter().reset(core_->state().count()); }
    /// The latest items' stages for chrome://tracing or Perfetto; see overlap_options::trace_items.
    [[nodiscard]] std::string trace_json() const { return core_->meter().trace_json(); }

private:
    using core_type = runtime::overlap_core<Device>;
    using moment = runtime::ring_state::moment;

    struct made {};
    basic_overlap_ring(made, std::unique_ptr<core_type> core) noexcept : core_{std::move(core)} {}

    static status make(const overlap_options& options, const Device& device,
                       std::unique_ptr<core_type>& core) {
        if (options.slot_count < 1 || options.slot_count > runtime::ring_state::most_slots)
            return error{"r9v: an overlap ring has 1 to %d slots, not %d. Set "
                         "overlap_options::slot_count.",
                         runtime::ring_state::most_slots, options.slot_count};
        auto made = std::make_unique<core_type>(options, device);
        if (status started = made->start(options); !started) return started;
        core = std::move(made);
        return {};
    }

    template<class Fill, class Compute, class Consume>
    overlap_future submit_until(const moment& deadline, Fill&& fill, Compute&& compute,
                                Consume&& consume) {
        overlap_future future;
        throw_if_failed(place(deadline, future, std::forward<Fill>(fill),
                              std::forward<Compute>(compute), std::forward<Consume>(consume)));
        return future;
    }

    template<class Fill, class Compute, class Consume>
    status place(const moment& deadline, overlap_future& future, Fill&& fill, Compute&& compute,
                 Consume&& consume) noexcept {
        std::uint64_t item = 0;
        status refusal;
        future = {};
        const auto turn = core_->state().begin(deadline, item, refusal);
        if (turn == runtime::ring_state::turn::refused) return refusal;
        if (turn == runtime::ring_state::turn::full) return {};
        future = overlap_future{core_->shared_state(), item};
        core_->run(item, std::forward<Fill>(fill), std::forward<Compute>(compute),
                   std::forward<Consume>(consume));
        return {};
    }

    std::unique_ptr<core_type> core_;
};

#if R9V_GPU
/// On the device that is current when the ring is made.
using overlap_ring = basic_overlap_ring<runtime::gpu_device>;
#endif

} // namespace r9v::inline R9V_ABI
