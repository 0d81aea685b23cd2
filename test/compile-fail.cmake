# SPDX-License-Identifier: Apache-2.0
# Run by cucopy_add_compile_fail_test: SOURCE compiles, and with -DMISTAKE it does not and the compiler says REGEX.
# Compiled to the end, since gcc checks some of its attributes only after parsing.

list(TRANSFORM INCLUDES PREPEND -I)
set(compile ${CC} -std=c11 ${INCLUDES} -S -o -)
execute_process(COMMAND ${compile} ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "does not compile without its mistake:\n${errors}")
endif()
execute_process(COMMAND ${compile} -DMISTAKE ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result EQUAL 0)
    message(FATAL_ERROR "compiles in spite of its mistake")
endif()
if(NOT errors MATCHES "${REGEX}")
    message(FATAL_ERROR "fails for another reason than ${REGEX}:\n${errors}")
endif()
