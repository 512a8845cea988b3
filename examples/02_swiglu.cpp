// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The feed-forward block of a language model, in bf16 and two kernels:
//   h = silu(x gate') * (x up'),   x = x + h down'
// The first reads x once for both products; the second adds the result to x in place.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"

using namespace r9v;

// snippet: programs
auto gated(const auto& x, const auto& gate, const auto& up, const auto& h) {
    return gemm(x, both(gate, up)) | swiglu() | store(h);
}
auto down_projection(const auto& h, const auto& down, const auto& x) {
    return gemm(h, down) | residual(x) | store(x);
}
// end snippet

int main() {
    const int tokens = 77, width = 256, inner = 688;
    auto x = example::random<bf16>(tokens * width, 1.0, 1);
    const auto gate = example::random<bf16>(inner * width, 1.0 / std::sqrt(width), 2);
    const auto up = example::random<bf16>(inner * width, 1.0 / std::sqrt(width), 3);
    const auto down = example::random<bf16>(width * inner, 1.0 / std::sqrt(inner), 4);

    const stream s;
    const buffer<bf16> device_x{x}, device_gate{gate}, device_up{up}, device_down{down};
    const buffer<bf16> device_h{tokens * inner};
    const auto device_state = device_x.view({tokens, width});
    launch(s, gated(device_state, device_gate.view({inner, width}), device_up.view({inner, width}),
                    device_h.view({tokens, inner})));
    launch(s, down_projection(device_h.view({tokens, inner}), device_down.view({width, inner}),
                              device_state));
    const auto hidden = device_h.download(s);
    const auto result = device_x.download(s);

    std::vector<bf16> h(hidden.size());
    const host_tensor state{x.data(), {tokens, width}};
    const host_tensor inner_state{h.data(), {tokens, inner}};
    launch(reference, gated(state, host_tensor{gate.data(), {inner, width}},
                            host_tensor{up.data(), {inner, width}}, inner_state));
    launch(reference,
           down_projection(inner_state, host_tensor{down.data(), {width, inner}}, state));

    const bool gated_right = example::agree("silu(x gate') * (x up')", hidden, h, 4e-3);
    const bool block_right = example::agree("x + h down'", result, x, 4e-3);
    return gated_right && block_right ? 0 : 1;
}
