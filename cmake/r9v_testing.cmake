# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# r9v_add_test: one GoogleTest binary, one ctest entry.
#
#   r9v_add_test(NAME unit.numeric           ctest name and target name; start it with its label
#       SOURCES fp8.cpp half.cpp             GoogleTest sources; main() comes from GoogleTest
#       LABELS unit                          ctest labels; default: the name up to its first dot
#       [HIP]                                sources are HIP: device code for R9V_GPU_TARGETS, linked
#                                            with the backend's runtime; not registered where there
#                                            is none (presets reference and asan)
#       [ARCHITECTURES gfx1201 ...]          other GPUs than R9V_GPU_TARGETS
#       [FLAGS -O0 -fgpu-rdc ...]            more compile flags, last on the command line, each quoted
#                                            with its argument ("-Xarch_device -g"); -fgpu-rdc is
#                                            passed to the linker too
#       [LINK target ...]                    more libraries
#       [INCLUDES folder ...]
#       [DEFINITIONS X=1 ...]
#       [DEPENDS target ...]                 built before the test may run
#       [ENVIRONMENT A=b ...]
#       [ARGUMENTS ...]                      for the test's command line
#       [SHARDS n]                           n ctest entries, which run the tests in turn: for a
#                                            binary that runs for more than about 20 s
#       [LONG]                               one more entry NAME.long, label `long`, with R9V_LONG=1
#                                            in the environment: only `./r9v test --all` runs it
#       [NO_GTEST]                           sources have their own main(); exit 0 passes, 77 skips
#       [NO_WARNINGS]                        for a source that must hold what the warnings refuse
#       [TIMEOUT seconds]                    default 300
#   )
# Host sources (without HIP) are compiled by the preset's compiler: g++ 12 in `reference` and `asan`,
# clang++-19 in `emulator`; they must not need HIP. HIP sources get R9V_TEST_HIP=1. All are compiled
# with -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror. A binary that runs no test fails.
# Tests find headers by <r9v/...> and, as <tests/...>, from the tests folder.
#
# r9v_add_script_test: a ctest entry that runs a Python script (standard library only).
#
#   r9v_add_script_test(NAME layers SCRIPT check.py [LABELS ..] [ARGUMENTS ..] [PROCESSORS n]
#                       [SERIAL] [TIMEOUT seconds] [ENVIRONMENT ..])
#   The script may import tests/support/*.py. Exit 0 passes, 77 skips.
#
# r9v_add_folders(a b ...): add_subdirectory for those that exist.
include_guard(GLOBAL)

set(R9V_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
# Secondary builds: a build that already runs elsewhere leaves out tests that no compiler changes.
option(R9V_STRUCTURAL_TESTS "Register the tests that do not depend on the preset" ON)
option(R9V_HOST_TESTS "Register the tests that need no device" ON)
set(R9V_TEST_PREFIX "" CACHE STRING "Put before every ctest name")
set(R9V_MORE_TESTS "" CACHE STRING "Build folders whose tests ctest runs together with these")

find_package(GTest REQUIRED)
find_package(Python3 COMPONENTS Interpreter REQUIRED)
find_package(Threads REQUIRED)

if(R9V_MORE_TESTS)
    set(lines "")
    foreach(folder IN LISTS R9V_MORE_TESTS)
        string(APPEND lines "subdirs([==[${folder}]==])\n")
    endforeach()
    file(WRITE "${CMAKE_BINARY_DIR}/r9v_more_tests.cmake" "${lines}")
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY
                 TEST_INCLUDE_FILES "${CMAKE_BINARY_DIR}/r9v_more_tests.cmake")
endif()

function(r9v_add_folders)
    foreach(folder IN LISTS ARGN)
        if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
            add_subdirectory(${folder})
        endif()
    endforeach()
endfunction()

# Host tests need not be fast to run, they must be fast to compile. Kernels stay as users build them.
function(r9v_test_flags target hip flags)
    target_compile_features(${target} PRIVATE cxx_std_20)
    if(hip)
        if(flags MATCHES "-fgpu-rdc")
            r9v_make_hip_runtime()
            r9v_hip_options(options "${R9V_GPU_TARGETS}")
            target_link_options(${target} PRIVATE --hip-link -fgpu-rdc ${options})
        endif()
        target_compile_definitions(${target} PRIVATE R9V_TEST_HIP=1)
    elseif(NOT flags MATCHES "-O[0-9]")
        target_compile_options(${target} PRIVATE -O1)
    endif()
    foreach(flag IN LISTS flags)
        string(REGEX REPLACE "^SHELL:" "" flag "${flag}")
        target_compile_options(${target} PRIVATE "SHELL:${flag}")
    endforeach()
endfunction()

function(r9v_register name target command labels timeout environment)
    add_test(NAME "${R9V_TEST_PREFIX}${name}" COMMAND ${target} ${command})
    set_tests_properties("${R9V_TEST_PREFIX}${name}" PROPERTIES
        LABELS "${labels}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()

function(r9v_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "HIP;LONG;NO_GTEST;NO_WARNINGS" "NAME;SHARDS;TIMEOUT"
        "SOURCES;LABELS;ARCHITECTURES;FLAGS;LINK;INCLUDES;DEFINITIONS;DEPENDS;ENVIRONMENT;ARGUMENTS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "r9v: r9v_add_test(${ARGV}) is not understood. Read the usage at the "
                            "top of cmake/r9v_testing.cmake.")
    endif()
    if(arg_HIP AND NOT R9V_BACKEND MATCHES "^(rocm|emulator)$")
        return()
    endif()
    if(NOT arg_HIP AND NOT R9V_HOST_TESTS AND NOT "r9v::emulator" IN_LIST arg_LINK)
        return()
    endif()
    if(NOT arg_LABELS)
        string(REGEX REPLACE "\\..*" "" arg_LABELS "${arg_NAME}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()

    add_executable(${arg_NAME} ${arg_SOURCES})
    if(arg_HIP)
        r9v_hip_target(${arg_NAME} ARCHITECTURES ${arg_ARCHITECTURES})
    endif()
    r9v_test_flags(${arg_NAME} "${arg_HIP}" "${arg_FLAGS}")
    if(NOT arg_NO_WARNINGS)
        target_compile_options(${arg_NAME} PRIVATE ${R9V_WARNINGS})
    endif()
    target_compile_definitions(${arg_NAME} PRIVATE ${arg_DEFINITIONS})
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}" ${arg_INCLUDES})
    target_link_libraries(${arg_NAME} PRIVATE r9v::r9v ${arg_LINK} Threads::Threads)
    if(NOT arg_NO_GTEST)
        target_link_libraries(${arg_NAME} PRIVATE GTest::gtest GTest::gtest_main)
        list(APPEND arg_ARGUMENTS --gtest_brief=1)
    endif()
    if(arg_DEPENDS)
        add_dependencies(${arg_NAME} ${arg_DEPENDS})
    endif()

    set(names "${arg_NAME}")
    if(arg_SHARDS)
        set(names "")
        math(EXPR last "${arg_SHARDS} - 1")
        foreach(shard RANGE ${last})
            set(name "${arg_NAME}.${shard}")
            list(APPEND names "${name}")
            r9v_register("${name}" ${arg_NAME} "${arg_ARGUMENTS}" "${arg_LABELS}" ${arg_TIMEOUT}
                "${arg_ENVIRONMENT};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
        endforeach()
    else()
        r9v_register("${arg_NAME}" ${arg_NAME} "${arg_ARGUMENTS}" "${arg_LABELS}" ${arg_TIMEOUT}
                     "${arg_ENVIRONMENT}")
    endif()
    if(arg_LONG)
        list(APPEND names "${arg_NAME}.long")
        r9v_register("${arg_NAME}.long" ${arg_NAME} "${arg_ARGUMENTS}" "${arg_LABELS};long" 3600
                     "${arg_ENVIRONMENT};R9V_LONG=1")
    endif()
    if(NOT arg_NO_GTEST)
        list(TRANSFORM names PREPEND "${R9V_TEST_PREFIX}")
        set_tests_properties(${names} PROPERTIES FAIL_REGULAR_EXPRESSION " 0 tests from 0 test")
    endif()
endfunction()

function(r9v_add_script_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "SERIAL" "NAME;SCRIPT;TIMEOUT;PROCESSORS"
                          "LABELS;ARGUMENTS;ENVIRONMENT")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SCRIPT)
        message(FATAL_ERROR "r9v: r9v_add_script_test(${ARGV}) is not understood. Read the usage at "
                            "the top of cmake/r9v_testing.cmake.")
    endif()
    if(NOT arg_LABELS)
        string(REGEX REPLACE "\\..*" "" arg_LABELS "${arg_NAME}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    get_filename_component(script "${arg_SCRIPT}" ABSOLUTE)
    set(support "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support" PYTHONDONTWRITEBYTECODE=1)
    r9v_register("${arg_NAME}" "${Python3_EXECUTABLE}" "${script};${arg_ARGUMENTS}" "${arg_LABELS}"
                 ${arg_TIMEOUT} "${support};${arg_ENVIRONMENT}")
    set(name "${R9V_TEST_PREFIX}${arg_NAME}")
    if(arg_SERIAL)
        set_tests_properties("${name}" PROPERTIES RUN_SERIAL ON)
    endif()
    if(arg_PROCESSORS)
        set_tests_properties("${name}" PROPERTIES PROCESSORS ${arg_PROCESSORS})
    endif()
endfunction()
