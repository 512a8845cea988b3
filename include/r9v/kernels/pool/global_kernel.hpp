// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The mean of whole maps: the lanes of a block share the pixels of 64 channels, and their sums are
// added in a fixed order.
#pragma once

#include <r9v/kernels/pool/lanes.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class Program, int Threads>
class global_pool {
    using head_type = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using sums = run<float, pool_run>;
    static constexpr std::uint32_t chunks = 8; ///< of a block at a time
    static constexpr std::uint32_t lanes_a_chunk = Threads / chunks;
    static constexpr std::uint32_t waves = Threads / arch::wave_size;

public:
    static constexpr int lds_bytes = static_cast<int>(waves * chunks) * pool_run * 4;

    R9V_INLINE global_pool(const Program& program, const pool_geometry& g, arch::local_bytes lds)
        : program_{program},
          head_{program.head},
          lds_{lds},
          chunk_{arch::thread_index() % chunks},
          lane_{arch::thread_index() / chunks} {
        const std::uint32_t block = arch::block_x();
        image_ = g.groups.quotient(block);
        group_ = block - image_ * g.groups.value;
    }

    R9V_INLINE void run_block() {
        reset_taps<tap_scope::row>(program_.chain, states_);
        reset_taps<tap_scope::tensor>(program_.chain, states_);
        if constexpr (chain_type::has_state) {
            const auto channels = static_cast<std::int32_t>(head_.channels());
            R9V_ROLLED
            for (group_ = 0; first_channel() < channels; ++group_) {
                run_group();
                arch::barrier(); // before the next group's sums overwrite these
            }
            if (arch::wave_index() == 0)
                tile::commit_over_wave(map_math{}, program_.chain, states_, position(0));
        } else {
            run_group();
        }
    }

private:
    [[nodiscard]] R9V_INLINE std::int32_t first_channel() const {
        return static_cast<std::int32_t>(group_ * chunks * pool_run);
    }
    [[nodiscard]] R9V_INLINE coordinate position(std::int32_t channel) const {
        return {.batch_base = image_, .column_base = channel};
    }

    R9V_INLINE void run_group() {
        const std::int32_t channel = first_channel() + static_cast<std::int32_t>(chunk_) * pool_run;
        const std::int32_t left = static_cast<std::int32_t>(head_.channels()) - channel;
        const sums own = within_wave(left > 0 ? gather(channel, left) : broadcast<pool_run>(0.0f));
        if (arch::lane_index() < chunks) keep(own);
        arch::barrier();
        if (arch::thread_index() < chunks && left > 0) finish(over_waves(), channel, left);
    }

    /// The sum over this lane's pixels.
    R9V_INLINE sums gather(std::int32_t channel, std::int32_t left) const {
        if (left >= pool_run) {
            sums all = broadcast<pool_run>(0.0f);
            for_each_pixel<pool_run>(channel, [&](const sums& x) R9V_INLINE_LAMBDA {
                R9V_UNROLL
                for (int i = 0; i < pool_run; ++i)
                    all[i] += x[i];
            });
            return all;
        }
        sums all = broadcast<pool_run>(0.0f);
        R9V_ROLLED
        for (std::int32_t e = 0; e < left; ++e) {
            float sum = 0;
            for_each_pixel<1>(channel + e,
                              [&](const run<float, 1>& x) R9V_INLINE_LAMBDA { sum += x[0]; });
            R9V_UNROLL
            for (int i = 0; i < pool_run; ++i) // registers have no index
                all[i] = i == e ? sum : all[i];
        }
        return all;
    }

    template<int Width, class Visit>
    R9V_INLINE void for_each_pixel(std::int32_t channel, Visit visit) const {
        const auto width = static_cast<std::int32_t>(head_.width());
        const auto height = static_cast<std::int32_t>(head_.height());
        auto w = static_cast<std::int32_t>(lane_);
        std::int32_t h = 0;
        R9V_ROLLED
        while (true) {
            while (w >= width) {
                w -= width;
                ++h;
            }
            if (h >= height) return;
            const coordinate at{
                .batch_base = image_, .row_base = w, .column_base = channel, .head_base = h};
            visit(load_map<Width>(head_, head_.x.view.data + head_.offset(image_, h, w, channel),
                                  at));
            w += static_cast<std::int32_t>(lanes_a_chunk);
        }
    }

    /// The sum over the lanes of a wave that have the same chunk.
    R9V_INLINE static sums within_wave(sums own) {
        R9V_UNROLL
        for (std::uint32_t distance = chunks; distance < arch::wave_size; distance *= 2)
            R9V_UNROLL
        for (float& sum : own)
            sum += arch::from_lane(sum, arch::lane_index() ^ distance);
        return own;
    }
    [[nodiscard]] R9V_INLINE static std::uint32_t place(std::uint32_t wave, std::uint32_t chunk) {
        return (wave * chunks + chunk) * pool_run * 4;
    }
    R9V_INLINE void keep(const sums& own) const {
        arch::floats8 packed;
        R9V_UNROLL
        for (int i = 0; i < pool_run; ++i)
            packed[i] = own[i];
        const std::uint32_t to = place(arch::wave_index(), chunk_);
        arch::store_local_floats(lds_, to, to + 16, packed);
    }
    R9V_INLINE sums over_waves() const {
        sums all = broadcast<pool_run>(0.0f);
        R9V_UNROLL
        for (std::uint32_t wave = 0; wave < waves; ++wave) {
            const std::uint32_t from = place(wave, chunk_);
            const arch::floats8 part = arch::load_local_floats(lds_, from, from + 16);
            R9V_UNROLL
            for (int i = 0; i < pool_run; ++i)
                all[i] += part[i];
        }
        return all;
    }

    R9V_INLINE void finish(sums all, std::int32_t channel, std::int32_t left) {
        const float part = 1.0f / static_cast<float>(head_.height() * head_.width());
        R9V_UNROLL
        for (float& value : all)
            value *= part;
        if (left >= pool_run) {
            evaluate(map_math{}, program_.chain, states_, position(channel), all);
            return;
        }
        R9V_ROLLED
        for (std::int32_t e = 0; e < left; ++e) {
            float value = all[0];
            R9V_UNROLL
            for (int i = 1; i < pool_run; ++i)
                value = i == e ? all[i] : value;
            evaluate(map_math{}, program_.chain, states_, position(channel + e),
                     run<float, 1>{{value}});
        }
    }

    const Program& program_;
    const head_type& head_;
    arch::local_bytes lds_;
    std::uint32_t chunk_;
    std::uint32_t lane_; ///< which of the lanes with this chunk
    std::uint32_t image_;
    std::uint32_t group_;
    typename states_of<map_math, chain_type>::type states_;
};

} // namespace r9v::inline R9V_ABI::kernels
