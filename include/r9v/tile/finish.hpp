// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The epilogue: what a wave has accumulated goes through the program's chain, in runs of 8
// neighbouring columns of one row, and the taps' states are merged and committed.
#pragma once

#include <r9v/ops/activation.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::tile {

/// Where a wave's accumulators stand in the result, and which of them exist.
struct wave_place {
    index_t batch;
    index_t row; ///< of the wave's first accumulator
    index_t column;
    index_t row_end; ///< rows and columns from here on are another block's, or nobody's
    index_t column_end;
    index_t head = 0;
};

/// In place of a receiver of partial row statistics, where each wave holds whole rows.
struct whole_rows {
    R9V_INLINE void operator()(int, const coordinate&, float) const {} // nothing is partial
};

namespace detail {

using wide_math = device_math<std::uint32_t>;
using narrow_math = device_math<index_t>;

template<int Width>
R9V_INLINE run<float, Width> part_of(const arch::floats8& fragment, int first) {
    run<float, Width> part;
    R9V_UNROLL
    for (int i = 0; i < Width; ++i)
        part[i] = fragment[first + i];
    return part;
}

R9V_HD constexpr int least(int a, int b) {
    return a < b ? a : b;
}

/// How long a chain's code is, in ops of usual length.
template<class Chain>
inline constexpr int weight = 0;
template<class... Ops>
inline constexpr int weight<chain<Ops...>> =
    (0 + ... + (std::is_same_v<Ops, activation_op> ? 18 : 1));

/// Copies the states of the given scope.
template<tap_scope Scope, class Chain, class States>
R9V_INLINE void carry_taps(const Chain& ops, const States& from, States& to) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (
            [&] {
                using Op = std::remove_cvref_t<decltype(get<Is>(ops.ops))>;
                if constexpr (stateful_tap<Op>) {
                    if constexpr (Op::scope == Scope) get<Is>(to) = get<Is>(from);
                }
            }(),
            ...);
    }(std::make_index_sequence<Chain::size>{});
}

/// A lane's place in a fragment of the result: one row, 8 columns from `column` on.
struct lane_place {
    std::int32_t row;
    std::int32_t column;

    R9V_INLINE lane_place() {
        const auto at = arch::result_position(static_cast<int>(arch::lane_index()), 0);
        row = at.row;
        column = at.column;
    }
};

} // namespace detail

/// Runs `ops` over `Results` x `Rows` x `Columns` fragments. `Partials` gets the row statistics of
/// taps that merge in order: partials(tap, coordinate, value). Where it has located(coordinate),
/// chains that are not wide get their positions from it. Where it `is_scattered`, all do, each lane
/// its own; whole parts then want flattened(coordinate), with 32 bits in the lane. Where fragments
/// must wait in LDS, `Parked` columns of them do at a time.
template<int Results, int Rows, int Columns, class Chain, class Partials, int Parked = Columns>
class finisher {
    using states = typename states_of<detail::wide_math, Chain>::type;
    using tile_type = arch::floats8[Results][Rows][Columns];

public:
    /// Whether the chain is short enough to be compiled once for every fragment of a wave.
    static constexpr bool is_repeated = detail::weight<Chain> <= 8;
    /// Whether neighbouring rows of a part are anywhere in the result.
    static constexpr bool is_scattered = requires { requires Partials::is_scattered; };
    /// Bytes of LDS that each wave needs.
    static constexpr int lds_bytes = Results * Parked * 2 * arch::wave_size * 16;

    R9V_INLINE finisher(const Chain& ops, const wave_place& place, Partials partials)
        : ops_{ops},
          place_{place},
          partials_{partials} {}

    /// `whole`: all of the wave's part exists, and the chain `is_repeated` and wide. Else `lds` of
    /// this wave alone is used.
    R9V_INLINE void finish(const tile_type& tile, arch::local_bytes lds, bool whole, bool wide) {
        if constexpr (is_repeated) {
            if (whole) {
                finish_whole(tile);
                return;
            }
        }
        finish_guarded(tile, lds, wide);
    }

private:
    /// No guards. Columns go outermost, so that what follows columns alone, such as a bias, is held
    /// for one fragment at a time. Runs are kept apart, since the compiler pairs fewer instructions
    /// where it mixes them.
    R9V_INLINE void finish_whole(const tile_type& tile) {
        states whole;
        states of_row[Rows];
        reset_taps<tap_scope::tensor>(ops_, whole);
        R9V_UNROLL
        for (auto& sums : of_row)
            reset_taps<tap_scope::row>(ops_, sums);
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (finish_fragment<Is % Rows, Is / Rows>(tile, whole, of_row[Is % Rows]), ...);
        }(std::make_integer_sequence<int, Rows * Columns>{});
        R9V_UNROLL
        for (int row = 0; row < Rows; ++row)
            commit_row(of_row[row], position(row, 0));
        commit_tensor(whole);
    }

    /// Any part of it may be missing, any operand may be strided. Fragments wait in `lds` (of this
    /// wave alone), so that one body of the chain serves all of them.
    R9V_INLINE void finish_guarded(const tile_type& tile, arch::local_bytes lds, bool wide) {
        states sums;
        reset_taps<tap_scope::tensor>(ops_, sums);
        R9V_ROLLED
        for (int row = 0; row < Rows; ++row) {
            reset_taps<tap_scope::row>(ops_, sums);
            R9V_ROLLED
            for (int first = 0; first < Columns; first += Parked) {
                park(tile, row, first, lds);
                R9V_ROLLED
                for (int column = 0; column < detail::least(Parked, Columns - first); ++column)
                    finish_run(sums, lds, position(row, first + column), column, wide);
            }
            commit_row(sums, position(row, 0));
        }
        commit_tensor(sums);
    }

    R9V_INLINE coordinate position(int row, int column) const {
        return {place_.batch,
                place_.row + row * arch::fragment_size,
                place_.column + column * arch::fragment_size,
                lane_.row,
                lane_.column,
                place_.head};
    }

    /// A fold instead of an unrolled loop: compilers give up on loops whose bodies are long, and an
    /// index that is not a constant sends the accumulators to memory.
    template<int Row, int Column>
    R9V_INLINE void finish_fragment(const tile_type& tile, states& whole, states& of_row) {
        arch::schedule_fence();
        run<float, 8> values[Results];
        R9V_UNROLL
        for (int result = 0; result < Results; ++result)
            values[result] = detail::part_of<8>(tile[result][Row][Column], 0);
        detail::carry_taps<tap_scope::tensor>(ops_, whole, of_row);
        if constexpr (is_scattered) {
            evaluate_all(detail::wide_math{}, of_row, partials_.flattened(position(Row, Column)),
                         values);
        } else {
            evaluate_all(detail::wide_math{}, of_row, position(Row, Column), values);
        }
        detail::carry_taps<tap_scope::tensor>(ops_, of_row, whole);
    }

    R9V_INLINE static std::uint32_t parked(int result, int column, int half) {
        return static_cast<std::uint32_t>(((result * Parked + column) * 2 + half) *
                                          arch::wave_size * 16) +
               arch::lane_index() * 16;
    }
    /// Registers have no index that is not a constant: one copy of the code for each place. Folds,
    /// since compilers give up on unrolling loops in long kernels.
    R9V_INLINE static void park(const tile_type& tile, int row, int first, arch::local_bytes lds) {
        constexpr int parts = (Columns + Parked - 1) / Parked;
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (
                [&] {
                    if (Is / parts != row || Is % parts * Parked != first) return;
                    park_at<Is / parts, Is % parts * Parked>(tile, lds);
                    arch::keep_apart<Is>();
                }(),
                ...);
        }(std::make_integer_sequence<int, Rows * parts>{});
    }
    template<int Row, int First>
    R9V_INLINE static void park_at(const tile_type& tile, arch::local_bytes lds) {
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (
                [&] {
                    constexpr int result = Is / Parked;
                    constexpr int column = Is % Parked;
                    if constexpr (First + column < Columns)
                        arch::store_local_floats(lds, parked(result, column, 0),
                                                 parked(result, column, 1),
                                                 tile[result][Row][First + column]);
                }(),
                ...);
        }(std::make_integer_sequence<int, Results * Parked>{});
    }

    R9V_INLINE void finish_run(states& sums, arch::local_bytes lds, const coordinate& at,
                               int column, bool wide) const {
        if (at.row() >= place_.row_end) return;
        const index_t left = place_.column_end - at.column();
        if (wide && left >= 8) {
            run_whole(sums, lds, at, column);
        } else {
            R9V_ROLLED
            for (int e = 0; e < 8; ++e)
                if (e < left) run_single(sums, lds, at, column, e);
        }
    }
    R9V_INLINE void run_whole(states& sums, arch::local_bytes lds, const coordinate& at,
                              int column) const {
        run<float, 8> values[Results];
        R9V_UNROLL
        for (int result = 0; result < Results; ++result)
            values[result] = detail::part_of<8>(
                arch::load_local_floats(lds, parked(result, column, 0), parked(result, column, 1)),
                0);
        if constexpr (is_scattered) {
            evaluate_all(detail::narrow_math{}, sums, located(at), values);
        } else {
            evaluate_all(detail::wide_math{}, sums, at, values);
        }
    }
    R9V_INLINE void run_single(states& sums, arch::local_bytes lds, coordinate at, int column,
                               int e) const {
        at.column_offset += e;
        run<float, 1> values[Results];
        R9V_UNROLL
        for (int result = 0; result < Results; ++result)
            values[result][0] = arch::load_local_float(
                lds, parked(result, column, e / 4) + static_cast<std::uint32_t>(e % 4 * 4));
        evaluate_all(detail::narrow_math{}, sums, located(at), values);
    }
    /// Rows may be counted through several axes; `Partials` then knows where one stands.
    R9V_INLINE coordinate located(const coordinate& at) const {
        if constexpr (requires { partials_.located(at); }) {
            return partials_.located(at);
        } else {
            return at;
        }
    }
    template<class Math, int Width>
    R9V_INLINE void evaluate_all(Math math, states& sums, const coordinate& at,
                                 const run<float, Width> (&values)[Results]) const {
        if constexpr (Results == 2) {
            evaluate(math, ops_, sums, at, values[0], values[1]);
        } else {
            evaluate(math, ops_, sums, at, values[0]);
        }
    }

    /// The two halves of the wave hold 8 columns each of every row.
    R9V_INLINE void commit_row(states& sums, const coordinate& at) const {
        if constexpr (Chain::has_state) {
            for_each_tap<tap_scope::row>(ops_, sums, [&](const auto& op, auto& state, int tap) {
                const float other = arch::other_half(state);
                // Always lower columns first: a sum has the same bits in both halves.
                const bool upper = lane_.column != 0;
                const float all =
                    op.merge(detail::narrow_math{}, upper ? other : state, upper ? state : other);
                if (lane_.column == 0 && at.row() < place_.row_end) {
                    using Op = std::remove_cvref_t<decltype(op)>;
                    if constexpr (Op::merge_kind == tap_merge::ordered &&
                                  !std::is_same_v<Partials, whole_rows>) {
                        partials_(tap, at, all);
                    } else {
                        op.commit(detail::narrow_math{}, all, located(at));
                    }
                }
            });
        }
    }
    R9V_INLINE void commit_tensor(states& sums) const {
        if constexpr (Chain::has_state) {
            for_each_tap<tap_scope::tensor>(ops_, sums, [&](const auto& op, auto& state, int) {
                float all = state;
                R9V_UNROLL
                for (int distance = 16; distance >= 1; distance /= 2)
                    all = op.merge(detail::narrow_math{}, all,
                                   arch::from_lane(all, arch::lane_index() ^
                                                            static_cast<std::uint32_t>(distance)));
                if (arch::lane_index() == 0) op.commit(detail::narrow_math{}, all, position(0, 0));
            });
        }
    }

    const Chain& ops_;
    wave_place place_;
    Partials partials_;
    detail::lane_place lane_;
};

} // namespace r9v::inline R9V_ABI::tile
