// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <public_headers.hpp>

int answer_of_second_unit();

int main() {
    return answer_of_second_unit() == R9V_VERSION_MINOR ? 0 : 1;
}
