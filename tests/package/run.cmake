# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Installs the build into PREFIX, then configures, builds and runs two projects that find it there.
# Usage: cmake -DBUILD=<build folder> -DPREFIX=<folder to empty and fill> -DSCRATCH=<another> -DCXX=<compiler>
#              -DCXX_FLAGS=<flags> -P run.cmake

# Runs a command and stops with its output when it fails.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}" "${PREFIX}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")

foreach(runtime_alone IN ITEMS ON OFF)
  set(build "${SCRATCH}/build-${runtime_alone}")
  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${build}" -DRUNTIME_ALONE=${runtime_alone}
      "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
      -DCMAKE_BUILD_TYPE=Release)
  # A Ceres of the system must not be what was found.
  file(STRINGS "${build}/CMakeCache.txt" found REGEX "^Ceres_DIR:" ENCODING UTF-8)
  string(FIND "${found}" "${PREFIX}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "Found another package than the one just installed: ${found}")
  endif()
  run("${CMAKE_COMMAND}" --build "${build}")
  run("${build}/app")
endforeach()
