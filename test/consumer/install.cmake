# SPDX-License-Identifier: Apache-2.0
# Installs BUILD under DIR three times: `whole`, which is then moved, `static`, without the runtime component, and
# `shared`, without the archive; and makes `old`, a toolkit before 11.8.

function(install prefix)
    execute_process(
        COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${DIR}/${prefix} ${ARGN}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${DIR})
install(elsewhere)
file(RENAME ${DIR}/elsewhere ${DIR}/whole)
install(static --component dev)
install(shared)
file(GLOB_RECURSE archive ${DIR}/shared/libcucopy.a)
file(REMOVE ${archive})
file(WRITE ${DIR}/old/include/cuda.h "#define CUDA_VERSION 11070\n")

file(GLOB_RECURSE texts ${DIR}/whole/*.cmake ${DIR}/whole/*.pc)
foreach(path IN LISTS texts)
    file(READ ${path} text)
    foreach(baked_in ${BUILD} ${DIR} ${CUDA_ROOT})
        string(FIND "${text}" "${baked_in}" found)
        # The finder itself names the usual place of a toolkit.
        if(NOT found EQUAL -1 AND NOT path MATCHES "/CudaHeaders.cmake$")
            message(FATAL_ERROR "${path} holds the path ${baked_in}")
        endif()
    endforeach()
endforeach()
