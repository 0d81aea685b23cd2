# SPDX-License-Identifier: Apache-2.0
# Tests on the simulated driver, in cucopy's own build and, from an installed prefix, in yours: find_package(cucopy)
# includes this file where the component sim is installed.

# cucopy_use_simulated_driver(<test>... [DEVICES <count>] [VERSION <CUDA_VERSION>])
# The tests find the simulated driver as libcuda.so.1, with two devices of CUDA 13.0 unless told otherwise.
function(cucopy_use_simulated_driver)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "DEVICES;VERSION" "")
    if(TARGET cusim)
        get_target_property(folder cusim LIBRARY_OUTPUT_DIRECTORY)
    else()
        # This file is in <libdir>/cmake/cucopy.
        cmake_path(SET folder NORMALIZE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../cucopy/sim")
    endif()
    set(changes "LD_LIBRARY_PATH=path_list_prepend:${folder}")
    if(DEFINED arg_DEVICES)
        list(APPEND changes "CUSIM_DEVICES=set:${arg_DEVICES}")
    endif()
    if(DEFINED arg_VERSION)
        list(APPEND changes "CUSIM_DRIVER_VERSION=set:${arg_VERSION}")
    endif()
    set_property(TEST ${arg_UNPARSED_ARGUMENTS} APPEND PROPERTY ENVIRONMENT_MODIFICATION "${changes}")
endfunction()
