// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Cube map coordinates, sums of absolute differences over windows, and lighting products.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

enum class axis { x, y, z };

/// The face of a cube that a direction points to: its largest coordinate, z before y before x.
axis major_axis(float x, float y, float z) {
    const float a = std::fabs(x), b = std::fabs(y), c = std::fabs(z);
    if (c >= a && c >= b) return axis::z;
    return b >= a ? axis::y : axis::x;
}
float cube_face(float x, float y, float z) {
    const axis major = major_axis(x, y, z);
    if (major == axis::z) return z < 0 ? 5.0f : 4.0f;
    if (major == axis::y) return y < 0 ? 3.0f : 2.0f;
    return x < 0 ? 1.0f : 0.0f;
}
float cube_s(float x, float y, float z) {
    const axis major = major_axis(x, y, z);
    if (major == axis::z) return z < 0 ? -x : x;
    if (major == axis::y) return x;
    return x < 0 ? z : -z;
}
float cube_t(float x, float y, float z) {
    if (major_axis(x, y, z) == axis::y) return y < 0 ? -z : z;
    return -y;
}
float cube_length(float x, float y, float z) {
    const axis major = major_axis(x, y, z);
    return 2.0f * (major == axis::z ? z : major == axis::y ? y : x);
}

float lit_product(float a, float b, float c) {
    constexpr float lowest = std::numeric_limits<float>::lowest();
    const bool dark =
        b == lowest || b == -std::numeric_limits<float>::infinity() || b != b || c <= 0 || c != c;
    return dark ? lowest : a * b;
}

/// Sum over four bytes; with Masked, a zero byte of the reference does not count.
template<bool Masked>
u32 byte_differences(u32 a, u32 reference, u32 sum) {
    for (unsigned at = 0; at < 32; at += 8) {
        const u32 x = a >> at & 0xff, y = reference >> at & 0xff;
        if (!Masked || y) sum += x > y ? x - y : y - x;
    }
    return sum;
}
/// Four windows of `a`, a byte apart, against the same reference.
template<bool Masked>
u64 window_differences(u64 a, u32 reference, u64 sums) {
    u64 r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const u32 sum = byte_differences<Masked>(static_cast<u32>(a >> (8 * n)), reference,
                                                 static_cast<u32>(sums >> (16 * n) & 0xffff));
        r |= static_cast<u64>(sum & 0xffff) << (16 * n);
    }
    return r;
}

template<bool Strict>
void wide_window_differences(wave& w, const op& o) {
    if constexpr (Strict) {
        check_pending(w, o, o.src[0], 2, false);
        check_pending(w, o, o.src[1], 1, false);
        check_pending(w, o, o.src[2], 4, false);
        check_pending(w, o, o.dst, 4, true);
    }
    lane_block buffer[7];
    const u32* a[2] = {source<u64>(w, o, 0, 0, buffer[0].word),
                       source<u64>(w, o, 0, 1, buffer[1].word)};
    const u32* reference = source<u32>(w, o, 1, 0, buffer[2].word);
    taint poison[4];
    if constexpr (Strict)
        for (u16 n = 0; n < 4; ++n) {
            u32 bad = 0;
            for (const u16 index : {o.src[0], static_cast<u16>(o.src[0] + 1), o.src[1],
                                    static_cast<u16>(o.src[2] + n)}) {
                if (index >= constant_index) continue;
                bad |= is_scalar(index) ? (w.taints[index].plane[0] ? all_lanes : 0)
                                        : w.taints[index].any_byte();
            }
            poison[n] = taint::every(bad);
        }
    for (unsigned n = 0; n < 4; ++n)
        for (unsigned l = 0; l < lanes; ++l) {
            const u64 window = a[0][l] | static_cast<u64>(a[1][l]) << 32;
            buffer[3 + n].word[l] = byte_differences<true>(static_cast<u32>(window >> (8 * n)),
                                                           reference[l], w.v[o.src[2] + n][l]);
        }
    for (unsigned n = 0; n < 4; ++n) {
        merge_words(w.v[o.dst + n], buffer[3 + n].word, w.exec());
        taint& t = w.taints[o.dst + n];
        if constexpr (Strict) t = (poison[n] & w.exec()) | (t & ~w.exec());
    }
}

constexpr instruction wide_windows() {
    instruction e{"v_mqsad_u32_u8", format::vector, op_class::valu, &wide_window_differences<false>,
                  &wide_window_differences<true>};
    e.dst = kind::wide4;
    e.src[0] = kind::b64;
    e.src[1] = kind::b32;
    e.src[2] = kind::wide4;
    e.cycles = 4;
    return e;
}

constexpr entry_options wide{.cycles = 4};

constexpr instruction table[] = {
    vector_op("v_cubeid_f32", [](float x, float y, float z) { return cube_face(x, y, z); }),
    vector_op("v_cubesc_f32", [](float x, float y, float z) { return cube_s(x, y, z); }),
    vector_op("v_cubetc_f32", [](float x, float y, float z) { return cube_t(x, y, z); }),
    vector_op("v_cubema_f32", [](float x, float y, float z) { return cube_length(x, y, z); }),
    vector_op("v_mullit_f32", [](float a, float b, float c) { return lit_product(a, b, c); }),
    vector_op(
        "v_qsad_pk_u16_u8", [](u64 a, u32 b, u64 c) { return window_differences<false>(a, b, c); },
        wide),
    vector_op(
        "v_mqsad_pk_u16_u8", [](u64 a, u32 b, u64 c) { return window_differences<true>(a, b, c); },
        wide),
    wide_windows(),
};

} // namespace

instruction_table vector_media_table() {
    return table;
}

} // namespace r9v_emulator
