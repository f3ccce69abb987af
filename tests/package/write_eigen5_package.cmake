# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Writes package files for the headers of Eigen 5 in FOLDER/include, which answer requests for version 5 only, as those that
# Eigen installs. Usage: cmake -DFOLDER=<folder> -P write_eigen5_package.cmake

cmake_minimum_required(VERSION 3.22)
include(CMakePackageConfigHelpers)

file(STRINGS "${FOLDER}/include/Eigen/Version" line REGEX "define EIGEN_VERSION_STRING")
string(REGEX MATCH "5\\.[0-9]+\\.[0-9]+" version "${line}")
if(NOT version)
  message(FATAL_ERROR "These are not the headers of Eigen 5: '${line}'")
endif()
set(package "${FOLDER}/share/eigen3/cmake")
set(CMAKE_SIZEOF_VOID_P 8)
write_basic_package_version_file("${package}/Eigen3ConfigVersion.cmake" VERSION "${version}" COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
file(WRITE "${package}/Eigen3Config.cmake" "\
if(NOT TARGET Eigen3::Eigen)
  add_library(Eigen3::Eigen INTERFACE IMPORTED)
  set_target_properties(Eigen3::Eigen PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"${FOLDER}/include\")
endif()
")
