// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What types cannot show about a program's tensors and a launch must check: null pointers, extents,
// strides against the declared layout, results that overlap something. Each refusal names the fix.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/ops/operand.hpp>
#include <r9v/tensor/region.hpp>

#include <cinttypes>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Pointer, extents and strides of one view, called `name` in messages.
template<any_tensor View>
[[nodiscard]] status check_view(const char* name, const View& v) noexcept {
    constexpr int last = View::rank - 1;
    for (int axis = 0; axis < View::rank; ++axis) {
        if (v.extents[axis] < 0)
            return error{"r9v: %s has the negative extent %" PRId64 " on axis %d. Pass a size of 0 "
                         "or more.",
                         name, v.extents[axis], axis};
    }
    if (v.data == nullptr && !v.empty())
        return error{"r9v: %s has null data. Pass memory, or write optional(%s) for an operand "
                     "that may be absent.",
                     name, name};
    if (reinterpret_cast<std::uint64_t>(v.data) % alignof(typename View::value_type) != 0)
        return error{"r9v: %s is not aligned to its element (%zu bytes). Pass a pointer from an "
                     "allocation of that element type.",
                     name, alignof(typename View::value_type)};
    constexpr layout l = View::element_layout;
    if (l == layout::row_major && v.extents[last] > 1 && v.strides[last] != 1)
        return error{"r9v: %s is declared row_major but its last stride is %" PRId64 ". Declare it "
                     "layout::strided, or pass as_strided(%s).",
                     name, v.strides[last], name};
    if constexpr (l == layout::column_major && View::rank >= 2) {
        if (v.extents[last - 1] > 1 && v.strides[last - 1] != 1)
            return error{"r9v: %s is declared column_major but the stride of its last but one axis "
                         "is %" PRId64 ". Declare it layout::strided, or pass as_strided(%s).",
                         name, v.strides[last - 1], name};
    }
    return {};
}

/// Collects a program's tensors and the first thing that is wrong with them.
class tensor_checks {
public:
    explicit tensor_checks(const extents& result) : result_{result} {}

    [[nodiscard]] const status& outcome() const { return outcome_; }
    void fail(const status& reason) {
        if (outcome_) outcome_ = reason;
    }

    /// From here on operands belong to a prologue, whose rows and columns are the source's. They
    /// are read while results are written, so no result may overlap them.
    void begin_prologue(const extents& source) {
        result_ = source;
        prologue_ = true;
    }

    /// A tensor of the head: read in another order than results are written, so nothing may
    /// overlap it.
    template<any_tensor View>
    void input(const char* name, const View& view) {
        fail(check_view(name, view));
        remember({region_of(view), name, access::read, false});
    }

    /// A tensor that the head writes, at places of its own: nothing else may overlap it.
    template<any_tensor View>
    void output(const char* name, const View& view) {
        fail(check_view(name, view));
        remember({region_of(view), name, access::write, false});
        fail_if_repeated(name, region_of(view));
    }

    /// A tensor of an op (the visitor of visit_operands).
    template<span Span, class View>
    void operator()(const char* name, const operand<Span, View>& o, access how) {
        fail(check_view(name, o.view));
        check_extents(name, o, how);
        remember({region_of(o.view), name, how, Span == span::matrix && !prologue_});
        if (how != access::read) fail_if_repeated(name, region_of(o.view));
    }

    /// A tensor of a mask, whose axes may each have one entry for all positions.
    template<class Operand>
        requires Operand::broadcasts
    void operator()(const char* name, const Operand& o, access how) {
        fail(check_view(name, o.view));
        expect_or_one(name, "batches", o.view.extents[0], result_.batches);
        expect_or_one(name, "heads", o.view.extents[1], result_.heads);
        expect_or_one(name, "rows", o.view.extents[2], result_.rows);
        expect_or_one(name, "columns", o.view.extents[3], result_.columns);
        remember({region_of(o.view), name, how, false});
    }

    /// A map that is written twice as high and wide as the result.
    template<class Operand>
        requires Operand::doubles_pixels
    void operator()(const char* name, const Operand& o, access how) {
        fail(check_view(name, o.view));
        expect(name, "batches", o.view.extents[0], result_.batches);
        expect(name, "channels", o.view.extents[3], result_.columns);
        if (o.view.extents[1] != 2 * result_.heads || o.view.extents[2] != 2 * result_.rows)
            fail(error{"r9v: %s has %" PRId64 " x %" PRId64 " pixels but the result has %" PRId64
                       " x %" PRId64 ". Pass a tensor with %" PRId64 " x %" PRId64 ", twice as "
                       "many each way.",
                       name, o.view.extents[1], o.view.extents[2], result_.heads, result_.rows,
                       2 * result_.heads, 2 * result_.rows});
        remember({region_of(o.view), name, how, false});
        fail_if_repeated(name, region_of(o.view));
    }

    /// Compares everything written with everything else; call it last.
    void check_overlap() {
        for (int i = 0; i < count_; ++i)
            for (int j = 0; j < count_; ++j)
                if (i != j && seen_[i].how != access::read) check_pair(seen_[i], seen_[j]);
    }

private:
    struct entry {
        region memory;
        const char* name = "";
        access how = access::read;
        bool elementwise = false; ///< read at the position that is written, before it is written
    };

    void remember(const entry& e) {
        if (count_ < capacity) {
            seen_[count_++] = e;
        } else {
            fail(error{"r9v: a program has more than %d tensors. Split it.", capacity});
        }
    }

    void fail_if_repeated(const char* name, const region& written) {
        if (overlaps_itself(written))
            fail(error{"r9v: two positions of %s are the same memory. Give every axis a stride "
                       "that does not repeat.",
                       name});
    }

    void check_pair(const entry& written, const entry& other) {
        if (!overlap(written.memory, other.memory)) return;
        const bool in_place = other.how == access::read && other.elementwise &&
                              written.elementwise && same_elements(written.memory, other.memory);
        if (in_place) return;
        fail(error{"r9v: %s overlaps %s. Write into other memory; in place works only where both "
                   "have the same pointer, extents, strides and element size.",
                   written.name, other.name});
    }

    template<span Span, class View>
    void check_extents(const char* name, const operand<Span, View>& o, access how) {
        using op = operand<Span, View>;
        constexpr int rank = View::rank;
        if constexpr (op::has_head || Span == span::head)
            expect(name, "heads", o.view.extents[Span == span::head ? rank - 1 : 1], result_.heads);
        else if (how != access::read && Span != span::scalar && result_.heads > 1)
            fail(error{"r9v: %s has no head axis but the program has %" PRId64 " heads. Pass a "
                       "tensor of rank %d with batches and heads in front.",
                       name, result_.heads, span_rank(Span) + 2});
        if constexpr (op::has_batch) {
            expect(name, "batches", o.view.extents[0], result_.batches);
        } else if (how != access::read && Span != span::scalar && result_.batches > 1) {
            fail(error{"r9v: %s has no batch axis but the program has %" PRId64 " batches. Pass a "
                       "tensor of rank %d with the batches in front.",
                       name, result_.batches, span_rank(Span) + 1});
        }
        if constexpr (Span == span::scalar) expect(name, "elements", o.view.extents[rank - 1], 1);
        if constexpr (Span == span::column || Span == span::matrix)
            expect(name, "columns", o.view.extents[rank - 1], result_.columns);
        if constexpr (Span == span::row)
            expect(name, "rows", o.view.extents[rank - 1], result_.rows);
        if constexpr (Span == span::matrix || Span == span::group)
            expect(name, "rows", o.view.extents[rank - 2], result_.rows);
        if constexpr (Span == span::group) {
            if (o.group_shift < 0) {
                fail(error{"r9v: the groups of %s are not a power of two of at least 8 columns. "
                           "Pass 8, 16, 32, 64, ... to per_group().",
                           name});
            } else {
                expect(name, "groups", o.view.extents[rank - 1],
                       ceil_div(result_.columns, index_t{1} << o.group_shift));
            }
        }
    }

    void expect(const char* name, const char* what, index_t found, index_t wanted) {
        if (found == wanted) return;
        fail(error{"r9v: %s has %" PRId64 " %s but the result has %" PRId64 ". Pass a tensor with "
                   "%" PRId64 ".",
                   name, found, what, wanted, wanted});
    }

    void expect_or_one(const char* name, const char* what, index_t found, index_t wanted) {
        if (found == wanted || found == 1) return;
        fail(error{"r9v: %s has %" PRId64 " %s but there are %" PRId64 ". Pass a tensor with "
                   "%" PRId64 ", or with 1 for all of them.",
                   name, found, what, wanted, wanted});
    }

    static constexpr int capacity = 40;
    extents result_;
    bool prologue_ = false;
    status outcome_;
    entry seen_[capacity];
    int count_ = 0;
};

} // namespace detail

} // namespace r9v::inline R9V_ABI
