// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/petsc_support.h"

#include "ceres/base/format.h"
#include "ceres/distributed/implicit_schur.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/logging/logging.h"

#ifndef VESTA_HAVE_PETSC

namespace ceres::distributed {

bool HasPetsc() { return false; }

}  // namespace ceres::distributed

namespace ceres::internal {

std::unique_ptr<SchurOverRanks> CreatePetscSchur(
    const distributed::Options& /*options*/,
    distributed::ReducedSolver /*solver*/,
    const BlockSymmetricStructure& /*pattern*/, const RankParts& /*parts*/) {
  VESTA_FATAL() << "This library was built without PETSc.";
  return nullptr;
}

std::unique_ptr<ImplicitSchur> CreatePetscShellSchur(
    const SchurSolverOptions& /*options*/, double /*tolerance*/,
    const RankParts& /*parts*/) {
  VESTA_FATAL() << "This library was built without PETSc.";
  return nullptr;
}

}  // namespace ceres::internal

#else

namespace ceres::distributed {

bool HasPetsc() { return true; }

}  // namespace ceres::distributed

namespace ceres::internal {
namespace {

// MPI calls it when MPI_Finalize begins.
int FinalizePetsc(MPI_Comm /*comm*/, int /*key*/, void* /*value*/,
                  void* /*extra*/) {
  PetscFinalize();
  return MPI_SUCCESS;
}

}  // namespace

void InitializePetsc() {
  PetscBool is_initialized = PETSC_FALSE;
  PetscInitialized(&is_initialized);
  if (is_initialized == PETSC_TRUE) return;
  PetscInitializeNoArguments();
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, FinalizePetsc, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

void CheckPetsc(RankGroup* ranks, PetscErrorCode code, const char* what) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  ranks->EndJob(Format("PETSc failed in %s: %s.", what,
                       text != nullptr ? text : "unknown error"));
}

LinearSolverSummary ResultOfKsp(RankGroup* ranks, KSP ksp) {
  LinearSolverSummary summary;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  CheckPetsc(ranks, KSPGetConvergedReason(ksp, &reason),
             "KSPGetConvergedReason");
  PetscInt num_iterations = 0;
  CheckPetsc(ranks, KSPGetIterationNumber(ksp, &num_iterations),
             "KSPGetIterationNumber");
  summary.num_iterations = static_cast<int>(num_iterations);
  if (reason > 0) {
    summary.termination = LinearSolverTermination::kSuccess;
  } else if (reason == KSP_DIVERGED_ITS) {
    summary.termination = LinearSolverTermination::kNoConvergence;
  } else {
    const char* text = nullptr;
    KSPGetConvergedReasonString(ksp, &text);
    summary.termination = LinearSolverTermination::kFailure;
    summary.message = Format("PETSc could not solve the reduced system: %s.",
                             text != nullptr ? text : "unknown reason");
  }
  return summary;
}

}  // namespace ceres::internal

#endif  // VESTA_HAVE_PETSC
