# SPDX-License-Identifier: Apache-2.0
# Tests on the simulated driver, in cucopy's own build and, from an installed prefix, in yours: find_package(cucopy)
# includes this file where the component sim is installed.

# To link to where there is no other libcuda; which one a program then finds is the loader's affair.
if(TARGET cusim)
    add_library(cucopy::simulated_driver ALIAS cusim)
elseif(NOT TARGET cucopy::simulated_driver)
    add_library(cucopy::simulated_driver SHARED IMPORTED)
    # This file is in <libdir>/cmake/cucopy.
    cmake_path(SET cucopy_sim_library NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../cucopy/sim/libcuda.so.1")
    set_target_properties(cucopy::simulated_driver PROPERTIES IMPORTED_LOCATION "${cucopy_sim_library}")
    unset(cucopy_sim_library)
endif()

# cucopy_use_simulated_driver(<test>... [DEVICES <count>] [VERSION <CUDA_VERSION>])
# The tests find the simulated driver as libcuda.so.1, with two devices of CUDA 13.0 unless told otherwise.
function(cucopy_use_simulated_driver)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "DEVICES;VERSION" "")
    if(TARGET cusim)
        get_target_property(folder cusim LIBRARY_OUTPUT_DIRECTORY)
    else()
        get_target_property(library cucopy::simulated_driver IMPORTED_LOCATION)
        cmake_path(GET library PARENT_PATH folder)
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
