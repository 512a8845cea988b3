// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <public_headers.hpp>

int answer_of_second_unit();

int answer_of_second_unit() {
    return R9V_VERSION_MINOR;
}
