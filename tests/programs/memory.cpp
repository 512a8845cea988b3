// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "memory.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <string>

namespace r9v_test {

namespace {

void require(hipError_t code, const char* what) {
    if (code != hipSuccess) FAIL() << what << ": " << hipGetErrorString(code);
}

/// Marks the bytes of a block that belong to its elements.
std::vector<bool> element_bytes(const block& b) {
    std::vector<bool> mine(b.host.size(), false);
    for_each_element(b, [&](index_t offset, const position&) {
        for (std::size_t byte = 0; byte < b.element; ++byte)
            mine[static_cast<std::size_t>(offset) * b.element + byte] = true;
        return true;
    });
    return mine;
}

std::string place_of(std::size_t number, const position& at) {
    std::string text = "tensor " + std::to_string(number) + " at [";
    for (std::size_t axis = 0; axis < block::axes; ++axis)
        text += (axis == 0 ? "" : ", ") + std::to_string(at[axis]);
    return text + "]";
}

/// Every byte that is not an element's must be as it was.
void compare_surroundings(std::size_t number, const block& b, const std::vector<std::byte>& got) {
    const std::vector<bool> mine = element_bytes(b);
    for (std::size_t byte = 0; byte < got.size(); ++byte) {
        const bool fixed = !b.written || !mine[byte];
        if (fixed && got[byte] != b.initial[byte]) {
            ADD_FAILURE() << "byte " << byte << " of tensor " << number << " (" << got.size()
                          << " bytes) was written, outside of its elements";
            return;
        }
    }
}

/// A value of the device against the reference's, where both are NaN or infinite alike.
bool close(double got, double wanted, double slack) {
    if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
    if (std::isinf(wanted) || std::isinf(got)) return got == wanted;
    return std::fabs(got - wanted) <= slack;
}

void compare_elements(std::size_t number, const block& b, const std::vector<std::byte>& got,
                      double growth, double relative, double typical) {
    double error = 0;
    double norm = 0;
    double unit = 0;
    for_each_element(b, [&](index_t offset, const position& position) {
        const std::size_t at = static_cast<std::size_t>(offset) * b.element;
        const double found = b.decode(&got[at]);
        const double wanted = b.decode(&b.host[at]);
        // Both round once: the exact results may fall on two sides of a midpoint.
        const double slack = growth + relative * std::fabs(wanted) + b.slack(wanted);
        if (!close(found, wanted, slack)) {
            ADD_FAILURE() << place_of(number, position) << " is " << found << ", not " << wanted
                          << " within " << slack;
            return false;
        }
        if (!std::isfinite(wanted)) return true;
        error += (found - wanted) * (found - wanted);
        norm += wanted * wanted;
        const double arithmetic = typical * (growth + relative * std::fabs(wanted));
        unit += b.slack(wanted) * b.slack(wanted) + arithmetic * arithmetic;
        return true;
    });
    EXPECT_LE(std::sqrt(error), std::sqrt(unit))
        << "relative error of tensor " << number << " is " << std::sqrt(error / norm);
}

} // namespace

double memory_record::special() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double all[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
                              0.0,      -0.0,      0x1p-24,
                              -0x1p-20, 0x1p-14};
    return all[random_() % std::size(all)];
}

memory_record::~memory_record() {
    forget_device();
}

void memory_record::forget_device() {
    for (block& b : blocks) {
        if (b.device != nullptr) (void)hipFree(b.device);
        b.device = nullptr;
    }
    device_bytes_.clear();
}

void place_on_device(block& b) {
    require(hipMalloc(&b.device, b.initial.size()), "hipMalloc");
    require(hipMemcpy(b.device, b.initial.data(), b.initial.size(), hipMemcpyHostToDevice),
            "hipMemcpy");
}

void memory_record::download() {
    require(hipDeviceSynchronize(), "hipDeviceSynchronize");
    for (const block& b : blocks) {
        auto& bytes = device_bytes_.emplace_back(b.initial.size());
        require(hipMemcpy(bytes.data(), b.device, bytes.size(), hipMemcpyDeviceToHost),
                "hipMemcpy");
    }
}

void memory_record::compare(double growth, double relative, double typical) {
    for (std::size_t number = 0; number < blocks.size(); ++number) {
        compare_surroundings(number, blocks[number], device_bytes_[number]);
        if (blocks[number].written)
            compare_elements(number, blocks[number], device_bytes_[number], growth, relative,
                             typical);
    }
}

} // namespace r9v_test
