# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Runs an example and holds what it prints against the lines "// Prints: <regular expression>" of its source; all must be
# found, in any order. Expressions without brackets and semicolons, which CMake's lists take for their own.
# Usage: cmake -DPROGRAM=<executable> -DSOURCE=<its .cc> -P check_output.cmake
# Optional: ARGUMENTS of the program, a file INPUT for its standard input, EXPECT in place of the lines of SOURCE, and
# NEEDS, a file without which nothing is run. If its name ends in .xz, it is decompressed into the working folder under
# its name without .xz.
# Prints what the expressions matched.

if(NEEDS AND NOT EXISTS "${NEEDS}")
  message("Skipped: there is no ${NEEDS}")
  return()
endif()
if(NEEDS MATCHES "([^/]*)\\.xz$")
  execute_process(COMMAND xz -dc "${NEEDS}" OUTPUT_FILE "${CMAKE_MATCH_1}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message("Skipped: xz -dc ${NEEDS} ended with ${status}")
    return()
  endif()
endif()
if(NOT INPUT)
  set(INPUT /dev/null)
endif()
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} INPUT_FILE "${INPUT}" RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${output}")
endif()
if(EXPECT)
  set(lines "${EXPECT}")
else()
  file(STRINGS "${SOURCE}" lines REGEX "^// Prints: ")
endif()
if(NOT lines)
  message(FATAL_ERROR "${SOURCE} does not say what it prints")
endif()
foreach(line IN LISTS lines)
  string(REPLACE "// Prints: " "" expected "${line}")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "\"${expected}\" is not in what ${PROGRAM} printed:\n${output}")
  endif()
  message("${CMAKE_MATCH_0}")
endforeach()
