// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The life of an item of an overlap ring: filled by its producer, issued in order by whichever
// producer is at hand, ended in order by the ring's own thread.
#pragma once

#include <r9v/runtime/overlap_meter.hpp>
#include <r9v/runtime/overlap_slots.hpp>
#include <r9v/runtime/ring_state.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace r9v::inline R9V_ABI {

/// Sizes of an overlap ring, and what it watches.
struct overlap_options {
    int slot_count = 3; ///< items in the ring at once, 1 to 8: 3 keep both copies and compute busy
    std::size_t input_bytes = 0;  ///< of a slot; 0 for items without input
    std::size_t output_bytes = 0; ///< likewise
    bool spin = false;            ///< end items sooner, at the price of one busy core
    int measure_every = 1;        ///< time the device stages of every n-th item; 0: of none
    std::size_t trace_items = 0;  ///< keep the latest so many for trace_json(); 0: no trace
};

/// In place of fill: data that is there already. Copied from directly when it is pinned, and then
/// it must live until the future is ready; else staged through the slot before submit() returns.
struct host_source {
    const void* data = nullptr;
    std::size_t bytes = 0;
};

/// In place of consume: where the output goes. Must live until the future is ready.
struct host_target {
    void* data = nullptr;
    std::size_t bytes = 0;
};

namespace runtime {

/// Marks the thread as running a stage of a ring.
class stage_scope {
public:
    explicit stage_scope(const ring_state* ring) : before_{std::exchange(stage_of, ring)} {}
    stage_scope(const stage_scope&) = delete;
    stage_scope& operator=(const stage_scope&) = delete;
    ~stage_scope() { stage_of = before_; }

private:
    const ring_state* before_;
};

template<overlap_device Device>
class overlap_core {
public:
    using stream_type = typename Device::stream_type;
    using slot_type = overlap_slot<stream_type>;

    overlap_core(const overlap_options& options, const Device& device)
        : slots_{device},
          timeline_{slots_.device()},
          meter_{options.measure_every, options.measure_every > 0 ? options.trace_items : 0},
          state_{std::make_shared<ring_state>(options.slot_count)} {}
    overlap_core(const overlap_core&) = delete;
    overlap_core& operator=(const overlap_core&) = delete;
    ~overlap_core() {
        state_->finish();
        if (worker_.joinable()) worker_.join();
    }

    status start(const overlap_options& options) {
        if (status made =
                slots_.acquire({options.slot_count, options.input_bytes, options.output_bytes,
                                options.measure_every > 0, !options.spin});
            !made)
            return made;
        if (meter_.traces()) {
            const auto now = [](const void* meter) {
                return static_cast<const overlap_meter*>(meter)->now();
            };
            if (const char* fault = timeline_.start(slots_.upload(), now, &meter_))
                return slots_.failed("event", fault);
        }
        worker_ = std::thread{[this] {
            end_items();
        }};
        return {};
    }

    ring_state& state() noexcept { return *state_; }
    overlap_meter& meter() noexcept { return meter_; }
    [[nodiscard]] const std::shared_ptr<ring_state>& shared_state() const noexcept {
        return state_;
    }

    /// The item's stages, up to where the device goes on alone.
    template<class Fill, class Compute, class Consume>
    void run(std::uint64_t item, Fill&& fill, Compute&& compute, Consume&& consume) noexcept {
        meter_.item_began();
        auto& at = slots_[item];
        at.source = nullptr;
        at.target = nullptr;
        at.input_bytes = slots_.sizes().input_bytes;
        at.output_bytes = slots_.sizes().output_bytes;
        at.on_device = false;
        at.timed = meter_.measures(item);
        at.fill_begin = meter_.now();
        {
            const stage_scope scope{state_.get()};
            at.failure = run_stage("fill", [&]() -> status {
                keep(at.compute, std::forward<Compute>(compute));
                keep_consume(at, std::forward<Consume>(consume));
                return fill_slot(at, fill);
            });
        }
        at.fill_end = meter_.now();
        if (!state_->filled(item)) return;
        do {
            item = state_->next_to_issue();
            issue(item, slots_[item]);
        } while (state_->issued(item));
    }

private:
    template<class Call, class Function>
    static void keep(Call& call, Function&& f) {
        call.emplace([held = std::forward<Function>(f)](auto&& argument) mutable -> status {
            return call_stage(held, argument);
        });
    }

    template<class Consume>
    void keep_consume(slot<Device>& at, Consume&& consume) {
        if constexpr (std::is_same_v<std::remove_cvref_t<Consume>, host_target>) {
            const host_target to = consume;
            const bool pinned = slots_.device().is_pinned(to.data);
            meter_.copied(!pinned);
            if (pinned) at.target = static_cast<std::byte*>(to.data);
            at.output_bytes = std::min(to.bytes, at.output_bytes);
            keep(at.consume, [to, pinned](const host_block& block) {
                if (!pinned) std::memcpy(to.data, block.data(), std::min(to.bytes, block.size()));
            });
        } else {
            keep(at.consume, std::forward<Consume>(consume));
        }
    }

    template<class Fill>
    status fill_slot(slot<Device>& at, Fill& fill) {
        const std::size_t capacity = slots_.sizes().input_bytes;
        if constexpr (std::is_same_v<std::remove_cvref_t<Fill>, host_source>) {
            if (fill.bytes > capacity)
                return error{"r9v: the input has %zu bytes and a slot holds %zu. Make the ring "
                             "with a larger input_bytes.",
                             fill.bytes, capacity};
            at.input_bytes = fill.bytes;
            const bool pinned = slots_.device().is_pinned(fill.data);
            meter_.copied(!pinned);
            if (pinned) {
                at.source = fill.data;
            } else if (fill.bytes != 0) {
                std::memcpy(at.host_input, fill.data, fill.bytes);
            }
            return {};
        } else {
            host_block block{at.host_input, capacity, capacity};
            status filled = call_stage(fill, block);
            at.input_bytes = block.size();
            return filled;
        }
    }

    void issue(std::uint64_t item, slot<Device>& at) noexcept {
        if (at.failure || state_->cancelled(item)) return;
        int before = 0;
        if (const char* fault = slots_.device().enter(before)) {
            at.failure = stage_failure{slots_.failed("device choice", fault), nullptr};
            return;
        }
        at.on_device = true;
        if (const char* fault = queue_upload(at)) {
            at.failure = stage_failure{slots_.failed("upload", fault), nullptr};
        } else {
            at.failure = queue_compute(item, at);
        }
        if (!at.failure) {
            if (const char* fault = queue_download(at))
                at.failure = stage_failure{slots_.failed("download", fault), nullptr};
        }
        slots_.device().leave(before);
    }

    const char* queue_upload(slot<Device>& at) noexcept {
        if (at.input_bytes == 0) return nullptr;
        auto& device = slots_.device();
        auto& stream = slots_.upload();
        const void* from = at.source != nullptr ? at.source : at.host_input;
        const char* fault = at.timed ? device.record(at.events[upload_begin], stream) : nullptr;
        if (fault == nullptr) fault = device.copy_to_device(at.input, from, at.input_bytes, stream);
        if (fault == nullptr) fault = device.record(at.events[upload_end], stream);
        if (fault == nullptr) fault = device.wait(slots_.compute(), at.events[upload_end]);
        return fault;
    }

    std::optional<stage_failure> queue_compute(std::uint64_t item, slot<Device>& at) noexcept {
        auto& device = slots_.device();
        auto& stream = slots_.compute();
        const char* fault = at.timed ? device.record(at.events[compute_begin], stream) : nullptr;
        if (fault == nullptr) {
            slot_type face{stream,    at.input,        at.input_bytes,
                           at.output, at.output_bytes, slots_.index(item),
                           item};
            const stage_scope scope{state_.get()};
            if (auto failed = run_stage("compute", [&] { return at.compute(face); })) return failed;
            at.output_bytes = std::min(face.output_bytes, at.output_bytes);
            fault = device.record(at.events[compute_end], stream);
        }
        if (fault == nullptr) return std::nullopt;
        return stage_failure{slots_.failed("compute", fault), nullptr};
    }

    const char* queue_download(slot<Device>& at) noexcept {
        if (at.output_bytes == 0) return nullptr;
        auto& device = slots_.device();
        auto& stream = slots_.download();
        std::byte* to = at.target != nullptr ? at.target : at.host_output;
        const char* fault = device.wait(stream, at.events[compute_end]);
        if (fault == nullptr && at.timed) fault = device.record(at.events[download_begin], stream);
        if (fault == nullptr) fault = device.copy_to_host(to, at.output, at.output_bytes, stream);
        if (fault == nullptr) fault = device.record(at.events[download_end], stream);
        return fault;
    }

    // ---- the ring's own thread

    void end_items() noexcept {
        int before = 0;
        (void)slots_.device().enter(before);
        for (std::uint64_t item = 0; state_->next_to_end(item);) {
            auto& at = slots_[item];
            wait_for_device(at);
            if (!at.failure && state_->begin_consuming(item)) consume(item, at);
            at.compute.reset();
            at.consume.reset();
            meter_.item_ended();
            state_->end(item, std::exchange(at.failure, std::nullopt));
        }
    }

    void wait_for_device(slot<Device>& at) noexcept {
        if (!at.on_device) return;
        if (at.failure) { // what was queued before the failure still uses the slot
            (void)slots_.synchronize();
            return;
        }
        auto& last = at.events[at.output_bytes != 0 ? download_end : compute_end];
        if (const char* fault = slots_.device().synchronize_event(last)) {
            at.failure = stage_failure{slots_.failed("the device's work", fault), nullptr};
            (void)slots_.synchronize();
        }
    }

    void consume(std::uint64_t item, slot<Device>& at) noexcept {
        const double begin = meter_.now();
        {
            const stage_scope scope{state_.get()};
            const host_block block{at.target != nullptr ? at.target : at.host_output,
                                   slots_.sizes().output_bytes, at.output_bytes};
            at.failure = run_stage("consume", [&] { return at.consume(block); });
        }
        if (!at.timed || at.failure) return;
        const double end = meter_.now();
        meter_.stage(stage_fill, item, at.fill_begin, at.fill_end - at.fill_begin);
        measure(stage_upload, item, at, upload_begin, upload_end, at.input_bytes != 0);
        measure(stage_compute, item, at, compute_begin, compute_end, true);
        measure(stage_download, item, at, download_begin, download_end, at.output_bytes != 0);
        meter_.stage(stage_consume, item, begin, end - begin);
    }

    void measure(overlap_stage stage, std::uint64_t item, slot<Device>& at, slot_event begin,
                 slot_event end, bool ran) noexcept {
        float milliseconds = 0;
        auto& from = at.events[begin];
        if (!ran || slots_.device().elapsed(milliseconds, from, at.events[end]) != nullptr) return;
        const double place = meter_.traces() ? timeline_.place(from, slots_.download()) : -1;
        meter_.stage(stage, item, place, static_cast<double>(milliseconds) * 1e-3);
    }

    slot_set<Device> slots_;
    device_timeline<Device> timeline_;
    overlap_meter meter_;
    std::shared_ptr<ring_state> state_;
    std::thread worker_;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
