// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A batch norm folded into weights and bias, against the convolution followed by the batch norm.
#include <r9v/conv.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace r9v;

struct folding : ::testing::Test {
    static constexpr index_t k = 5, r = 3, s = 2, c = 6, h = 6, w = 7;

    std::mt19937 random{20260};
    std::vector<float> numbers(index_t count, float low = -1, float high = 1) {
        std::uniform_real_distribution<float> uniform{low, high};
        std::vector<float> all(static_cast<std::size_t>(count));
        for (float& one : all)
            one = uniform(random);
        return all;
    }
    std::vector<half> halves(index_t count) {
        std::vector<half> all;
        for (const float one : numbers(count))
            all.push_back(from_float<half>(one));
        return all;
    }

    std::vector<half> x = halves(h * w * c);
    std::vector<half> weights = halves(k * r * s * c);
    std::vector<float> gamma = numbers(k, 0.5f, 2), beta = numbers(k), mean = numbers(k);
    std::vector<float> variance = numbers(k, 0.1f, 3);
    std::vector<float> bias = numbers(k);
    batch_norm bn{gamma, beta, mean, variance, 1e-3};

    /// What the weights give for x, with `add` behind, in float.
    template<class T, class Op>
    std::vector<float> convolved(const std::vector<T>& f, const Op& add) {
        std::vector<half> rounded;
        for (const T one : f)
            rounded.push_back(from_double<half>(to_double(one)));
        const filter_extents of{k, r, s, c};
        std::vector<half> packed(static_cast<std::size_t>(packed_filter_elements(of)));
        pack_filter(host_tensor{rounded.data(), {k, r, s, c}}, packed.data());
        constexpr convolution how{.stride = {2, 1}, .pad = 1};
        const index_t p = convolved_extent(h, r, 2, 1, 1, 1);
        const index_t q = convolved_extent(w, s, 1, 1, 1, 1);
        std::vector<float> y(static_cast<std::size_t>(p * q * k));
        launch(reference,
               conv2d(host_tensor{x.data(), {1, h, w, c}}, host_filter(packed.data(), of), how) |
                   add | store(host_tensor{y.data(), {1, p, q, k}}));
        return y;
    }

    /// The convolution, its bias, and the batch norm by its definition.
    std::vector<double> by_definition(const std::vector<float>& existing) {
        std::vector<double> y;
        for (const float sum : convolved(weights, scale(1.0f))) {
            const auto channel = y.size() % static_cast<std::size_t>(k);
            const double with_bias =
                static_cast<double>(sum) +
                (existing.empty() ? 0.0 : static_cast<double>(existing[channel]));
            y.push_back(static_cast<double>(gamma[channel]) *
                            (with_bias - static_cast<double>(mean[channel])) /
                            std::sqrt(static_cast<double>(variance[channel]) + bn.epsilon) +
                        static_cast<double>(beta[channel]));
        }
        return y;
    }

    static void expect_near(const std::vector<float>& found, const std::vector<double>& wanted,
                            double bound) {
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(static_cast<double>(found[i]), wanted[i], bound) << i;
    }

    template<class Call>
    static std::string refusal(const Call& call) {
        try {
            call();
        } catch (const error& reason) {
            return reason.what();
        }
        return "nothing was refused";
    }
};

TEST_F(folding, matches_running_both) {
    for (const std::vector<float>& existing : {std::vector<float>{}, bias}) {
        std::vector<float> folded(weights.size());
        const std::vector<float> added =
            fold_batch_norm(host_tensor{weights.data(), {k, r, s, c}},
                            host_tensor{folded.data(), {k, r, s, c}}, existing, bn);
        // Folded weights are rounded to half once more: 36 products of up to 6 units each.
        expect_near(convolved(folded, r9v::bias(host_tensor{added.data(), {k}})),
                    by_definition(existing), 36 * 7 * 0x1p-11);
    }
}

TEST_F(folding, in_place_along_any_strides) {
    std::vector<float> plain, channels_first;
    for (const half one : weights)
        plain.push_back(static_cast<float>(to_double(one)));
    for (index_t i = 0; i < k * c * r * s; ++i) { // [k, c, r, s]
        const index_t at = i % (r * s), channel = i / (r * s) % c, of = i / (r * s * c);
        channels_first.push_back(plain[static_cast<std::size_t>((of * r * s + at) * c + channel)]);
    }
    const auto one = fold_batch_norm(host_tensor{plain.data(), {k, r, s, c}}, bias, bn);
    const host_tensor torch{channels_first.data(), {k, c, r, s}};
    const auto other = fold_batch_norm(channels_last(torch), bias, bn);
    EXPECT_EQ(one, other);
    for (index_t i = 0; i < k * r * s * c; ++i) {
        const index_t channel = i % c, at = i / c % (r * s), of = i / (r * s * c);
        EXPECT_EQ(plain[static_cast<std::size_t>(i)],
                  channels_first[static_cast<std::size_t>((of * c + channel) * r * s + at)]);
    }
}

TEST_F(folding, at_run_time_as_scale_and_shift) {
    const channel_affine both = to_scale_shift(bn);
    expect_near(convolved(weights, scale_shift(host_tensor{both.scale.data(), {k}},
                                               host_tensor{both.shift.data(), {k}})),
                by_definition({}), 1e-5);
}

TEST_F(folding, without_gamma_and_beta) {
    gamma.assign(k, 1.0f);
    beta.assign(k, 0.0f);
    bn = {gamma, beta, mean, variance, 1e-3};
    const channel_affine full = to_scale_shift(bn);
    const channel_affine bare =
        to_scale_shift({.mean = mean, .variance = variance, .epsilon = 1e-3});
    EXPECT_EQ(bare.scale, full.scale);
    EXPECT_EQ(bare.shift, full.shift);
}

TEST_F(folding, refuses_sizes_that_do_not_match) {
    std::vector<float> folded(weights.size());
    const host_tensor from{weights.data(), {k, r, s, c}};
    const host_tensor to{folded.data(), {k, r, s, c}};
    const auto fold = [&](const auto& where, const std::vector<float>& existing,
                          const batch_norm& by) {
        return refusal([&] { (void)fold_batch_norm(from, where, existing, by); });
    };
    const std::vector<float> few(4, 1.0f);
    EXPECT_NE(fold(to, few, bn).find("bias has 4 entries for 5 channels"), std::string::npos);
    EXPECT_NE(fold(to, {}, {few, beta, mean, variance}).find("gamma has 4"), std::string::npos);
    EXPECT_NE(fold(to, {}, {gamma, few, mean, variance}).find("beta has 4"), std::string::npos);
    EXPECT_NE(fold(to, {}, {gamma, beta, {}, variance}).find("mean has 0"), std::string::npos);
    EXPECT_NE(fold(to, {}, {gamma, beta, mean, few}).find("variance has 4"), std::string::npos);
    variance[3] = -1;
    EXPECT_NE(fold(to, {}, bn).find("of channel 3 is not positive"), std::string::npos);
    variance[3] = 1;
    EXPECT_NE(fold(slice(to, 3, 0, c - 1), {}, bn).find("axis 3 of the folded weights has 5"),
              std::string::npos);
    float* const none = nullptr;
    EXPECT_NE(fold(host_tensor{none, {k, r, s, c}}, {}, bn).find("null data"), std::string::npos);
}

} // namespace
