// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Decoding over a cache in pages. Every step gives each running sequence one token: its key, turned
// by its position, and its value go into the cache, and its query sees all keys so far. The second
// sequence joins later; pages are handed out as sequences grow.
#include <r9v/attention.hpp>
#include <r9v/cache.hpp>
#include <r9v/memory.hpp>
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

/// Results of all steps behind one another, wherever they run.
template<class Place>
std::vector<bf16> results_of(Place& place) {
    using example::pattern, example::stored;
    const stored<Place, bf16, 4> keys{{pages, key_heads, page_size, dim}};
    const stored<Place, bf16, 4> values{{pages, key_heads, page_size, dim}};
    const stored<Place, bf16, 4> y{{sequences, heads, 1, dim}};
    example::page_table cache{sequences, pages, page_size};
    std::vector<bf16> all;
    for (unsigned step = 0; step < steps; ++step) {
        cache.grow(0);
        if (step >= 6) cache.grow(1);   // its length is 0 before: it appends and sees nothing
        std::vector<std::int32_t> last; // position of the newest token
        for (const std::int32_t length : cache.lengths())
            last.push_back(std::max(length - 1, 0));
        const stored<Place, std::int32_t, 2> positions{{sequences, 1}, last};
        const stored<Place, std::int32_t, 2> table{{sequences, cache.most()}, cache.table()};
        const stored<Place, std::int32_t, 1> lengths{{sequences}, cache.lengths()};
        const stored<Place, bf16, 4> q{{sequences, heads, 1, dim},
                                       pattern<bf16>(sequences * heads * dim, 5, 3 * step)};
        const stored<Place, bf16, 4> k{{sequences, key_heads, 1, dim},
                                       pattern<bf16>(sequences * key_heads * dim, 5, 3 * step + 1)};
        const stored<Place, bf16, 4> v{{sequences, key_heads, 1, dim},
                                       pattern<bf16>(sequences * key_heads * dim, 6, 3 * step + 2)};
        // snippet: step
        place.run(turned(q(), positions()));
        place.run(appended(k(), v(), keys(), values(), table(), lengths()));
        place.run(attended(q(), keys(), values(), table(), lengths(), y()));
        // end snippet
        const auto result = place.download(y.memory());
        all.insert(all.end(), result.begin(), result.end());
    }
    return all;
}

int main() {
    const stream s;
    example::on_device device{s};
    example::on_host host;
    std::printf("%d steps, pages of %d rows, %d query heads on %d key heads\n", steps, page_size,
                heads, key_heads);
    return example::agree("decoding", results_of(device), results_of(host), 5e-3) ? 0 : 1;
}
