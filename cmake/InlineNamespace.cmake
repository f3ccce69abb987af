# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# VESTA_INLINE_NAMESPACE: the library is built from copies of include/ and internal/ in which the inline namespace is written
# out, so that the sources need no macro. Sets VESTA_CODE_DIR, the folder that has include/ and internal/.

set(VESTA_CODE_DIR "${PROJECT_SOURCE_DIR}")
if(VESTA_INLINE_NAMESPACE)
  if(NOT VESTA_INLINE_NAMESPACE MATCHES "^[A-Za-z][A-Za-z0-9_]*$" OR VESTA_INLINE_NAMESPACE MATCHES "__"
     OR VESTA_INLINE_NAMESPACE MATCHES "^(examples|internal|parallel)$")
    message(FATAL_ERROR "VESTA_INLINE_NAMESPACE is '${VESTA_INLINE_NAMESPACE}'. Use letters, digits and single underscores, a "
                        "letter first, and none of: examples internal parallel.")
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(VESTA_CODE_DIR "${PROJECT_BINARY_DIR}/inline_namespace")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/inline_namespace.py" "${VESTA_INLINE_NAMESPACE}"
            "${PROJECT_SOURCE_DIR}" "${VESTA_CODE_DIR}"
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "VESTA_INLINE_NAMESPACE cannot be written into the sources:\n${errors}")
  endif()

  # A change of a source configures again, which copies what has changed.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/ceres/*" "${PROJECT_SOURCE_DIR}/internal/ceres/*")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/cmake/inline_namespace.py")

  # Lines have the same numbers in both, so debuggers and messages can name the sources.
  if(NOT MSVC)
    add_compile_options("-ffile-prefix-map=${VESTA_CODE_DIR}=${PROJECT_SOURCE_DIR}")
  endif()
endif()
