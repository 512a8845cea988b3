// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// append_key_value() and rotate() against the reference: every form of cache, both conventions of
// pairs, angles computed and from tables, dims that fill runs and dims that do not.
#include <r9v/cache.hpp>

#include "program_test.hpp"
#include <vector>

namespace {

using namespace r9v_test;
using r9v::bf16;
using r9v::half;
using r9v::rotary_pairs;

/// What a case of a cache program consists of, drawn from a seed.
struct cache_case {
    index_t batches;
    index_t heads;
    index_t tokens;
    index_t dim;
    index_t value_dim;
    index_t rotary_dim;
    rotary_pairs pairs;
    index_t page_rows;
    index_t pages_a_sequence;
    bool heads_behind; ///< tensors are stored [.., token, head, dim]
    placement place;
};

class draw {
public:
    explicit draw(std::uint64_t number) : random_{seed() * 977 + number} {}
    index_t from(index_t low, index_t high) {
        return std::uniform_int_distribution<index_t>{low, high}(random_);
    }
    index_t one_of(std::initializer_list<index_t> values) {
        return values.begin()[from(0, static_cast<index_t>(values.size()) - 1)];
    }
    cache_case next() {
        cache_case c{};
        c.batches = from(1, 3);
        c.heads = one_of({1, 2, 3, 8});
        c.tokens = one_of({0, 1, 1, 2, 5, 17});
        c.dim = one_of({2, 8, 16, 30, 64, 72, 128});
        c.value_dim = one_of({1, 8, 24, 64, 128});
        c.rotary_dim = from(0, 2) == 0 ? c.dim : 2 * from(1, c.dim / 2);
        c.pairs = from(0, 1) == 0 ? rotary_pairs::halves : rotary_pairs::interleaved;
        c.page_rows = one_of({1, 3, 16, 64});
        c.pages_a_sequence = r9v::ceil_div<index_t>(c.tokens + from(1, 40), c.page_rows);
        c.heads_behind = from(0, 1) == 0;
        c.place = {from(0, 2), from(0, 3)};
        return c;
    }
    /// Different numbers below `count`, in random order.
    std::vector<std::int32_t> shuffled(index_t count) {
        std::vector<std::int32_t> all(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<std::int32_t>(i);
        std::shuffle(all.begin(), all.end(), random_);
        return all;
    }

private:
    std::mt19937_64 random_;
};

/// A tensor seen as [first, head, row, dim], stored with the heads in front of or behind the rows.
template<class T, class Memory>
auto new_rows(Memory& m, const cache_case& c, index_t dim, values range = {}) {
    if (!c.heads_behind)
        return m.template input<T>({c.batches, c.heads, c.tokens, dim}, c.place, range);
    return r9v::heads_first(
        m.template input<T>({c.batches, c.tokens, c.heads, dim}, c.place, range));
}
template<class T, class Memory>
auto cache_memory(Memory& m, const cache_case& c, index_t first, index_t rows, index_t dim) {
    if (!c.heads_behind) return m.template in_place<T>({first, c.heads, rows, dim}, c.place);
    return r9v::heads_first(m.template in_place<T>({first, rows, c.heads, dim}, c.place));
}

/// Runs `make(memory, case, draw)` on both sides for many cases. Turned values are sums of two
/// products of numbers below 1, with angles of float.
template<class Make>
void check_cases(int count, const Make& make) {
    for (int number = 0; number < count; ++number) {
        const cache_case c = draw{static_cast<std::uint64_t>(number)}.next();
        SCOPED_TRACE(::testing::Message()
                     << "case " << number << ": " << c.batches << " batches, " << c.heads
                     << " heads, " << c.tokens << " tokens, dims " << c.dim << " and "
                     << c.value_dim << ", turned " << c.rotary_dim << ", pages of " << c.page_rows
                     << ", R9V_SEED " << seed());
        memory_record record{seed() + static_cast<std::uint64_t>(number)};
        memory<side::host> host{record};
        draw host_draw{1000u + static_cast<std::uint64_t>(number)};
        r9v::launch(r9v::reference, make(host, c, host_draw));
        memory<side::device> device{record};
        draw device_draw{1000u + static_cast<std::uint64_t>(number)};
        r9v::launch(hipStream_t{}, make(device, c, device_draw));
        record.download();
        record.compare(0x1p-20);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(cache, pages_with_positions_that_count_on) {
    check_cases(60, [](auto& m, const cache_case& c, draw& d) {
        const index_t pages = c.batches * c.pages_a_sequence + 2;
        const auto k = new_rows<half>(m, c, c.dim);
        const auto v = new_rows<half>(m, c, c.value_dim);
        const auto keys = cache_memory<half>(m, c, pages, c.page_rows, c.dim);
        const auto values = cache_memory<half>(m, c, pages, c.page_rows, c.value_dim);
        std::vector<std::int32_t> table = d.shuffled(pages);
        table.resize(static_cast<std::size_t>(c.batches * c.pages_a_sequence));
        if (d.from(0, 3) == 0) table[0] = -1; // a page that is not there
        std::vector<std::int32_t> lengths;
        for (index_t s = 0; s < c.batches; ++s)
            lengths.push_back(static_cast<std::int32_t>(
                d.from(0, 3) == 0 ? d.from(0, c.tokens) // some or all of the tokens are padding
                                  : d.from(c.tokens, c.pages_a_sequence * c.page_rows + 1)));
        return append_key_value(k, v, r9v::rotary({.dim = c.rotary_dim, .pairs = c.pairs})) |
               store(cache_pages(keys, values, m.indices({c.batches, c.pages_a_sequence}, table),
                                 m.indices({c.batches}, lengths)));
    });
}

TEST(cache, slots_with_given_positions) {
    check_cases(60, [](auto& m, const cache_case& c, draw& d) {
        const index_t pages = r9v::ceil_div<index_t>(c.batches * c.tokens + 3, c.page_rows);
        const auto k = new_rows<bf16>(m, c, c.dim);
        const auto v = new_rows<bf16>(m, c, c.value_dim);
        const auto keys = cache_memory<r9v::fp8_e4m3>(m, c, pages, c.page_rows, c.dim);
        const auto values = cache_memory<r9v::fp8_e4m3>(m, c, pages, c.page_rows, c.value_dim);
        std::vector<std::int32_t> slots = d.shuffled(pages * c.page_rows);
        slots.resize(static_cast<std::size_t>(c.batches * c.tokens));
        std::vector<std::int32_t> positions;
        for (auto& slot : slots) {
            const index_t kind = d.from(0, 9);
            if (kind == 0) slot = -1;
            if (kind == 1) slot = static_cast<std::int32_t>(pages * c.page_rows); // beyond
            positions.push_back(static_cast<std::int32_t>(d.from(0, 1'000'000)));
        }
        return append_key_value(
                   k, v,
                   r9v::rotary(m.indices({c.batches, c.tokens}, positions),
                               {.dim = c.rotary_dim, .theta = 500000, .pairs = c.pairs})) |
               store(cache_slots(keys, values, m.indices({c.batches, c.tokens}, slots)),
                     {.key = 0.125f, .value = 0.25f});
    });
}

TEST(cache, rows_without_embedding) {
    check_cases(30, [](auto& m, const cache_case& c, draw& d) {
        const index_t rows = c.pages_a_sequence * c.page_rows;
        const auto k = new_rows<float>(m, c, c.dim, {.special = 0.02});
        const auto v = new_rows<float>(m, c, c.value_dim, {.special = 0.02});
        const auto keys = cache_memory<half>(m, c, c.batches, rows, c.dim);
        const auto values = cache_memory<half>(m, c, c.batches, rows, c.value_dim);
        std::vector<std::int32_t> lengths;
        for (index_t s = 0; s < c.batches; ++s)
            lengths.push_back(static_cast<std::int32_t>(d.from(0, rows + 2)));
        return append_key_value(k, v) |
               store(cache_rows(keys, values, m.indices({c.batches}, lengths)));
    });
}

TEST(cache, rotate_by_tables_and_quantize) {
    check_cases(40, [](auto& m, const cache_case& c, draw& d) {
        const index_t known = d.from(1, 50);
        const auto x = new_rows<half>(m, c, c.dim);
        const auto cosines = m.template input<float>({known, c.rotary_dim / 2});
        const auto sines = m.template input<float>({known, c.rotary_dim / 2});
        const auto y = m.template output<bf16>({c.batches, c.heads, c.tokens, c.dim}, c.place);
        std::vector<std::int32_t> positions;
        for (index_t i = 0; i < c.tokens; ++i)
            positions.push_back(static_cast<std::int32_t>(d.from(-2, known + 2)));
        return rotate(x, r9v::rotary(m.indices({c.tokens}, positions), cosines, sines, c.pairs)) |
               r9v::scale(0.5f) | r9v::store(y);
    });
}

} // namespace
