# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Compiles each public header alone as C++14. A compiler must say so in one #error, and then stop: its next and last error is
# that of a file that is not there. ceres/c_api.h and ceres/version.h compile.
# Usage: cmake -DCXX=<compiler> "-DFLAGS=<flags>" -DINCLUDE=<folder> -DSCRATCH=<folder> -P check_language.cmake

separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")
file(GLOB headers RELATIVE "${INCLUDE}" "${INCLUDE}/ceres/*.h" "${INCLUDE}/ceres/factors/*.h" "${INCLUDE}/ceres/io/*.h"
     "${INCLUDE}/ceres/parallel/*.h")
list(REMOVE_ITEM headers ceres/distributed.h ceres/manifold_test_utils.h)  # They begin with headers of others.
list(LENGTH headers num_headers)
if(num_headers LESS 50)
  message(FATAL_ERROR "${INCLUDE} has ${num_headers} headers only")
endif()
file(MAKE_DIRECTORY "${SCRATCH}")
foreach(header IN LISTS headers)
  file(WRITE "${SCRATCH}/alone.cc" "#include \"${header}\"\n")
  execute_process(COMMAND "${CXX}" -std=c++14 -fsyntax-only "-I${INCLUDE}" ${FLAGS} "${SCRATCH}/alone.cc"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(header MATCHES "^ceres/(c_api|version)\\.h$")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${header} does not compile as C++14:\n${output}")
    endif()
    continue()
  endif()
  string(REGEX MATCHALL "error: " errors "${output}")
  list(LENGTH errors num_errors)
  if(NOT num_errors EQUAL 2 OR NOT output MATCHES "error: [^\n]*Vesta needs C\\+\\+17" OR
     NOT output MATCHES "fatal error: [^\n]*compile_with_std_cpp17")
    message(FATAL_ERROR "${header} as C++14: not one #error, but ${num_errors}:\n${output}")
  endif()
endforeach()
