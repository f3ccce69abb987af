# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Says what the build contains. The licences are also in Solver::Summary::FullReport (solver/reporting/solver_summary.cc).

set(sparse NATIVE_SPARSE)
set(dense EIGEN)
set(apache Highway)
set(licences "BSD-3-Clause, MPL-2.0 (Eigen)")
if(EIGENSPARSE)
  list(APPEND sparse EIGEN_SPARSE)
endif()
if(VESTA_USE_LAPACK)
  list(APPEND dense LAPACK)
endif()
if(VESTA_USE_EIGENMETIS)
  list(APPEND apache METIS)
endif()
list(JOIN apache ", " apache)
string(APPEND licences ", Apache-2.0 (${apache})")
if(VESTA_USE_SUITESPARSE)
  list(APPEND sparse SUITE_SPARSE)
  string(APPEND licences ", GPL-2.0-or-later (SuiteSparse)")
endif()
list(JOIN sparse " " sparse)
list(JOIN dense " " dense)
message(STATUS "Vesta: sparse libraries ${sparse}; dense libraries ${dense}")
message(STATUS "Vesta: licences of this build: ${licences}")
