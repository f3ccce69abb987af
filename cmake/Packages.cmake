# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Debian packages: `cpack -G DEB` in the build folder writes libvesta-ceres (shared libraries; not of a static build) and
# libvesta-ceres-dev (headers, package files, links to shared libraries or static libraries).

set(CPACK_PACKAGE_NAME libvesta-ceres)
set(CPACK_PACKAGE_VENDOR "The Vesta Authors")
set(CPACK_PACKAGE_CONTACT "The Vesta Authors <vesta@localhost>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL dev)
if(BUILD_SHARED_LIBS)
  list(PREPEND CPACK_COMPONENTS_ALL runtime)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libvesta-ceres)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Nonlinear least-squares solver with Ceres Solver's API (libraries)
Vesta solves nonlinear least-squares problems such as bundle adjustment and pose graphs. This package has the shared
libraries of the solver and of the parallel runtime.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libvesta-ceres-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# Both packages install include/ceres and libceres.so.
set(CPACK_DEBIAN_DEV_PACKAGE_PROVIDES "libceres-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS libceres-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_REPLACES libceres-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION "Nonlinear least-squares solver with Ceres Solver's API (development files)
Vesta solves nonlinear least-squares problems such as bundle adjustment and pose graphs. This package has what programs
are built with: headers, files for CMake and pkg-config, and the libraries to link with.")
set(dev_depends libeigen3-dev)
if(VESTA_LOG_WITH_GLOG)
  list(APPEND dev_depends libgoogle-glog-dev)
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND dev_depends "libvesta-ceres (= ${PROJECT_VERSION})")
endif()
# The packages that have the files which a program needs beside our static library.
find_program(DPKG_QUERY_PROGRAM dpkg-query)
mark_as_advanced(DPKG_QUERY_PROGRAM)
if(DPKG_QUERY_PROGRAM)
  foreach(file IN LISTS VESTA_PRIVATE_LIBRARIES)
    get_filename_component(file "${file}" REALPATH)
    execute_process(COMMAND "${DPKG_QUERY_PROGRAM}" --search "${file}" OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:,]+):")
      list(APPEND dev_depends "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES dev_depends)
endif()
list(JOIN dev_depends ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)

include(CPack)
