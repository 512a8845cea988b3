// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// At the end of all tests: every instruction of the emulator's tables has been executed by one.
#include "bench.hpp"
#include "isa/instruction.hpp"

namespace instructions {
namespace {

bool runs_all() {
    return testing::GTEST_FLAG(filter) == "*" && !std::getenv("GTEST_TOTAL_SHARDS");
}

/// By itself, or as half of a pair.
bool ran(generation isa, std::string_view name) {
    return executed(isa).contains(name) ||
           (name.starts_with("v_") &&
            executed(isa).contains("v_dual_" + std::string(name.substr(2))));
}

std::string missing(generation isa) {
    std::string names;
    for (const instruction_table table : all_tables(isa))
        for (const instruction& entry : table)
            if (!ran(isa, entry.name)) names += " " + std::string(entry.name);
    return names;
}

class every_instruction : public testing::Environment {
    void TearDown() override {
        if (!runs_all()) return;
        EXPECT_EQ(missing(generation::rdna4), "") << "no test executes these";
        EXPECT_EQ(missing(generation::rdna3), "") << "no test executes these on gfx1100";
    }
};

const auto* const registered = testing::AddGlobalTestEnvironment(new every_instruction);

} // namespace
} // namespace instructions
