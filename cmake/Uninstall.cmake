# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Removes the files that the last installation of a build folder has written, as a whole or by components; those of Debian
# packages are dpkg's.
# Usage: cmake -DBUILD=<build folder> -P Uninstall.cmake

cmake_minimum_required(VERSION 3.22)
set(manifests "")
set(rest "")
foreach(name IN ITEMS install_manifest install_manifest_dev install_manifest_runtime)
  set(manifest "${BUILD}/${name}.txt")
  if(EXISTS "${manifest}")
    file(READ "${manifest}" files)
    string(APPEND rest "${files}\n")
    list(APPEND manifests "${manifest}")
  endif()
endforeach()
if(NOT manifests)
  message(FATAL_ERROR "${BUILD}/install_manifest.txt does not exist: nothing was installed from this build folder")
endif()

# Lines are taken one by one: file(STRINGS) reads ASCII only, and lists end at brackets.
while(rest MATCHES "^\n*([^\n]+)\n(.*)$")
  set(file "$ENV{DESTDIR}${CMAKE_MATCH_1}")
  set(rest "${CMAKE_MATCH_2}")
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    message(STATUS "Removing ${file}")
    file(REMOVE "${file}")
  endif()
endwhile()
file(REMOVE ${manifests})
