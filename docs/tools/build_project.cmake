# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Builds a project of docs/snippets/projects against an installed library, with a program of docs/snippets as its main.cc,
# and runs it. Usage: cmake -DPROJECT=<folder> -DMAIN=<.cc> -DPREFIX=<installed library> -DSCRATCH=<folder to empty and fill>
# -DCXX=<compiler> -DCXX_FLAGS=<flags> -P build_project.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(COPY "${PROJECT}/CMakeLists.txt" DESTINATION "${SCRATCH}/app")
configure_file("${MAIN}" "${SCRATCH}/app/main.cc" COPYONLY)
run("${CMAKE_COMMAND}" -S "${SCRATCH}/app" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
run("${SCRATCH}/build/app")
