# SPDX-License-Identifier: Apache-2.0
# What is installed of the library. Components: runtime (libcucopy.so.0) and dev (all that compiling against it takes).
# The doctor (component tool) and the simulated driver (component sim) install themselves. Nothing here holds an absolute path.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cucopy)
foreach(kind static shared)
    install(
        TARGETS cucopy_${kind}
        EXPORT cucopy-${kind}
        ARCHIVE COMPONENT dev
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
    install(
        EXPORT cucopy-${kind}
        NAMESPACE cucopy::
        DESTINATION ${package_dir}
        COMPONENT dev)
endforeach()

install(DIRECTORY include/cucopy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

configure_package_config_file(
    cmake/cucopyConfig.cmake.in ${PROJECT_BINARY_DIR}/cucopyConfig.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cucopyConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(
    FILES ${PROJECT_BINARY_DIR}/cucopyConfig.cmake ${PROJECT_BINARY_DIR}/cucopyConfigVersion.cmake cmake/CudaHeaders.cmake
    DESTINATION ${package_dir}
    COMPONENT dev)

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc /${pc_dir} /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/cucopy.pc.in ${PROJECT_BINARY_DIR}/cucopy.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cucopy.pc DESTINATION ${pc_dir} COMPONENT dev)
