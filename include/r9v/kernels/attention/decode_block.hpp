// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A block of the decode kernel, and the kernel that merges the parts of rows whose keys several
// blocks share. Both merge in the order of the keys, so a program gives the same bits each time.
#pragma once

#include <r9v/kernels/attention/decode_wave.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Waves [0, parts) take as equal shares of the steps as whole steps allow; a share is [begin,
/// end).
struct decode_share {
    std::int32_t begin;
    std::int32_t end;
};

template<int Step>
[[nodiscard]] R9V_HD constexpr decode_share
decode_share_of(const decode_range& range, std::uint32_t part, std::uint32_t parts) {
    if (range.begin >= range.end) return {0, 0};
    const auto first = static_cast<std::uint32_t>(range.begin) / Step;
    const auto end = static_cast<std::uint32_t>(range.end);
    const std::uint32_t steps = (end + Step - 1) / Step - first;
    const std::uint32_t each = arch::uniform(steps / parts); // divided by vector instructions
    const std::uint32_t larger = steps - each * parts; // the first so many shares have one more
    const std::uint32_t before = part * each + (part < larger ? part : larger);
    const std::uint32_t own = each + (part < larger ? 1 : 0);
    const std::uint32_t begin_key = (first + before) * Step;
    const std::uint32_t end_key = (first + before + own) * Step;
    return {static_cast<std::int32_t>(begin_key),
            static_cast<std::int32_t>(end_key < end ? end_key : end)};
}

/// Sums of a row's weighted values, relative to the largest score among them.
struct decode_sums {
    float largest = not_kept;
    float sum = 0.0f;
    arch::floats8 values{};
};

template<attention_tile Tile, class Program>
class decode_block {
    using head_type = typename Program::head_type;
    using layout = decode_layout<Tile, head_type::dims>;
    using wave_type = decode_wave<Tile, Program>;
    static constexpr int row_bytes = layout::padded_value * 4;
    static constexpr int sums_bytes = layout::rows * row_bytes; // of a wave
    static constexpr int scales_bytes = layout::rows * 8;
    static constexpr int queries_bytes = layout::rows * layout::lanes * 16;
    /// Waves whose sums are in LDS at once: few enough for several blocks on a compute unit.
    static constexpr int parked = [] {
        int waves = layout::waves;
        while (waves > 1 && waves % 2 == 0 && waves * sums_bytes > 16384)
            waves /= 2;
        return waves;
    }();

public:
    static constexpr int lds_bytes = queries_bytes + parked * (sums_bytes + scales_bytes);

    R9V_INLINE static void run(const Program& program, const attention_geometry& geometry,
                               arch::local_bytes lds) {
        const decode_place place = decode_place_of<layout::rows>(geometry, arch::block_x());
        const attention_sequence sequence = sequence_of(program.head, place.sequence);
        if (place.row >= static_cast<std::uint32_t>(sequence.queries) * geometry.ratio.value)
            return;

        wave_type wave{program, geometry, sequence, place};
        const std::uint32_t index = arch::wave_index();
        const decode_range range = wave.columns();
        const decode_share share = decode_share_of<layout::step>(
            range, place.split * layout::waves + index, geometry.splits.value * layout::waves);
        if (range.begin < range.end) {
            wave.start(share.begin, share.end, lds);
            wave.walk(share.begin, share.end, range);
        }
        wave.join_groups();
        const arch::local_bytes sums = lds + queries_bytes;
        join_halves(wave, sums, static_cast<int>(index));
        if (index < parked) park(wave, sums, static_cast<int>(index));
        arch::barrier();
        join_waves(program, geometry, sequence, place, wave, sums);
    }

private:
    R9V_INLINE static arch::local_bytes scales(arch::local_bytes lds) {
        return lds + parked * sums_bytes;
    }
    R9V_INLINE static void park(const wave_type& wave, arch::local_bytes lds, int place) {
        wave.park(lds + place * sums_bytes, scales(lds) + place * scales_bytes);
    }

    /// While there are more waves than fit in LDS, the upper half parks and the lower half adds.
    R9V_INLINE static void join_halves(wave_type& wave, arch::local_bytes lds, int index) {
        R9V_UNROLL
        for (int left = layout::waves; left > parked; left /= 2) {
            R9V_UNROLL
            for (int first = left / 2; first < left; first += parked) {
                if (index >= first && index < first + parked) park(wave, lds, index - first);
                arch::barrier();
                const int from = index - (first - left / 2);
                if (from >= 0 && from < parked)
                    wave.absorb(lds + from * sums_bytes, scales(lds) + from * scales_bytes);
                arch::barrier();
            }
        }
    }

    R9V_INLINE static void join_waves(const Program& program, const attention_geometry& geometry,
                                      const attention_sequence& sequence, const decode_place& place,
                                      const wave_type& wave, arch::local_bytes lds) {
        constexpr int items = layout::rows * layout::lanes;
        const auto lane = static_cast<int>(arch::lane_index());
        const std::uint32_t last =
            static_cast<std::uint32_t>(sequence.queries) * geometry.ratio.value;
        R9V_ROLLED
        for (int first = static_cast<int>(arch::wave_index()) * arch::wave_size; first < items;
             first += layout::waves * arch::wave_size) {
            const int item = first + lane < items ? first + lane : items - 1;
            const int row = item / layout::lanes;
            const bool exists =
                first + lane < items && place.row + static_cast<std::uint32_t>(row) < last;
            const decode_row at = wave.row_at(row);
            const decode_sums all = joined(lds, row, item % layout::lanes);
            if (geometry.splits.value == 1) {
                r9v::run<float, 8> values;
                R9V_UNROLL
                for (int i = 0; i < 8; ++i)
                    values[i] = all.values[i];
                row_finisher<layout::lanes, Program>{program, sequence}.finish(
                    {exists, at.head, at.query, all.largest, all.sum}, values);
            } else if (exists) {
                store_part(program.head, geometry, place, at, item % layout::lanes, all);
            }
        }
    }

    R9V_INLINE static decode_sums joined(arch::local_bytes lds, int row, int chunk) {
        decode_sums all;
        const auto scale = static_cast<std::uint32_t>(row * 8);
        const auto from = static_cast<std::uint32_t>(row * row_bytes + chunk * 16);
        R9V_UNROLL
        for (std::uint32_t w = 0; w < parked; ++w)
            all.largest = arch::maximum(
                all.largest, arch::load_local_float(scales(lds), scale + w * scales_bytes));
        R9V_UNROLL
        for (std::uint32_t w = 0; w < parked; ++w) {
            const std::uint32_t own = scale + w * scales_bytes;
            const float factor = weight_of(arch::load_local_float(scales(lds), own), all.largest);
            all.sum += factor * arch::load_local_float(scales(lds), own + 4);
            all.values +=
                factor * arch::load_local_floats(lds, from + w * sums_bytes,
                                                 from + w * sums_bytes + layout::lanes * 16);
        }
        return all;
    }

    R9V_INLINE static void store_part(const head_type& head, const attention_geometry& geometry,
                                      const decode_place& place, const decode_row& at, int chunk,
                                      const decode_sums& sums) {
        const index_t longest = head.q.rows.longest();
        const decode_partials<layout> partials{
            geometry.partials, head.sequences() * head.heads() * longest, geometry.splits.value};
        const index_t row = (place.sequence * head.heads() + at.head) * longest + at.query;
        const index_t part = row * geometry.splits.value + place.split;
        float* to = partials.sums_of(part);
        arch::words4 halves[2];
        __builtin_memcpy(halves, &sums.values, sizeof halves);
        arch::store_global<16>(arch::to_global(to), index_t{chunk * 16}, halves[0]);
        arch::store_global<16>(arch::to_global(to), index_t{(layout::lanes + chunk) * 16},
                               halves[1]);
        if (chunk == 0) {
            float* scale = partials.scales_of(part);
            scale[0] = sums.largest;
            scale[1] = sums.sum;
        }
    }
};

/// Threads of a merging block: one wave, so that the rows of a small program spread.
inline constexpr int decode_merge_threads = 32;

/// Lanes of a row each look at other splits for their scales, then all at one split's sums.
template<attention_tile Tile, class Program>
class decode_merge {
    using head_type = typename Program::head_type;
    using layout = decode_layout<Tile, head_type::dims>;

public:
    static constexpr int rows_a_block = layout::groups;

    R9V_INLINE static void run(const Program& program, const attention_geometry& geometry) {
        const head_type& head = program.head;
        const index_t longest = head.q.rows.longest();
        const index_t rows = head.sequences() * head.heads() * longest;
        const auto lane = static_cast<int>(arch::lane_index());
        const index_t place = index_t{arch::block_x()} * rows_a_block + lane / layout::lanes;
        const index_t row = place < rows ? place : rows - 1;
        const index_t of_heads = row / longest;
        const index_t query = row - of_heads * longest;
        const index_t index = of_heads / head.heads();
        const attention_sequence sequence = sequence_of(head, index);
        const bool exists = place < rows && query < sequence.queries;

        decode_sums all;
        if (exists)
            all = merged(decode_partials<layout>{geometry.partials, rows, geometry.splits.value},
                         row * geometry.splits.value, static_cast<int>(geometry.splits.value),
                         lane % layout::lanes);
        r9v::run<float, 8> values;
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            values[i] = all.values[i];
        row_finisher<layout::lanes, Program>{program, sequence}.finish(
            {exists, static_cast<std::uint32_t>(of_heads - index * head.heads()),
             static_cast<std::uint32_t>(query), all.largest, all.sum},
            values);
    }

private:
    static constexpr int together = 8; ///< splits whose sums are in flight

    /// All lanes of a row are on.
    R9V_INLINE static decode_sums merged(const decode_partials<layout>& partials, index_t part,
                                         int splits, int chunk) {
        decode_sums all;
        const float* scales = partials.scales_of(part);
        for (int at = chunk; at < splits; at += layout::lanes)
            all.largest = arch::maximum(all.largest, scales[2 * at]);
        for (int distance = 1; distance < layout::lanes; distance *= 2)
            all.largest = arch::maximum(all.largest, neighbour(all.largest, chunk ^ distance));

        const arch::global_bytes sums = arch::to_global(partials.sums_of(part));
        for (int base = 0; base < splits; base += layout::lanes) {
            const int own = base + chunk;
            const float factor = own < splits ? weight_of(scales[2 * own], all.largest) : 0.0f;
            const float weighted = own < splits ? factor * scales[2 * own + 1] : 0.0f;
            const int count = splits - base < layout::lanes ? splits - base : layout::lanes;
            for (int first = 0; first < count; first += together)
                add_parts(sums, base, first, count, chunk, factor, weighted, all);
        }
        return all;
    }

    R9V_INLINE static void add_parts(arch::global_bytes sums, int base, int first, int count,
                                     int chunk, float factor, float weighted, decode_sums& all) {
        arch::words4 halves[together][2];
        R9V_UNROLL
        for (int i = 0; i < together; ++i) {
            const int at = first + i < count ? first + i : count - 1;
            const index_t from = index_t{base + at} * layout::padded_value * 4 + chunk * 16;
            halves[i][0] = arch::load_global<16>(sums, from);
            halves[i][1] = arch::load_global<16>(sums, from + layout::lanes * 16);
        }
        R9V_UNROLL
        for (int i = 0; i < together; ++i) {
            if (first + i >= count) continue;
            arch::floats8 values;
            __builtin_memcpy(&values, halves[i], sizeof values);
            all.values += neighbour(factor, first + i) * values;
            all.sum += neighbour(weighted, first + i);
        }
    }

    /// From lane `lane` of this row.
    R9V_INLINE static float neighbour(float value, int lane) {
        const std::uint32_t first = arch::lane_index() / layout::lanes * layout::lanes;
        return arch::from_lane(value, first + static_cast<std::uint32_t>(lane));
    }
};

} // namespace r9v::inline R9V_ABI::kernels
