# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Compiles the kernels in KERNELS as a build with CUSTOM_BLAS=OFF does, and fails where an object calls Highway's library:
# such a build needs Highway's headers alone. Nothing is optimized away, so no call is missed.
# Usage: cmake -DCXX=<compiler> -DNM=<nm> "-DINCLUDE=<folders>" -DKERNELS=<folder> -DSCRATCH=<folder> -P check_symbols.cmake

file(GLOB sources "${KERNELS}/*.cc")
list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
if(NOT sources)
  message(FATAL_ERROR "No sources in ${KERNELS}")
endif()
list(TRANSFORM INCLUDE PREPEND "-I")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
execute_process(COMMAND "${CXX}" -std=c++17 -O0 -DHWY_COMPILE_ONLY_STATIC ${INCLUDE} -c ${sources}
                WORKING_DIRECTORY "${SCRATCH}" COMMAND_ERROR_IS_FATAL ANY)

file(GLOB objects "${SCRATCH}/*.o" "${SCRATCH}/*.obj")
list(LENGTH sources num_sources)
list(LENGTH objects num_objects)
if(NOT num_objects EQUAL num_sources)
  message(FATAL_ERROR "${num_sources} sources, but ${num_objects} objects in ${SCRATCH}")
endif()
execute_process(COMMAND "${NM}" -A -C -u ${objects} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
if(undefined MATCHES "[^\n]*U hwy::[^\n]*")
  message(FATAL_ERROR "Highway's library is called, which a build with CUSTOM_BLAS=OFF does not link:\n${CMAKE_MATCH_0}\n"
                      "Use what needs its headers alone (for example std::abort instead of HWY_ABORT).")
endif()
