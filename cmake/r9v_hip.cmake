# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# HIP for users of r9v, without CMake's HIP language (which plain Debian has no package for):
#
#   r9v_hip_target(app [ARCHITECTURES gfx1201 ...])       every C++ source of `app` is HIP
#   r9v_add_hip_sources(app [ARCHITECTURES ...] a.cpp b.cpp)    adds these as HIP, leaves the others
#
# Both link r9v::r9v and the HIP runtime: the one of ROCm, or the emulator. Which of the two is in
# R9V_BACKEND; when that is empty, ROCm 6 or newer if it is found, else the emulator if it is.
# ARCHITECTURES defaults to R9V_GPU_TARGETS. No other code generation flag is needed or set: do not
# add -mcumode or -mwavefrontsize64, kernels choose for themselves. In Debug and RelWithDebInfo
# builds, device code gets line tables alone: clang 19's scheduler crashes on kernels that have both
# scheduling groups and debug information of variables.
include_guard(GLOBAL)
set(R9V_GPU_TARGETS "gfx1200;gfx1201" CACHE STRING "GPUs that r9v's HIP sources are compiled for")
set(R9V_BACKEND "" CACHE STRING "rocm, emulator, cuda or reference; empty: found when first needed")
set_property(GLOBAL PROPERTY r9v_hip_cmake_dir "${CMAKE_CURRENT_LIST_DIR}")

# Sets R9V_BACKEND in the caller and the cache.
function(r9v_find_backend)
    set(found reference)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        find_package(hip 6.0 CONFIG QUIET HINTS "$ENV{ROCM_PATH}" /opt/rocm)
        if(hip_FOUND)
            set(found rocm)
        elseif(R9V_BUILD_EMULATOR OR TARGET r9v::emulator)
            set(found emulator)
        else()
            find_package(r9v_emulator CONFIG QUIET)
            if(r9v_emulator_FOUND)
                set(found emulator)
            endif()
        endif()
    endif()
    set(R9V_BACKEND "${found}" CACHE STRING "rocm, emulator, cuda or reference" FORCE)
    set(R9V_BACKEND "${found}" PARENT_SCOPE)
endfunction()

# Makes r9v_hip_runtime, an INTERFACE target with what both functions need, once per project.
function(r9v_make_hip_runtime)
    if(TARGET r9v_hip_runtime)
        return()
    endif()
    if(NOT R9V_BACKEND)
        r9v_find_backend()
    endif()
    if(NOT R9V_BACKEND MATCHES "^(rocm|emulator)$")
        message(FATAL_ERROR "r9v: there is no HIP runtime to build GPU code with (R9V_BACKEND is "
            "\"${R9V_BACKEND}\"). Set CMAKE_PREFIX_PATH to ROCm 6 or newer or to an "
            "installed r9v emulator, and CMAKE_CXX_COMPILER to clang++; or link r9v::r9v alone and "
            "run programs on r9v::reference.")
    endif()
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "r9v: HIP sources cannot be compiled by ${CMAKE_CXX_COMPILER}. Set "
                            "CMAKE_CXX_COMPILER to clang++ 19 or newer, or to ROCm's amdclang++.")
    endif()
    get_property(cmake_dir GLOBAL PROPERTY r9v_hip_cmake_dir)
    add_library(r9v_hip_runtime INTERFACE IMPORTED GLOBAL)
    if(R9V_BACKEND STREQUAL "rocm")
        find_package(hip CONFIG REQUIRED HINTS "$ENV{ROCM_PATH}" /opt/rocm)
        target_link_libraries(r9v_hip_runtime INTERFACE hip::host)
        get_filename_component(rocm "${hip_INCLUDE_DIRS}" DIRECTORY)
        set(options "--rocm-path=${rocm}")
    else()
        if(NOT TARGET r9v::emulator)
            find_package(r9v_emulator CONFIG REQUIRED)
        endif()
        include("${cmake_dir}/r9v_device_libs.cmake")
        r9v_find_device_libs(device_libs)
        target_link_libraries(r9v_hip_runtime INTERFACE r9v::emulator)
        target_compile_definitions(r9v_hip_runtime INTERFACE __HIP_PLATFORM_AMD__=1)
        set(options "--rocm-device-lib-path=${device_libs}" -mcode-object-version=5)
    endif()
    set_property(TARGET r9v_hip_runtime PROPERTY r9v_hip_options "${options}")
endfunction()

function(r9v_hip_options result architectures)
    get_target_property(options r9v_hip_runtime r9v_hip_options)
    if(NOT architectures)
        set(architectures ${R9V_GPU_TARGETS})
    endif()
    foreach(architecture IN LISTS architectures)
        list(APPEND options "--offload-arch=${architecture}")
    endforeach()
    set(${result} "${options}" PARENT_SCOPE)
endfunction()

function(r9v_hip_target target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHITECTURES")
    r9v_make_hip_runtime()
    r9v_hip_options(options "${arg_ARCHITECTURES}")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>"
                                             "$<$<COMPILE_LANGUAGE:CXX>:${options}>"
                                             "$<$<CONFIG:Debug,RelWithDebInfo>:SHELL:-Xarch_device -gline-tables-only>")
    target_link_libraries(${target} PRIVATE r9v::r9v r9v_hip_runtime)
endfunction()

function(r9v_add_hip_sources target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHITECTURES")
    r9v_make_hip_runtime()
    r9v_hip_options(options "${arg_ARCHITECTURES}")
    target_sources(${target} PRIVATE ${arg_UNPARSED_ARGUMENTS})
    set_property(SOURCE ${arg_UNPARSED_ARGUMENTS} APPEND PROPERTY COMPILE_OPTIONS
                 -x hip ${options} "$<$<CONFIG:Debug,RelWithDebInfo>:SHELL:-Xarch_device -gline-tables-only>")
    target_link_libraries(${target} PRIVATE r9v::r9v r9v_hip_runtime)
endfunction()
