# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Runs an example and holds what it prints against the lines "// Prints: <regular expression>" of its source; all must be
# found, in any order. Expressions without brackets and semicolons, which CMake's lists take for their own.
# Usage: cmake -DPROGRAM=<executable> -DSOURCE=<its .cc> -P check_output.cmake

execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${output}")
endif()
file(STRINGS "${SOURCE}" lines REGEX "^// Prints: ")
if(NOT lines)
  message(FATAL_ERROR "${SOURCE} does not say what it prints")
endif()
foreach(line IN LISTS lines)
  string(REPLACE "// Prints: " "" expected "${line}")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "\"${expected}\" is not in what ${PROGRAM} printed:\n${output}")
  endif()
endforeach()
