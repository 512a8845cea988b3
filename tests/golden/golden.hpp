// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Reads the arrays that make_golden.py wrote.
#pragma once

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace r9v_test {

class golden_file {
public:
    explicit golden_file(const std::string& name) {
        std::ifstream in{std::string{R9V_GOLDEN} + "/" + name};
        std::string key;
        std::string text;
        for (std::size_t count = 0; in >> key >> count;) {
            auto& values = arrays_[key];
            // strtod, because streams do not read nan and inf.
            for (; count > 0 && in >> text; --count)
                values.push_back(std::strtod(text.c_str(), nullptr));
        }
    }

    [[nodiscard]] const std::vector<double>& operator[](const std::string& key) const {
        const auto found = arrays_.find(key);
        EXPECT_NE(found, arrays_.end()) << "no golden values for " << key;
        static const std::vector<double> none;
        return found == arrays_.end() ? none : found->second;
    }

private:
    std::map<std::string, std::vector<double>> arrays_;
};

/// Expects `found` within `relative` of the golden value, or within `absolute` of it.
inline void expect_golden(const std::string& name, std::size_t at, double found, double wanted,
                          double relative, double absolute) {
    if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(found)) << name << '[' << at << "] gives " << found;
    } else if (std::isinf(wanted)) {
        EXPECT_EQ(found, wanted) << name << '[' << at << ']';
    } else {
        EXPECT_NEAR(found, wanted, relative * std::fabs(wanted) + absolute)
            << name << '[' << at << ']';
    }
}

} // namespace r9v_test
