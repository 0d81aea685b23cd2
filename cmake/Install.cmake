# SPDX-License-Identifier: Apache-2.0
# What is installed, by component: runtime (libcucopy.so.0), dev (all that compiling against it takes), tool (the doctor,
# which installs itself) and sim (the simulated driver, in a folder where no loader looks for libcuda.so.1 by itself).
# Nothing here holds an absolute path.
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

if(TARGET cusim)
    install(
        TARGETS cusim
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cucopy/sim
        COMPONENT sim)
    install(FILES test/sim/include/cusim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sim)
endif()
