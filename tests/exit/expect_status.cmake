# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Fails unless PROGRAM, called with the words of PLACE, ends with STATUS. EMULATOR runs it; empty: it runs here.

separate_arguments(arguments UNIX_COMMAND "${PLACE}")
execute_process(COMMAND ${EMULATOR} "${PROGRAM}" ${arguments} RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "${PROGRAM} ${PLACE} ended with '${status}', not with ${STATUS}")
endif()
