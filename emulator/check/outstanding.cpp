// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Registers whose value is still on its way. While an access is outstanding its registers are
// poison; what they become afterwards waits in wave::after.
#include "check.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

std::string issued_by(const wave& w, u16 index) {
    for (const auto* queue : {&w.loads, &w.locals}) {
        for (u32 i = 0; i < queue->size(); ++i) {
            const outstanding& entry = queue->at(i);
            if (index >= entry.first && index < entry.first + entry.count && entry.by)
                return std::string(entry.by->info->name);
        }
    }
    return is_scalar(index) && w.scalar_load_by ? std::string(w.scalar_load_by->info->name)
                                                : std::string("an access");
}

bool scalar_pending(const wave& w, unsigned number) {
    return w.scalars_pending[number / 64] >> (number % 64) & 1;
}

void settle(wave& w, u16 index) {
    w.taints[index] = w.after[index];
}

} // namespace

std::string register_name(unsigned index) {
    if (index < vector_count) return "v" + std::to_string(index);
    const unsigned n = index - scalar_first;
    if (n == vcc_number) return "vcc_lo";
    if (n == vcc_number + 1) return "vcc_hi";
    if (n == m0_number) return "m0";
    if (n == exec_number) return "exec_lo";
    if (n >= ttmp_number && n < null_number) return "ttmp" + std::to_string(n - ttmp_number);
    return "s" + std::to_string(n);
}

bool check_pending(wave& w, const op& o, u16 first, unsigned count, bool overwrite) {
    if (first >= constant_index) return false;
    bool found = false;
    for (unsigned n = 0; n < count; ++n) {
        const u16 index = static_cast<u16>(first + n);
        const bool vector = is_vector(index);
        const bool waiting =
            vector ? w.pending[index] != 0 : scalar_pending(w, index - scalar_first);
        if (!waiting) continue;
        if (!found)
            report(w, o, overwrite ? "overwrite before wait" : "use before wait",
                   vector ? static_cast<int>(lowest_lane(w.exec())) : -1, 0,
                   register_name(index) + " is still being loaded by " + issued_by(w, index));
        found = true;
        // Go on as if it had been waited for, so that one mistake gives one report.
        if (vector) {
            w.pending[index] = w.pending_locals[index] = 0;
            settle(w, index);
        } else {
            const unsigned number = index - scalar_first;
            w.scalars_pending[number / 64] &= ~(u64{1} << (number % 64));
            w.taints[index] = taint{};
        }
    }
    return found;
}

void issue(wave& w, const op& o, outstanding_queue& queue, u16 first, unsigned count, bool lds) {
    if (queue.size() == outstanding_queue::limit) retire(w, queue, outstanding_queue::limit - 1);
    queue.push({first, static_cast<u8>(count), lds, &o});
    const bool local = &queue == &w.locals;
    for (unsigned n = 0; n < count; ++n) {
        const unsigned index = first + n;
        ++w.pending[index];
        w.pending_locals[index] = static_cast<u8>(w.pending_locals[index] + local);
        w.taints[index] = taint::every(all_lanes);
    }
}

void retire(wave& w, outstanding_queue& queue, u32 keep) {
    const bool local = &queue == &w.locals;
    while (queue.size() > keep) {
        const outstanding done = queue.pop();
        for (unsigned n = 0; n < done.count; ++n) {
            const u16 index = static_cast<u16>(done.first + n);
            if (w.pending[index] == 0) continue;
            if (local && w.pending_locals[index]) --w.pending_locals[index];
            if (--w.pending[index] == 0) settle(w, index);
        }
    }
}

void issue_scalar(wave& w, const op& o, unsigned first, unsigned count) {
    w.scalar_load_by = &o;
    for (unsigned n = first; n < first + count; ++n) {
        w.scalars_pending[n / 64] |= u64{1} << (n % 64);
        w.taints[scalar(n)] = taint::of(all_lanes, 0, 0, 0);
    }
}

void retire_scalar(wave& w) {
    for (unsigned part = 0; part < 3; ++part) {
        for (u64 bits = w.scalars_pending[part]; bits; bits &= bits - 1) {
            const unsigned number = part * 64 + static_cast<unsigned>(std::countr_zero(bits));
            w.taints[scalar(number)] = w.after_scalar[number];
        }
        w.scalars_pending[part] = 0;
    }
}

} // namespace r9v_emulator
