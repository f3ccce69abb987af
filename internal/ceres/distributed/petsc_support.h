// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What all solvers that use PETSc need. Only for sources with VESTA_HAVE_PETSC.

#ifndef CERES_INTERNAL_DISTRIBUTED_PETSC_SUPPORT_H_
#define CERES_INTERNAL_DISTRIBUTED_PETSC_SUPPORT_H_

#ifdef VESTA_HAVE_PETSC

#include <petscksp.h>

#include "ceres/distributed/rank_group.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// Initializes PETSc, unless the program has done so. PETSc then keeps no signal
// handlers, and returns errors instead of printing them.
void InitializePetsc();

// Ends the job if a function of PETSc failed.
void CheckPetsc(RankGroup* ranks, PetscErrorCode code, const char* what);

// The result of KSPSolve. Numerical failures are results, not errors.
LinearSolverSummary ResultOfKsp(RankGroup* ranks, KSP ksp);

}  // namespace ceres::internal

#endif  // VESTA_HAVE_PETSC

#endif  // CERES_INTERNAL_DISTRIBUTED_PETSC_SUPPORT_H_
