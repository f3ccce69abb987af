# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Configures the library with the options of Ceres and checks what they do. Nothing is compiled. The paths of the source tree
# and of the build folders have spaces, letters beyond ASCII, and characters of regular expressions.
# Usage: cmake -DSOURCE=<source tree> -DSCRATCH=<folder to empty and fill> -DCXX=<compiler> -P options.cmake

cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE "${SCRATCH}")
set(checkout "${SCRATCH}/c++ (ü) $1/vesta")
file(MAKE_DIRECTORY "${SCRATCH}/c++ (ü) $1")
file(CREATE_LINK "${SOURCE}" "${checkout}" SYMBOLIC)
set(library_only -DBUILD_TESTING=OFF -DBUILD_BENCHMARKS=OFF)

# Configures into SCRATCH/<NAME>. Sets `log` and `config` (config.h).
macro(configure NAME)
  set(build "${SCRATCH}/c++ (ü) $1/${NAME}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "HOME=${SCRATCH}/home" "${CMAKE_COMMAND}" -S "${checkout}" -B "${build}"
                          "-DCMAKE_CXX_COMPILER=${CXX}" ${library_only} ${ARGN}
                  OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NAME}: configuring ended with ${status}\n${log}")
  endif()
  file(READ "${build}/include/ceres/internal/config.h" config)
endmacro()

# Usage: expect(TEXT MATCHES|LACKS REGEX)
function(expect TEXT HOW REGEX)
  if((HOW STREQUAL "MATCHES" AND NOT TEXT MATCHES "${REGEX}") OR (HOW STREQUAL "LACKS" AND TEXT MATCHES "${REGEX}"))
    string(SUBSTRING "${TEXT}" 0 5000 start)
    message(FATAL_ERROR "Expected: ${HOW} '${REGEX}' in\n${start}")
  endif()
endfunction()

# Nothing but defaults, and options that agree with them: no message, nothing under the GPL.
configure(defaults -DBUILD_EXAMPLES=OFF -DUSE_CUDA=OFF -DCXSPARSE=OFF -DSCHUR_SPECIALIZATIONS=ON -DACCELERATESPARSE=OFF)
expect("${log}" LACKS "ignores")
expect("${log}" MATCHES "licences of this build: BSD-3-Clause")
expect("${log}" LACKS "GPL")
expect("${config}" MATCHES "#define CERES_NO_SUITESPARSE")
expect("${config}" MATCHES "#define CERES_USE_EIGEN_SPARSE")
expect("${config}" LACKS "#define VESTA_CERES_2_3")
file(READ "${build}/ceres.pc" module)
expect("${module}" MATCHES "Version: 2\\.2\\.0")
expect("${module}" MATCHES "prefix=\\\${pcfiledir}/")

# Absolute folders, which some distributions give, stay as they are.
configure(absolute -DBUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/opt/a -DCMAKE_INSTALL_LIBDIR=/opt/b/lib
          -DCMAKE_INSTALL_INCLUDEDIR=/opt/c/include)
file(READ "${build}/ceres.pc" module)
expect("${module}" MATCHES "\nlibdir=/opt/b/lib\nincludedir=/opt/c/include\n")
expect("${module}" LACKS "pcfiledir")

# Options without effect: one message that names each. GFLAGS=OFF leaves out what needs gflags. Spellings of 2.3 count.
configure(ignored -DBUILD_EXAMPLES=ON -DGFLAGS=OFF -Dgflags_DIR=/nonexistent -DUSE_CUDA=ON -DCXSPARSE=ON -DACCELERATESPARSE=ON
          -DSCHUR_SPECIALIZATIONS=OFF -DOPENMP=ON -DTBB=OFF -DCXX_THREADS=ON -DMSVC_USE_STATIC_CRT=ON -DWITH_EIGENSPARSE=OFF
          -DLAPACK=OFF -DEIGENMETIS=OFF -DCUSTOM_BLAS=OFF -DMINIGLOG=ON -DPROVIDE_UNINSTALL_TARGET=OFF)
string(REGEX MATCHALL "ignores" messages "${log}")
list(LENGTH messages num_messages)
if(NOT num_messages EQUAL 1)
  message(FATAL_ERROR "${num_messages} messages about ignored options:\n${log}")
endif()
foreach(name IN ITEMS USE_CUDA=ON CXSPARSE=ON ACCELERATESPARSE=ON SCHUR_SPECIALIZATIONS=OFF OPENMP=ON TBB=OFF CXX_THREADS=ON
                      MSVC_USE_STATIC_CRT=ON)
  expect("${log}" MATCHES "${name} \\([^)]+\\)")
endforeach()
expect("${config}" LACKS "#define CERES_USE_EIGEN_SPARSE")
expect("${log}" MATCHES "log: builtin")
foreach(macro IN ITEMS LAPACK EIGEN_METIS CUSTOM_BLAS SUITESPARSE)
  expect("${config}" MATCHES "#define CERES_NO_${macro}")
endforeach()

# Options with an effect that needs no compiling.
configure(effective -DBUILD_EXAMPLES=OFF -DSUITESPARSE=ON -DEXPORT_BUILD_DIR=ON "-DSANITIZERS=address\\\;undefined"
          -DLIB_SUFFIX=64 -DBUILD_DOCUMENTATION=ON -DBUILD_SHARED_LIBS=ON -DVESTA_CERES_VERSION=2.3)
expect("${config}" MATCHES "#define VESTA_CERES_2_3")
file(READ "${build}/CeresConfigVersion.cmake" version)
expect("${version}" MATCHES "PACKAGE_VERSION \"2\\.3\\.0\"")
expect("${log}" MATCHES "GPL-2.0-or-later \\(SuiteSparse\\)")
expect("${config}" LACKS "#define CERES_NO_SUITESPARSE")
file(GLOB registered "${SCRATCH}/home/.cmake/packages/Ceres/*")
if(NOT registered)
  message(FATAL_ERROR "EXPORT_BUILD_DIR=ON did not register the build folder")
endif()
foreach(file IN ITEMS CeresConfig.cmake CeresConfigVersion.cmake CeresTargets.cmake)
  if(NOT EXISTS "${build}/${file}")
    message(FATAL_ERROR "EXPORT_BUILD_DIR=ON did not write ${file}")
  endif()
endforeach()
file(READ "${build}/ceres.pc" module)
expect("${module}" MATCHES "libdir=[^\n]*/lib64")
expect("${module}" MATCHES "Version: 2\\.3\\.0")
file(READ "${build}/compile_commands.json" commands)
expect("${commands}" MATCHES "-fsanitize=address,undefined")
file(READ "${build}/internal/ceres/CMakeFiles/ceres.dir/link.txt" link_command)
expect("${link_command}" MATCHES "-soname,libceres\\.so\\.2\\.2 ")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${build}" --target help OUTPUT_VARIABLE targets)
foreach(target IN ITEMS uninstall ceres_docs)
  expect("${targets}" MATCHES "${target}")
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}/c++ (ü) $1/ignored" --target help OUTPUT_VARIABLE targets)
foreach(target IN ITEMS uninstall ceres_docs helloworld)
  expect("${targets}" LACKS "${target}")
endforeach()
