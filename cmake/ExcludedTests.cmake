# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Tests that this build, or the system that it is for, cannot have, each with its reason. They are neither built nor run, and
# the configure log names them. Tests of fork(), signals and /proc within a file are left out by the preprocessor
# (CERES_SYSTEM_LINUX and CERES_SYSTEM_POSIX of base/platform.h).

set(VESTA_EXCLUDED_TESTS "")

# Usage: vesta_exclude_tests("REASON" NAME...)
macro(vesta_exclude_tests REASON)
  list(APPEND VESTA_EXCLUDED_TESTS ${ARGN})
  if(BUILD_TESTING)
    message(STATUS "Tests left out, because ${REASON}: ${ARGN}")
  endif()
endmacro()

if(CMAKE_CXX_FLAGS MATCHES "CERES_SYSTEM_PORTABLE")
  vesta_exclude_tests("the size of a stack is not known there" deep_waits_test)
endif()
if(BUILD_TESTING AND UNIX)
  include(CheckCXXSymbolExists)
  check_cxx_symbol_exists(swapcontext ucontext.h VESTA_HAVE_SWAPCONTEXT)
  if(NOT VESTA_HAVE_SWAPCONTEXT)
    vesta_exclude_tests("simulated threads need swapcontext" protocol_explorer_test lost_post_protocol_test
                        region_protocol_test free_slots_protocol_test wait_protocol_test queue_parking_protocol_test)
  endif()
endif()
if(MSVC)
  vesta_exclude_tests("it makes threads of POSIX" deep_waits_test)
endif()
if(CMAKE_CROSSCOMPILING)
  vesta_exclude_tests("an emulator's times say nothing" phase_timer_timing_test thread_pool_timing_test)
endif()
if(BUILD_SHARED_LIBS)
  vesta_exclude_tests("a shared library hides the pools that they control" bundle_adjustment_test pose_graph_test
                      robust_graph_test)
endif()
