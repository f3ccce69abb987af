# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# The component `distributed`: the library Ceres::distributed, made of the layer of that name, which needs MPI. Off by
# default: no other library, header or test needs MPI.

option(VESTA_DISTRIBUTED "Build Ceres::distributed, which solves over MPI" OFF)
option(VESTA_PETSC "Use PETSc for large reduced systems of Ceres::distributed, where found" ON)

if(VESTA_DISTRIBUTED)
  if(BUILD_SHARED_LIBS)
    message(FATAL_ERROR "VESTA_DISTRIBUTED=ON: Ceres::distributed uses functions that a shared Ceres::ceres does not export. Build "
                        "static libraries.")
  endif()
  # The C interface of MPI is enough.
  set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "Do not use the C++ bindings of MPI")
  find_package(MPI COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "VESTA_DISTRIBUTED=ON needs MPI. scripts/install_dependencies.sh --with-distributed installs it.")
  endif()
  set(libraries_of_distributed MPI::MPI_CXX)
  if(VESTA_PETSC)
    find_package(PkgConfig QUIET)
    if(PKG_CONFIG_FOUND)
      pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
    endif()
  endif()
  if(PETSC_FOUND)
    message(STATUS "Ceres::distributed uses PETSc ${PETSC_VERSION}")
    set(VESTA_USE_PETSC ON)
  else()
    message(STATUS "Ceres::distributed is built without PETSc")
    set(VESTA_USE_PETSC OFF)
  endif()
endif()

# The library, after the library ceres. It links ceres and does not repeat it.
function(vesta_distributed_library)
  set(petsc "")
  if(VESTA_USE_PETSC)
    target_include_directories(vesta_distributed SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
    target_compile_definitions(vesta_distributed PRIVATE VESTA_HAVE_PETSC)
    set(petsc "${PETSC_LINK_LIBRARIES}")
  endif()
  # METIS is a library of Ceres::ceres already.
  if(VESTA_USE_EIGENMETIS)
    target_link_libraries(vesta_distributed PRIVATE METIS::METIS)
    target_compile_definitions(vesta_distributed PRIVATE VESTA_HAVE_METIS)
  endif()
  vesta_library(ceres_distributed EXPORT_NAME distributed EXPORT_SET CeresDistributedTargets LAYERS distributed
                PUBLIC ceres MPI::MPI_CXX ${petsc})
endfunction()

# A test that mpirun runs with each number of ranks in RANKS: <NAME>_<ranks><SUFFIX>. More ranks than CPUs are fine:
# ranks that wait yield. A rank needs one CPU.
function(vesta_mpi_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT;SUFFIX" "RANKS;ARGUMENTS" ${ARGN})
  foreach(ranks IN LISTS ARG_RANKS)
    set(test ${NAME}_${ranks}${ARG_SUFFIX})
    add_test(NAME ${test}
             COMMAND "${MPIEXEC_EXECUTABLE}" --oversubscribe --allow-run-as-root --bind-to none ${MPIEXEC_NUMPROC_FLAG}
                     ${ranks} $<TARGET_FILE:${NAME}> ${ARG_ARGUMENTS})
    set_tests_properties(${test} PROPERTIES LABELS distributed TIMEOUT ${ARG_TIMEOUT} PROCESSORS 2
                         ENVIRONMENT "OMPI_MCA_btl_base_warn_component_unused=0;OMPI_MCA_rmaps_base_oversubscribe=1")
  endforeach()
endfunction()
