// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A complete encoder layer as in BERT, from programs alone (encoder_layer.hpp): two sequences, of
// which one is padded. It agrees with r9v::reference and with PyTorch, and is compared with the
// same layer whose ops are kernels of their own.
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include "encoder_layer.hpp"
#include "savings.hpp"
#include <bench/unfused_encoder.hpp>

using namespace r9v;
using example::encoder_layer, example::encoder_sizes, example::on_device, example::on_host;

const encoder_sizes sizes;
const std::vector<half> tokens = example::pattern<half>(sizes.rows() * sizes.width(), 6, 13);
const std::vector<std::int32_t> lengths{40, 27};

/// What the layer gives for `tokens`, wherever it runs.
template<class Place>
std::vector<half> result_of(Place& place, const encoder_layer<Place>& layer) {
    const example::stored<Place, half, 2> x{{sizes.rows(), sizes.width()}, tokens};
    const example::stored<Place, half, 2> y{{sizes.rows(), sizes.width()}};
    const example::stored<Place, std::int32_t, 1> counts{{sizes.batch}, lengths};
    layer.run(place, x(), counts(), y());
    return place.download(y.memory());
}

/// Kernels and bytes of the layer, and of its ops as kernels of their own.
bool saves(const stream& s, const encoder_layer<on_device>& layer) {
    const example::stored<on_device, half, 2> x{{sizes.rows(), sizes.width()}, tokens};
    const example::stored<on_device, half, 2> y{{sizes.rows(), sizes.width()}};
    const example::stored<on_device, std::int32_t, 1> counts{{sizes.batch}, lengths};
    const unfused::encoder_layer separate_layer{layer};
    unfused::queue queue{s};
    const auto fused = savings::measured(s, queue, [&] { layer.run(queue, x(), counts(), y()); });
    const auto result = y.memory().download(s);
    const auto separate =
        savings::measured(s, queue, [&] { separate_layer.run(queue, x(), counts(), y()); });
    savings::print_heading();
    std::printf("encoder layer, %d sequences of %d tokens, width %d, %d heads\n", sizes.batch,
                sizes.tokens, sizes.width(), sizes.heads);
    savings::print(fused, separate);
    return savings::saves(fused, separate) &&
           example::agree("with separate kernels", y.memory().download(s), result, 2e-3);
}

int main() {
    const stream s;
    on_device device{s};
    on_host host;
    const encoder_layer<on_device> layer{sizes};
    const encoder_layer<on_host> reference_layer{sizes};
    const auto result = result_of(device, layer);
    const auto golden =
        example::read_golden(R9V_EXAMPLE_DATA "/encoder_layer.bin", sizes.rows() * sizes.width());
    const bool right =
        example::agree("encoder layer", result, result_of(host, reference_layer), 2e-3);
    const bool same = example::agree("encoder layer by PyTorch", result, golden, 2e-3);
    return saves(s, layer) && right && same ? 0 : 1;
}
