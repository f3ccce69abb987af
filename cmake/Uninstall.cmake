# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Removes the files that the last installation of a build folder has written; those of Debian packages are dpkg's.
# Usage: cmake -DBUILD=<build folder> -P Uninstall.cmake

set(manifest "${BUILD}/install_manifest.txt")
if(NOT EXISTS "${manifest}")
  message(FATAL_ERROR "${manifest} does not exist: nothing was installed from this build folder")
endif()
file(STRINGS "${manifest}" files)
foreach(file IN LISTS files)
  set(file "$ENV{DESTDIR}${file}")
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    message(STATUS "Removing ${file}")
    file(REMOVE "${file}")
  endif()
endforeach()
file(REMOVE "${manifest}")
