// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Batch norm behind a convolution, folded into its weights and bias when a network is loaded (Ioffe
// and Szegedy, "Batch Normalization", 2015: in inference a scale and a shift of each channel).
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/numeric/convert.hpp>
#include <r9v/tensor/tensor.hpp>

#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace r9v::inline R9V_ABI {

/// A batch norm's numbers, one of each for every channel, in host memory: y = gamma * (x - mean) /
/// sqrt(variance + epsilon) + beta. No gamma is 1, no beta 0 (`affine=False` in PyTorch).
struct batch_norm {
    std::span<const float> gamma{};
    std::span<const float> beta{};
    std::span<const float> mean{};     ///< running_mean
    std::span<const float> variance{}; ///< running_var
    double epsilon = 1e-5;
};

/// A scale and a shift of every channel; uploaded, they are what scale_shift() takes.
struct channel_affine {
    std::vector<float> scale;
    std::vector<float> shift;
};

namespace detail {

[[nodiscard]] inline status check_batch_norm(const batch_norm& bn, std::size_t channels,
                                             std::size_t bias) noexcept {
    struct {
        const char* name;
        std::size_t size;
        bool optional;
    } const parts[] = {{"gamma", bn.gamma.size(), true},
                       {"beta", bn.beta.size(), true},
                       {"mean", bn.mean.size(), false},
                       {"variance", bn.variance.size(), false},
                       {"bias", bias, true}};
    for (const auto& part : parts)
        if (part.size != channels && !(part.optional && part.size == 0))
            return error{"r9v: the batch norm's %s has %zu entries for %zu channels. Pass one for "
                         "each output channel%s.",
                         part.name, part.size, channels, part.optional ? ", or none at all" : ""};
    for (std::size_t k = 0; k < channels; ++k)
        if (!(static_cast<double>(bn.variance[k]) + bn.epsilon > 0))
            return error{"r9v: variance + epsilon of channel %zu is not positive. Pass running "
                         "variances, not deviations, and the epsilon of the training.",
                         k};
    return {};
}

[[nodiscard]] inline double scale_of(const batch_norm& bn, std::size_t k) {
    const double gamma = bn.gamma.empty() ? 1.0 : static_cast<double>(bn.gamma[k]);
    return gamma / std::sqrt(static_cast<double>(bn.variance[k]) + bn.epsilon);
}
/// What is added to a scaled sum of which `bias` is a part.
[[nodiscard]] inline double shift_of(const batch_norm& bn, std::size_t k, double bias) {
    const double beta = bn.beta.empty() ? 0.0 : static_cast<double>(bn.beta[k]);
    return beta + (bias - static_cast<double>(bn.mean[k])) * scale_of(bn, k);
}

/// Calls visit(position) for every position but along axis 0.
template<int Rank, class Visit>
void for_each_weight(const index_t (&extents)[Rank], Visit visit) {
    index_t at[Rank] = {};
    for (int axis = 1; axis < Rank; ++axis)
        if (extents[axis] <= 0) return;
    while (true) {
        visit(at);
        int axis = Rank - 1;
        while (axis > 0 && ++at[axis] == extents[axis])
            at[axis--] = 0;
        if (axis == 0) return;
    }
}

template<class View>
[[nodiscard]] auto& weight_at(const View& view, index_t k, const index_t (&at)[View::rank]) {
    index_t offset = k * view.strides[0];
    for (int axis = 1; axis < View::rank; ++axis)
        offset += at[axis] * view.strides[axis];
    return view.data[offset];
}

} // namespace detail

/// The batch norm as scale and shift, for run time: `... | scale_shift(scale, shift) | ...`. Throws
/// r9v::error where sizes do not match.
[[nodiscard]] inline channel_affine to_scale_shift(const batch_norm& bn) {
    throw_if_failed(detail::check_batch_norm(bn, bn.mean.size(), 0));
    channel_affine both;
    for (std::size_t k = 0; k < bn.mean.size(); ++k) {
        both.scale.push_back(static_cast<float>(detail::scale_of(bn, k)));
        both.shift.push_back(static_cast<float>(detail::shift_of(bn, k, 0)));
    }
    return both;
}

/// Writes the weights `from` times the batch norm's scale to `to`, both [k, ...] in host memory
/// with any strides (k is the channel that the batch norm sees), and returns the bias that goes
/// with them. `bias` is what the convolution had already: one number for each channel, or none. In
/// double, rounded once to the type of `to`. Throws r9v::error where sizes do not match.
template<any_tensor From, any_tensor To>
    requires(From::memory == space::host && To::memory == space::host && From::rank == To::rank)
[[nodiscard]] std::vector<float>
fold_batch_norm(const From& from, const To& to, std::span<const float> bias, const batch_norm& bn) {
    const index_t channels = from.extents[0];
    throw_if_failed(detail::check_batch_norm(bn, static_cast<std::size_t>(channels), bias.size()));
    for (int axis = 0; axis < From::rank; ++axis)
        if (from.extents[axis] != to.extents[axis])
            throw_if_failed(error{"r9v: axis %d of the folded weights has %" PRId64 " entries, of "
                                  "the weights %" PRId64 ". Give both the same extents.",
                                  axis, to.extents[axis], from.extents[axis]});
    if (!from.empty() && (from.data == nullptr || to.data == nullptr))
        throw_if_failed(error{"r9v: the weights have null data. Pass memory of the host."});
    std::vector<float> folded;
    for (index_t k = 0; k < channels; ++k) {
        const auto channel = static_cast<std::size_t>(k);
        const double scale = detail::scale_of(bn, channel);
        detail::for_each_weight(from.extents, [&](const auto& at) {
            detail::weight_at(to, k, at) = from_double<typename To::value_type>(
                scale * to_double(detail::weight_at(from, k, at)));
        });
        const double before = bias.empty() ? 0.0 : static_cast<double>(bias[channel]);
        folded.push_back(static_cast<float>(detail::shift_of(bn, channel, before)));
    }
    return folded;
}

/// The same in place.
template<any_tensor View>
    requires(View::memory == space::host)
[[nodiscard]] std::vector<float> fold_batch_norm(const View& weights, std::span<const float> bias,
                                                 const batch_norm& bn) {
    return fold_batch_norm(weights, weights, bias, bn);
}

} // namespace r9v::inline R9V_ABI
