# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# For projects that contain the source tree: notes what a project is like before, and compares afterwards.

# Variables of this scope and of the cache, and the targets and tests of the folder and those below it.
macro(note_project)
  get_directory_property(variables_before VARIABLES)
  get_directory_property(cache_before CACHE_VARIABLES)
  foreach(name IN LISTS variables_before)
    set(value_before_${name} "${${name}}")
  endforeach()
endmacro()

function(list_folder FOLDER TARGETS TESTS)
  get_property(targets DIRECTORY "${FOLDER}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(tests DIRECTORY "${FOLDER}" PROPERTY TESTS)
  get_property(folders DIRECTORY "${FOLDER}" PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    list_folder("${folder}" more_targets more_tests)
    list(APPEND targets ${more_targets})
    list(APPEND tests ${more_tests})
  endforeach()
  set(${TARGETS} "${targets}" PARENT_SCOPE)
  set(${TESTS} "${tests}" PARENT_SCOPE)
endfunction()

# A function, so that the variables here are none of the project's. OWN_TARGETS are those of the project itself.
function(check_project OWN_TARGETS)
  set(problems "")

  # Variables of the project keep their values.
  foreach(name IN LISTS variables_before)
    if(name MATCHES "^(CMAKE_|BUILD_)" AND NOT name MATCHES "^CMAKE_(CURRENT_|PARENT_|MATCH_)"
       AND NOT "${${name}}" STREQUAL "${value_before_${name}}")
      list(APPEND problems "${name} changed from '${value_before_${name}}' to '${${name}}'")
    endif()
  endforeach()

  # New variables of the cache: ours, Ceres's options, what find modules of these packages write, and CMake's of the project.
  set(options SUITESPARSE LAPACK EIGENSPARSE EIGENMETIS CUSTOM_BLAS)
  get_directory_property(cache CACHE_VARIABLES)
  list(REMOVE_ITEM cache ${cache_before})
  foreach(name IN LISTS cache)
    if(NOT name MATCHES "^(Ceres_|VESTA_|SuiteSparse_|METIS_|Highway_|BLAS_|LAPACK_|Eigen3_DIR|glog_DIR|gflags_DIR|unwind_DIR|Unwind_)"
       AND NOT name MATCHES "^(CMAKE_HAVE_|CMAKE_PROJECT_VERSION|FETCHCONTENT_|FIND_PACKAGE_MESSAGE_DETAILS_|PKG_CONFIG_|_Unwind_|pkgcfg_)"
       AND NOT name IN_LIST options)
      list(APPEND problems "the cache has a new variable ${name}")
    endif()
  endforeach()

  list_folder("${CMAKE_SOURCE_DIR}" targets tests)
  list(REMOVE_ITEM targets ${OWN_TARGETS})
  foreach(target IN LISTS targets)
    if(NOT target MATCHES "^(ceres|ceres_parallel|vesta_[a-z_]+)$")
      list(APPEND problems "there is a target ${target}")
    endif()
  endforeach()
  if(tests)
    list(APPEND problems "there are tests: ${tests}")
  endif()
  foreach(target IN ITEMS ceres Ceres::ceres Ceres::parallel)
    if(NOT TARGET ${target})
      list(APPEND problems "there is no target ${target}")
    endif()
  endforeach()

  if(problems)
    list(JOIN problems "\n  " problems)
    message(FATAL_ERROR "Vesta changed the project around it:\n  ${problems}")
  endif()
endfunction()
