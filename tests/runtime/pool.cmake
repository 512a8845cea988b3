# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# Pool, adaptors and planner: on a model device here, and once more under ThreadSanitizer.
r9v_add_test(NAME runtime.planner SOURCES planner.cpp LABELS unit runtime)
