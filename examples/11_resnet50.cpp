// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// ResNet50 v1.5 at 224 x 224, from programs alone (resnet50.hpp). Every layer agrees with
// r9v::reference, the scores with PyTorch's, and the network is compared with the same one whose
// ops are kernels of their own.
//
//     11_resnet50 [weights [image.ppm]]      see data/README.md; seeded ones without
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "network_check.hpp"
#include "picture.hpp"
#include "resnet50.hpp"
#include <numeric>

using namespace r9v;
using example::on_device, example::on_host, example::placed_network, example::placed_weights;
namespace resnet50 = example::resnet50;

namespace {

const example::seeding seeds{.gain = std::sqrt(2.0), .last_gamma = 0.25};

std::vector<int> top5(const std::vector<float>& scores) {
    std::vector<int> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](int a, int b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    return {order.begin(), order.begin() + 5};
}

bool same_top5(const std::vector<float>& result, const std::vector<float>& truth) {
    std::printf("top 5:");
    for (const int of : top5(result))
        std::printf(" %d (%.3f)", of, static_cast<double>(result[static_cast<std::size_t>(of)]));
    const bool same = top5(result) == top5(truth);
    std::printf(", of the reference %s\n", same ? "too" : "others: WRONG");
    return same;
}

/// Pixels as the network was trained: minus the mean, over the deviation of each channel.
std::vector<half> normalized(const std::vector<std::uint8_t>& pixels) {
    constexpr double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
    std::vector<half> image;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        image.push_back(from_double<half>((pixels[i] / 255.0 - mean[i % 3]) / deviation[i % 3]));
    return image;
}

} // namespace

int main(int count, char** arguments) {
    const example::parameters parameters =
        count > 1 ? example::parameters{arguments[1]} : example::parameters{seeds};
    const auto image = count > 2 ? normalized(example::read_ppm(arguments[2], resnet50::image_size))
                                 : example::seeded_image(resnet50::image_size, 0, 4);
    const auto network = resnet50::describe();
    const auto weights = weights_of(network.layers, parameters, resnet50::epsilon);
    const auto run = [](auto& place, const auto& at, const example::layer& l) {
        resnet50::run(place, at, l);
    };

    const stream s;
    const placed_weights<on_device> device_weights{weights};
    const placed_weights<on_host> host_weights{weights};
    const placed_network<on_device> device{network.layers, device_weights};
    const placed_network<on_host> host{network.layers, host_weights};
    upload(device, network.image, image);
    upload(host, network.image, image);
    bool right = example::agrees_by_layer(s, network.layers, weights, device, host, run);
    const auto truth = example::copy_of<float>(host, network.scores);
    const double bound = example::half_step * std::sqrt(2.0 * 54);

    const auto scores_of = [&](const auto& memory) {
        return example::copy_of<float>(memory, network.scores);
    };
    const auto fused = example::cost_of(
        s, device.peak(), [&] { upload(device, network.image, image); },
        [&](auto& queue) {
            for (const example::layer& l : network.layers.layers())
                run(queue, device, l);
        });
    right &= example::agree("scores", scores_of(device), truth, bound);
    right &= same_top5(scores_of(device), truth);

    const auto separate = unfused::separated(network.layers);
    const placed_network<on_device> separate_memory{separate.layers, device_weights};
    const auto unfused = example::cost_of(
        s, separate_memory.peak(), [&] { upload(separate_memory, network.image, image); },
        [&](auto& queue) { unfused::run(queue, separate, separate_memory, run); });
    right &= example::agree("with separate kernels", scores_of(separate_memory), truth, 2 * bound);
    if (parameters.seeded() && count < 3)
        right &=
            example::agree("scores by PyTorch", scores_of(device),
                           example::read_values(R9V_EXAMPLE_DATA "/resnet50.bin", 1000), bound);
    right &= example::print_network("ResNet50, one image of 224 x 224", fused, unfused);
    if (!right) std::puts("WRONG: results disagree, or too little is saved");
    return right ? 0 : 1;
}
