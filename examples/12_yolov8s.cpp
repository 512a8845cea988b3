// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// YOLOv8s at 640 x 640, from programs alone (yolov8s.hpp): backbone, neck, heads and the decoding
// of boxes; non-maximum suppression on the host. Every layer agrees with r9v::reference, boxes and
// scores with PyTorch's, and the network is compared with the same one whose ops are kernels of
// their own.
//
//     12_yolov8s [weights [image.ppm]]      see data/README.md; seeded ones without
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "detections.hpp"
#include "network_check.hpp"
#include "picture.hpp"
#include "yolov8s.hpp"

using namespace r9v;
using example::on_device, example::on_host, example::placed_network, example::placed_weights;
namespace yolov8s = example::yolov8s;

namespace {

const example::seeding seeds{.gain = 1.5, .head_bias = -9.75};

/// Pixels as the network was trained: from 0 to 1.
std::vector<half> normalized(const std::vector<std::uint8_t>& pixels) {
    std::vector<half> image;
    for (const std::uint8_t value : pixels)
        image.push_back(from_double<half>(value / 255.0));
    return image;
}

/// What the network gives.
struct findings {
    std::vector<float> sides; ///< [anchors, 4]
    std::vector<half> scores; ///< [anchors, classes]

    findings(const auto& at, const yolov8s::description& network)
        : sides{example::copy_of<float>(at, network.boxes)},
          scores{example::copy_of<half>(at, network.scores)} {}

    [[nodiscard]] std::vector<example::detection> best() const {
        return example::detections(sides, scores);
    }
};

bool agree(const char* what, const findings& result, const findings& truth, double bound,
           const std::vector<float>& bias) {
    std::printf("%s:\n", what);
    const bool sides = example::agree("  sides of boxes", result.sides, truth.sides, bound);
    return example::agree("  scores", result.scores, truth.scores,
                          bound * example::growth_by_sigmoid(truth.scores, bias)) &&
           sides;
}

/// Every 120th anchor as PyTorch computes it.
bool agree_with_torch(const findings& result, double bound, const std::vector<float>& bias) {
    constexpr std::size_t stride = 120, row = 4 + yolov8s::classes;
    constexpr std::size_t rows = yolov8s::anchors / stride;
    const auto golden = example::read_values(R9V_EXAMPLE_DATA "/yolov8s.bin", rows * row);
    std::vector<float> sides, scores, golden_sides, golden_scores;
    for (std::size_t i = 0; i < rows; ++i) {
        const float* truth = &golden[i * row];
        golden_sides.insert(golden_sides.end(), truth, truth + 4);
        golden_scores.insert(golden_scores.end(), truth + 4, truth + row);
        const std::size_t anchor = i * stride;
        sides.insert(sides.end(), &result.sides[4 * anchor], &result.sides[4 * anchor] + 4);
        for (std::size_t c = 0; c < yolov8s::classes; ++c)
            scores.push_back(
                static_cast<float>(to_double(result.scores[anchor * yolov8s::classes + c])));
    }
    std::printf("by PyTorch:\n");
    const bool right = example::agree("  sides of boxes", sides, golden_sides, bound);
    return example::agree("  scores", scores, golden_scores,
                          bound * example::growth_by_sigmoid(golden_scores, bias)) &&
           right;
}

} // namespace

int main(int count, char** arguments) {
    const example::parameters parameters =
        count > 1 ? example::parameters{arguments[1]} : example::parameters{seeds};
    const auto image = count > 2 ? normalized(example::read_ppm(arguments[2], yolov8s::image_size))
                                 : example::seeded_image(yolov8s::image_size, 0, 2);
    const auto network = yolov8s::describe();
    const auto weights = weights_of(network.layers, parameters, yolov8s::epsilon);
    const auto run = [](auto& place, const auto& at, const example::layer& l) {
        yolov8s::run(place, at, l);
    };

    const stream s;
    const placed_weights<on_device> device_weights{weights};
    const placed_weights<on_host> host_weights{weights};
    const placed_network<on_device> device{network.layers, device_weights};
    const placed_network<on_host> host{network.layers, host_weights};
    upload(device, network.image, image);
    upload(host, network.image, image);
    bool right = example::agrees_by_layer(s, network.layers, weights, device, host, run);
    const findings truth{host, network};
    const double bound = example::half_step * std::sqrt(2.0 * 60); // of sums
    const std::vector<float>& bias = weights.at("model.22.cv3.0.2").bias;

    const auto fused = example::cost_of(
        s, device.peak(), [&] { upload(device, network.image, image); },
        [&](auto& queue) {
            for (const example::layer& l : network.layers.layers())
                run(queue, device, l);
        });
    const findings result{device, network};
    right &= agree("results", result, truth, bound, bias);
    right &= example::same_detections(result.best(), truth.best());

    const auto separate = unfused::separated(network.layers);
    const placed_network<on_device> separate_memory{separate.layers, device_weights};
    const auto unfused = example::cost_of(
        s, separate_memory.peak(), [&] { upload(separate_memory, network.image, image); },
        [&](auto& queue) { unfused::run(queue, separate, separate_memory, run); });
    right &=
        agree("with separate kernels", findings{separate_memory, network}, truth, 2 * bound, bias);
    if (parameters.seeded() && count < 3) right &= agree_with_torch(result, bound, bias);
    right &= example::print_network("YOLOv8s, one image of 640 x 640", fused, unfused);
    if (!right) std::puts("WRONG: results disagree, or too little is saved");
    return right ? 0 : 1;
}
