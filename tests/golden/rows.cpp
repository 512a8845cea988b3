// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Row programs through r9v::reference against the golden values.
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;
using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

constexpr r9v::index_t rows = 6;
constexpr r9v::index_t columns = 23;
constexpr int places = 5;

const golden_file& file() {
    static const golden_file values{"rows.txt"};
    return values;
}

std::vector<float> floats(const std::string& name) {
    std::vector<float> made;
    for (const double value : file()[name])
        made.push_back(static_cast<float>(value));
    return made;
}

/// Inputs by name; the views stay valid while the program runs.
struct input {
    explicit input(const std::string& name) : values{floats(name)} {}
    std::vector<float> values;
    [[nodiscard]] auto matrix() const {
        return host_tensor<const float, 2>{values.data(), {rows, columns}};
    }
    [[nodiscard]] auto vector() const {
        return host_tensor<const float, 1>{values.data(),
                                           {static_cast<r9v::index_t>(values.size())}};
    }
};

/// Compares what was stored: it may differ from the golden values by its rounding to float.
void expect_values(const std::string& name, const std::vector<float>& found) {
    const auto& wanted = file()[name];
    ASSERT_EQ(wanted.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        expect_golden(name, i, static_cast<double>(found[i]), wanted[i],
                      element<float>::epsilon * 1.01, 1e-45);
}

template<class Program>
void expect_program(const std::string& name, const Program& program, r9v::index_t height = rows,
                    r9v::index_t width = columns) {
    std::vector<float> y(static_cast<std::size_t>(height * width), -99.0f);
    launch(reference, program | store(host_tensor{y.data(), {height, width}}));
    expect_values(name, y);
}

TEST(golden_rows, softmax) {
    const input x{"x"};
    const input edge{"edge"};
    expect_program("softmax", softmax(x.matrix()));
    expect_program("softmax_edge", softmax(edge.matrix()));
    expect_program("softmax_transposed", softmax(transposed(x.matrix())), columns, rows);
}

TEST(golden_rows, masks_sinks_and_temperatures) {
    const input x{"x"};
    const input edge{"edge"};
    const input temperatures{"temperatures"};
    expect_program("softmax_causal", softmax(x.matrix() | causal(bottom_right)));
    expect_program("softmax_sink", softmax(x.matrix() | sink(1.5f)));
    expect_program("softmax_sink_edge", softmax(edge.matrix() | sink(1.5f)));
    expect_program("softmax_temperature",
                   softmax(x.matrix() | temperature(per_row(temperatures.vector()))));
}

TEST(golden_rows, log_softmax) {
    const input x{"x"};
    const input edge{"edge"};
    expect_program("log_softmax", log_softmax(x.matrix()));
    expect_program("log_softmax_edge", log_softmax(edge.matrix()));
}

TEST(golden_rows, log_sum_exp_as_head_and_as_statistic) {
    const input x{"x"};
    const input edge{"edge"};
    expect_program("log_sum_exp", log_sum_exp(x.matrix()), rows, 1);
    expect_program("log_sum_exp_edge", log_sum_exp(edge.matrix()), rows, 1);
    expect_program("log_sum_exp_sink_edge", log_sum_exp(edge.matrix() | sink(1.5f)), rows, 1);
    std::vector<float> sums(rows);
    expect_program("softmax_edge",
                   softmax(edge.matrix()) | log_sum_exp_rows(host_tensor{sums.data(), {rows}}));
    expect_values("log_sum_exp_edge", sums);
}

TEST(golden_rows, norms) {
    const input x{"x"};
    const input far{"far"};
    const input weights{"weights"};
    const input shifts{"shifts"};
    std::vector<float> mean(rows);
    std::vector<float> inverse(rows);
    const host_tensor means{mean.data(), {rows}};
    const host_tensor inverses{inverse.data(), {rows}};
    expect_program("rms_norm", rms_norm(x.matrix(), {.epsilon = 1e-5f}) |
                                   inverse_deviation_rows(inverses) |
                                   scale(per_column(weights.vector())));
    expect_values("rms_norm_inverse", inverse);
    expect_program("layer_norm", layer_norm(x.matrix(), {.epsilon = 1e-5f}) | mean_rows(means) |
                                     inverse_deviation_rows(inverses) |
                                     scale_shift(weights.vector(), shifts.vector()));
    expect_values("layer_norm_mean", mean);
    expect_values("layer_norm_inverse", inverse);
    expect_program("layer_norm_far", layer_norm(far.matrix()));
    const std::vector<float> equal(columns, 3.0f);
    expect_program("norm_of_equal_values", layer_norm(host_tensor{equal.data(), {columns}}), 1);
}

TEST(golden_rows, top_k) {
    const input x{"x"};
    std::vector<float> values(rows * places);
    std::vector<std::int32_t> indices(rows * places);
    const host_tensor to{values.data(), {rows, places}};
    const host_tensor at{indices.data(), {rows, places}};
    const auto expect = [&](const std::string& name, const auto& program) {
        launch(reference, program);
        expect_values(name, values);
        for (std::size_t i = 0; i < indices.size(); ++i)
            EXPECT_EQ(indices[i], file()["top_k_indices"][i]) << name << '[' << i << ']';
    };
    expect("top_k_values", softmax(x.matrix()) | top_k(places, to, at));
    expect("top_k_renormalized",
           softmax(x.matrix()) | top_k(places, to, at, top_k_weights::renormalize));
    expect("top_k_softmax",
           log_softmax(x.matrix()) | top_k(places, to, at, top_k_weights::softmax));
}

} // namespace
