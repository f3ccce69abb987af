# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Compiles SOURCE once for each of its cases, #if CASE == 1 and so on. Case 0 must compile. The line "// Error: <regex>" of
# each other case says what its one error must be.
# Usage: cmake -DCXX=<compiler> -DINCLUDE=<folder> -DSOURCE=<file> -P check_errors.cmake

file(STRINGS "${SOURCE}" expected REGEX "^// Error: ")
list(LENGTH expected num_cases)
file(STRINGS "${SOURCE}" cases REGEX "CASE == [1-9]")
list(LENGTH cases num_in_source)
if(num_cases EQUAL 0 OR NOT num_cases EQUAL num_in_source)
  message(FATAL_ERROR "${SOURCE} has ${num_in_source} cases and expects ${num_cases} errors")
endif()
foreach(case RANGE ${num_cases})
  execute_process(COMMAND "${CXX}" -std=c++17 -fsyntax-only "-I${INCLUDE}" -DCASE=${case} "${SOURCE}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(case EQUAL 0)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "Case 0 of ${SOURCE} does not compile:\n${output}")
    endif()
    continue()
  endif()
  math(EXPR index "${case} - 1")
  list(GET expected ${index} line)
  string(REPLACE "// Error: " "" regex "${line}")
  string(REGEX MATCHALL "error: " errors "${output}")
  list(LENGTH errors num_errors)
  if(NOT num_errors EQUAL 1 OR NOT output MATCHES "error: [^\n]*${regex}")
    message(FATAL_ERROR "Case ${case} of ${SOURCE}: not one error '${regex}', but ${num_errors}:\n${output}")
  endif()
endforeach()
