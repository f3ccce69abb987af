# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Runs the vcpkg port without vcpkg, which needs a network: the functions that the port calls are defined here by what
# vcpkg's documentation says of their arguments and effects. The dependencies are those of the system.
# Usage: cmake -DSCRATCH=<folder> [-DFEATURES=lapack;metis] [-DOPTIONS=<options of cmake>] -P run_port.cmake
# The package is in <folder>/packages. It is built in build/package-vcpkg, which is as deep as build/release is, so that the
# paths of headers are the same to a compiler cache.

cmake_minimum_required(VERSION 3.22)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(port_folder "${root}/packaging/vcpkg/ports/ceres")
file(REMOVE_RECURSE "${SCRATCH}/packages")

# The manifest: fields that vcpkg demands, and features that exist.
file(READ "${port_folder}/vcpkg.json" manifest)
string(JSON PORT GET "${manifest}" name)
string(JSON port_version GET "${manifest}" version)
string(JSON num_default LENGTH "${manifest}" default-features)
math(EXPR last "${num_default} - 1")
foreach(i RANGE ${last})
  string(JSON feature GET "${manifest}" default-features ${i})
  list(APPEND default_features "${feature}")
endforeach()
if(NOT DEFINED FEATURES)
  set(FEATURES ${default_features})
endif()
foreach(feature IN LISTS FEATURES default_features)
  string(JSON description ERROR_VARIABLE unknown GET "${manifest}" features "${feature}" description)
  if(unknown)
    message(FATAL_ERROR "vcpkg.json has no feature '${feature}': ${unknown}")
  endif()
endforeach()
file(STRINGS "${root}/CMakeLists.txt" project REGEX "^project\\(Ceres VERSION ")
if(NOT project MATCHES "VERSION ${port_version} ")
  message(FATAL_ERROR "vcpkg.json says version ${port_version}, the project says ${project}")
endif()

set(JOBS "$ENV{CMAKE_BUILD_PARALLEL_LEVEL}")
if(NOT JOBS)
  cmake_host_system_information(RESULT JOBS QUERY NUMBER_OF_LOGICAL_CORES)
endif()
set(CURRENT_PACKAGES_DIR "${SCRATCH}/packages")
set(build "${root}/build/package-vcpkg")

function(run)
  list(JOIN ARGN " " command)
  message("${command}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# -D<option>=ON for each feature that is asked for, OFF for the others.
function(vcpkg_check_features)
  cmake_parse_arguments(ARG "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGN})
  set(options "")
  while(ARG_FEATURES)
    list(POP_FRONT ARG_FEATURES feature option)
    string(JSON description ERROR_VARIABLE unknown GET "${manifest}" features "${feature}" description)
    if(unknown)
      message(FATAL_ERROR "portfile.cmake names the feature '${feature}', which vcpkg.json lacks")
    endif()
    set(value OFF)
    if(feature IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options "-D${option}=${value}")
  endwhile()
  set(${ARG_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(ARG "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  run("${CMAKE_COMMAND}" -G Ninja -S "${ARG_SOURCE_PATH}" -B "${build}" -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_INSTALL_LIBDIR=lib ${ARG_OPTIONS} ${OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --build "${build}" --target install --parallel ${JOBS})
endfunction()

function(vcpkg_copy_pdbs)
endfunction()

# Moves the package files to share/<name>, where vcpkg's toolchain looks. They must not depend on their depth.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(ARG "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
  set(folder "${PORT}")
  if(ARG_PACKAGE_NAME)
    set(folder "${ARG_PACKAGE_NAME}")
  endif()
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${ARG_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${folder}")
  file(GLOB files "${CURRENT_PACKAGES_DIR}/share/${folder}/*.cmake")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    # The prefix is two folders up, not three.
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n"
           "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\n" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/ceres.pc")
    message(FATAL_ERROR "No lib/pkgconfig/ceres.pc was installed")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(ARG "" "" "FILE_LIST" ${ARGN})
  configure_file("${ARG_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

file(MAKE_DIRECTORY "${SCRATCH}")
include("${port_folder}/portfile.cmake")

foreach(file IN ITEMS "share/${PORT}/copyright" "share/${PORT}/usage" include/ceres/ceres.h share/ceres/CeresConfig.cmake)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(FATAL_ERROR "The port did not install ${file}")
  endif()
endforeach()
