// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;
using r9v::layout;

/// Runs `x | store(view)` with runs of N into poisoned memory and expects x at the view's places,
/// and poison everywhere else.
template<class Math, int N, class View>
void expect_stored(std::vector<float>& memory, const View& view, const grid& x) {
    constexpr float poison = -12345.0f;
    std::fill(memory.begin(), memory.end(), poison);
    const auto chain = chain_of(r9v::store(view));
    evaluation<Math, std::remove_const_t<decltype(chain)>>{chain, x.size}.template run<N>(x);
    for (index_t b = 0; b < x.size.batches; ++b)
        for (index_t r = 0; r < x.size.rows; ++r)
            for (index_t c = 0; c < x.size.columns; ++c) {
                float* found = nullptr;
                if constexpr (View::rank == 3) {
                    found = &view(b, r, c);
                } else {
                    found = &view(r, c);
                }
                ASSERT_EQ(static_cast<double>(*found), x.at(b, r, c)) << b << ' ' << r << ' ' << c;
                *found = poison;
            }
    for (std::size_t i = 0; i < memory.size(); ++i)
        ASSERT_EQ(memory[i], poison) << "at " << i;
}

template<class View>
void expect_destination(std::vector<float>& memory, const View& view, const r9v::extents& size) {
    const grid x = random_grid(size, 21);
    expect_stored<r9v::reference_math, 1>(memory, view, x);
    expect_stored<r9v::reference_math, 2>(memory, view, x);
    expect_stored<r9v::reference_math, 4>(memory, view, x);
    expect_stored<r9v::reference_math, 8>(memory, view, x);
    expect_stored<float_math, 8>(memory, view, x);
}

TEST(destination, packed_padded_and_batched) {
    std::vector<float> memory(2000);
    expect_destination(memory, host_tensor{memory.data() + 3, {5, 21}}, {1, 5, 21});
    expect_destination(memory, host_tensor{memory.data(), {5, 21}, {30, 1}}, {1, 5, 21});
    expect_destination(memory, host_tensor{memory.data(), {3, 5, 21}, {200, 22, 1}}, {3, 5, 21});
}

TEST(destination, transposed_strided_and_sliced) {
    std::vector<float> memory(4000);
    const host_tensor<float, 2> upright{memory.data(), {21, 5}};
    expect_destination(memory, r9v::transposed(upright), {1, 5, 21});
    const host_tensor<float, 3> batches{memory.data(), {3, 21, 5}};
    expect_destination(memory, r9v::transposed(batches), {3, 5, 21});
    const host_tensor<float, 3, layout::strided> spread{memory.data(), {2, 5, 21}, {1, 300, 9}};
    expect_destination(memory, spread, {2, 5, 21});
    const host_tensor<float, 2> wide{memory.data(), {5, 64}};
    expect_destination(memory, r9v::slice(wide, 1, 40, 21), {1, 5, 21}); // a concatenation's part
    expect_destination(memory, r9v::slice(wide, 0, 2, 2), {1, 2, 64});
}

TEST(destination, stores_round_to_nearest_even_and_saturate) {
    const grid x{{1, 1, 8}, {0.5, 1.5, 2.5, -2.5, 200.0, -200.0, 127.4, -0.25}};
    EXPECT_EQ((evaluated<r9v::reference_math, std::int8_t>([] { return r9v::scale(1); }, x)),
              (std::vector<std::int8_t>{0, 2, 2, -2, 127, -128, 127, 0}));
    const grid y{{1, 1, 4}, {500.0, -1e9, 17.0, 19.0}}; // e4m3 between 16 and 20: 16, 18, 20
    const auto stored =
        evaluated<r9v::reference_math, r9v::fp8_e4m3>([] { return r9v::scale(1); }, y);
    EXPECT_EQ(r9v::to_float(stored[0]), 448.0f);
    EXPECT_EQ(r9v::to_float(stored[1]), -448.0f);
    EXPECT_EQ(r9v::to_float(stored[2]), 16.0f);
    EXPECT_EQ(r9v::to_float(stored[3]), 20.0f);
}

TEST(destination, tee_writes_what_stands_at_its_place) {
    const grid x = random_grid({2, 3, 13}, 22);
    std::vector<float> copy(x.values.size());
    const auto stored = evaluated(
        [&] {
            return r9v::scale(2) | r9v::tee(host_tensor{copy.data(), {2, 3, 13}}) | r9v::add(1);
        },
        x);
    for (std::size_t i = 0; i < copy.size(); ++i) {
        EXPECT_EQ(static_cast<double>(copy[i]), 2 * x.values[i]);
        EXPECT_EQ(static_cast<double>(stored[i]), 2 * x.values[i] + 1);
    }
}

TEST(destination, may_be_what_was_read) {
    grid x = random_grid({1, 4, 19}, 23);
    const auto before = random_values(4 * 19, 24);
    for (int n = 0; n < 2; ++n) {
        std::vector<float> memory = before;
        const host_tensor view{memory.data(), {4, 19}};
        const auto chain = chain_of(r9v::residual(view), r9v::store(view));
        evaluation<r9v::reference_math, std::remove_const_t<decltype(chain)>> run_it{chain, x.size};
        n == 0 ? run_it.run<1>(x) : run_it.run<8>(x);
        for (std::size_t i = 0; i < memory.size(); ++i)
            EXPECT_EQ(static_cast<double>(memory[i]), x.values[i] + static_cast<double>(before[i]));
    }
}

} // namespace
