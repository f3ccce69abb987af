# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# METIS (graph partitioning, nested dissection): target METIS::METIS, variables METIS_FOUND and METIS_VERSION.

include(FindPackageHandleStandardArgs)
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)

if(METIS_INCLUDE_DIR)
  set(METIS_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR SUBMINOR)
    file(STRINGS "${METIS_INCLUDE_DIR}/metis.h" line REGEX "^#define METIS_VER_${part}[ \t]+[0-9]+")
    string(REGEX REPLACE ".*[ \t]([0-9]+).*" "\\1" number "${line}")
    list(APPEND METIS_VERSION "${number}")
  endforeach()
  list(JOIN METIS_VERSION "." METIS_VERSION)
endif()

find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR VERSION_VAR METIS_VERSION)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
