# SPDX-License-Identifier: Apache-2.0
# Finds cuda.h, which is all that cucopy needs of the CUDA Toolkit, and makes the target cucopy::cuda_headers of it.
# Installed beside cucopyConfig.cmake, so that a user's cuda.h is found as the build's was and no path is baked in.
# `cmake -P` on this file says whether the build would find one.

# Sets CUCOPY_CUDA_INCLUDE_DIR (cached) and CUCOPY_CUDA_VERSION, or CUCOPY_CUDA_PROBLEM to a sentence for the user.
function(cucopy_find_cuda_headers)
    # Of a toolkit, of conda's packages, of the wheels.
    set(layouts include targets/x86_64-linux/include targets/sbsa-linux/include nvidia/cu13/include
                nvidia/cuda_runtime/include)
    if(CUDAToolkit_ROOT OR NOT EXISTS "${CUCOPY_CUDA_INCLUDE_DIR}/cuda.h")
        unset(CUCOPY_CUDA_INCLUDE_DIR CACHE) # what an earlier run found
    endif()
    if(CUDAToolkit_ROOT)
        # Asked for by name: that one or none.
        find_path(CUCOPY_CUDA_INCLUDE_DIR cuda.h PATHS ${CUDAToolkit_ROOT} PATH_SUFFIXES ${layouts} NO_DEFAULT_PATH)
    else()
        find_program(nvcc nvcc NO_CACHE)
        set(beside_nvcc)
        if(nvcc)
            file(REAL_PATH "${nvcc}" real)
            cmake_path(GET nvcc PARENT_PATH bin)
            cmake_path(GET real PARENT_PATH real_bin)
            set(beside_nvcc "${bin}/.." "${real_bin}/..")
        endif()
        find_path(
            CUCOPY_CUDA_INCLUDE_DIR cuda.h
            PATHS ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda ${beside_nvcc} ${CUCOPY_CUDA_FALLBACK}
            PATH_SUFFIXES ${layouts}
            NO_DEFAULT_PATH
            DOC "The directory of cuda.h")
    endif()
    mark_as_advanced(CUCOPY_CUDA_INCLUDE_DIR)

    set(remedy "Set CUDAToolkit_ROOT to a CUDA Toolkit of 11.8 or later, or to an unpacked nvidia-cuda-runtime wheel.")
    if(NOT CUCOPY_CUDA_INCLUDE_DIR)
        set(CUCOPY_CUDA_PROBLEM "cuda.h was not found. ${remedy}" PARENT_SCOPE)
        if(CUDAToolkit_ROOT)
            set(CUCOPY_CUDA_PROBLEM "CUDAToolkit_ROOT (${CUDAToolkit_ROOT}) holds no cuda.h. ${remedy}" PARENT_SCOPE)
        endif()
        return()
    endif()
    file(STRINGS "${CUCOPY_CUDA_INCLUDE_DIR}/cuda.h" line REGEX "^#define CUDA_VERSION [0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+$" version "${line}")
    set(CUCOPY_CUDA_VERSION "${version}" PARENT_SCOPE)
    if(NOT version GREATER_EQUAL 11080)
        set(CUCOPY_CUDA_PROBLEM "${CUCOPY_CUDA_INCLUDE_DIR}/cuda.h is too old (${line}). ${remedy}" PARENT_SCOPE)
        unset(CUCOPY_CUDA_INCLUDE_DIR CACHE)
    endif()
endfunction()

unset(CUCOPY_CUDA_PROBLEM)
cucopy_find_cuda_headers()

if(CMAKE_SCRIPT_MODE_FILE)
    if(CUCOPY_CUDA_PROBLEM)
        message(FATAL_ERROR "${CUCOPY_CUDA_PROBLEM}")
    endif()
    message("${CUCOPY_CUDA_INCLUDE_DIR}")
elseif(NOT CUCOPY_CUDA_PROBLEM AND NOT TARGET cucopy::cuda_headers)
    # Imported, so its directory is a system one to every compiler and it is named, not copied, by an export.
    add_library(cucopy::cuda_headers INTERFACE IMPORTED GLOBAL)
    target_include_directories(cucopy::cuda_headers INTERFACE "${CUCOPY_CUDA_INCLUDE_DIR}")
endif()
