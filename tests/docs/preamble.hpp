// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The names that pages of the docs use without declaring them. Snippets are compiled, not run, so
// the views point nowhere. Sizes in comments: m rows, k inner, n columns.
#pragma once

#include <r9v/r9v.hpp>

#include <cstdio>
#include <vector>

// The docs show programs as user code writes them.
using namespace r9v; // NOLINT(google-global-names-in-headers)

#if R9V_GPU
template<class T, int Rank>
using docs_view = tensor<T, Rank>;
extern stream& s;
inline hipStream_t engine_stream = nullptr;
inline _Float16* pointer = nullptr;
#else
template<class T, int Rank>
using docs_view = host_tensor<T, Rank>;
inline constexpr reference_executor s{};
inline half* pointer = nullptr;
#endif

inline constexpr r9v::index_t m = 64;
inline constexpr r9v::index_t n = 64;
inline constexpr r9v::index_t k = 64;

inline docs_view<half, 2> x;        // [m, k]
inline docs_view<half, 2> w;        // [n, k]
inline docs_view<half, 2> w_gate;   // [n, k]
inline docs_view<half, 2> w_up;     // [n, k]
inline docs_view<half, 1> b;        // [n]
inline docs_view<half, 2> r;        // [m, n]
inline docs_view<half, 2> h;        // [m, n]
inline docs_view<half, 2> h16;      // [m, n]
inline docs_view<half, 2> y;        // [m, n]
inline docs_view<float, 2> y32;     // [m, n]
inline docs_view<fp8_e4m3, 2> y8;   // [m, n]
inline docs_view<float, 1> amax;    // [m]
inline docs_view<float, 1> rows;    // [m]
inline docs_view<float, 1> columns; // [n]
inline float step = 1.0f;

// Attention: b batches, h heads, q queries, k keys, d the dim.
inline docs_view<half, 4> queries;             // [b, h, q, d]
inline docs_view<half, 4> keys;                // [b, key heads, k, d]
inline docs_view<half, 4> values;              // [b, key heads, k, d]
inline docs_view<half, 4> result;              // [b, h, q, d]
inline docs_view<fp8_e4m3, 4> result8;         // [b, h, q, d]
inline docs_view<half, 4> gate;                // [b, h, q, d]
inline docs_view<float, 3> lse;                // [b, h, q]
inline docs_view<float, 1> slopes;             // [h]
inline docs_view<float, 1> logits;             // [h]
inline docs_view<float, 4> bias_of_scores;     // [b, h, q, k]
inline docs_view<half, 3> query_tokens;        // [h, tokens, d]
inline docs_view<half, 3> key_tokens;          // [key heads, tokens, d]
inline docs_view<half, 3> value_tokens;        // [key heads, tokens, d]
inline docs_view<half, 4> token_result;        // [1, h, tokens, d]
inline docs_view<half, 4> key_pages;           // [pages, key heads, rows, d]
inline docs_view<half, 4> value_pages;         // [pages, key heads, rows, d]
inline docs_view<std::int32_t, 1> lengths;     // [b]
inline docs_view<std::int32_t, 1> offsets;     // [b + 1]
inline docs_view<std::int32_t, 2> block_table; // [b, most pages]
inline constexpr r9v::index_t longest = 64;
inline constexpr float rs = 0.125f; // 1 / sqrt(d)

// Convolution: maps of 64 channels.
inline docs_view<half, 4> image;    // [b, h, w, c]
inline docs_view<half, 4> shortcut; // [b, p, q, k]
inline docs_view<half, 4> wide;     // [b, p, q, 2 k]
inline packed_filter<half, docs_view<half, 1>::memory> weights;
