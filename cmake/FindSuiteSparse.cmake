# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# SuiteSparse: targets SuiteSparse::{Config,AMD,CAMD,COLAMD,CCOLAMD,CHOLMOD} and the variables
#   SuiteSparse_FOUND              all of the above are there
#   SuiteSparse_VERSION            of SuiteSparse as a whole
#   SuiteSparse_Partition_FOUND    CHOLMOD can use METIS (nested dissection)
#   SuiteSparse_CholmodFloat_FOUND CHOLMOD factors in single precision (CHOLMOD 5.1 and later)

include(FindPackageHandleStandardArgs)
include(CheckCXXSourceCompiles)

find_path(SuiteSparse_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
mark_as_advanced(SuiteSparse_INCLUDE_DIR)
set(required SuiteSparse_INCLUDE_DIR)

# Each library after those it needs.
foreach(part IN ITEMS Config AMD CAMD COLAMD CCOLAMD CHOLMOD)
  string(TOLOWER "${part}" name)
  string(REPLACE "config" "suitesparseconfig" name "${name}")
  find_library(SuiteSparse_${part}_LIBRARY ${name})
  mark_as_advanced(SuiteSparse_${part}_LIBRARY)
  list(APPEND required SuiteSparse_${part}_LIBRARY)
endforeach()

# Reads the number that NAME is defined as in HEADER into OUT.
function(suitesparse_number HEADER NAME OUT)
  file(STRINGS "${SuiteSparse_INCLUDE_DIR}/${HEADER}" line REGEX "^#define ${NAME}[ \t]+[0-9]+")
  string(REGEX REPLACE ".*[ \t]([0-9]+).*" "\\1" number "${line}")
  set(${OUT} "${number}" PARENT_SCOPE)
endfunction()

if(SuiteSparse_INCLUDE_DIR)
  suitesparse_number(SuiteSparse_config.h SUITESPARSE_MAIN_VERSION main)
  suitesparse_number(SuiteSparse_config.h SUITESPARSE_SUB_VERSION sub)
  suitesparse_number(SuiteSparse_config.h SUITESPARSE_SUBSUB_VERSION subsub)
  set(SuiteSparse_VERSION "${main}.${sub}.${subsub}")
  suitesparse_number(cholmod.h CHOLMOD_MAIN_VERSION main)
  suitesparse_number(cholmod.h CHOLMOD_SUB_VERSION sub)
  set(cholmod_version "${main}.${sub}")
endif()

find_package_handle_standard_args(SuiteSparse REQUIRED_VARS ${required} VERSION_VAR SuiteSparse_VERSION)

if(SuiteSparse_FOUND AND NOT TARGET SuiteSparse::CHOLMOD)
  set(needs_AMD Config)
  set(needs_CAMD Config)
  set(needs_COLAMD Config)
  set(needs_CCOLAMD Config)
  set(needs_CHOLMOD AMD CAMD COLAMD CCOLAMD)
  foreach(part IN ITEMS Config AMD CAMD COLAMD CCOLAMD CHOLMOD)
    list(TRANSFORM needs_${part} PREPEND SuiteSparse::)
    add_library(SuiteSparse::${part} UNKNOWN IMPORTED)
    set_target_properties(SuiteSparse::${part} PROPERTIES
      IMPORTED_LOCATION "${SuiteSparse_${part}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${needs_${part}}")
  endforeach()
endif()

if(SuiteSparse_FOUND)
  set(CMAKE_REQUIRED_LIBRARIES SuiteSparse::CHOLMOD)
  check_cxx_source_compiles(
    "#include <cholmod.h>
     int main() { return cholmod_metis(nullptr, nullptr, 0, 0, nullptr, nullptr); }" SuiteSparse_Partition_FOUND)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(SuiteSparse_CholmodFloat_FOUND OFF)
  if(cholmod_version VERSION_GREATER_EQUAL 5.1)
    set(SuiteSparse_CholmodFloat_FOUND ON)
  endif()
endif()
