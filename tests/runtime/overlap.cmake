# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
r9v_add_test(NAME runtime.overlap_ring SOURCES overlap_ring.cpp LABELS unit runtime)
r9v_add_test(NAME runtime.overlap_growth SOURCES overlap_growth.cpp LABELS unit runtime)
r9v_add_test(NAME runtime.batcher SOURCES batcher.cpp LABELS unit runtime)

# The same under ThreadSanitizer: what the host's threads share. Not every compiler's package has it.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
check_cxx_source_compiles("int main() { return 0; }" R9V_HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
if(R9V_HAS_THREAD_SANITIZER)
    foreach(test IN ITEMS overlap_ring batcher)
        r9v_add_test(NAME runtime.${test}_threads SOURCES ${test}.cpp LABELS unit runtime
                     FLAGS -fsanitize=thread -g -O1 LINK -fsanitize=thread)
    endforeach()
endif()

# On the backend's runtime; 100,000 items and a million replays in the long run.
r9v_add_test(NAME runtime.overlap_gpu SOURCES overlap_gpu.cpp LABELS runtime HIP NO_GTEST LONG)
r9v_add_test(NAME runtime.plan_programs SOURCES plan_programs.cpp LABELS runtime HIP)
