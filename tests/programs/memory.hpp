// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tensors of a program under test, twice: a first pass makes them in host memory, full of
// random data, for the reference; a second pass makes the same ones on the device. Inputs end with
// the last byte of their allocation, results stand between guard bands, and everything is checked
// afterwards.
#pragma once

#include <r9v/r9v.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace r9v_test {

using r9v::index_t;

/// Where a tensor stands inside its allocation.
struct placement {
    index_t offset = 0;  ///< elements before the first one
    index_t padding = 0; ///< elements between the end of a row and the next row
};

/// Range and kind of an input's random values.
struct values {
    double low = -1;
    double high = 1;
    double special = 0; ///< share of infinities, NaN, zeros of both signs and tiny values
};

/// One tensor's memory, as bytes, on both sides.
struct block {
    std::vector<std::byte> host;    ///< what the reference reads and writes
    std::vector<std::byte> initial; ///< what both sides start from
    void* device = nullptr;
    bool written = false;
    std::size_t element = 0;
    static constexpr std::size_t axes = 4;
    index_t extents[axes] = {1, 1, 1, 1};
    index_t strides[axes] = {0, 0, 0, 0};
    index_t first = 0; ///< position of the first element
    double (*decode)(const std::byte*) = nullptr;
    double (*slack)(double) = nullptr; ///< distance between neighbours of the type at a value
};

/// Where an element stands: the last axes of a block, the ones in front 0.
using position = index_t[block::axes];

/// Calls `visit(offset in elements, position)` for every element of a block.
template<class Visit>
void for_each_element(const block& b, Visit&& visit) {
    position at{};
    for (at[0] = 0; at[0] < b.extents[0]; ++at[0])
        for (at[1] = 0; at[1] < b.extents[1]; ++at[1])
            for (at[2] = 0; at[2] < b.extents[2]; ++at[2])
                for (at[3] = 0; at[3] < b.extents[3]; ++at[3]) {
                    index_t offset = b.first;
                    for (std::size_t axis = 0; axis < block::axes; ++axis)
                        offset += at[axis] * b.strides[axis];
                    if (!visit(offset, at)) return;
                }
}

template<class T>
double decode(const std::byte* at) {
    T value{};
    std::memcpy(static_cast<void*>(&value), at, sizeof value);
    if constexpr (r9v::is_element<T>) {
        return r9v::to_double(value);
    } else {
        return static_cast<double>(value); // reports of taps
    }
}

/// Distance between neighbouring values of T around x: one unit in the last place.
template<class T>
double unit_in_last_place(double x) {
    if constexpr (r9v::is_floating_element<T>) {
        using type = r9v::element<T>;
        const double magnitude = std::max(std::fabs(x), type::min_normal);
        return std::max(2 * type::epsilon * magnitude, type::min_positive);
    } else {
        return 1;
    }
}

/// The blocks of one case, and the random stream that fills them.
class memory_record {
public:
    explicit memory_record(std::uint64_t seed) : random_{seed} {}
    memory_record(const memory_record&) = delete;
    memory_record& operator=(const memory_record&) = delete;
    ~memory_record();

    std::vector<block> blocks;

    /// Compares every result with the reference; `growth` bounds the arithmetic's absolute error,
    /// `relative` what comes on top for each value. The errors' root mean square may reach the
    /// share `typical` of these bounds. Reports through GoogleTest.
    void compare(double growth, double relative = 0, double typical = 1);
    /// Copies the device's memory back over `device_bytes`.
    void download();
    /// Frees the device's memory, so that the next pass starts from the same bytes again.
    void forget_device();

    template<class T>
        requires r9v::is_element<T>
    T random_value(const values& range) {
        std::uniform_real_distribution<double> share;
        if (range.special > 0 && share(random_) < range.special)
            return r9v::from_double<T>(special());
        const double x = std::uniform_real_distribution<double>{range.low, range.high}(random_);
        return r9v::from_double<T>(x);
    }

private:
    /// An infinity, NaN, zero or tiny value; defined where no flag may assume these away.
    double special();

    std::vector<std::vector<std::byte>> device_bytes_;
    std::mt19937_64 random_;
};

inline constexpr std::byte poison{0xa5};
inline constexpr std::byte surroundings{0xff}; ///< NaN as any floating type: around inputs
inline constexpr index_t guard = 64;           ///< elements before and behind a result

enum class side { host, device };

/// What a program's factory asks for tensors; the same calls in the same order on both sides.
template<side Side>
class memory {
public:
    explicit memory(memory_record& record) : record_{record} {}

    template<class T, r9v::layout Layout = r9v::layout::row_major, std::size_t Rank>
    auto input(const r9v::extent (&sizes)[Rank], placement place = {}, values range = {}) {
        return make<T, Layout, Rank>(sizes, place, false, random<T>(range));
    }
    /// An input whose values are `value_of(position, random value)`, called on the host alone.
    template<class T, r9v::layout Layout = r9v::layout::row_major, std::size_t Rank, class ValueOf>
    auto filled(const r9v::extent (&sizes)[Rank], const ValueOf& value_of, placement place = {},
                values range = {}) {
        return make<T, Layout, Rank>(sizes, place, false, [&](const position& at) {
            return r9v::from_double<T>(
                value_of(at, r9v::to_double(record_.random_value<T>(range))));
        });
    }
    /// Whole numbers that the device reads: lengths, offsets, block tables, row by row.
    template<std::size_t Rank>
    auto indices(const r9v::extent (&sizes)[Rank], const std::vector<std::int32_t>& numbers) {
        std::size_t next = 0;
        return make<std::int32_t, r9v::layout::row_major, Rank>(
            sizes, {}, false, [&](const position&) { return numbers.at(next++); });
    }
    template<class T, r9v::layout Layout = r9v::layout::row_major, std::size_t Rank>
    auto output(const r9v::extent (&sizes)[Rank], placement place = {}) {
        return make<T, Layout, Rank>(sizes, place, true, nothing{});
    }
    /// Read and written in place.
    template<class T, r9v::layout Layout = r9v::layout::row_major, std::size_t Rank>
    auto in_place(const r9v::extent (&sizes)[Rank], placement place = {}) {
        return make<T, Layout, Rank>(sizes, place, true, random<T>({}));
    }

private:
    struct nothing {};

    template<class T>
    auto random(const values& range) {
        return [this, range](const position&) {
            return record_.random_value<T>(range);
        };
    }
    template<class T, r9v::layout Layout, std::size_t Rank, class Fill>
    auto make(const r9v::extent (&sizes)[Rank], placement place, bool written, const Fill& fill);

    memory_record& record_;
    std::size_t next_ = 0;
};

/// Strides of a matrix (or batches and heads of matrices, or a vector) in a layout with padding.
template<r9v::layout Layout, std::size_t Rank>
void layout_strides(const r9v::extent (&sizes)[Rank], index_t padding,
                    r9v::extent (&strides)[Rank]) {
    if constexpr (Rank == 1) {
        strides[0] = Layout == r9v::layout::strided ? 2 : 1;
    } else {
        const index_t rows = sizes[Rank - 2].value;
        const index_t columns = sizes[Rank - 1].value;
        if constexpr (Layout == r9v::layout::row_major) {
            strides[Rank - 1] = 1;
            strides[Rank - 2] = columns + padding;
        } else if constexpr (Layout == r9v::layout::column_major) {
            strides[Rank - 2] = 1;
            strides[Rank - 1] = rows + padding;
        } else {
            strides[Rank - 1] = 2;
            strides[Rank - 2] = 2 * columns + padding;
        }
        index_t matrix = Layout == r9v::layout::column_major ? columns * strides[Rank - 1].value
                                                             : rows * strides[Rank - 2].value;
        for (std::size_t axis = Rank - 2; axis-- > 0;) {
            strides[axis] = matrix;
            matrix *= sizes[axis].value;
        }
    }
}

void place_on_device(block& b);

template<side Side>
template<class T, r9v::layout Layout, std::size_t Rank, class Fill>
auto memory<Side>::make(const r9v::extent (&sizes)[Rank], placement place, bool written,
                        const Fill& fill) {
    r9v::extent strides[Rank];
    layout_strides<Layout>(sizes, place.padding, strides);
    if constexpr (Side == side::host) {
        block b;
        b.written = written;
        b.element = sizeof(T);
        b.decode = decode<T>;
        b.slack = unit_in_last_place<T>;
        b.first = place.offset + (written ? guard : 0);
        index_t last = b.first;
        for (std::size_t axis = 0; axis < Rank; ++axis) {
            b.extents[block::axes - Rank + axis] = sizes[axis].value;
            b.strides[block::axes - Rank + axis] = strides[axis].value;
            last += std::max<index_t>(sizes[axis].value - 1, 0) * strides[axis].value;
        }
        const auto elements = static_cast<std::size_t>(last + 1 + (written ? guard : 0));
        b.initial.assign(elements * sizeof(T), written ? poison : surroundings);
        if constexpr (!std::is_same_v<Fill, nothing>) {
            for_each_element(b, [&](index_t offset, const position& at) {
                const T value = fill(at);
                std::memcpy(&b.initial[static_cast<std::size_t>(offset) * sizeof(T)],
                            static_cast<const void*>(&value), sizeof(T));
                return true;
            });
        }
        b.host = b.initial;
        record_.blocks.push_back(std::move(b));
        block& kept = record_.blocks.back();
        auto* data = reinterpret_cast<T*>(kept.host.data()) + kept.first;
        return r9v::host_tensor<T, static_cast<int>(Rank), Layout>{data, sizes, strides};
    } else {
        block& b = record_.blocks.at(next_++);
        place_on_device(b);
        auto* data = static_cast<T*>(b.device) + b.first;
        return r9v::tensor<T, static_cast<int>(Rank), Layout>{data, sizes, strides};
    }
}

} // namespace r9v_test
