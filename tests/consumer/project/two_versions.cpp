// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Two libraries with two versions of r9v in one process, called in turn.
extern "C" int wrong_values_of_one();
extern "C" int wrong_values_of_two();
extern "C" int minor_version_of_one();
extern "C" int minor_version_of_two();

int main() {
    if (minor_version_of_one() == minor_version_of_two()) return 100;
    int wrong = 0;
    for (int turn = 0; turn < 3; ++turn) {
        wrong += wrong_values_of_one() + wrong_values_of_two();
    }
    return wrong;
}
