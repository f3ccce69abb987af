# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# The package that `cmake --install` gives: headers, libraries, and what find_package(Ceres) and pkg-config read. The
# component `runtime` has what programs need to run, `dev` what they are built with.

include(CMakePackageConfigHelpers)
include("${VESTA_CMAKE_DIR}/PkgConfig.cmake")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Ceres")

install(DIRECTORY "${VESTA_CODE_DIR}/include/ceres" "${PROJECT_BINARY_DIR}/include/ceres"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev FILES_MATCHING PATTERN "*.h"
        PATTERN "ceres/distributed.h" EXCLUDE)

# The licence, where Debian's packages have it.
set(doc_dir "${CMAKE_INSTALL_DATADIR}/doc")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc_dir}/libvesta-ceres-dev" RENAME copyright COMPONENT dev)
if(BUILD_SHARED_LIBS)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc_dir}/libvesta-ceres" RENAME copyright COMPONENT runtime)
endif()

# The runtime has an export set of its own, so that it can be found where Eigen or glog cannot.
foreach(set IN ITEMS CeresParallelTargets CeresTargets)
  install(EXPORT ${set} NAMESPACE Ceres:: DESTINATION "${package_dir}" COMPONENT dev)
endforeach()

if(VESTA_DISTRIBUTED)
  install(FILES "${VESTA_CODE_DIR}/include/ceres/distributed.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ceres" COMPONENT dev)
  install(EXPORT CeresDistributedTargets NAMESPACE Ceres:: DESTINATION "${package_dir}" COMPONENT dev)
endif()

# The components that find_package answers, with Ceres's names. The library has threads and a sparse factorization of its
# own in each build. Absent ones have a reason, after a colon.
set(CERES_COMPILED_COMPONENTS parallel ceres Multithreading C++11 C++11Threads CXXThreads OpenMP TBB SchurSpecializations
                              SparseLinearAlgebraLibrary)
set(CERES_ABSENT_COMPONENTS
  "CXSparse:Vesta does not support it, NATIVE_SPARSE and EIGEN_SPARSE replace it"
  "AccelerateSparse:Vesta does not support it, NATIVE_SPARSE and EIGEN_SPARSE replace it"
  "CUDA:no solver of Vesta runs on a GPU"
  "cuDSS:no solver of Vesta runs on a GPU")
function(vesta_components OPTION)
  foreach(component IN LISTS ARGN)
    if(VESTA_USE_${OPTION})
      list(APPEND CERES_COMPILED_COMPONENTS "${component}")
    else()
      list(APPEND CERES_ABSENT_COMPONENTS "${component}:this build of Vesta is without it, build one with -D${OPTION}=ON")
    endif()
  endforeach()
  set(CERES_COMPILED_COMPONENTS "${CERES_COMPILED_COMPONENTS}" PARENT_SCOPE)
  set(CERES_ABSENT_COMPONENTS "${CERES_ABSENT_COMPONENTS}" PARENT_SCOPE)
endfunction()
set(VESTA_USE_EIGENSPARSE "${EIGENSPARSE}")
vesta_components(LAPACK LAPACK)
vesta_components(EIGENSPARSE EigenSparse)
vesta_components(SUITESPARSE SuiteSparse)
vesta_components(EIGENMETIS EigenMETIS METIS Metis)
set(VESTA_USE_VESTA_DISTRIBUTED "${VESTA_DISTRIBUTED}")
vesta_components(VESTA_DISTRIBUTED distributed)

# What whoever links a static library must find: the names of files, the folders of those where linkers do not look, and flags.
set(CERES_PRIVATE_FILES "")
set(CERES_PRIVATE_FOLDERS "")
set(CERES_PRIVATE_FLAGS "")
foreach(item IN LISTS VESTA_PRIVATE_LIBRARIES)
  if(IS_ABSOLUTE "${item}")
    get_filename_component(folder "${item}" DIRECTORY)
    get_filename_component(name "${item}" NAME)
    list(APPEND CERES_PRIVATE_FILES "${name}")
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND CERES_PRIVATE_FOLDERS "${folder}")
    endif()
  else()
    list(APPEND CERES_PRIVATE_FLAGS "${item}")
  endif()
endforeach()
list(REMOVE_DUPLICATES CERES_PRIVATE_FOLDERS)

set(config "${PROJECT_BINARY_DIR}/package/CeresConfig.cmake")
set(version_file "${PROJECT_BINARY_DIR}/CeresConfigVersion.cmake")
configure_package_config_file("${VESTA_CMAKE_DIR}/CeresConfig.cmake.in" "${config}" INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CMAKE_INSTALL_LIBDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
configure_file("${VESTA_CMAKE_DIR}/CeresConfigVersion.cmake.in" "${version_file}" @ONLY)
install(FILES "${config}" "${version_file}" DESTINATION "${package_dir}" COMPONENT dev)

# The build folder as a package: Ceres_DIR may be set to it, and find_package looks into CMake's registry of packages.
if(EXPORT_BUILD_DIR)
  configure_package_config_file("${VESTA_CMAKE_DIR}/CeresConfig.cmake.in" "${PROJECT_BINARY_DIR}/CeresConfig.cmake"
                                INSTALL_DESTINATION "${PROJECT_BINARY_DIR}" INSTALL_PREFIX "${PROJECT_BINARY_DIR}"
                                PATH_VARS CMAKE_INSTALL_LIBDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  foreach(set IN ITEMS CeresParallelTargets CeresTargets)
    export(EXPORT ${set} NAMESPACE Ceres:: FILE "${PROJECT_BINARY_DIR}/${set}.cmake")
  endforeach()
  if(NOT DEFINED CMAKE_EXPORT_PACKAGE_REGISTRY)
    set(CMAKE_EXPORT_PACKAGE_REGISTRY ON)
  endif()
  export(PACKAGE Ceres)
endif()

vesta_pkg_config(ceres_parallel DESCRIPTION "Parallel loops, tasks and task graphs" FLAGS ${CMAKE_THREAD_LIBS_INIT})
set(modules ceres_parallel eigen3)
if(VESTA_LOG_WITH_GLOG)
  list(APPEND modules libglog)
endif()
vesta_pkg_config(ceres DESCRIPTION "Vesta, a nonlinear least-squares solver with Ceres Solver's API"
                 REQUIRES ${modules} FLAGS ${VESTA_PRIVATE_LIBRARIES})

if(PROVIDE_UNINSTALL_TARGET)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" -P "${VESTA_CMAKE_DIR}/Uninstall.cmake"
                    VERBATIM)
endif()
if(PROJECT_IS_TOP_LEVEL)
  include("${VESTA_CMAKE_DIR}/Packages.cmake")
endif()
