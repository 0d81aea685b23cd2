# SPDX-License-Identifier: Apache-2.0
# The simulated driver's own tests: plain CUDA programs, linked to it, with nothing of cucopy in them.

if(CUCOPY_CUDA_VERSION LESS 12050)
    message(STATUS "No tests of the simulated driver itself: they want the headers of CUDA 12.5 or later")
    return()
endif()
find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
mark_as_advanced(CMOCKA_INCLUDE_DIR CMOCKA_LIBRARY)
if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    return()
endif()

# cusim_add_test(<name>): test_<name>.c
function(cusim_add_test name)
    add_executable(sim_${name} test_${name}.c test_support.c)
    target_include_directories(sim_${name} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_compile_definitions(sim_${name} PRIVATE _GNU_SOURCE)
    target_link_libraries(
        sim_${name} PRIVATE cusim cucopy_flags cucopy::cuda_headers Threads::Threads ${CMOCKA_LIBRARY} ${CMAKE_DL_LIBS})
    # The environment alone says which libcuda.so.1 it is.
    set_target_properties(sim_${name} PROPERTIES SKIP_BUILD_RPATH ON)
    add_test(NAME sim.${name} COMMAND sim_${name})
    set_tests_properties(sim.${name} PROPERTIES LABELS sim TIMEOUT 120)
    cucopy_use_simulated_driver(sim.${name})
endfunction()

cusim_add_test(capture)
cusim_add_test(contexts)
cusim_add_test(control)
cusim_add_test(kernels)
cusim_add_test(memory)
cusim_add_test(process)
cusim_add_test(streams)

add_executable(sim_editions test_editions.c)
target_include_directories(sim_editions SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
target_include_directories(sim_editions PRIVATE include)
target_link_libraries(sim_editions PRIVATE cucopy_flags cucopy::cuda_headers ${CMOCKA_LIBRARY} ${CMAKE_DL_LIBS})
add_test(NAME sim.editions COMMAND sim_editions ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(sim.editions PROPERTIES LABELS sim)

add_executable(sim_plain_program plain_program.c)
target_link_libraries(sim_plain_program PRIVATE cusim cucopy_flags cucopy::cuda_headers)
set_target_properties(sim_plain_program PROPERTIES SKIP_BUILD_RPATH ON)
add_test(NAME sim.plain_program COMMAND sim_plain_program)
set_tests_properties(sim.plain_program PROPERTIES LABELS sim)
cucopy_use_simulated_driver(sim.plain_program)

add_test(NAME sim.documented COMMAND ${CMAKE_COMMAND} -DPAGE=../../docs/simulated-driver.md -P document.cmake
         WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(sim.documented PROPERTIES LABELS sim)

separate_arguments(compiler UNIX_COMMAND "${CMAKE_C_COMPILER}")
add_test(NAME sim.exports COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/exports.sh $<TARGET_FILE:cusim> ${CUCOPY_CUDA_INCLUDE_DIR}
                                  ${compiler})
set_tests_properties(sim.exports PROPERTIES LABELS sim)

# A project of its own, on the installed simulated driver. What installs it is in test/consumer.
set(prefix ${PROJECT_BINARY_DIR}/test/consumer/installed/whole)
cmake_path(GET CUCOPY_CUDA_INCLUDE_DIR PARENT_PATH cuda_root)
add_test(
    NAME sim.installed
    COMMAND
        ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer
        --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
        "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS}" -DCMAKE_PREFIX_PATH=${prefix} -DCUDAToolkit_ROOT=${cuda_root} --test-command
        ${CMAKE_CTEST_COMMAND} --output-on-failure)
set_tests_properties(sim.installed PROPERTIES LABELS "sim;consumer" FIXTURES_REQUIRED installed)
