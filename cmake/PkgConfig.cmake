# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Writes and installs <NAME>.pc for the library NAME. Paths are relative to the file, so that the installed tree can be moved.
# REQUIRES names modules of pkg-config. FLAGS are flags and files of the linker that a program needs too. They are in Libs, not
# in Libs.private, so that a static library needs no --static.
function(vesta_pkg_config NAME)
  cmake_parse_arguments(ARG "" "DESCRIPTION" "REQUIRES;FLAGS" ${ARGN})
  get_target_property(output_name ${NAME} OUTPUT_NAME)
  if(NOT output_name)
    set(output_name ${NAME})
  endif()
  set(flags "-l${output_name}")
  foreach(flag IN LISTS ARG_FLAGS)
    if(IS_ABSOLUTE "${flag}")
      # The linker finds it by its name in its own folders, on other machines, too.
      get_filename_component(folder "${flag}" DIRECTORY)
      get_filename_component(file "${flag}" NAME)
      if(folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
        set(flag "-l:${file}")
      endif()
    elseif(NOT flag MATCHES "^-")
      set(flag "-l${flag}")
    endif()
    string(APPEND flags " ${flag}")
  endforeach()
  list(JOIN ARG_REQUIRES ", " requires)
  # Some distributions install libraries and headers into different folders, by absolute paths. Those stay.
  set(prefix "${CMAKE_INSTALL_PREFIX}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
    set(prefix "\${pcfiledir}/${to_prefix}")
  endif()
  foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
    set(${folder} "${CMAKE_INSTALL_${folder}}")
    if(NOT IS_ABSOLUTE "${${folder}}")
      set(${folder} "\${prefix}/${${folder}}")
    endif()
  endforeach()
  file(WRITE "${PROJECT_BINARY_DIR}/${NAME}.pc" "\
prefix=${prefix}
libdir=${LIBDIR}
includedir=${INCLUDEDIR}

Name: ${NAME}
Description: ${ARG_DESCRIPTION}
Version: ${VESTA_CERES_VERSION}.0
Requires: ${requires}
Libs: -L\${libdir} ${flags}
Cflags: -I\${includedir}
")
  install(FILES "${PROJECT_BINARY_DIR}/${NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endfunction()
