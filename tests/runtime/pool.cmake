# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# Pool, adaptors and planner: on a model device here, once more under ThreadSanitizer, and on the
# backend's runtime.
r9v_add_test(NAME runtime.planner SOURCES planner.cpp LABELS unit runtime)
r9v_add_test(NAME runtime.pool LABELS unit runtime
    SOURCES pool_conformance.cpp pool_life.cpp pool_reports.cpp pool_traps.cpp)
r9v_add_test(NAME runtime.pool_speed LABELS runtime SOURCES pool_speed.cpp FLAGS -O2)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    r9v_add_test(NAME runtime.pool_tsan SOURCES pool_conformance.cpp pool_traps.cpp LABELS unit runtime
                 FLAGS -fsanitize=thread LINK -fsanitize=thread DEFINITIONS R9V_TEST_FEW_SEEDS=1)
endif()
r9v_add_test(NAME runtime.pool_gpu HIP LABELS runtime SOURCES pool_gpu.cpp)
