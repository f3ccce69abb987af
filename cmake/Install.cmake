# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# The package that `cmake --install` gives: headers, libraries and what find_package(Ceres) reads.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Ceres")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ceres" "${PROJECT_BINARY_DIR}/include/ceres"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

# The runtime has an export set of its own, so that it can be found where Eigen or glog cannot.
foreach(set IN ITEMS CeresParallelTargets CeresTargets)
  install(EXPORT ${set} NAMESPACE Ceres:: DESTINATION "${package_dir}")
endforeach()

# The components users may ask for, with Ceres's names.
set(CERES_COMPILED_COMPONENTS Multithreading parallel)
if(VESTA_USE_LAPACK)
  list(APPEND CERES_COMPILED_COMPONENTS LAPACK)
endif()
if(EIGENSPARSE)
  list(APPEND CERES_COMPILED_COMPONENTS EigenSparse)
endif()
if(VESTA_USE_SUITESPARSE)
  list(APPEND CERES_COMPILED_COMPONENTS SuiteSparse)
endif()
if(EIGENSPARSE OR VESTA_USE_SUITESPARSE)
  list(APPEND CERES_COMPILED_COMPONENTS SparseLinearAlgebraLibrary)
endif()

# A static library leaves its own libraries to whoever links it; those without package files need our find modules.
set(CERES_PACKAGE_DEPENDENCIES "")
if(NOT BUILD_SHARED_LIBS)
  set(CERES_PACKAGE_DEPENDENCIES Highway)
  if(VESTA_USE_LAPACK)
    list(APPEND CERES_PACKAGE_DEPENDENCIES LAPACK)
  endif()
  if(VESTA_USE_SUITESPARSE)
    list(APPEND CERES_PACKAGE_DEPENDENCIES SuiteSparse)
  endif()
  if(VESTA_USE_EIGENMETIS)
    list(APPEND CERES_PACKAGE_DEPENDENCIES METIS)
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindHighway.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/FindSuiteSparse.cmake" DESTINATION "${package_dir}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/CeresConfig.cmake.in" "${PROJECT_BINARY_DIR}/CeresConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/CeresConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/CeresConfig.cmake" "${PROJECT_BINARY_DIR}/CeresConfigVersion.cmake"
        DESTINATION "${package_dir}")
