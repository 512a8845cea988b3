# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
#
# Installs the headers and a relocatable package for find_package(r9v).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(r9v_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/r9v")

install(TARGETS r9v EXPORT r9vTargets)
install(DIRECTORY include/r9v DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT r9vTargets NAMESPACE r9v:: DESTINATION "${r9v_package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/r9v")

configure_package_config_file(cmake/r9vConfig.cmake.in "${PROJECT_BINARY_DIR}/r9vConfig.cmake"
                              INSTALL_DESTINATION "${r9v_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/r9vConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/r9vConfig.cmake" "${PROJECT_BINARY_DIR}/r9vConfigVersion.cmake"
              cmake/r9v_hip.cmake cmake/r9v_device_libs.cmake
        DESTINATION "${r9v_package_dir}")
