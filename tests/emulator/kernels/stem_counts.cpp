// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernels of stem filters move and execute, as counted by the emulator, against their
// bounds: the bytes of map, weights and result at 640 GB/s, and the matrix instructions.

#include <r9v/conv.hpp>
#include <r9v/pool.hpp>

#include "problem.hpp"
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

struct stem_problem {
    const char* name;
    index_t size;
    index_t c;
    index_t k;
    index_t r;
    int stride;
    index_t images = 1;

    [[nodiscard]] filter_extents extents() const { return {k, r, r, c}; }
    [[nodiscard]] convolution how() const {
        return {.stride = stride, .pad = static_cast<int>(r / 2)};
    }
    [[nodiscard]] index_t out() const {
        const int pad = static_cast<int>(r / 2);
        return convolved_extent(size, r, stride, 1, pad, pad);
    }
    [[nodiscard]] index_t pooled() const { return convolved_extent(out(), 3, 2, 1, 1, 1); }
    [[nodiscard]] index_t map_elements() const { return images * size * size * c; }
    /// Map and weights.
    [[nodiscard]] double bytes_read() const {
        return 2.0 * static_cast<double>(map_elements() + k * r * r * c);
    }
    [[nodiscard]] double bytes_of_result(index_t pixels) const {
        return 2.0 * static_cast<double>(images * pixels * pixels * k);
    }
    /// Matrix instructions for these products, were the depth of one free.
    [[nodiscard]] double least_products() const {
        return static_cast<double>(images * out() * out()) / 16 * static_cast<double>(k) / 16 *
               static_cast<double>(r * r * c) / 16;
    }
};

struct memory_of {
    buffer<half> x;
    buffer<half> f;
    buffer<float> scale;
    buffer<half> y;
    buffer<half> pooled;

    explicit memory_of(const stem_problem& p)
        : x{random_elements<half>(p.map_elements(), 1)},
          f{packed(p)},
          scale{random_elements<float>(p.k, 3)},
          y{p.images * p.out() * p.out() * p.k},
          pooled{p.images * p.pooled() * p.pooled() * p.k} {}

    static std::vector<half> packed(const stem_problem& p) {
        const auto plain = random_elements<half>(p.k * p.r * p.r * p.c, 2);
        std::vector<half> packed(static_cast<std::size_t>(packed_stem_elements(p.extents())));
        pack_stem_filter(host_tensor{plain.data(), {p.k, p.r, p.r, p.c}}, packed.data());
        return packed;
    }
    [[nodiscard]] auto product(const stem_problem& p) const {
        return conv2d(x.view({p.images, p.size, p.size, p.c}), stem_filter(f.data(), p.extents()),
                      p.how());
    }
    [[nodiscard]] auto map(const stem_problem& p) const {
        return y.view({p.images, p.out(), p.out(), p.k});
    }
    [[nodiscard]] auto small_map(const stem_problem& p) const {
        return pooled.view({p.images, p.pooled(), p.pooled(), p.k});
    }
    [[nodiscard]] auto activated(const stem_problem& p) const {
        return product(p) | scale_shift(scale.view({p.k}), scale.view({p.k})) | relu();
    }
};

template<class Program>
r9v_emulator::launch_record record(const Program& p) {
    const stream s;
    launch(s, p);
    s.synchronize();
    return r9v_emulator::last_launch();
}

double vector_cycles(const launch_counts& c) {
    return static_cast<double>(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
}
/// Microseconds of 128 SIMDs at 2.97 GHz, and of 640 GB/s (RX 9070 XT).
double of_cycles(double cycles) {
    return cycles / 128 / 2970;
}
double of_bytes(double bytes) {
    return bytes / 640e3;
}

void print(const char* name, const r9v_emulator::launch_record& l, double bytes, double least) {
    const launch_counts& c = l.counts;
    std::printf("%-22s %4u blocks, %3u VGPRs, bytes %5.2f us, WMMA %4.2f us (%.2f of the least), "
                "all vector work %4.2f us, loaded %5.2f MB, stored %4.2f MB\n",
                name, l.blocks[0], l.vgprs, of_bytes(bytes),
                of_cycles(static_cast<double>(c.wmma_cycles)), static_cast<double>(c.wmma) / least,
                of_cycles(vector_cycles(c)), static_cast<double>(c.global_bytes_loaded) / 1e6,
                static_cast<double>(c.global_bytes_stored) / 1e6);
}

/// Bytes of the map that a launch of `product | store` loads: all but the weights, which each
/// wave loads once, and those of the last step once more.
double map_bytes_loaded(const stem_problem& p, const launch_counts& c) {
    const auto steps = static_cast<double>(r9v::detail::stem_layout{p.extents()}.steps);
    const double columns = p.k > 32 ? 4 : 2; // fragments of a wave
    const double weights = static_cast<double>(c.waves) * columns * (steps + 1) * 512;
    return static_cast<double>(c.global_bytes_loaded) - weights;
}

struct limits {
    double map;      ///< bytes of the map that blocks load, rows under two tiles twice, to its own
    double products; ///< matrix instructions to the least
};

void check(const stem_problem& p, const limits& most) {
    const memory_of m{p};
    const double bytes = p.bytes_read() + p.bytes_of_result(p.out());
    const launch_counts plain = record(m.product(p) | store(m.map(p))).counts;
    EXPECT_EQ(static_cast<double>(plain.global_bytes_stored), p.bytes_of_result(p.out()));
    const double map = map_bytes_loaded(p, plain) / 2 / static_cast<double>(p.map_elements());
    EXPECT_LE(map, most.map);
    EXPECT_LE(static_cast<double>(plain.wmma), most.products * p.least_products());
    EXPECT_EQ(plain.lds_load_passes, plain.lds_load_passes_ideal);
    EXPECT_EQ(plain.scratch_accesses, 0u);

    const r9v_emulator::launch_record fused = record(m.activated(p) | store(m.map(p)));
    print(p.name, fused, bytes, p.least_products());
    std::printf("%-22s map loaded %.2f times\n", "", map);
    EXPECT_EQ(fused.counts.global_bytes_stored, plain.global_bytes_stored);
    // Whole lines of 128 bytes, each by one store.
    EXPECT_EQ(static_cast<double>(fused.counts.global_lines_stored) * 128,
              p.bytes_of_result(p.out()));
    // Memory is the bound: vector units work while it moves what must be moved.
    EXPECT_LE(of_cycles(vector_cycles(fused.counts)), 0.8 * of_bytes(bytes));
}

TEST(stem_counts, of_resnet50) {
    check({"ResNet50 7x7", 224, 3, 64, 7, 2}, {.map = 1.9, .products = 1.2});
}
TEST(stem_counts, of_yolov8) {
    check({"YOLOv8 3x3", 640, 3, 32, 3, 2}, {.map = 1.5, .products = 1.8});
}
TEST(stem_counts, of_stable_diffusion) {
    check({"Stable Diffusion 3x3", 64, 4, 320, 3, 1}, {.map = 10, .products = 1.34});
}

TEST(stem_counts, pool_behind_resnet50_saves_more_bytes_than_it_multiplies_twice) {
    const stem_problem p{"ResNet50 7x7, pooled", 224, 3, 64, 7, 2};
    const memory_of m{p};
    constexpr pooling how{.window = 3, .stride = 2, .pad = 1};
    const r9v_emulator::launch_record plain = record(m.activated(p) | store(m.map(p)));
    const r9v_emulator::launch_record pool =
        record(max_pool(m.map(p), how) | store(m.small_map(p)));
    const r9v_emulator::launch_record fused =
        record(m.activated(p) | max_pool(how) | store(m.small_map(p)));

    const double map = p.bytes_of_result(p.out());
    const double small = p.bytes_of_result(p.pooled());
    print(p.name, fused, p.bytes_read() + small, p.least_products());
    EXPECT_EQ(static_cast<double>(fused.counts.global_bytes_stored), small);
    EXPECT_LE(static_cast<double>(fused.counts.wmma),
              1.15 * static_cast<double>(plain.counts.wmma));
    EXPECT_EQ(fused.counts.scratch_accesses, 0u);
    // Whatever overlaps: the two kernels move their bytes, the one computes.
    const double apart = of_bytes(p.bytes_read() + map) + of_bytes(map + small);
    const double together = of_cycles(vector_cycles(fused.counts));
    std::printf("%-22s two kernels %.2f us of bytes, one %.2f us of vector work; %.3f of the WMMA; "
                "the pool alone %.2f us of vector work\n",
                "", apart, together,
                static_cast<double>(fused.counts.wmma) / static_cast<double>(plain.counts.wmma),
                of_cycles(vector_cycles(pool.counts)));
    EXPECT_LE(together, 0.6 * apart);
}

} // namespace

} // namespace r9v_test
