// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Masks, alibi and rotary embeddings against the golden values, through the reference.
#include <r9v/cache.hpp>

#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

struct size {
    index_t queries;
    index_t keys;
    [[nodiscard]] std::string name() const {
        return std::to_string(queries) + "x" + std::to_string(keys);
    }
};
constexpr size sizes[] = {{2, 5}, {5, 2}, {4, 7}};
constexpr index_t batches = 2;
constexpr index_t heads = 3;

const golden_file& file() {
    static const golden_file values{"mask.txt"};
    return values;
}

std::vector<float> floats(const std::string& name) {
    std::vector<float> values;
    for (const double value : file()[name])
        values.push_back(static_cast<float>(value));
    return values;
}

/// Every score after the op, in runs of one; not kept ones are -infinity.
template<class Op>
std::vector<double> after(const Op& op, const size& s) {
    auto chain = r9v::chain<>{} | op;
    r9v::bind(chain, {batches, s.queries, s.keys, heads});
    const auto& scores = file()["scores." + s.name()];
    std::vector<double> result;
    for (index_t b = 0; b < batches; ++b)
        for (index_t h = 0; h < heads; ++h)
            for (index_t q = 0; q < s.queries; ++q)
                for (index_t k = 0; k < s.keys; ++k) {
                    const r9v::run<double, 1> x{{scores.at(result.size())}};
                    const r9v::coordinate at{
                        .batch_base = b, .row_base = q, .column_base = k, .head_base = h};
                    const double y = transform(r9v::reference_math{}, chain, at, x)[0];
                    result.push_back(r9v::is_kept(y) ? y
                                                     : -std::numeric_limits<double>::infinity());
                }
    return result;
}

template<class Op>
void expect_kept(const std::string& name, const Op& op) {
    for (const size& s : sizes) {
        const auto& kept = file()[name + "." + s.name()];
        const auto found = after(op, s);
        ASSERT_EQ(kept.size() * batches * heads, found.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(kept[i % kept.size()] != 0, std::isfinite(found[i]))
                << name << ' ' << s.name() << " score " << i % kept.size();
    }
}

TEST(golden_mask, intervals) {
    expect_kept("causal_top_left", r9v::causal(r9v::top_left));
    expect_kept("causal_bottom_right", r9v::causal(r9v::bottom_right));
    expect_kept("window_2_1", r9v::window(2, 1));
    expect_kept("window_2_1_top_left", r9v::window(2, 1, r9v::top_left));
    expect_kept("sliding_3", r9v::window(3));
}

void expect_scores(const std::string& name, const size& s, const std::vector<double>& found) {
    const auto& wanted = file()[name + "." + s.name()];
    ASSERT_EQ(wanted.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        expect_golden(name, i, found[i], wanted[i], 1e-14, 1e-14);
}

TEST(golden_mask, alibi_and_bias) {
    const auto slopes = floats("slopes");
    for (const size& s : sizes) {
        expect_scores("alibi", s,
                      after(r9v::alibi(host_tensor<const float, 1>{slopes.data(), {heads}}), s));
        const auto bias = floats("bias." + s.name());
        const host_tensor<const float, 4> view{bias.data(), {batches, 1, s.queries, s.keys}};
        expect_scores("add_mask", s, after(r9v::add_mask(view), s));
    }
}

TEST(golden_rotary, both_conventions) {
    const auto x = floats("rotary.x");
    std::vector<std::int32_t> positions;
    for (const double position : file()["rotary.positions"])
        positions.push_back(static_cast<std::int32_t>(position));
    const auto check = [&](const std::string& name, index_t dim, r9v::rotary_pairs pairs) {
        std::vector<float> y(x.size());
        r9v::launch(r9v::reference,
                    rotate(host_tensor<const float, 3>{x.data(), {2, 5, 12}},
                           r9v::rotary(host_tensor<const std::int32_t, 1>{positions.data(), {5}},
                                       {.dim = dim, .pairs = pairs})) |
                        r9v::store(host_tensor<float, 3>{y.data(), {2, 5, 12}}));
        const auto& wanted = file()[name];
        for (std::size_t i = 0; i < y.size(); ++i)
            expect_golden(name, i, static_cast<double>(y[i]), wanted.at(i), 6e-8, 1e-9);
    };
    check("rotary.halves_12", 0, r9v::rotary_pairs::halves);
    check("rotary.halves_8", 8, r9v::rotary_pairs::halves);
    check("rotary.interleaved_12", 12, r9v::rotary_pairs::interleaved);
    check("rotary.interleaved_8", 8, r9v::rotary_pairs::interleaved);
}

} // namespace
