# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Configures and builds the client programs against an installed package, runs them, and checks what they print.
# Usage: cmake -DPREFIX=<where the package is> -DSCRATCH=<build folder> -DCXX=<compiler> -DCXX_FLAGS=<flags>
#              -DPYTHON=<interpreter> -P run.cmake

set(source "${CMAKE_CURRENT_LIST_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

set(launchers "")
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(launchers "-DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE_PROGRAM}" "-DCMAKE_C_COMPILER_LAUNCHER=${CCACHE_PROGRAM}")
endif()
run("${CMAKE_COMMAND}" -S "${source}" -B "${SCRATCH}" "-DCMAKE_PREFIX_PATH=${PREFIX}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" ${launchers})
# A Ceres of the system must not be what was found.
file(STRINGS "${SCRATCH}/CMakeCache.txt" found REGEX "^Ceres_DIR:" ENCODING UTF-8)
string(FIND "${found}" "${PREFIX}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "Found another package than the one in ${PREFIX}: ${found}")
endif()
run("${CMAKE_COMMAND}" --build "${SCRATCH}")

foreach(program IN ITEMS incremental_sfm sliding_window_vio pose_graph_node calibration_tool c_program)
  set(printed "${SCRATCH}/${program}.out")
  execute_process(COMMAND "${SCRATCH}/${program}" RESULT_VARIABLE status OUTPUT_FILE "${printed}")
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${program} ended with ${status}; its output is in ${printed}")
    continue()
  endif()
  execute_process(COMMAND "${PYTHON}" "${source}/check_figures.py" "${source}/figures.txt" ${program} "${printed}"
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${program} printed figures that are not as figures.txt says")
  endif()
endforeach()
