// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/operation.hpp"

#include "hip/error.hpp"
#include "hip/event.hpp"
#include "hip/launch.hpp"
#include "hip/runtime.hpp"
#include "hip/transfer.hpp"

namespace r9v_emulator::hip {
namespace {

void perform(std::monostate) {}
void perform(const host_operation& work) {
    work.call(work.data);
}

void perform(const callback_operation& work) {
    work.call(work.stream, sticky_error(), work.data);
}

void perform(const record_operation& work) {
    if (!work.event) {
        work.record->stamp.store(event_clock::now());
        work.record->modelled.store(clock::timeline::current().ready());
        return;
    }
    const auto target = event_table::instance().find(work.event);
    if (!target) return;
    auto fresh = std::make_shared<event_record>();
    fresh->stamp.store(event_clock::now());
    fresh->modelled.store(clock::timeline::current().ready());
    target->replace(std::move(fresh));
}

void perform(const wait_operation& work) {
    const auto target = event_table::instance().find(work.event);
    const auto record = target ? target->current() : nullptr;
    if (record) record->point.wait();
}

void perform(const release_operation& work) {
    device_memory().release(address_of(work.pointer));
}

void perform(const graph_operation& work) {
    for (const auto& step : work.steps->operations)
        hip::perform(step);
}

} // namespace

bool may_block(const operation& work) {
    if (const auto* const graph = std::get_if<graph_operation>(&work)) {
        return graph->steps->may_block;
    }
    return std::holds_alternative<host_operation>(work) ||
           std::holds_alternative<callback_operation>(work) ||
           std::holds_alternative<wait_operation>(work);
}

void perform(const operation& work) {
    std::visit([](const auto& concrete) { perform(concrete); }, work);
}

} // namespace r9v_emulator::hip
