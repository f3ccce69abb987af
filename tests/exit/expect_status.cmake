# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Fails unless PROGRAM, called with PLACE, ends with STATUS.

execute_process(COMMAND "${PROGRAM}" "${PLACE}" RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "${PROGRAM} ${PLACE} ended with '${status}', not with ${STATUS}")
endif()
