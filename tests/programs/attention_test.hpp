// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs attention programs on the device, once for each of their tiles, and through the reference.
// Everything around the rows that exist is NaN: paddings, rows behind a length, pages of nobody.
#pragma once

#include <r9v/attention.hpp>

#include "program_test.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace r9v_test {

/// Shapes and settings of one case; every field may vary at run time.
struct attention_case {
    index_t batch = 1;
    index_t key_heads = 1;
    index_t ratio = 1; ///< query heads of a key head
    index_t queries = 1;
    index_t keys = 1;
    index_t dim = 64;
    index_t value_dim = 64;
    bool heads_behind = false; ///< [batch, row, head, dim] in memory
    index_t padding = 0;       ///< elements behind each row

    std::vector<std::int32_t> query_lengths; ///< of packed queries
    std::vector<std::int32_t> key_lengths;   ///< of sequences that have their own
    index_t page = 0;                        ///< rows of a page

    r9v::corner side = r9v::bottom_right;
    index_t left = -1;
    index_t right = -1;
    unsigned masks = 0; ///< bits of the masks that do something, see attention_masks.cpp
    int variant = 0;
    double low = -1; ///< range of q and k
    double high = 1;
    float factor = 0; ///< of the scores; 0 is the usual one

    [[nodiscard]] index_t heads() const { return key_heads * ratio; }
    [[nodiscard]] float scale() const {
        return factor != 0 ? factor : 1 / std::sqrt(static_cast<float>(dim));
    }
};

inline std::ostream& operator<<(std::ostream& to, const attention_case& c) {
    to << c.batch << " x " << c.key_heads << " x " << c.ratio << " heads, " << c.queries
       << " queries, " << c.keys << " keys, dims " << c.dim << " and " << c.value_dim
       << (c.heads_behind ? ", heads behind" : "") << ", padding " << c.padding << ", page "
       << c.page << ", " << (c.side == r9v::top_left ? "top left" : "bottom right") << ", window "
       << c.left << " " << c.right << ", factor " << c.factor << ", masks " << c.masks
       << ", variant " << c.variant;
    for (const auto length : c.query_lengths)
        to << ", " << length << " queries";
    for (const auto length : c.key_lengths)
        to << ", " << length << " keys";
    return to;
}

/// How errors grow on their way through an attention program.
struct attention_growth {
    double gain = 1;           ///< largest slope of the ops behind the head
    double value = 1;          ///< largest |v|
    double logit_gain = 1;     ///< largest slope of the score ops, the scale excepted
    bool rounds_query = false; ///< q's prologue rounds
    double exact_scores = 0;   ///< largest scaled score of products that are exact in f32
};

/// Bound on the absolute error of a result, or of a log-sum-exp, before it is rounded to its type.
///
/// A score is a sum of d products, accurate to (d + 1) units of f32 of the sum of their magnitudes;
/// the scaled error e changes each probability by a factor 1 +- e. A probability p <= 1 is rounded
/// to the element type, towards zero at worst, which changes it by up to 2 epsilon p (below the
/// normal range, by the distance of denormals). Numerator and denominator carry both errors, so
/// their quotient, which is at most the largest |v|, is off by twice the sum; sums over keys in f32
/// add a unit for each key.
template<class Element>
double attention_bound(const attention_case& c, const attention_growth& growth) {
    const double unit = 0x1p-24;
    using element = r9v::element<Element>;
    const double magnitude = std::max(std::fabs(c.low), std::fabs(c.high));
    const auto d = static_cast<double>(c.dim);
    const auto keys = static_cast<double>(c.keys);
    const bool exact = growth.exact_scores > 0;
    const double products =
        exact ? growth.exact_scores : d * magnitude * magnitude * static_cast<double>(c.scale());
    double relative = exact ? 0 : (d + 1) * unit;
    if (growth.rounds_query) relative += element::epsilon;
    const double logit = growth.logit_gain * (relative * products + 32 * unit * (1 + products));
    const double probability = 2 * element::epsilon + keys * element::min_positive;
    return growth.gain * growth.value *
           (2 * (logit + probability) + (keys + 64) * unit * (1 + products));
}

/// What of the bound the root mean square of errors may reach: roundings of weights differ in size
/// and average out over keys; a log-sum-exp keeps their mean, half of the largest.
inline constexpr double typical_share = 1.0 / 3;

/// Rows [sequence, head, row, dim] of a dense tensor in the case's order of memory.
template<class T, class Memory>
auto rows_input(Memory& memory, const attention_case& c, index_t heads, index_t rows, index_t dim,
                values range = {}) {
    if (c.heads_behind) {
        return r9v::heads_first(memory.template input<T>({c.batch, rows, heads, dim},
                                                         {c.padding % 8, c.padding}, range));
    }
    return memory.template input<T>({c.batch, heads, rows, dim}, {c.padding % 8, c.padding}, range);
}
template<class T, class Memory>
auto rows_output(Memory& memory, const attention_case& c, index_t heads, index_t rows,
                 index_t dim) {
    if (c.heads_behind) {
        return r9v::heads_first(
            memory.template output<T>({c.batch, rows, heads, dim}, {c.padding % 8, c.padding}));
    }
    return memory.template output<T>({c.batch, heads, rows, dim}, {c.padding % 8, c.padding});
}

/// q, k and v as plain tensors, and a result of the element type `Out`.
template<class T, class Out, class Memory>
auto dense_inputs(Memory& memory, const attention_case& c) {
    const values range{c.low, c.high};
    auto q = rows_input<T>(memory, c, c.heads(), c.queries, c.dim, range);
    auto k = rows_input<T>(memory, c, c.key_heads, c.keys, c.dim, range);
    auto v = rows_input<T>(memory, c, c.key_heads, c.keys, c.value_dim);
    auto o = rows_output<Out>(memory, c, c.heads(), c.queries, c.value_dim);
    struct tensors {
        decltype(q) q;
        decltype(k) k;
        decltype(v) v;
        decltype(o) o;
    };
    return tensors{q, k, v, o};
}

template<class Memory>
auto log_sum_exp_output(Memory& memory, const attention_case& c) {
    return memory.template output<float>({c.batch, c.heads(), c.queries});
}

/// Keys or values of which each sequence has its own length; what stands behind it is NaN.
template<class T, class Memory>
auto limited_input(Memory& memory, const attention_case& c, index_t dim) {
    const auto value = [&](const position& at, double x) {
        const index_t row = at[c.heads_behind ? 1 : 2];
        return row < c.key_lengths[static_cast<std::size_t>(at[0])]
                   ? x
                   : std::numeric_limits<double>::quiet_NaN();
    };
    if (c.heads_behind) {
        return r9v::heads_first(memory.template filled<T>({c.batch, c.keys, c.key_heads, dim},
                                                          value, {c.padding % 8, c.padding}));
    }
    return memory.template filled<T>({c.batch, c.key_heads, c.keys, dim}, value,
                                     {c.padding % 8, c.padding});
}

/// Where packed sequences begin: a few rows of nobody stand in front and behind.
struct packing {
    std::vector<std::int32_t> offsets;
    index_t total = 0;
    index_t longest = 0;

    explicit packing(const std::vector<std::int32_t>& lengths) {
        offsets.push_back(2);
        for (const std::int32_t length : lengths) {
            offsets.push_back(offsets.back() + length);
            longest = std::max<index_t>(longest, length);
        }
        total = offsets.back() + 3;
    }
};

/// Sequences behind one another, [head, total, dim]; rows of nobody are NaN.
template<class T, class Memory>
auto packed_input(Memory& memory, const attention_case& c, const packing& p, index_t heads,
                  index_t dim) {
    const auto value = [&](const position& at, double x) {
        const index_t row = at[c.heads_behind ? 1 : 2];
        return row >= p.offsets.front() && row < p.offsets.back()
                   ? x
                   : std::numeric_limits<double>::quiet_NaN();
    };
    if (c.heads_behind) {
        return r9v::heads_first(
            memory.template filled<T>({p.total, heads, dim}, value, {c.padding % 8, c.padding}));
    }
    return memory.template filled<T>({heads, p.total, dim}, value, {c.padding % 8, c.padding});
}

/// A block table over pages in mixed order; entries of nobody lead nowhere.
struct paging {
    index_t page;
    index_t pages = 0; ///< in memory
    index_t most = 0;  ///< of a sequence
    std::vector<std::int32_t> table;
    std::vector<std::int32_t> rows_in; ///< rows of each page that exist

    paging(const std::vector<std::int32_t>& lengths, index_t size, std::uint64_t order)
        : page{size} {
        index_t used = 0;
        for (const std::int32_t length : lengths) {
            const index_t count = (length + size - 1) / size;
            most = std::max(most, count);
            used += count;
        }
        most += 1;
        pages = used + 2;
        std::vector<std::int32_t> free(static_cast<std::size_t>(pages));
        for (std::size_t i = 0; i < free.size(); ++i)
            free[i] = static_cast<std::int32_t>(i);
        std::shuffle(free.begin(), free.end(), std::mt19937_64{order});
        rows_in.assign(free.size(), 0);
        for (const std::int32_t length : lengths) {
            for (index_t at = 0; at < most; ++at) {
                const index_t rows = std::clamp<index_t>(length - at * size, 0, size);
                if (rows == 0) {
                    table.push_back(at % 2 == 0 ? -1 : 0x7fff'ffff);
                    continue;
                }
                table.push_back(free.back());
                rows_in[static_cast<std::size_t>(free.back())] = static_cast<std::int32_t>(rows);
                free.pop_back();
            }
        }
    }
};

/// Pages [page, head, row, dim]; rows of nobody are NaN.
template<class T, class Memory>
auto paged_input(Memory& memory, const attention_case& c, const paging& p, index_t dim) {
    const auto value = [&](const position& at, double x) {
        const index_t row = at[c.heads_behind ? 1 : 2];
        return row < p.rows_in[static_cast<std::size_t>(at[0])]
                   ? x
                   : std::numeric_limits<double>::quiet_NaN();
    };
    if (c.heads_behind) {
        return r9v::heads_first(memory.template filled<T>({p.pages, p.page, c.key_heads, dim},
                                                          value, {c.padding % 8, c.padding}));
    }
    return memory.template filled<T>({p.pages, c.key_heads, p.page, dim}, value,
                                     {c.padding % 8, c.padding});
}

/// Runs a prepared program; scratch memory is poisoned first.
template<class Program>
void run_on_device(const Program& program) {
    hipStream_t stream = nullptr;
    void* scratch = nullptr;
    const std::size_t bytes = r9v::workspace_bytes(program);
    if (bytes != 0) {
        ASSERT_EQ(hipMalloc(&scratch, bytes), hipSuccess);
        ASSERT_EQ(hipMemset(scratch, 0xff, bytes), hipSuccess);
    }
    r9v::launch(stream, program, {scratch, bytes});
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    if (scratch != nullptr) (void)hipFree(scratch);
}

/// Regimes that a test run has forced, and how often a tile did not fit.
struct forced_runs {
    int prefill = 0;
    int decode = 0;
    int refused = 0;
};

template<auto Tile, class Make>
void check_tile(const Make& make, const attention_case& c, memory_record& record, double bound,
                forced_runs& runs) {
    SCOPED_TRACE(::testing::Message()
                 << (Tile.regime == r9v::attention_regime::decode ? "decode" : "prefill")
                 << " tile " << Tile.queries << " x " << Tile.keys << ", " << Tile.waves
                 << " waves");
    record.forget_device();
    memory<side::device> device{record};
    const auto program = r9v::only<Tile>(make(device, c));
    const r9v::status fits = r9v::can_launch(program);
    if (!fits) {
        EXPECT_EQ(Tile.regime, r9v::attention_regime::prefill) << fits.what();
        EXPECT_NE(std::string{fits.what()}.find("Name a decode tile"), std::string::npos)
            << fits.what();
        ++runs.refused;
        return;
    }
    run_on_device(program);
    record.download();
    record.compare(bound, 0, typical_share);
    ++(Tile.regime == r9v::attention_regime::decode ? runs.decode : runs.prefill);
}

template<class Make, auto... Tiles>
void check_tiles(const Make& make, const attention_case& c, memory_record& record, double bound,
                 forced_runs& runs, r9v::tile_list<Tiles...>) {
    (check_tile<Tiles>(make, c, record, bound, runs), ...);
}

/// `make(memory, case)` returns the program; every tile that it is compiled for runs every case,
/// and so do the tiles of `More`.
template<class Element, auto... More, class Make>
forced_runs check_attention(const Make& make, const std::vector<attention_case>& cases,
                            const attention_growth& growth = {}) {
    forced_runs runs;
    std::uint64_t number = 0;
    for (const attention_case& c : cases) {
        SCOPED_TRACE(::testing::Message() << c << ", R9V_SEED " << seed());
        memory_record record{seed() + ++number};
        memory<side::host> host{record};
        const auto expected = make(host, c);
        r9v::launch(r9v::reference, expected);
        using program = decltype(make(std::declval<memory<side::device>&>(), c));
        const double bound = attention_bound<Element>(c, growth);
        check_tiles(make, c, record, bound, runs, r9v::default_tiles<program>{});
        check_tiles(make, c, record, bound, runs, r9v::tile_list<More...>{});
        if (::testing::Test::HasFailure()) break;
    }
    return runs;
}

/// The counts that cases are drawn from.
inline constexpr index_t row_counts[] = {1, 2, 5, 16, 17, 63, 64, 65, 128, 200, 513};
inline constexpr index_t ratios[] = {1, 2, 3, 4, 7, 8};

/// `count` cases with these dims (8 times as many with R9V_LONG): every count of queries and keys
/// and every ratio comes up in turn, in an order that `name` decides; work is limited, so that
/// large counts meet small ones.
std::vector<attention_case> random_attention_cases(const std::string& name, std::size_t count,
                                                   const std::vector<index_t>& dims,
                                                   double work = 3e6);

/// The same in an order that differs from test to test.
std::vector<attention_case>
random_attention_cases(std::size_t count, const std::vector<index_t>& dims, double work = 3e6);

/// Enough heads to fill the device, so that decode does not split the keys and every wave walks
/// over many of them.
attention_case crowded_case(index_t queries, index_t keys, index_t ratio = 1);

} // namespace r9v_test
