# SPDX-License-Identifier: Apache-2.0
# A replay that agrees with everything proves nothing. Each mutant is the simulated driver with one rule made wrong, and
# the section that knows the rule must name the difference.

set(sim ${PROJECT_SOURCE_DIR}/test/sim)

# conformance_add_mutant(<name> <section> <file of test/sim> <rule> <wrong rule> [ENVIRONMENT ...])
function(conformance_add_mutant name section file rule wrong)
    cmake_parse_arguments(PARSE_ARGV 5 arg "" "" "ENVIRONMENT")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sim}/${file})
    file(READ ${sim}/${file} right)
    string(REPLACE "${rule}" "${wrong}" mutated "${right}")
    if(mutated STREQUAL right)
        message(FATAL_ERROR "${file} has no line \"${rule}\" for the mutant ${name} to get wrong")
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
    set(written "")
    if(EXISTS ${source})
        file(READ ${source} written)
    endif()
    if(NOT written STREQUAL mutated)
        file(WRITE ${source} "${mutated}")
    endif()

    string(REPLACE "." "\\." pattern "/${file}.o$")
    set(target mutant_${name})
    add_library(
        ${target} SHARED ${source} ${sim}/edition.c
                         $<FILTER:$<TARGET_OBJECTS:cusim_objects>,EXCLUDE,${pattern}>)
    set_target_properties(
        ${target} PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 NO_SONAME ON EXPORT_COMPILE_COMMANDS OFF LIBRARY_OUTPUT_DIRECTORY
                                                                      ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
    target_include_directories(${target} PRIVATE ${sim} ${sim}/include)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE CUSIM_EDITION=13000)
    target_link_options(
        ${target} PRIVATE -Wl,-soname,libcuda.so.1 -Wl,--version-script=${PROJECT_BINARY_DIR}/test/sim/cusim.map
        -Wl,-Bsymbolic -Wl,-z,nodelete)
    target_link_libraries(${target} PRIVATE cucopy_flags cucopy::cuda_headers Threads::Threads)

    cucopy_add_test(
        conformance_mutant_${name} COMMAND cucopy-conformance ${section} LABELS conformance ENVIRONMENT
        "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}" CUSIM_DEVICES=1 ${arg_ENVIRONMENT})
    set_tests_properties(conformance_mutant_${name} PROPERTIES PASS_REGULAR_EXPRESSION "\ndiffers: ${section}: ")
endfunction()

conformance_add_mutant(
    pools_are_for_everybody devices access.c "return poolAllows(range->pool, device, write);" "return true;"
    ENVIRONMENT CUSIM_DEVICES=2)
conformance_add_mutant(
    the_streams_device_decides devices access.c "? (Accessor){true, current->device}"
    "? (Accessor){true, stream->context->device}" ENVIRONMENT CUSIM_DEVICES=2)
conformance_add_mutant(
    memory_is_for_everybody_by_its_attributes safe-devices pointer.c "if (accessAllows(range, device, true))"
    "if (accessAllows(range, device, true) || device != range->device)" ENVIRONMENT CUSIM_DEVICES=2)
conformance_add_mutant(
    a_batch_needs_no_context copies batch.c "if (current == NULL || !current->object.alive)" "if (current != NULL && !current->object.alive)")
conformance_add_mutant(
    registrations_join ranges access.c "return range->kind == RANGE_MAPPED && next != NULL && next->kind == RANGE_MAPPED &&"
    "return next != NULL &&")
conformance_add_mutant(
    freed_memory_is_pageable lifetimes access.c "windowHolds(address) || role == ROLE_DEVICE" "role == ROLE_HOST")
conformance_add_mutant(setting_NULL_changes_nothing stack stack.c "if (thread->depth > 0)" "if (thread->depth > 0 && handle != NULL)")
