# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
set(thread_sanitizer FLAGS -fsanitize=thread -g LINK -fsanitize=thread)

r9v_add_test(NAME runtime.overlap_ring SOURCES overlap_ring.cpp LABELS unit runtime)
r9v_add_test(NAME runtime.overlap_growth SOURCES overlap_growth.cpp LABELS unit runtime)
r9v_add_test(NAME runtime.batcher SOURCES batcher.cpp LABELS unit runtime)

# The same under ThreadSanitizer: what the host's threads share.
foreach(test IN ITEMS overlap_ring batcher)
    r9v_add_test(NAME runtime.${test}_threads SOURCES ${test}.cpp LABELS unit runtime
                 ${thread_sanitizer})
endforeach()
