# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Removes the files that the last installation of a build folder has written. Usage: cmake -DBUILD=<build folder> -P Uninstall.cmake

file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
  message(FATAL_ERROR "${BUILD} has no install_manifest.txt: nothing was installed from there")
endif()
foreach(manifest IN LISTS manifests)
  file(STRINGS "${manifest}" files)
  foreach(file IN LISTS files)
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      message(STATUS "Removing ${file}")
      file(REMOVE "${file}")
    endif()
  endforeach()
  file(REMOVE "${manifest}")
endforeach()
