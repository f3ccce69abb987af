# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Finds what the build uses. Nothing is downloaded. Needed: Eigen, Highway, threads. The rest is used where found,
# and what was found is written to ceres/internal/config.h.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
# A version here would exclude Eigen 5, whose package answers requests for 5 only. A project around this one may have Eigen's
# target already.
if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 REQUIRED CONFIG)
endif()
if(DEFINED Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "Eigen ${Eigen3_VERSION} in ${Eigen3_DIR} is too old: install 3.4 or later, or set Eigen3_DIR")
endif()
find_package(Highway REQUIRED)

# The back end of the log. glog is the default where it is found: programs that were written for Ceres set its flags.
if(NOT VESTA_LOGGING MATCHES "^(glog|builtin)?$")
  message(FATAL_ERROR "VESTA_LOGGING is '${VESTA_LOGGING}'. Use glog, builtin, or nothing for glog where it is found.")
elseif(TARGET glog::glog)
  set(glog_FOUND ON)  # A project around this one has built it.
elseif(VESTA_LOGGING STREQUAL "glog")
  find_package(glog REQUIRED)
elseif(NOT VESTA_LOGGING)
  find_package(glog QUIET)
endif()
set(VESTA_LOG_WITH_GLOG OFF)
set(VESTA_LOG_LIBRARIES "")
if(NOT VESTA_LOGGING STREQUAL "builtin" AND glog_FOUND)
  set(VESTA_LOG_WITH_GLOG ON)
  set(VESTA_LOG_LIBRARIES glog::glog)
  message(STATUS "The log is written with glog")
else()
  message(STATUS "The log is written to stderr, without glog")
endif()

if(SUITESPARSE)
  find_package(SuiteSparse)
  if(NOT SuiteSparse_FOUND)
    message(FATAL_ERROR "SUITESPARSE=ON, but SuiteSparse was not found: install it (Debian: libsuitesparse-dev), name its folder "
                        "in CMAKE_PREFIX_PATH, or set SUITESPARSE=OFF")
  endif()
endif()
if(LAPACK)
  # OpenBLAS by name first: the system's "libblas.so" may be the slow reference implementation.
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)
    find_package(LAPACK QUIET)
    unset(BLA_VENDOR)
  endif()
  if(NOT LAPACK_FOUND)
    find_package(LAPACK)
  endif()
endif()
if(EIGENMETIS)
  find_package(METIS)
endif()

# The macros of config.h say what is absent; an absent package switches its option off for this build.
macro(vesta_backend OPTION FOUND)
  set(VESTA_USE_${OPTION} OFF)
  if(${OPTION} AND ${FOUND})
    set(VESTA_USE_${OPTION} ON)
  else()
    set(CERES_NO_${OPTION} ON)
  endif()
endmacro()
vesta_backend(SUITESPARSE SuiteSparse_FOUND)
vesta_backend(LAPACK LAPACK_FOUND)
vesta_backend(EIGENMETIS METIS_FOUND)
vesta_backend(CUSTOM_BLAS Highway_FOUND)
set(CERES_USE_EIGEN_SPARSE ${EIGENSPARSE})
set(CERES_NO_EIGEN_METIS ${CERES_NO_EIGENMETIS})
if(NOT VESTA_USE_SUITESPARSE OR NOT SuiteSparse_Partition_FOUND)
  set(CERES_NO_CHOLMOD_PARTITION ON)
endif()
if(NOT VESTA_USE_SUITESPARSE OR NOT SuiteSparse_CholmodFloat_FOUND)
  set(CERES_NO_CHOLMOD_FLOAT ON)
endif()

# OpenBLAS must run single-threaded inside our own parallel loops; its control function is not part of BLAS.
if(VESTA_USE_LAPACK)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES LAPACK::LAPACK)
  check_cxx_source_compiles(
    "extern \"C\" void openblas_set_num_threads(int); int main() { openblas_set_num_threads(1); }" VESTA_LAPACK_IS_OPENBLAS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()

if(BUILD_EXAMPLES)
  find_package(gflags REQUIRED)
endif()
if(BUILD_TESTING)
  # Where another system is built for, from source: Debian's package googletest.
  find_package(GTest)
  if(NOT GTest_FOUND)
    set(VESTA_GOOGLETEST_SOURCE "/usr/src/googletest" CACHE PATH "GoogleTest's sources, for systems without its package")
    add_subdirectory("${VESTA_GOOGLETEST_SOURCE}" googletest EXCLUDE_FROM_ALL)
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
  # A peer that benchmarks stand beside, where found.
  find_package(OpenMP QUIET COMPONENTS CXX)
endif()
# Another one, and in a test a host that lends its threads; sanitizers would report what they do.
if((BUILD_TESTING OR BUILD_BENCHMARKS) AND NOT VESTA_SANITIZE)
  find_package(TBB QUIET)
endif()
