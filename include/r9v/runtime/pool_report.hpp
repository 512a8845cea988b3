// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A pool's snapshot for others to read: as JSON, and as a picture (SVG) with one bar a slab.
#pragma once

#include <r9v/runtime/pool_options.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace r9v::inline R9V_ABI {

namespace runtime {

template<class Lazy = void>
std::string json_text(std::string_view text) {
    std::string quoted{'"'};
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

template<class Lazy = void>
std::string json_counter(const memory_counter& c) {
    char text[256];
    std::snprintf(text, sizeof text,
                  R"({"current_bytes":%zu,"peak_bytes":%zu,"total_bytes":%zu,)"
                  R"("current_blocks":%zu,"peak_blocks":%zu,"total_blocks":%zu})",
                  c.current_bytes, c.peak_bytes, c.total_bytes, c.current_blocks, c.peak_blocks,
                  c.total_blocks);
    return text;
}

template<class Lazy = void>
std::string json_statistics(const pool_statistics& s) {
    char text[512];
    std::snprintf(text, sizeof text,
                  R"({"reserved_bytes":%zu,"peak_reserved_bytes":%zu,"free_bytes":%zu,)"
                  R"("largest_free_bytes":%zu,"fragmentation":%.6f,"slabs":%zu,"streams":%zu,)"
                  R"("growths":%zu,"steals":%zu,"merges":%zu,"events":%zu,"all":)",
                  s.reserved_bytes, s.peak_reserved_bytes, s.free_bytes, s.largest_free_bytes,
                  s.fragmentation(), s.slabs, s.streams, s.growths, s.steals, s.merges, s.events);
    std::string json = text + json_counter(s.all) + ",\"tags\":{";
    for (std::size_t i = 0; i < s.tags.size(); ++i)
        json +=
            (i == 0 ? "" : ",") + json_text(s.tags[i].tag) + ':' + json_counter(s.tags[i].counter);
    return json + "}}";
}

/// A colour of the stream's own for free blocks (pale) and live ones.
template<class Lazy = void>
std::string svg_colour(std::uint64_t stream, bool live) {
    const auto hue = static_cast<unsigned>((stream * 0x9e37'79b9'7f4a'7c15U >> 32) % 360);
    char text[48];
    std::snprintf(text, sizeof text, "hsl(%u,%d%%,%d%%)", hue, live ? 65 : 30, live ? 50 : 90);
    return text;
}

} // namespace runtime

/// `{"device":..,"statistics":{..},"slabs":[{"address":..,"bytes":..,"blocks":[..]}]}`
template<class Lazy = void>
std::string to_json(const pool_snapshot& snapshot) {
    std::string json = "{\"device\":" + std::to_string(snapshot.device) +
                       ",\"statistics\":" + runtime::json_statistics(snapshot.statistics) +
                       ",\"slabs\":[";
    for (std::size_t i = 0; i < snapshot.slabs.size(); ++i) {
        const pool_snapshot::slab_state& s = snapshot.slabs[i];
        json += (i == 0 ? "\n" : ",\n") + std::string{"{\"address\":"} + std::to_string(s.address) +
                ",\"bytes\":" + std::to_string(s.bytes) + ",\"blocks\":[";
        for (std::size_t j = 0; j < s.blocks.size(); ++j) {
            const pool_snapshot::block_state& b = s.blocks[j];
            char text[192];
            std::snprintf(text, sizeof text,
                          R"(%s{"offset":%zu,"bytes":%zu,"requested":%zu,"live":%s,"fenced":%s,)"
                          R"("stream":%llu,"tag":)",
                          j == 0 ? "" : ",", b.offset, b.bytes, b.requested,
                          b.live ? "true" : "false", b.fenced ? "true" : "false",
                          static_cast<unsigned long long>(b.stream));
            json += text + runtime::json_text(b.tag) + '}';
        }
        json += "]}";
    }
    return json + "\n]}\n";
}

/// One bar a slab, to one scale; live blocks in the colour of their stream, free ones pale, those
/// that some stream may still use hatched by a dark edge. Each block's title says what it is.
template<class Lazy = void>
std::string to_svg(const pool_snapshot& snapshot) {
    constexpr double width = 1000;
    constexpr int row = 24;
    std::size_t most = 1;
    for (const auto& s : snapshot.slabs)
        most = std::max(most, s.bytes);
    const int height = row * static_cast<int>(snapshot.slabs.size() + 1) + 4;
    char text[512];
    std::snprintf(text, sizeof text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<text x=\"4\" y=\"16\">device %d: live %zu, reserved %zu, largest free %zu, "
                  "fragmentation %.1f %%</text>\n",
                  static_cast<int>(width) + 8, height, snapshot.device,
                  snapshot.statistics.all.current_bytes, snapshot.statistics.reserved_bytes,
                  snapshot.statistics.largest_free_bytes,
                  100 * snapshot.statistics.fragmentation());
    std::string svg = text;
    int y = row;
    for (const auto& s : snapshot.slabs) {
        for (const auto& b : s.blocks) {
            const double scale = width / static_cast<double>(most);
            std::snprintf(
                text, sizeof text,
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
                "stroke=\"%s\" stroke-width=\"0.5\"><title>%s %zu bytes at %zu, stream %llu ",
                4 + scale * static_cast<double>(b.offset), y,
                std::max(0.2, scale * static_cast<double>(b.bytes)), row - 4,
                runtime::svg_colour(b.stream, b.live).c_str(), b.fenced ? "black" : "grey",
                b.live ? "live" : "free", b.live ? b.requested : b.bytes, b.offset,
                static_cast<unsigned long long>(b.stream));
            svg += text;
            for (const char c : b.tag)
                svg += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
            svg += "</title></rect>\n";
        }
        y += row;
    }
    return svg + "</svg>\n";
}

} // namespace r9v::inline R9V_ABI
