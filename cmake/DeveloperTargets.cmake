# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Targets for people who change the code.

add_custom_target(format COMMAND "${PROJECT_SOURCE_DIR}/scripts/format.sh" VERBATIM)
add_custom_target(format-check COMMAND "${PROJECT_SOURCE_DIR}/scripts/format.sh" --check VERBATIM)
add_custom_target(tidy COMMAND "${PROJECT_SOURCE_DIR}/scripts/tidy.sh" VERBATIM)

if(BUILD_DOCUMENTATION)
  add_custom_target(ceres_docs COMMAND "${PROJECT_SOURCE_DIR}/scripts/docs.sh" USES_TERMINAL VERBATIM)
endif()
