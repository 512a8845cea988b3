// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Takes each wait, barrier and cache operation out of a kernel of every family, one at a time: the
// strict emulator must report it, or the result has the same bits.

#include "problem.hpp"
#include <cstdio>
#include <functional>
#include <string>

namespace r9v_test {

namespace {

using bytes = std::vector<std::uint8_t>;

/// What is mutated: a launch with its result. Each launch starts from the same memory.
struct subject {
    std::function<void()> launch;
    std::function<bytes()> result;
};

template<class T>
bytes bytes_of(const buffer<T>& from, const r9v::stream& s) {
    const std::vector<T> values = from.download(s);
    const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
    return {first, first + values.size() * sizeof(T)};
}

class mutation_families : public ::testing::Test {
protected:
    /// Every kernel that the launch runs.
    void mutate(const subject& of) {
        r9v_emulator::reset_counts();
        of.launch();
        s.synchronize();
        const bytes wanted = of.result();
        ASSERT_TRUE(r9v_emulator::take_faults().empty());
        const auto kernels = r9v_emulator::totals().kernels;
        ASSERT_FALSE(kernels.empty());
        for (const auto& [kernel, totals] : kernels) {
            SCOPED_TRACE(kernel);
            const auto waits = r9v_emulator::waits_of(kernel);
            ASSERT_FALSE(waits.empty());
            int reported = 0;
            for (const auto& wait : waits)
                reported += is_reported(of, wait, wanted);
            std::printf("%3d of %3zu are reported, the rest change no bit: %.60s\n", reported,
                        waits.size(), kernel.c_str() + kernel.find("r9v"));
            EXPECT_GT(reported, 0);
        }
    }

    r9v::stream s{};

private:
    int is_reported(const subject& of, const r9v_emulator::listed_instruction& wait,
                    const bytes& wanted) {
        auto options = r9v_emulator::options();
        options.dropped = {wait.pc};
        options.branch_limit = 100'000;
        const r9v_emulator::scoped_options mutated{options};
        try {
            of.launch();
        } catch (const r9v::error&) { // of a launch behind one that has failed
        }
        (void)hipStreamSynchronize(s.handle());
        const bool found = !r9v_emulator::take_faults().empty();
        if (!found) EXPECT_EQ(of.result(), wanted) << wait.text;
        return found ? 1 : 0;
    }
};

/// A program and the result that it stores.
template<class T, class Program>
subject subject_of(const r9v::stream& s, const Program& p, const buffer<T>& to) {
    const std::size_t size = r9v::workspace_bytes(p);
    const auto scratch = std::make_shared<buffer<std::uint8_t>>(static_cast<index_t>(size) + 1);
    return {[&s, p, scratch, size] { r9v::launch(s, p, {scratch->data(), size}); },
            [&s, &to] {
                return bytes_of(to, s);
            }};
}

TEST_F(mutation_families, rows) {
    const buffer<half> x{random_elements<half>(16 * 300, 1)}, y{16 * 300};
    const auto of = [&](auto... axes) {
        return r9v::softmax(x.view({index_t{axes}...}) | r9v::scale(0.5f)) |
               r9v::store(y.view({index_t{axes}...}));
    };
    mutate(subject_of(s, r9v::only<r9v::detail::held_tile>(of(16, 300)), y));
    mutate(subject_of(s, r9v::only<r9v::detail::streaming_tile>(of(16, 300)), y));
    mutate(subject_of(s, r9v::only<r9v::detail::split_tile>(of(1, 4800)), y));
}

TEST_F(mutation_families, attention) {
    constexpr index_t heads = 4, dim = 64, keys = 96, queries = 64;
    const buffer<half> q{random_elements<half>(heads * queries * dim, 1)};
    const buffer<half> k{random_elements<half>(heads * keys * dim, 2)};
    const buffer<half> v{random_elements<half>(heads * keys * dim, 3)}, y{heads * queries * dim};
    const auto of = [&](index_t number) {
        return r9v::attention<dim>(q.view({index_t{1}, heads, number, dim}),
                                   k.view({index_t{1}, heads, keys, dim}),
                                   v.view({index_t{1}, heads, keys, dim}), r9v::scale(0.125f)) |
               r9v::store(y.view({index_t{1}, heads, number, dim}));
    };
    constexpr r9v::attention_tile prefill{.queries = 128, .keys = 64, .waves = 8};
    constexpr r9v::attention_tile decode{
        .queries = 4, .keys = 128, .waves = 8, .regime = r9v::attention_regime::decode};
    mutate(subject_of(s, r9v::only<prefill>(of(queries)), y));
    mutate(subject_of(s, r9v::only<decode>(of(1)), y));
}

TEST_F(mutation_families, convolutions) {
    constexpr index_t size = 8, channels = 64;
    const r9v::filter_extents of{channels, 3, 3, channels};
    std::vector<half> packed(static_cast<std::size_t>(r9v::packed_filter_elements(of)));
    const auto plain = random_elements<half>(channels * 9 * channels, 2);
    r9v::pack_filter(r9v::host_tensor{plain.data(), {channels, 3, 3, channels}}, packed.data());
    const buffer<half> x{random_elements<half>(size * size * channels, 1)}, f{packed};
    const buffer<half> y{size * size * channels};
    const auto view = [&](const buffer<half>& b) {
        return b.view({index_t{1}, size, size, channels});
    };
    const auto program = r9v::conv2d(view(x), r9v::filter(f.data(), of), {.pad = 1}) | r9v::silu() |
                         r9v::store(view(y));
    mutate(subject_of(s, r9v::only<r9v::detail::small_conv_tile>(program), y));
    mutate(subject_of(s, r9v::only<r9v::detail::streamed_conv_tile>(program), y));
    mutate(subject_of(s, r9v::only<r9v::detail::scattered_conv_tile>(program), y));
}

TEST_F(mutation_families, stems_and_depthwise_convolutions) {
    constexpr index_t size = 16, channels = 32;
    const r9v::filter_extents stem{channels, 3, 3, 3}, own{channels, 3, 3, 1};
    std::vector<half> packed_stem(static_cast<std::size_t>(r9v::packed_stem_elements(stem)));
    std::vector<half> packed_own(static_cast<std::size_t>(r9v::packed_depthwise_elements(own)));
    const auto weights = random_elements<half>(channels * 9 * 3, 2);
    r9v::pack_stem_filter(r9v::host_tensor{weights.data(), {channels, 3, 3, 3}},
                          packed_stem.data());
    r9v::pack_depthwise_filter(r9v::host_tensor{weights.data(), {channels, 3, 3, 1}},
                               packed_own.data());
    const buffer<half> image{random_elements<half>(size * size * 3, 1)}, f{packed_stem};
    const buffer<half> x{random_elements<half>(size * size * channels, 3)}, g{packed_own};
    const buffer<half> y{size * size * channels};
    const auto result = y.view({index_t{1}, size, size, channels});
    mutate(subject_of(s,
                      r9v::only<r9v::detail::narrow_stem_tile>(
                          r9v::conv2d(image.view({index_t{1}, size, size, index_t{3}}),
                                      r9v::stem_filter(f.data(), stem), {.pad = 1}) |
                          r9v::relu() | r9v::store(result)),
                      y));
    mutate(subject_of(s,
                      r9v::only<r9v::detail::staged_depthwise_tile>(
                          r9v::conv2d(x.view({index_t{1}, size, size, channels}),
                                      r9v::depthwise_filter(g.data(), own), {.pad = 1}) |
                          r9v::relu() | r9v::store(result)),
                      y));
}

TEST_F(mutation_families, pools_and_copies) {
    constexpr index_t size = 16, channels = 32;
    const buffer<half> x{random_elements<half>(size * size * channels, 1)};
    const buffer<half> y{size * size * channels};
    const auto map = x.view({index_t{1}, size, size, channels});
    const auto result = y.view({index_t{1}, size, size, channels});
    mutate(subject_of(s,
                      r9v::only<r9v::detail::staged_pool_tile>(
                          r9v::max_pool(map, {.window = 3, .pad = 1}) | r9v::store(result)),
                      y));
    const auto in_front = x.view({index_t{1}, channels, size, size});
    mutate(subject_of(s,
                      r9v::only<r9v::detail::turned_copy_tile>(
                          r9v::copy(r9v::channels_last(in_front)) | r9v::store(result)),
                      y));
}

} // namespace

} // namespace r9v_test
