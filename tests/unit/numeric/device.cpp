// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Every conversion gives the same bits on the device as on the host: all codes of the narrow types,
// and floats and doubles around every rounding edge of theirs. Compiled at several -O levels and
// under -ffast-math, where the host's results still come from this same file: unit.numeric proves
// those right.
#include <r9v/numeric/convert.hpp>
#include <r9v/numeric/random.hpp>

#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <random>
#include <vector>

namespace {

using narrow_types = ::testing::Types<r9v::half, r9v::bf16, r9v::fp8_e4m3, r9v::fp8_e5m2>;

void check(hipError_t status) {
    ASSERT_EQ(status, hipSuccess) << hipGetErrorString(status);
}

template<class T>
std::vector<T> copy_to_host(const T* device, std::size_t count) {
    std::vector<T> host(count);
    check(hipMemcpy(host.data(), device, count * sizeof(T), hipMemcpyDeviceToHost));
    return host;
}

/// output[i] = function(input[i]) on the device.
template<class Function, class In, class Out>
__global__ void map_kernel(const In* input, Out* output, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) output[i] = Function{}(input[i]);
}

template<class Function, class In>
void expect_same_on_device(const std::vector<In>& input) {
    using out_type = decltype(Function{}(In{}));
    const int count = static_cast<int>(input.size());
    In* device_input = nullptr;
    out_type* device_output = nullptr;
    check(hipMalloc(reinterpret_cast<void**>(&device_input), input.size() * sizeof(In)));
    check(hipMalloc(reinterpret_cast<void**>(&device_output), input.size() * sizeof(out_type)));
    check(hipMemcpy(device_input, input.data(), input.size() * sizeof(In), hipMemcpyHostToDevice));
    map_kernel<Function><<<dim3(static_cast<unsigned>((count + 255) / 256)), dim3(256)>>>(
        device_input, device_output, count);
    check(hipGetLastError());
    const std::vector<out_type> output = copy_to_host(device_output, input.size());
    int wrong = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const out_type expected = Function{}(input[i]);
        if (output[i] == expected || ++wrong > 5) continue;
        ADD_FAILURE() << "input " << std::hex << +input[i] << ": device " << +output[i] << ", host "
                      << +expected;
    }
    EXPECT_EQ(wrong, 0) << "of " << count;
    check(hipFree(device_input));
    check(hipFree(device_output));
}

// Inputs and results travel as unsigned integers: no flag can touch those.
template<class T>
using code_of = decltype(T::bits);

template<class T>
struct to_float_bits {
    __host__ __device__ std::uint32_t operator()(code_of<T> code) const {
        return r9v::bit_cast<std::uint32_t>(r9v::to_float(T::from_bits(code)));
    }
};
template<class T>
struct to_double_bits {
    __host__ __device__ std::uint64_t operator()(code_of<T> code) const {
        return r9v::bit_cast<std::uint64_t>(r9v::to_double(T::from_bits(code)));
    }
};
template<class T>
struct classes {
    __host__ __device__ std::uint8_t operator()(code_of<T> code) const {
        const T value = T::from_bits(code);
        return static_cast<std::uint8_t>(r9v::is_nan(value) | r9v::is_inf(value) << 1 |
                                         r9v::is_finite(value) << 2);
    }
};
template<class Bits, class Float>
struct float_classes {
    __host__ __device__ std::uint8_t operator()(Bits bits) const {
        const Float value = r9v::bit_cast<Float>(bits);
        return static_cast<std::uint8_t>(r9v::is_nan(value) | r9v::is_inf(value) << 1 |
                                         r9v::is_finite(value) << 2);
    }
};

template<class T>
__host__ __device__ std::uint32_t code(T value) {
    if constexpr (sizeof(T) == 4)
        return r9v::bit_cast<std::uint32_t>(value);
    else if constexpr (r9v::is_floating_element<T>)
        return value.bits;
    else
        return static_cast<std::uint8_t>(value);
}

template<class T>
struct from_float_code {
    __host__ __device__ std::uint32_t operator()(std::uint32_t bits) const {
        return code(r9v::from_float<T>(r9v::bit_cast<float>(bits)));
    }
};
template<class T>
struct from_double_code {
    __host__ __device__ std::uint32_t operator()(std::uint64_t bits) const {
        return code(r9v::from_double<T>(r9v::bit_cast<double>(bits)));
    }
};
template<class T>
struct from_float_stochastic_code {
    __host__ __device__ std::uint32_t operator()(std::uint32_t bits) const {
        const std::uint32_t random = r9v::random_bits(2024, bits);
        return code(r9v::from_float_stochastic<T>(r9v::bit_cast<float>(bits), random));
    }
};

template<class T>
std::vector<code_of<T>> all_codes() {
    std::vector<code_of<T>> codes(std::size_t{1} << (8 * sizeof(T)));
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<code_of<T>>(i);
    return codes;
}

/// Every `step`-th finite value of T, the middle between it and the next, their float neighbours,
/// and the same with the other sign.
template<class T>
void add_edges(std::vector<std::uint32_t>& all, unsigned step) {
    constexpr auto largest = static_cast<unsigned>(r9v::numeric::format_of<T>::type::largest);
    for (unsigned code = 0; code < largest; code += step) {
        const float value = r9v::to_float(T::from_bits(static_cast<code_of<T>>(code)));
        const float next = r9v::to_float(T::from_bits(static_cast<code_of<T>>(code + 1)));
        const float middle = value + (next - value) / 2;
        for (float edge : {value, middle, next}) {
            const auto bits = r9v::bit_cast<std::uint32_t>(edge);
            for (std::uint32_t near : {bits, bits + 1, bits == 0 ? 0 : bits - 1}) {
                all.push_back(near);
                all.push_back(near | 0x8000'0000u);
            }
        }
    }
}

/// Edges of both fp8 types, a sample of those of half and bf16, specials and random patterns.
std::vector<std::uint32_t> float_bits() {
    std::vector<std::uint32_t> all;
    add_edges<r9v::fp8_e4m3>(all, 1);
    add_edges<r9v::fp8_e5m2>(all, 1);
    add_edges<r9v::half>(all, 97);
    add_edges<r9v::bf16>(all, 97);
    all.insert(all.end(),
               {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu,
                0x7f802000u, 0u, 0x80000000u, 0x7f7fffffu, 0x477fefffu, 0x477ff000u});
    std::mt19937 generator{23};
    for (int i = 0; i < 4096; ++i)
        all.push_back(static_cast<std::uint32_t>(generator()));
    for (int i = 0; i < 4096; ++i) { // around the integers' range
        const float value = static_cast<float>(generator() % 4096) / 8 - 256;
        all.push_back(r9v::bit_cast<std::uint32_t>(value));
    }
    return all;
}

std::vector<std::uint64_t> double_bits() {
    std::vector<std::uint64_t> all;
    for (std::uint32_t bits : float_bits()) {
        // Widened by hand: a compiler under -ffast-math need not keep what is not finite.
        const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 31) << 63;
        const std::uint64_t exponent = bits >> 23 & 0xff;
        const std::uint64_t mantissa = static_cast<std::uint64_t>(bits & 0x7fffff) << 29;
        const std::uint64_t wide = exponent == 255 ? 2047 : exponent + 896;
        all.push_back(sign | wide << 52 | mantissa);
        all.push_back(sign | wide << 52 | mantissa | 1);
    }
    std::mt19937_64 generator{29};
    for (int i = 0; i < 2048; ++i)
        all.push_back(generator());
    return all;
}

} // namespace

template<class T>
class on_device : public ::testing::Test {};
TYPED_TEST_SUITE(on_device, narrow_types);

TYPED_TEST(on_device, every_code_reads_the_same) {
    const auto codes = all_codes<TypeParam>();
    expect_same_on_device<to_float_bits<TypeParam>>(codes);
    expect_same_on_device<to_double_bits<TypeParam>>(codes);
    expect_same_on_device<classes<TypeParam>>(codes);
}

template<class T>
class rounding_on_device : public ::testing::Test {};
using rounded_types = ::testing::Types<r9v::half, r9v::bf16, r9v::fp8_e4m3, r9v::fp8_e5m2,
                                       std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(rounding_on_device, rounded_types);

TYPED_TEST(rounding_on_device, from_float) {
    expect_same_on_device<from_float_code<TypeParam>>(float_bits());
}
TYPED_TEST(rounding_on_device, from_double) {
    expect_same_on_device<from_double_code<TypeParam>>(double_bits());
}
TYPED_TEST(rounding_on_device, stochastic) {
    expect_same_on_device<from_float_stochastic_code<TypeParam>>(float_bits());
}

TEST(on_device, double_to_float) {
    expect_same_on_device<from_double_code<float>>(double_bits());
}
TEST(on_device, float_and_double_classes) {
    expect_same_on_device<float_classes<std::uint32_t, float>>(float_bits());
    expect_same_on_device<float_classes<std::uint64_t, double>>(double_bits());
}
TEST(on_device, half_values_into_fp8) {
    std::vector<std::uint32_t> halves;
    for (std::uint16_t code : all_codes<r9v::half>())
        halves.push_back(to_float_bits<r9v::half>{}(code));
    expect_same_on_device<from_float_code<r9v::fp8_e4m3>>(halves);
    expect_same_on_device<from_float_code<r9v::fp8_e5m2>>(halves);
}
