# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Compile options of every target of this project.

# Settings of the project as a whole. Inside another project these are that project's.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

  # Programs where people look for them: examples, tests and benchmarks alike.
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(CCACHE_PROGRAM ccache)
    mark_as_advanced(CCACHE_PROGRAM)
    if(CCACHE_PROGRAM)
      set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    endif()
  endif()
endif()

# 17, or what the user asks for if that is later.
if(NOT CMAKE_CXX_STANDARD OR CMAKE_CXX_STANDARD MATCHES "^(98|11|14)$")
  set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# One set of objects serves static and shared libraries, and users put static libraries into shared ones.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# ccache needs this setting before it caches files that use a precompiled header.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

if(VESTA_SANITIZE)
  add_compile_options("-fsanitize=${VESTA_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Two checks that are a quarter of the time it takes to compile templates: a null pointer is noticed where it is used,
  # by its signal, and an object that is gone by the address sanitizer.
  if(VESTA_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,vptr)
  endif()
  add_link_options("-fsanitize=${VESTA_SANITIZE}")
endif()

# Our own sources do without the macros that headers bring for programs (ceres/internal/optional_glog.h).
add_compile_definitions(VESTA_NO_GLOG)

# Sources in one file would share their unnamed namespaces, and Highway allows one file per kernel.
set(CMAKE_UNITY_BUILD OFF)

# Warnings are for our own targets only: targets link this privately, so it never reaches users.
add_library(vesta_warnings INTERFACE)
if(MSVC)
  target_compile_options(vesta_warnings INTERFACE /W3)
  # Objects of templates exceed the 65,279 sections of the older format. Sources are UTF-8.
  add_compile_options(/bigobj /utf-8)
else()
  target_compile_options(vesta_warnings INTERFACE -Wall -Wextra)
endif()
