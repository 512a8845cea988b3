// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From boxes and scores of all anchors to detections, on the host: non-maximum suppression within
// each class.
#pragma once

#include <r9v/numeric/convert.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace example {

struct detection {
    int anchor = 0, label = 0;
    double score = 0;
    float sides[4] = {}; ///< left, upper, right, lower
};

struct suppression {
    double score = 0.25;  ///< of a detection, at least
    double overlap = 0.7; ///< of two of one class, at most: the area of both over that of either
    std::size_t most = 300;
};

inline double overlap(const detection& a, const detection& b) {
    const auto area = [](double left, double upper, double right, double lower) {
        return std::max(right - left, 0.0) * std::max(lower - upper, 0.0);
    };
    const auto *m = a.sides, *n = b.sides;
    const double both = area(std::max(m[0], n[0]), std::max(m[1], n[1]), std::min(m[2], n[2]),
                             std::min(m[3], n[3]));
    return both / (area(m[0], m[1], m[2], m[3]) + area(n[0], n[1], n[2], n[3]) - both);
}

/// The best class of each anchor, best first, without those that overlap a better one of their
/// class. `sides` are [anchor, 4], `scores` [anchor, class].
inline std::vector<detection> detections(const std::vector<float>& sides,
                                         const std::vector<r9v::half>& scores,
                                         const suppression& how = {}) {
    const std::size_t anchors = sides.size() / 4, classes = scores.size() / anchors;
    std::vector<detection> all;
    for (std::size_t anchor = 0; anchor < anchors; ++anchor) {
        detection best{.anchor = static_cast<int>(anchor)};
        for (std::size_t label = 0; label < classes; ++label) {
            const double score = r9v::to_double(scores[anchor * classes + label]);
            if (score <= best.score) continue;
            best.score = score;
            best.label = static_cast<int>(label);
        }
        if (!(best.score > how.score)) continue;
        std::copy_n(&sides[4 * anchor], 4, best.sides);
        all.push_back(best);
    }
    std::sort(all.begin(), all.end(), [](const detection& a, const detection& b) {
        return a.score != b.score ? a.score > b.score : a.anchor < b.anchor;
    });
    std::vector<detection> kept;
    for (const detection& d : all) {
        const bool hidden = std::any_of(kept.begin(), kept.end(), [&](const detection& better) {
            return better.label == d.label && overlap(better, d) > how.overlap;
        });
        if (!hidden && kept.size() < how.most) kept.push_back(d);
    }
    return kept;
}

/// Whether `others` have found it too: the same anchor, or another of its class in its place, or it
/// is where errors of `slack` decide whether it counts.
inline bool found_among(const detection& d, const std::vector<detection>& others,
                        const suppression& how, double slack) {
    return d.score < how.score + slack ||
           std::any_of(
               others.begin(), others.end(),
               [&](const detection& o) {
                   return o.label == d.label &&
                          (o.anchor == d.anchor || overlap(o, d) > how.overlap - slack);
               });
}

/// Prints the best of them.
inline void print_detections(const std::vector<detection>& all) {
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i) {
        const detection& d = all[i];
        std::printf("  class %2d, score %.3f, from (%.1f, %.1f) to (%.1f, %.1f)\n", d.label,
                    d.score, static_cast<double>(d.sides[0]), static_cast<double>(d.sides[1]),
                    static_cast<double>(d.sides[2]), static_cast<double>(d.sides[3]));
    }
}

/// Whether each of both has found what the other has; prints how many are the same anchor, and how
/// far apart scores and sides of those are.
inline bool same_detections(const std::vector<detection>& result,
                            const std::vector<detection>& truth, const suppression& how = {},
                            double slack = 0.02) {
    double score = 0, side = 0;
    std::size_t same = 0;
    for (const detection& d : truth)
        for (const detection& r : result) {
            if (r.anchor != d.anchor || r.label != d.label) continue;
            ++same;
            score = std::max(score, std::abs(r.score - d.score));
            for (int i = 0; i < 4; ++i)
                side = std::max(side, std::abs(static_cast<double>(r.sides[i] - d.sides[i])));
        }
    const auto all_of = [&](const std::vector<detection>& some, const std::vector<detection>& of) {
        return std::all_of(some.begin(), some.end(),
                           [&](const detection& d) { return found_among(d, of, how, slack); });
    };
    const bool right = all_of(result, truth) && all_of(truth, result);
    std::printf("%zu detections, the reference has %zu, %zu are the same anchor; scores at most "
                "%.4f apart, sides %.2f pixels: %s\n",
                result.size(), truth.size(), same, score, side, right ? "right" : "WRONG");
    print_detections(result);
    return right;
}

} // namespace example
