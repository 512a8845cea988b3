// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The sentence: operator| builds sources, chains and programs, and refuses what makes no sense with
// one message. Left operands are constrained, right operands are not, so that every mistake reaches
// the messages here instead of overload resolution.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/reference_math.hpp>
#include <r9v/tensor/tensor.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI {

/// A tensor and the ops that run on it while it is loaded.
template<any_tensor View, class Chain>
struct source {
    static constexpr space memory = joined_memory(View::memory, Chain::memory);
    View view;
    Chain prologue;
};

template<class T>
inline constexpr bool is_source = false;
template<class View, class Chain>
inline constexpr bool is_source<source<View, Chain>> = true;

/// A head (what is multiplied or reduced) and the chain behind it; complete once it has a store.
/// `Head` states `results` (1, or 2 after `both`) and `memory`.
template<class Head, class Chain>
struct program {
    using head_type = Head;
    using chain_type = Chain;
    static constexpr bool is_complete = Chain::has_store;
    static constexpr space memory = joined_memory(Head::memory, Chain::memory);
    Head head;
    Chain chain;
};

template<class T>
inline constexpr bool is_program = false;
template<class Head, class Chain>
inline constexpr bool is_program<program<Head, Chain>> = true;

namespace detail {

/// The rules of a sentence, in the order in which they are checked.
enum class rule {
    kept,
    parentheses,
    tensor_in_chain,
    not_an_op,
    not_trivially_copyable,
    store_not_last,
    mixed_memory,
    pool_not_fused,
    before_pool,
    after_pool,
    gate_without_both,
    two_results,
    after_quantize,
    role_in_prologue,
    after_mask,
    mask_on_output,
    statistic_not_given,
    wrong_signature,
};

/// Where an op is appended, and behind which head.
enum class place { prologue, fragment, program };
struct no_head {
    static constexpr int results = 1;
};

/// Whether the head of a program knows the row statistic that `Op` writes; true for other ops.
template<class Head, class Op>
constexpr bool gives_statistic_of() {
    if constexpr (!takes_statistic<Op>) {
        return true;
    } else if constexpr (requires { Head::gives(Op::statistic); }) {
        return Head::gives(Op::statistic);
    } else {
        return false;
    }
}

/// Whether kernels of the head can pool their result before it is written.
template<class Head>
constexpr bool pools_its_result() {
    if constexpr (requires { Head::fuses_pool; }) {
        return Head::fuses_pool;
    } else {
        return false;
    }
}

template<class Op>
concept gives_a_run = requires(const Op& op, reference_math math, run<double, 1> x, coordinate at) {
    { op(math, x, at) } -> std::convertible_to<run<double, 1>>;
};
template<class Op>
concept sees_a_run = requires(const Op& op, reference_math math, run<double, 1> x, coordinate at) {
    op(math, x, at);
};
template<class Op>
concept merges_two_runs =
    requires(const Op& op, reference_math math, run<double, 1> x, coordinate at) {
        { op(math, x, x, at) } -> std::convertible_to<run<double, 1>>;
    };

template<class Op>
constexpr bool has_signature() {
    if constexpr (Op::role == role::gate) {
        return merges_two_runs<Op>;
    } else if constexpr (Op::role == role::each || Op::role == role::sink ||
                         Op::role == role::pool || stateful_tap<Op> || takes_statistic<Op> ||
                         takes_whole_row<Op>) {
        return true;
    } else if constexpr (Op::role == role::tap || Op::role == role::store) {
        return sees_a_run<Op>;
    } else {
        return gives_a_run<Op>;
    }
}

/// What may run while a source is loaded, and on scores. Kernels that load elements more than once
/// refuse taps (has_tap).
template<class Op>
inline constexpr bool is_for_prologues =
    Op::role == role::map || Op::role == role::operand || Op::role == role::mask ||
    Op::role == role::sink || (Op::role == role::tap && !accumulates<Op> && !takes_statistic<Op>);

/// What may stand behind a pool: what needs no more than the values that pass.
template<class Op>
inline constexpr bool is_for_pooled =
    Op::role == role::map || Op::role == role::operand || Op::role == role::quantize ||
    ((Op::role == role::tap || Op::role == role::store) && !accumulates<Op> &&
     !takes_statistic<Op> && !takes_whole_row<Op>);

/// The first rule that `Op` breaks behind `Chain`, whose head gives `Results` results.
template<place Place, class Head, space Memory, class Chain, class Op>
consteval rule broken_rule() {
    using bare = std::remove_cvref_t<Op>;
    if constexpr (std::is_function_v<bare> || std::is_function_v<std::remove_pointer_t<bare>>) {
        return rule::parentheses;
    } else if constexpr (any_tensor<bare>) {
        return rule::tensor_in_chain;
    } else if constexpr (!any_op<bare>) {
        return rule::not_an_op;
    } else if constexpr (!std::is_trivially_copyable_v<bare>) {
        return rule::not_trivially_copyable;
    } else {
        constexpr role r = bare::role;
        constexpr bool two = Head::results == 2 && !Chain::has_gate;
        constexpr bool is_mask = r == role::mask || r == role::sink;
        if constexpr (Chain::has_store) {
            return rule::store_not_last;
        } else if constexpr (!same_memory(Memory, memory_of<bare>)) {
            return rule::mixed_memory;
        } else if constexpr (r == role::pool && Place != place::fragment &&
                             (Place == place::prologue || !pools_its_result<Head>())) {
            return rule::pool_not_fused;
        } else if constexpr (r == role::pool &&
                             (Chain::has_tap || Chain::has_quantize || Chain::has_pool)) {
            return rule::before_pool;
        } else if constexpr (Chain::has_pool && !is_for_pooled<bare>) {
            return rule::after_pool;
        } else if constexpr (Place == place::prologue && !is_for_prologues<bare>) {
            return rule::role_in_prologue;
        } else if constexpr (Place == place::program && is_mask) {
            return rule::mask_on_output;
        } else if constexpr ((Chain::has_mask || Chain::has_sink) && !is_mask) {
            return rule::after_mask;
        } else if constexpr (Place == place::program && !two &&
                             (r == role::gate || r == role::each)) {
            return rule::gate_without_both;
        } else if constexpr (Place == place::program && two && r != role::gate && r != role::each &&
                             r != role::map) {
            return rule::two_results;
        } else if constexpr (Chain::has_quantize && r != role::tap && r != role::store) {
            return rule::after_quantize;
        } else if constexpr (Place == place::program && !gives_statistic_of<Head, bare>()) {
            return rule::statistic_not_given;
        } else if constexpr (!has_signature<bare>()) {
            return rule::wrong_signature;
        } else {
            return rule::kept;
        }
    }
}

/// One message, if a rule is broken.
template<rule Broken>
constexpr bool report() {
    static_assert(Broken != rule::parentheses,
                  "r9v: an op stands in the chain without parentheses. Write silu(), not silu.");
    static_assert(Broken != rule::tensor_in_chain,
                  "r9v: a bare tensor is not an op. Write bias(t), add(t), mul(t), residual(t) or "
                  "store(t).");
    static_assert(Broken != rule::not_an_op,
                  "r9v: this is not an op. Write map(functor) for a lambda or functor, or give "
                  "your struct a static member `role` and one function over a run.");
    static_assert(Broken != rule::not_trivially_copyable,
                  "r9v: an op must be trivially copyable, since it travels to the device as bytes. "
                  "Hold numbers and tensors (views), not containers.");
    static_assert(Broken != rule::store_not_last,
                  "r9v: store() must be the last op. Write tee(t) for a result on the way.");
    static_assert(Broken != rule::mixed_memory,
                  "r9v: host and device tensors are mixed in one program. Use tensor everywhere "
                  "for a stream, host_tensor everywhere for r9v::reference.");
    static_assert(Broken != rule::pool_not_fused,
                  "r9v: max_pool({...}) in a chain pools only stem convolutions, conv2d(x, "
                  "stem_filter(...)). Elsewhere store the map and call max_pool(x, {...}) as a "
                  "program of its own.");
    static_assert(Broken != rule::before_pool,
                  "r9v: pixels in front of max_pool({...}) may be computed twice, so that only "
                  "maps and operands may stand there. Store the map and call max_pool(x, {...}) "
                  "as a program of its own.");
    static_assert(Broken != rule::after_pool,
                  "r9v: behind max_pool({...}) only maps, operands, quantize(), tee() and store() "
                  "may follow. Store the map and call max_pool(x, {...}) as a program of its own.");
    static_assert(Broken != rule::gate_without_both,
                  "r9v: a gate needs two results. Write gemm(x, both(w1, w2)) in front of it.");
    static_assert(Broken != rule::two_results,
                  "r9v: both(w1, w2) gives two results and this op takes one. Put a gate, such as "
                  "swiglu(), in front of it; each(bias(b1), bias(b2)) takes one op for each.");
    static_assert(Broken != rule::after_quantize,
                  "r9v: quantize() comes last. Move this op in front of it; only taps and store() "
                  "may follow.");
    static_assert(Broken != rule::role_in_prologue,
                  "r9v: a prologue takes maps, operands, masks and tee(). Move gates, other taps, "
                  "quantize() and store() behind the head.");
    static_assert(Broken != rule::after_mask,
                  "r9v: masks and sinks come last. Move this op in front of them.");
    static_assert(Broken != rule::mask_on_output,
                  "r9v: a mask stands behind the head, where there are no scores any more. Write "
                  "softmax(x | causal(bottom_right)) or attention(q, k, v, causal(bottom_right)).");
    static_assert(Broken != rule::statistic_not_given,
                  "r9v: this head does not compute that row statistic. log_sum_exp_rows() belongs "
                  "to softmax and attention, max_rows() to softmax, mean_rows() to layer_norm, "
                  "inverse_deviation_rows() to norms; sum_rows() goes anywhere.");
    static_assert(Broken != rule::wrong_signature,
                  "r9v: the op cannot be called with (math, run, coordinate) and give a run of the "
                  "same type. Write `template<class Math, class Run> R9V_HD Run operator()(Math, "
                  "Run, r9v::coordinate) const`.");
    return Broken == rule::kept;
}

template<place Place, class Head, space Memory, class Chain, class... Ops>
[[nodiscard]] constexpr auto append_all(const Chain& ops, const chain<Ops...>& fragment);

/// The op as it stands behind `Chain`: some look at what masks in front of them have left.
template<class Chain, class Op>
[[nodiscard]] constexpr auto placed_behind(const Op& op) {
    if constexpr (Chain::has_mask && requires { op.behind_masks(); }) {
        return op.behind_masks();
    } else {
        return op;
    }
}

/// `ops` with `op` behind it, or with `rejected` where a rule is broken, which is reported here.
template<place Place, class Head, space Memory, class Chain, class Op>
[[nodiscard]] constexpr auto append_checked(const Chain& ops, const Op& op) {
    if constexpr (Chain::has_rejected) {
        return ops;
    } else if constexpr (is_chain<Op>) {
        return append_all<Place, Head, Memory>(ops, op);
    } else if constexpr (report<broken_rule<Place, Head, Memory, Chain, Op>()>() &&
                         broken_rule<Place, Head, Memory, Chain, Op>() == rule::kept) {
        return r9v::append(ops, placed_behind<Chain>(op));
    } else {
        return r9v::append(ops, rejected{});
    }
}

template<place Place, class Head, space Memory, int Index, class Chain, class Fragment>
[[nodiscard]] constexpr auto append_from(const Chain& ops, const Fragment& fragment) {
    if constexpr (Index == Fragment::size) {
        return ops;
    } else {
        const auto longer = append_checked<Place, Head, Memory>(
            ops, get<static_cast<std::size_t>(Index)>(fragment.ops));
        return append_from<Place, Head, joined_memory(Memory, decltype(longer)::memory), Index + 1>(
            longer, fragment);
    }
}

/// Appends the ops of a fragment one by one, each under the rules.
template<place Place, class Head, space Memory, class Chain, class... Ops>
[[nodiscard]] constexpr auto append_all(const Chain& ops, const chain<Ops...>& fragment) {
    return append_from<Place, Head, Memory, 0>(ops, fragment);
}

} // namespace detail

namespace detail {

/// Stands in for a head that was refused, so that one mistake gives one error.
struct rejected_head {
    static constexpr int results = 1;
    static constexpr space memory = space::none;
};
using rejected_program = program<rejected_head, chain<rejected>>;

/// A bare tensor as a source without ops.
template<class Input>
constexpr auto to_source(const Input& x) {
    if constexpr (is_source<Input>) {
        return x;
    } else {
        return source<Input, chain<>>{x, {}};
    }
}

/// The tensor of a source, or the tensor itself.
template<class T>
struct view_of {
    using type = T;
};
template<class View, class Chain>
struct view_of<source<View, Chain>> {
    using type = View;
};

} // namespace detail

/// tensor | op: the op runs on every value as it is loaded.
template<any_tensor View, class Op>
[[nodiscard]] constexpr auto operator|(const View& view, const Op& op) {
    const auto prologue =
        detail::append_checked<detail::place::prologue, detail::no_head, View::memory>(chain<>{},
                                                                                       op);
    return source<View, std::remove_const_t<decltype(prologue)>>{view, prologue};
}

/// source | op.
template<class View, class Chain, class Op>
[[nodiscard]] constexpr auto operator|(const source<View, Chain>& from, const Op& op) {
    const auto prologue = detail::append_checked<detail::place::prologue, detail::no_head,
                                                 source<View, Chain>::memory>(from.prologue, op);
    return source<View, std::remove_const_t<decltype(prologue)>>{from.view, prologue};
}

/// op | op: a fragment that can be named and used in several programs.
template<any_op Left, class Op>
[[nodiscard]] constexpr auto operator|(const Left& left, const Op& op) {
    return detail::append_checked<detail::place::fragment, detail::no_head, memory_of<Left>>(
        append(chain<>{}, left), op);
}

/// fragment | op.
template<class... Ops, class Op>
[[nodiscard]] constexpr auto operator|(const chain<Ops...>& left, const Op& op) {
    return detail::append_checked<detail::place::fragment, detail::no_head, chain<Ops...>::memory>(
        left, op);
}

/// program | op, or program | fragment.
template<class Head, class Chain, class Op>
[[nodiscard]] constexpr auto operator|(const program<Head, Chain>& left, const Op& op) {
    const auto longer =
        detail::append_checked<detail::place::program, Head, program<Head, Chain>::memory>(
            left.chain, op);
    return program<Head, std::remove_const_t<decltype(longer)>>{left.head, longer};
}

} // namespace r9v::inline R9V_ABI
