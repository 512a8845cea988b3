// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Activations of known networks as the planner takes them: one step for each operation.
#pragma once

#include <r9v/runtime/planner.hpp>

#include <vector>

namespace r9v_test {

/// Notes tensors as a network makes and uses them.
class network {
public:
    /// One operation: reads `inputs`, makes a tensor of `bytes` bytes.
    std::size_t step(std::size_t bytes, std::initializer_list<std::size_t> inputs) {
        for (const std::size_t input : inputs)
            tensors_[input].last = now_;
        tensors_.push_back({.bytes = bytes, .first = now_, .last = now_});
        ++now_;
        return tensors_.size() - 1;
    }
    std::vector<r9v::planned_tensor> take() { return std::move(tensors_); }

private:
    std::vector<r9v::planned_tensor> tensors_;
    r9v::index_t now_ = 0;
};

/// ResNet50 at 224 pixels, NHWC halves (He et al., "Deep Residual Learning", 2015; stride 2 in the
/// 3x3 convolution): one operation a convolution, with what follows it fused.
inline std::vector<r9v::planned_tensor> resnet50_activations(std::size_t batch) {
    network net;
    const auto bytes = [&](std::size_t side, std::size_t channels) {
        return 2 * batch * side * side * channels;
    };
    std::size_t x = net.step(bytes(224, 3), {});
    x = net.step(bytes(112, 64), {x});
    x = net.step(bytes(56, 64), {x});
    const std::size_t blocks[] = {3, 4, 6, 3};
    std::size_t side = 56;
    for (std::size_t stage = 0; stage < 4; ++stage) {
        const std::size_t width = std::size_t{64} << stage;
        for (std::size_t block = 0; block < blocks[stage]; ++block) {
            const std::size_t stride = block == 0 && stage > 0 ? 2 : 1;
            const std::size_t reduced = net.step(bytes(side, width), {x});
            side /= stride;
            const std::size_t inner = net.step(bytes(side, width), {reduced});
            const std::size_t skip = block == 0 ? net.step(bytes(side, 4 * width), {x}) : x;
            x = net.step(bytes(side, 4 * width), {inner, skip});
        }
    }
    x = net.step(2 * batch * 2048, {x});
    x = net.step(2 * batch * 1000, {x});
    return net.take();
}

/// A decoder of width 4096 with 32 heads of 128, 8 key-value heads and an inner size of 14336,
/// halves, as a prompt of `tokens` tokens runs through it.
inline std::vector<r9v::planned_tensor> transformer_activations(int layers, std::size_t tokens) {
    network net;
    const auto rows = [&](std::size_t columns) {
        return 2 * tokens * columns;
    };
    std::size_t x = net.step(rows(4096), {});
    for (int layer = 0; layer < layers; ++layer) {
        const std::size_t normed = net.step(rows(4096), {x});
        const std::size_t qkv = net.step(rows(4096 + 2 * 1024), {normed});
        const std::size_t turned = net.step(rows(4096 + 1024), {qkv});
        const std::size_t attended = net.step(rows(4096), {turned, qkv});
        x = net.step(rows(4096), {attended, x});
        const std::size_t again = net.step(rows(4096), {x});
        const std::size_t inner = net.step(rows(14336), {again});
        x = net.step(rows(4096), {inner, x});
    }
    x = net.step(rows(4096), {x});
    x = net.step(2 * 128256, {x});
    return net.take();
}

/// A U-Net of five levels at 256 pixels (Ronneberger et al., 2015): the way down leaves one tensor
/// a level that the way up needs much later.
inline std::vector<r9v::planned_tensor> unet_activations(std::size_t batch) {
    network net;
    const auto bytes = [&](std::size_t side, std::size_t channels) {
        return 2 * batch * side * side * channels;
    };
    std::vector<std::size_t> skips;
    std::size_t side = 256;
    std::size_t channels = 64;
    std::size_t x = net.step(bytes(side, 3), {});
    for (int level = 0; level < 5; ++level) {
        x = net.step(bytes(side, channels), {x});
        x = net.step(bytes(side, channels), {x});
        if (level == 4) break;
        skips.push_back(x);
        side /= 2;
        x = net.step(bytes(side, channels), {x});
        channels *= 2;
    }
    for (int level = 3; level >= 0; --level) {
        side *= 2;
        channels /= 2;
        x = net.step(bytes(side, channels), {x});
        x = net.step(bytes(side, channels), {x, skips[static_cast<std::size_t>(level)]});
        x = net.step(bytes(side, channels), {x});
    }
    x = net.step(bytes(side, 2), {x});
    return net.take();
}

} // namespace r9v_test
