// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A chain of ops, and how an executor runs it: in the order written, over runs, in the executor's
// arithmetic. The grammar that builds chains is in grammar.hpp.
#pragma once

#include <r9v/core/pack.hpp>
#include <r9v/ops/role.hpp>
#include <r9v/ops/run.hpp>

namespace r9v::inline R9V_ABI {

/// What a stateful tap's result covers.
enum class tap_scope { row, tensor };

/// How a stateful tap's partial results become one: `atomic` in any order with the same result
/// (maxima), `ordered` through scratch memory, merged in a fixed order (sums).
enum class tap_merge { atomic, ordered };

namespace detail {

template<class Op>
inline constexpr bool is_ordered_tap = [] {
    if constexpr (stateful_tap<Op>) {
        return Op::merge_kind == tap_merge::ordered;
    } else {
        return false;
    }
}();

/// Position of the one op of a role; 0 where there is none.
template<class... Ops>
constexpr int position_of_role(role wanted) {
    int position = 0;
    [[maybe_unused]] int at = 0;
    ((position = Ops::role == wanted ? at : position, ++at), ...);
    return position;
}

} // namespace detail

template<class... Ops>
struct chain {
    static constexpr int size = static_cast<int>(sizeof...(Ops));
    static constexpr space memory = [] {
        space joined = space::none;
        ((joined = joined_memory(joined, memory_of<Ops>)), ...);
        return joined;
    }();
    static constexpr bool has_rejected = (is_rejected<Ops> || ...);
    static constexpr bool has_store = ((Ops::role == role::store) || ...);
    static constexpr bool has_gate = ((Ops::role == role::gate) || ...);
    static constexpr bool has_quantize = ((Ops::role == role::quantize) || ...);
    static constexpr bool has_mask = ((Ops::role == role::mask) || ...);
    static constexpr bool has_sink = ((Ops::role == role::sink) || ...);
    static constexpr bool has_pool = ((Ops::role == role::pool) || ...);
    /// Whether an op writes memory while the values pass: prologues of kernels that load once only.
    static constexpr bool has_tap = ((Ops::role == role::tap) || ...);
    static constexpr bool has_state = (stateful_tap<Ops> || ...);
    /// Whether an op needs whole rows (top_k).
    static constexpr bool has_row_op = (takes_whole_row<Ops> || ...);
    static constexpr int stateful_taps = (0 + ... + (stateful_tap<Ops> ? 1 : 0));
    /// Taps whose partial results go through scratch memory.
    static constexpr int ordered_taps = (0 + ... + (detail::is_ordered_tap<Ops> ? 1 : 0));
    /// Position of the gate, and of the pool; 0 when there is none.
    static constexpr int gate_position = detail::position_of_role<Ops...>(role::gate);
    static constexpr int pool_position = detail::position_of_role<Ops...>(role::pool);

    pack<Ops...> ops;
};

template<class T>
inline constexpr bool is_chain = false;
template<class... Ops>
inline constexpr bool is_chain<chain<Ops...>> = true;

template<class... Ops, class Op>
[[nodiscard]] R9V_HD constexpr chain<Ops..., Op> append(const chain<Ops...>& left, const Op& op) {
    return {append(left.ops, op)};
}

namespace detail {

template<int Begin, class Sequence>
struct shifted;
template<int Begin, int... Is>
struct shifted<Begin, std::integer_sequence<int, Is...>> {
    using type = std::integer_sequence<int, (Begin + Is)...>;
};
template<int Begin, int End>
using interval = typename shifted<Begin, std::make_integer_sequence<int, End - Begin>>::type;

/// One op on one result.
template<int Index, class Math, class Chain, class States, class Run>
R9V_HD void step(Math math, const Chain& ops, States& states, Run& x, const coordinate& at) {
    const auto& op = get<static_cast<std::size_t>(Index)>(ops.ops);
    using Op = std::remove_cvref_t<decltype(op)>;
    if constexpr (stateful_tap<Op>) {
        auto& state = get<static_cast<std::size_t>(Index)>(states);
        state = op.add(math, state, x);
    } else if constexpr (takes_statistic<Op> || takes_whole_row<Op> || Op::role == role::sink) {
        // Sees no runs: the kernel asks for it by name.
    } else if constexpr (Op::role == role::tap || Op::role == role::store) {
        op(math, x, at);
    } else {
        x = op(math, x, at);
    }
}

/// One op on the two results of `both`, before the gate.
template<int Index, class Math, class Chain, class Run>
R9V_HD void step_both(Math math, const Chain& ops, Run& a, Run& b, const coordinate& at) {
    const auto& op = get<static_cast<std::size_t>(Index)>(ops.ops);
    if constexpr (std::remove_cvref_t<decltype(op)>::role == role::each) {
        a = op.first(math, a, at);
        b = op.second(math, b, at);
    } else {
        a = op(math, a, at);
        b = op(math, b, at);
    }
}

template<class Math, class Chain, class States, class Run, int... Is>
R9V_HD void steps([[maybe_unused]] Math math, const Chain& ops, States& states, Run& x,
                  const coordinate& at, std::integer_sequence<int, Is...>) {
    (step<Is>(math, ops, states, x, at), ...);
}

template<class Math, class Chain, class Run, int... Is>
R9V_HD void steps_both([[maybe_unused]] Math math, const Chain& ops, Run& a, Run& b,
                       const coordinate& at, std::integer_sequence<int, Is...>) {
    (step_both<Is>(math, ops, a, b, at), ...);
}

} // namespace detail

/// The states of a chain's taps: one `Math::real` for each op, used by stateful taps alone.
template<class Math, class Chain>
struct states_of;
template<class Math, class... Ops>
struct states_of<Math, chain<Ops...>> {
    template<class>
    using state = typename Math::real;
    using type = pack<state<Ops>...>;
};

/// Runs the whole chain, its store included, over one run of one result.
template<class Math, class... Ops, class States, int Width>
R9V_HD void evaluate(Math math, const chain<Ops...>& ops, States& states, const coordinate& at,
                     run<typename Math::real, Width> x) {
    detail::steps(math, ops, states, x, at, detail::interval<0, chain<Ops...>::size>{});
}

/// Runs the whole chain over the two results of `both`: up to the gate on both, then on one.
template<class Math, class... Ops, class States, int Width>
R9V_HD void evaluate(Math math, const chain<Ops...>& ops, States& states, const coordinate& at,
                     run<typename Math::real, Width> a, run<typename Math::real, Width> b) {
    constexpr int gate = chain<Ops...>::gate_position;
    detail::steps_both(math, ops, a, b, at, detail::interval<0, gate>{});
    auto x = get<static_cast<std::size_t>(gate)>(ops.ops)(math, a, b, at);
    detail::steps(math, ops, states, x, at, detail::interval<gate + 1, chain<Ops...>::size>{});
}

/// Runs a prologue: the value of the source after its ops.
template<class Math, class... Ops, int Width>
[[nodiscard]] R9V_HD run<typename Math::real, Width> transform(Math math, const chain<Ops...>& ops,
                                                               const coordinate& at,
                                                               run<typename Math::real, Width> x) {
    pack<> none;
    detail::steps(math, ops, none, x, at, detail::interval<0, chain<Ops...>::size>{});
    return x;
}

/// Calls `visit(op, state, index)` for each stateful tap of the given scope; `index` counts the
/// chain's stateful taps of any scope from 0.
template<tap_scope Scope, class... Ops, class States, class Visit>
R9V_HD void for_each_tap(const chain<Ops...>& ops, States& states, Visit&& visit) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        int tap = 0;
        (
            [&] {
                using Op = std::remove_cvref_t<decltype(get<Is>(ops.ops))>;
                if constexpr (stateful_tap<Op>) {
                    if constexpr (Op::scope == Scope) visit(get<Is>(ops.ops), get<Is>(states), tap);
                    ++tap;
                }
            }(),
            ...);
    }(std::index_sequence_for<Ops...>{});
}

/// Sets the states of the given scope to their neutral element: before each row, or once.
template<tap_scope Scope, class... Ops, class States>
R9V_HD void reset_taps(const chain<Ops...>& ops, States& states) {
    for_each_tap<Scope>(ops, states, [](const auto& op, auto& state, int) {
        state = static_cast<std::remove_reference_t<decltype(state)>>(op.identity);
    });
}

/// Shows every tensor of the chain's ops to `visit(name, operand, access)`.
template<class... Ops, class Visit>
constexpr void visit_operands(const chain<Ops...>& ops, Visit&& visit) {
    for_each(ops.ops, [&](const auto& op) {
        if constexpr (requires { op.visit_operands(visit); }) op.visit_operands(visit);
    });
}

} // namespace r9v::inline R9V_ABI
