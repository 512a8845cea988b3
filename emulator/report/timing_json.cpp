// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One JSON object: "kernels" for programs, "traceEvents" for chrome://tracing and Perfetto, which
// ignore what they do not know.
#include "timing_report.hpp"
#include <cstdio>

namespace r9v_emulator::report {
namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += ' ';
        else if (c == '<')
            out += "\\u003c"; // also safe inside a script element
        else
            out += c;
    }
    return out + "\"";
}

class object {
public:
    object& add(std::string_view name, const std::string& json) {
        body_ += body_.empty() ? "" : ",";
        body_ += quoted(name) + ":" + json;
        return *this;
    }
    object& add(std::string_view name, double value) { return add(name, fixed(value, 6)); }
    object& add(std::string_view name, std::uint64_t value) {
        return add(name, std::to_string(value));
    }
    object& add(std::string_view name, std::uint32_t value) {
        return add(name, std::to_string(value));
    }
    std::string text() const { return "{" + body_ + "}"; }

private:
    std::string body_;
};

template<class List, class Each>
std::string array(const List& list, Each each) {
    std::string out = "[";
    for (const auto& item : list)
        out += (out.size() > 1 ? "," : "") + each(item);
    return out + "]";
}

std::string interval_json(const clock::interval& i) {
    return object().add("low", i.low).add("mid", i.mid).add("high", i.high).text();
}

std::string counts_json(const launch_counts& c) {
    return object()
        .add("waves", c.waves)
        .add("wmma", c.wmma)
        .add("wmma_cycles", c.wmma_cycles)
        .add("valu", c.valu)
        .add("valu_cycles", c.valu_cycles)
        .add("transcendental", c.transcendental)
        .add("salu", c.salu)
        .add("branches", c.branches)
        .add("smem", c.smem)
        .add("global_loads", c.global_loads)
        .add("global_stores", c.global_stores)
        .add("global_atomics", c.global_atomics)
        .add("scratch", c.scratch_accesses)
        .add("bytes_loaded", c.global_bytes_loaded)
        .add("bytes_stored", c.global_bytes_stored)
        .add("lines_loaded", c.global_lines_loaded)
        .add("lines_stored", c.global_lines_stored)
        .add("lds_loads", c.lds_loads)
        .add("lds_stores", c.lds_stores)
        .add("lds_passes", c.lds_load_passes + c.lds_store_passes)
        .add("lds_passes_ideal", c.lds_load_passes_ideal + c.lds_store_passes_ideal)
        .add("waits", c.waits)
        .add("barriers", c.barriers)
        .text();
}

std::string busy_json(const clock::utilisation& u) {
    return object()
        .add("vector", u.vector)
        .add("wmma", u.wmma)
        .add("transcendental", u.transcendental)
        .add("lds", u.lds)
        .add("l0", u.l0)
        .add("l2", u.l2)
        .add("infinity_cache", u.infinity)
        .add("dram", u.dram)
        .add("dispatch", u.dispatch)
        .text();
}

std::string stalls_json(const clock::replay_result& r) {
    object out;
    for (unsigned n = 0; n < static_cast<unsigned>(clock::stall::count); ++n)
        out.add(clock::name_of(static_cast<clock::stall>(n)), r.stalls[n]);
    return out.text();
}

std::string kernel_json(const clock::kernel_record& k) {
    const level_bytes b = levels_of(k);
    const roofline_point p = point_of(k);
    const auto three = [](const std::uint32_t(&n)[3]) {
        return array(n, [](std::uint32_t x) { return std::to_string(x); });
    };
    return object()
        .add("name", quoted(k.name))
        .add("grid", three(k.blocks))
        .add("block", three(k.threads))
        .add("launches", k.launches)
        .add("microseconds", interval_json(k.last.microseconds))
        .add("total_microseconds", interval_json(k.total_us))
        .add("ghz", k.last.ghz)
        .add("sampled", k.last.sampled)
        .add("sampling_error", k.last.sampling_error)
        .add("bound", quoted(k.last.bound))
        .add("busy", busy_json(k.last.used))
        .add("stalled_cycles", stalls_json(k.last.mid))
        .add("vgprs", k.vgprs)
        .add("sgprs", k.sgprs)
        .add("lds_bytes", k.lds_bytes)
        .add("scratch_bytes", k.scratch_bytes)
        .add("waves_a_simd", k.last.mid.waves_a_simd)
        .add("counts", counts_json(k.counts))
        .add("bytes", object()
                          .add("l0", b.l0)
                          .add("l2", b.l2)
                          .add("infinity_cache", b.infinity)
                          .add("dram", b.dram)
                          .text())
        .add("tflops", p.tflops)
        .add("operations_a_byte", p.intensity)
        .add("main_loop", array(main_loop(k),
                                [](const clock::annotated& a) {
                                    return object()
                                        .add("pc", a.pc)
                                        .add("text", quoted(a.text))
                                        .add("executed", a.executed)
                                        .add("cycles", a.cycles)
                                        .add("share", a.share)
                                        .text();
                                }))
        .text();
}

std::string span_json(const clock::span& s) {
    return object()
        .add("name", quoted(s.name))
        .add("cat", s.kernel ? "\"kernel\"" : "\"copy\"")
        .add("ph", "\"X\"")
        .add("pid", std::uint32_t{1})
        .add("tid", std::uint32_t{s.track})
        .add("ts", s.start)
        .add("dur", s.duration)
        .add("args", object().add("detail", quoted(s.detail)).text())
        .text();
}

std::string card_json(const clock::card& c) {
    return object()
        .add("key", quoted(c.key))
        .add("name", quoted(c.name))
        .add("compute_units", std::uint32_t{c.compute_units})
        .add("ghz", c.boost_ghz)
        .add("dram_gbs", c.dram_gbs)
        .add("dram_share", c.arch.dram_share.mid)
        .add("tflops_f16", c.tflops_f16)
        .add("tflops_8bit", c.tflops_8bit)
        .add("tflops_f32", c.tflops_f32)
        .add("slots", std::uint32_t{c.arch.slots})
        .text();
}

} // namespace

std::string as_json(const timing_report& r) {
    return object()
        .add("card", card_json(*r.card))
        .add("kernels", array(r.kernels, kernel_json))
        .add("displayTimeUnit", "\"ns\"")
        .add("traceEvents", array(r.spans, span_json))
        .text();
}

} // namespace r9v_emulator::report
