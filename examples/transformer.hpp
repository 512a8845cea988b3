// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the transformer layers of the examples share: a layer is written once, and runs on a stream
// over device memory or on r9v::reference over host memory. Weights come from integers that
// data/make_layers.py makes too.
#pragma once

#include <r9v/launch.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// Host memory with the face of r9v::buffer.
template<class T>
class host_array {
public:
    explicit host_array(r9v::index_t size) : values_(static_cast<std::size_t>(size)) {}
    explicit host_array(const std::vector<T>& values) : values_{values} {}

    template<std::size_t Rank>
    [[nodiscard]] auto view(const r9v::extent (&sizes)[Rank]) const {
        return r9v::host_tensor<T, static_cast<int>(Rank)>{values_.data(), sizes};
    }
    void upload(const T* from, r9v::index_t count) const {
        std::copy(from, from + count, values_.begin());
    }
    [[nodiscard]] const std::vector<T>& values() const { return values_; }

private:
    mutable std::vector<T> values_; // as with buffer, who has it may write through its views
};

/// Programs on the host, in double.
class on_host {
public:
    template<class T>
    using array = host_array<T>;

    template<class Program>
    void run(const Program& p) {
        r9v::launch(r9v::reference, p);
    }
    template<class T>
    [[nodiscard]] std::vector<T> download(const array<T>& from) const {
        return from.values();
    }
};

#if R9V_HAS_KERNELS

// snippet: on_device
/// Programs on a stream. Scratch memory for those that ask for it grows to what the largest needs:
/// they run one after another, so they share it.
class on_device {
public:
    template<class T>
    using array = r9v::buffer<T>;

    explicit on_device(const r9v::stream& s) : stream_{s} {}

    template<class Program>
    void run(const Program& p) {
        const auto chosen = r9v::prepare(p);
        const auto needed = static_cast<r9v::index_t>(chosen.workspace_bytes());
        if (needed > scratch_.size()) scratch_ = r9v::buffer<unsigned char>{needed};
        r9v::launch(stream_, chosen, {scratch_.data(), chosen.workspace_bytes()});
    }
    template<class T>
    [[nodiscard]] std::vector<T> download(const array<T>& from) const {
        return from.download(stream_);
    }

private:
    const r9v::stream& stream_;
    r9v::buffer<unsigned char> scratch_{16};
};
// end snippet

#endif // R9V_HAS_KERNELS

/// Memory of a place with the extents in which a layer sees it: `w()` is the view.
template<class Place, class T, int Rank>
class stored {
public:
    explicit stored(const r9v::extent (&sizes)[Rank]) : memory_{count(sizes)} { keep(sizes); }
    stored(const r9v::extent (&sizes)[Rank], const std::vector<T>& values) : memory_{values} {
        keep(sizes);
    }
    [[nodiscard]] auto operator()() const { return memory_.view(sizes_); }
    /// The same elements in other extents.
    template<std::size_t Other>
    [[nodiscard]] auto as(const r9v::extent (&sizes)[Other]) const {
        return memory_.view(sizes);
    }
    [[nodiscard]] const auto& memory() const { return memory_; }
    void upload(const std::vector<T>& values) const {
        memory_.upload(values.data(), static_cast<r9v::index_t>(values.size()));
    }

private:
    static r9v::index_t count(const r9v::extent (&sizes)[Rank]) {
        r9v::index_t product = 1;
        for (const r9v::extent& size : sizes)
            product *= size.value;
        return product;
    }
    void keep(const r9v::extent (&sizes)[Rank]) {
        for (int axis = 0; axis < Rank; ++axis)
            sizes_[axis] = sizes[axis];
    }

    typename Place::template array<T> memory_;
    r9v::extent sizes_[Rank];
};

/// around + n / 2^exponent, n from -127 to 127 by a hash of the position: exact in half and bf16.
template<class T>
std::vector<T> pattern(int count, int exponent, std::uint32_t seed, double around = 0) {
    std::vector<T> values(static_cast<std::size_t>(count));
    std::uint32_t position = seed << 24;
    for (T& value : values) {
        std::uint32_t bits = position++;
        bits = (bits ^ bits >> 16) * 0x85ebca6bu;
        bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
        bits ^= bits >> 16;
        const int number = static_cast<int>(bits % 255) - 127;
        value = r9v::from_double<T>(around + std::ldexp(number, -exponent));
    }
    return values;
}

/// A file of f16 values, as data/make_layers.py writes them.
inline std::vector<r9v::half> read_golden(const std::string& path, int count) {
    std::vector<r9v::half> values(static_cast<std::size_t>(count));
    const auto size = static_cast<std::streamsize>(values.size() * sizeof(r9v::half));
    std::ifstream file{path, std::ios::binary};
    if (!file.read(reinterpret_cast<char*>(values.data()), size) || file.peek() != EOF)
        throw std::runtime_error{path + " does not hold the values of data/make_layers.py"};
    return values;
}

} // namespace example
