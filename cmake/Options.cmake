# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# The options, with Ceres's names, so that users' command lines keep working. docs/building.md describes them.

# Like option(); the value may also be given as WITH_<NAME>, the spelling of Ceres 2.3.
macro(vesta_option NAME DEFAULT TEXT)
  if(DEFINED WITH_${NAME} AND NOT DEFINED ${NAME})
    set(${NAME} "${WITH_${NAME}}")
  endif()
  option(${NAME} "${TEXT}" ${DEFAULT})
endmacro()

# What is built beside the library. Inside another project this is nothing, whatever the project's variables of these names
# say: BUILD_TESTING, for one, is about the tests of that project. No variable in the cache has one of these names then.
set(project_options
  BUILD_TESTING             ON  "Build the tests"
  BUILD_EXAMPLES            ON  "Build the examples"
  BUILD_BENCHMARKS          ON  "Build the benchmarks"
  BUILD_DOCUMENTATION       OFF "Provide the target ceres_docs, which builds the documentation site"
  EXPORT_BUILD_DIR          OFF "Let find_package(Ceres) find the build folder, without an installation"
  PROVIDE_UNINSTALL_TARGET  ON  "Provide the target uninstall")
while(project_options)
  list(POP_FRONT project_options name default text)
  if(PROJECT_IS_TOP_LEVEL)
    vesta_option(${name} ${default} "${text}")
  else()
    set(${name} OFF)
  endif()
endwhile()
if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Build shared instead of static libraries" OFF)
  if(DEFINED WITH_UNINSTALL_TARGET)
    set(PROVIDE_UNINSTALL_TARGET "${WITH_UNINSTALL_TARGET}")
  endif()
endif()
option(VESTA_INSTALL "Install the libraries, headers and package files" "${PROJECT_IS_TOP_LEVEL}")

# Back ends. Nothing under the GPL is linked unless it is asked for.
vesta_option(SUITESPARSE OFF "Use SuiteSparse, which is in part under the GPL")
vesta_option(LAPACK ON "Use a LAPACK (OpenBLAS preferred) where found")
vesta_option(EIGENSPARSE ON "Use Eigen's sparse factorizations")
vesta_option(EIGENMETIS ON "Use METIS orderings with Eigen's and our own factorizations where found")
vesta_option(CUSTOM_BLAS ON "Compile kernels for several instruction sets and choose at run time")
set(VESTA_LOGGING "" CACHE STRING "Back end of the log: glog, builtin, or empty for glog where it is found")
set(VESTA_CERES_VERSION 2.2 CACHE STRING "Version of Ceres that programs find: 2.2 or 2.3")
set(VESTA_INLINE_NAMESPACE "" CACHE STRING "Inline namespace within ceres, for two Ceres libraries in one process")
set(VESTA_SANITIZE "" CACHE STRING "Value of -fsanitize= for every target, for example thread")

if(NOT VESTA_CERES_VERSION MATCHES "^2\\.[23]$")
  message(FATAL_ERROR "VESTA_CERES_VERSION is '${VESTA_CERES_VERSION}'. Use 2.2 or 2.3.")
elseif(VESTA_CERES_VERSION STREQUAL "2.3")
  set(VESTA_CERES_2_3 ON)
endif()

# Other spellings of options.
if(MINIGLOG)
  set(VESTA_LOGGING builtin)
endif()
if(SANITIZERS)
  list(JOIN SANITIZERS "," VESTA_SANITIZE)
endif()
if(DEFINED GFLAGS AND NOT GFLAGS)
  set(BUILD_EXAMPLES OFF)  # All of them have options.
endif()
if(DEFINED LIB_SUFFIX AND NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR "lib${LIB_SUFFIX}")
endif()
if(MSVC AND MSVC_USE_STATIC_CRT)
  set(CMAKE_MSVC_RUNTIME_LIBRARY "MultiThreaded$<$<CONFIG:Debug>:Debug>")
endif()

# Options of Ceres that change nothing here, with the value that asks for something else than what is built, and the reason.
set(without_effect
  ACCELERATESPARSE            ON  "Apple's Accelerate is not supported"
  WITH_ACCELERATESPARSE       ON  "Apple's Accelerate is not supported"
  CUDA                        ON  "no solver runs on a GPU"
  USE_CUDA                    ON  "no solver runs on a GPU"
  CXSPARSE                    ON  "NATIVE_SPARSE and EIGEN_SPARSE replace CXSparse"
  SCHUR_SPECIALIZATIONS       OFF "kernels for common block sizes are part of the library"
  WITH_SCHUR_SPECIALIZATIONS  OFF "kernels for common block sizes are part of the library"
  CERES_THREADING_MODEL       ANY "threads are those of Ceres::parallel"
  CXX_THREADS                 ANY "threads are those of Ceres::parallel"
  CXX11_THREADS               ANY "threads are those of Ceres::parallel"
  OPENMP                      ANY "threads are those of Ceres::parallel"
  TBB                         ANY "threads are those of Ceres::parallel"
  CXX11                       ANY "the library needs C++17"
  ENABLE_BITCODE              ON  "Xcode no longer has bitcode"
  WITH_BITCODE                ON  "Xcode no longer has bitcode"
  IOS_DEPLOYMENT_TARGET       ANY "set CMAKE_OSX_DEPLOYMENT_TARGET"
  WITH_STRIPPED_DEBUG_SYMBOLS ON  "use cmake --install --strip")
if(NOT MSVC)
  list(APPEND without_effect MSVC_USE_STATIC_CRT ON "it is about MSVC")
endif()
set(ignored "")
while(without_effect)
  list(POP_FRONT without_effect name value reason)
  if(DEFINED ${name})
    if(value STREQUAL "ANY" OR (value STREQUAL "ON" AND ${name}) OR (value STREQUAL "OFF" AND NOT ${name}))
      list(APPEND ignored "${name}=${${name}} (${reason})")
    endif()
  endif()
endwhile()
if(ignored)
  list(JOIN ignored ", " ignored)
  message(NOTICE "Vesta ignores these options of Ceres: ${ignored}")
endif()
