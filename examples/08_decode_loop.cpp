// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Decoding over a cache in pages. Every step gives each running sequence one token: its key, turned
// by its position, and its value go into the cache, and its query sees all keys so far. The second
// sequence joins later; pages are handed out as sequences grow. The step is captured once and
// replayed: what changes from step to step stands on the device.
#include <r9v/attention.hpp>
#include <r9v/cache.hpp>
#include <r9v/memory.hpp>
#include <r9v/plan.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include "paged_cache.hpp"

using namespace r9v;

const int sequences = 2, heads = 8, key_heads = 2, dim = 128; // four query heads share a key head
const int page_size = 4, pages = 16, steps = 21;

// snippet: programs
// Of one step: q is [sequence, heads, 1, dim], k and v are [sequence, key heads, 1, dim]; a cache
// is [page, key heads, page size, dim]. Lengths count the new token.
auto turned(const auto& q, const auto& positions) {
    return rotate(q, rotary(positions, {.theta = 10000})) | store(q);
}
auto appended(const auto& k, const auto& v, const auto& keys, const auto& values, const auto& table,
              const auto& lengths) {
    return append_key_value(k, v, rotary({.theta = 10000})) |
           store(cache_pages(keys, values, table, lengths));
}
auto attended(const auto& q, const auto& keys, const auto& values, const auto& table,
              const auto& lengths, const auto& y) {
    return attention<128>(q, paged(keys, table, lengths), paged(values, table, lengths),
                          scale(0.0883883f)) |
           store(y);
}
// end snippet

// snippet: plan
/// Programs into a plan, which captures them at the first replay, with scratch memory of their own.
class planned {
public:
    void run(const auto& program) {
        const auto chosen = prepare(program);
        buffer<unsigned char> scratch{static_cast<index_t>(chosen.workspace_bytes()) + 1};
        plan_.add(chosen, {scratch.data(), chosen.workspace_bytes()});
        plan_.keep(std::move(scratch));
    }
    void replay(const stream& s) { plan_.replay(s); }
    [[nodiscard]] bool is_graph() const { return plan_.captured(); }

private:
    plan plan_;
};
// end snippet

/// The cache, and what one step reads and writes, wherever it runs.
template<class Place>
class decoding {
    using rows = example::stored<Place, bf16, 4>;

public:
    // snippet: step
    void run(auto& place) const {
        place.run(turned(q_(), positions_()));
        place.run(appended(k_(), v_(), keys_(), values_(), table_(), lengths_()));
        place.run(attended(q_(), keys_(), values_(), table_(), lengths_(), y_()));
    }
    // end snippet

    /// What the projections of a model and its scheduler would write before step `step`.
    void begin(unsigned step) {
        cache_.grow(0);
        if (step >= 6) cache_.grow(1); // its length is 0 before: it appends and sees nothing
        std::vector<std::int32_t> last;
        for (const std::int32_t length : cache_.lengths())
            last.push_back(std::max(length - 1, 0));
        positions_.upload(last);
        table_.upload(cache_.table());
        lengths_.upload(cache_.lengths());
        q_.upload(example::pattern<bf16>(sequences * heads * dim, 5, 3 * step));
        k_.upload(example::pattern<bf16>(sequences * key_heads * dim, 5, 3 * step + 1));
        v_.upload(example::pattern<bf16>(sequences * key_heads * dim, 6, 3 * step + 2));
    }
    [[nodiscard]] const auto& result() const { return y_.memory(); }

private:
    example::page_table cache_{sequences, pages, page_size};
    rows keys_{{pages, key_heads, page_size, dim}}, values_{{pages, key_heads, page_size, dim}};
    rows q_{{sequences, heads, 1, dim}}, y_{{sequences, heads, 1, dim}};
    rows k_{{sequences, key_heads, 1, dim}}, v_{{sequences, key_heads, 1, dim}};
    example::stored<Place, std::int32_t, 2> positions_{{sequences, 1}};
    example::stored<Place, std::int32_t, 2> table_{{sequences, cache_.most()}};
    example::stored<Place, std::int32_t, 1> lengths_{{sequences}};
};

/// Results of all steps behind one another; `step` queues one.
template<class Place>
std::vector<bf16> results_of(const Place& place, decoding<Place>& loop, const auto& step) {
    std::vector<bf16> all;
    for (unsigned at = 0; at < steps; ++at) {
        loop.begin(at);
        step();
        const auto result = place.download(loop.result());
        all.insert(all.end(), result.begin(), result.end());
    }
    return all;
}

int main() {
    const stream s;
    example::on_device device{s};
    decoding<example::on_device> loop;
    planned captured;
    loop.run(captured);
    const auto result = results_of(device, loop, [&] { captured.replay(s); });

    example::on_host host;
    decoding<example::on_host> reference_loop;
    const auto truth = results_of(host, reference_loop, [&] { reference_loop.run(host); });
    std::printf("%d steps %s, pages of %d rows, %d query heads on %d key heads\n", steps,
                captured.is_graph() ? "as one graph" : "one by one", page_size, heads, key_heads);
    return captured.is_graph() && example::agree("decoding", result, truth, 5e-3) ? 0 : 1;
}
