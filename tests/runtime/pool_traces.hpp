// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Generators of memory traces like those of two services, for replay: what is measured is the pool,
// and what was asked of it can be read here.
#pragma once

#include <r9v/runtime/memory_trace.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace r9v_test {

/// Writes a trace as a program would cause it.
class trace_writer {
public:
    std::uint64_t allocate(std::size_t bytes, std::uint32_t stream = 0) {
        const std::uint64_t number = next_++;
        trace_.events.push_back(
            {r9v::memory_event::kind::allocate, number, bytes, 256, stream, clock_++});
        return number;
    }
    void free(std::uint64_t number, std::uint32_t stream = 0) {
        trace_.events.push_back({r9v::memory_event::kind::free, number, 0, 0, stream, clock_++});
    }
    r9v::memory_trace take() { return std::move(trace_); }

private:
    r9v::memory_trace trace_;
    std::uint64_t next_ = 0;
    std::uint64_t clock_ = 0;
};

/// Decode of a language model whose contexts grow. The weights of 16 layers (hidden size 2048,
/// inner size 8192, halves) and an embedding of 32000 words are loaded first and stay. Up to 24
/// sequences at a time, each starting with a prompt of 64 to 1024 tokens and ending after 32 to 512
/// more. Every layer of every sequence holds the keys and values of 8 heads of 128 halves in one
/// allocation, which is replaced by one of 64 tokens more when it is full (the new one exists
/// before the old one goes). Each step also allocates and frees each layer's activations for the
/// tokens at hand.
inline r9v::memory_trace growing_decode(std::uint64_t seed, int steps = 1500) {
    constexpr std::size_t layers = 16;
    constexpr std::size_t token = 2 * 8 * 128 * 2; // keys and values, halves
    constexpr std::size_t hidden = 2048;
    constexpr std::size_t grain = 64;
    struct sequence {
        std::vector<std::uint64_t> cache;
        std::size_t tokens;
        std::size_t room;
        std::size_t left;
    };
    std::mt19937_64 random{seed};
    trace_writer trace;
    std::vector<sequence> running;
    const auto activations = [&](std::size_t rows) {
        const std::uint64_t x = trace.allocate(rows * hidden * 2);
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const std::uint64_t qkv = trace.allocate(rows * hidden * 3);
            const std::uint64_t attended = trace.allocate(rows * hidden * 2);
            trace.free(qkv);
            const std::uint64_t inner = trace.allocate(rows * hidden * 2 * 4);
            trace.free(inner);
            trace.free(attended);
        }
        trace.free(x);
    };
    std::vector<std::uint64_t> weights{trace.allocate(32000 * hidden * 2)};
    for (std::size_t layer = 0; layer < layers; ++layer) {
        for (int square = 0; square < 4; ++square)
            weights.push_back(trace.allocate(hidden * hidden * 2));
        for (int inner = 0; inner < 3; ++inner)
            weights.push_back(trace.allocate(hidden * 8192 * 2));
    }
    for (int step = 0; step < steps; ++step) {
        if (running.size() < 24 && random() % 4 == 0) {
            sequence fresh{{}, 64 + random() % 961, 0, 32 + random() % 481};
            fresh.room = (fresh.tokens + grain - 1) / grain * grain;
            activations(fresh.tokens);
            for (std::size_t layer = 0; layer < layers; ++layer)
                fresh.cache.push_back(trace.allocate(fresh.room * token));
            running.push_back(std::move(fresh));
        }
        if (running.empty()) continue;
        activations(running.size());
        for (sequence& s : running) {
            --s.left;
            if (++s.tokens <= s.room) continue;
            s.room += grain;
            for (std::uint64_t& cache : s.cache) {
                const std::uint64_t larger = trace.allocate(s.room * token);
                trace.free(cache);
                cache = larger;
            }
        }
        for (sequence& s : running)
            if (s.left == 0)
                for (const std::uint64_t cache : s.cache)
                    trace.free(cache);
        std::erase_if(running, [](const sequence& s) { return s.left == 0; });
    }
    for (const sequence& s : running)
        for (const std::uint64_t cache : s.cache)
            trace.free(cache);
    for (const std::uint64_t one : weights)
        trace.free(one);
    return trace.take();
}

/// A vision service with eight streams. The weights of a classifier (26 million halves, in 54
/// pieces), a detector (44 million, in 80) and an embedder (86 million, in 100) are loaded first
/// and stay. A request has images of 224 to 1024 pixels a side, in steps of 32, as many as fit into
/// a million pixels and at most 8; it goes through a backbone of five stages of three layers, each
/// stage halving the side and doubling 32 channels of halves. A layer's input goes when its result
/// is there, but the results of the last three stages stay until the request ends: the head reads
/// them. Every layer has a temporary of half its result's size. Requests of the streams alternate,
/// layer by layer.
inline r9v::memory_trace mixed_vision(std::uint64_t seed, int requests = 1000) {
    constexpr std::uint32_t streams = 8;
    struct request {
        std::uint32_t stream;
        std::size_t images;
        std::size_t side;
        int layer = 0;
        std::uint64_t input = 0;
        std::vector<std::uint64_t> held{};
    };
    std::mt19937_64 random{seed};
    trace_writer trace;
    std::vector<std::uint64_t> weights;
    const auto load = [&](std::size_t pieces, std::size_t parameters) {
        // Later layers are larger: piece i of n has the share i of the sum 1 to n.
        for (std::size_t i = 1; i <= pieces; ++i)
            weights.push_back(trace.allocate(4 * parameters * i / (pieces * (pieces + 1))));
    };
    load(54, 26'000'000);
    load(80, 44'000'000);
    load(100, 86'000'000);
    const auto fresh = [&](std::uint32_t stream) {
        request r{stream, 1, 224 + 32 * (random() % 14)};
        const std::size_t most = std::min<std::size_t>(8, 640 * 640 / (r.side * r.side));
        r.images += random() % std::max<std::size_t>(1, most);
        r.input = trace.allocate(r.images * r.side * r.side * 3 * 2, stream);
        return r;
    };
    std::vector<request> running;
    for (std::uint32_t stream = 0; stream < streams; ++stream)
        running.push_back(fresh(stream));
    for (int done = 0; done < requests;) {
        request& r = running[random() % streams];
        const int stage = r.layer / 3;
        const std::size_t side = (r.side >> stage) / 2;
        const std::size_t bytes = r.images * side * side * (std::size_t{32} << stage) * 2;
        const std::uint64_t temporary = trace.allocate(bytes / 2, r.stream);
        const std::uint64_t result = trace.allocate(bytes, r.stream);
        trace.free(temporary, r.stream);
        if (stage > 2 && r.layer % 3 == 0)
            r.held.push_back(r.input); // a stage's result
        else
            trace.free(r.input, r.stream);
        r.input = result;
        if (++r.layer < 15) continue;
        trace.free(r.input, r.stream);
        for (const std::uint64_t one : r.held)
            trace.free(one, r.stream);
        r = fresh(r.stream);
        ++done;
    }
    for (const request& r : running) {
        trace.free(r.input, r.stream);
        for (const std::uint64_t one : r.held)
            trace.free(one, r.stream);
    }
    for (const std::uint64_t one : weights)
        trace.free(one);
    return trace.take();
}

} // namespace r9v_test
