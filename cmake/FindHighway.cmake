# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Google Highway: target Highway::hwy, variable Highway_FOUND.
# Its own package file also demands hwy_test and with it GoogleTest, which a build of the library alone has no use for.
# Without CUSTOM_BLAS, which chooses at run time, the headers are enough.

include(FindPackageHandleStandardArgs)
find_path(Highway_INCLUDE_DIR hwy/highway.h)
find_library(Highway_LIBRARY hwy)
mark_as_advanced(Highway_INCLUDE_DIR Highway_LIBRARY)
if(CUSTOM_BLAS)
  find_package_handle_standard_args(Highway REQUIRED_VARS Highway_LIBRARY Highway_INCLUDE_DIR)
else()
  find_package_handle_standard_args(Highway REQUIRED_VARS Highway_INCLUDE_DIR)
endif()

if(Highway_FOUND AND NOT TARGET Highway::hwy)
  if(Highway_LIBRARY)
    add_library(Highway::hwy UNKNOWN IMPORTED)
    set_target_properties(Highway::hwy PROPERTIES IMPORTED_LOCATION "${Highway_LIBRARY}")
  else()
    add_library(Highway::hwy INTERFACE IMPORTED)
  endif()
  set_target_properties(Highway::hwy PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Highway_INCLUDE_DIR}")
  if(Highway_LIBRARY AND NOT Highway_LIBRARY MATCHES "\\.a$")
    set_target_properties(Highway::hwy PROPERTIES INTERFACE_COMPILE_DEFINITIONS HWY_SHARED_DEFINE)
  endif()
endif()
