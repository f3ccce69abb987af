# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Runs a program of docs/snippets and compares its standard output with a file, exactly.
# Usage: cmake -DPROGRAM=<executable> -DEXPECTED=<.out> [-DEMULATOR=<program>] [-DUPDATE=ON] -P compare_output.cmake
# UPDATE writes the file instead. EMULATOR runs programs of another platform; Windows ends lines with two characters.

execute_process(COMMAND ${EMULATOR} "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${output}${errors}")
endif()
string(REPLACE "\r\n" "\n" output "${output}")
if(output STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} printed nothing on its standard output.")
endif()
if(UPDATE)
  file(WRITE "${EXPECTED}" "${output}")
  return()
endif()
if(NOT EXISTS "${EXPECTED}")
  message(FATAL_ERROR "There is no ${EXPECTED}. To write it: docs/tools/update_snippet_outputs.sh")
endif()
file(READ "${EXPECTED}" expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${output}\nInstead of ${EXPECTED}:\n${expected}\n"
                      "If the new output is right: docs/tools/update_snippet_outputs.sh")
endif()
