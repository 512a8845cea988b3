# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# AMD's device libraries as bitcode. Debian 12 ships them without the files for gfx11 and gfx12.
# Such a file holds one constant, the ISA version, so it is made here beside links to the rest.
include_guard(GLOBAL)
set(R9V_DEVICE_LIB_GPUS 1100 1101 1102 1103 1150 1151 1152 1153 1200 1201)

function(r9v_make_isa_file gpu path)
    math(EXPR number "(${gpu} / 100) * 1000 + (${gpu} / 10 % 10) * 100 + ${gpu} % 10")
    string(CONCAT layout
        "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32"
        "-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256"
        "-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9")
    file(WRITE "${path}.ll"
        "target datalayout = \"${layout}\"\n"
        "target triple = \"amdgcn-amd-amdhsa\"\n"
        "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) "
        "constant i32 ${number}, align 4\n")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -x ir --target=amdgcn-amd-amdhsa -nogpulib
                            -emit-llvm -c "${path}.ll" -o "${path}"
                    RESULT_VARIABLE failed ERROR_VARIABLE text)
    if(failed)
        message(FATAL_ERROR "r9v: ${path} could not be made. Use clang++ 19 or newer.\n${text}")
    endif()
endfunction()

function(r9v_find_device_libs result)
    find_path(R9V_DEVICE_LIBS ocml.bc PATH_SUFFIXES amdgcn/bitcode lib/amdgcn/bitcode
              PATHS "/usr/lib/${CMAKE_CXX_LIBRARY_ARCHITECTURE}" "$ENV{ROCM_PATH}" /opt/rocm)
    if(NOT R9V_DEVICE_LIBS)
        message(FATAL_ERROR "r9v: AMD's device libraries (ocml.bc) were not found. Install the "
                            "package rocm-device-libs, or set R9V_DEVICE_LIBS to their folder.")
    endif()
    if(EXISTS "${R9V_DEVICE_LIBS}/oclc_isa_version_1201.bc")
        set(${result} "${R9V_DEVICE_LIBS}" PARENT_SCOPE)
        return()
    endif()
    set(folder "${CMAKE_BINARY_DIR}/r9v_device_libs")
    file(MAKE_DIRECTORY "${folder}")
    file(GLOB files "${R9V_DEVICE_LIBS}/*.bc")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME)
        file(CREATE_LINK "${file}" "${folder}/${name}" SYMBOLIC)
    endforeach()
    foreach(gpu IN LISTS R9V_DEVICE_LIB_GPUS)
        set(path "${folder}/oclc_isa_version_${gpu}.bc")
        if(NOT EXISTS "${path}")
            r9v_make_isa_file(${gpu} "${path}")
        endif()
    endforeach()
    set(${result} "${folder}" PARENT_SCOPE)
endfunction()
