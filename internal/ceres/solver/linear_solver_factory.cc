// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/linear_solver_factory.h"

#include <atomic>
#include <limits>

#include "ceres/linear/dense_qr_solver.h"
#include "ceres/logging/logging.h"
#include "ceres/normal/cgnr_solver.h"
#include "ceres/normal/dynamic_sparsity_solver.h"
#include "ceres/normal/normal_equations_solver.h"
#include "ceres/normal/subset_preconditioner.h"
#include "ceres/solver/solver_tuning.h"

namespace ceres::internal {
namespace {

using Kind = LinearMethod::Kind;
using Factorization = SchurSolverOptions::Method;

std::unique_ptr<LinearSolver> CreateCgnr(
    const LinearMethod& method, const Execution& execution,
    const BlockJacobianStructure& structure) {
  CgnrOptions cgnr;
  cgnr.preconditioner = method.system.preconditioner;
  cgnr.min_iterations = method.system.min_iterations;
  cgnr.max_iterations = method.system.max_iterations;
  if (cgnr.preconditioner != SUBSET) {
    return CreateCgnrSolver(cgnr, execution, structure);
  }
  SparseCholesky::Options sparse;
  sparse.library = method.system.sparse.library;
  sparse.ordering = method.system.sparse.ordering;
  return CreateCgnrSolver(
      cgnr, execution, structure,
      CreateSubsetPreconditioner(sparse, execution, structure,
                                 method.subset_rows));
}

// Once: many small solves should not spend their time on warnings.
void WarnOfDoublePrecision() {
  static std::atomic<bool> has_warned{false};
  if (has_warned.exchange(true)) return;
  VESTA_LOG(kWarning)
      << "Solver::Options::use_mixed_precision_solves: SUITE_SPARSE factors in "
         "double precision, here and in later solves "
         "(Solver::Summary::mixed_precision_solves_used). For single precision "
         "set sparse_linear_algebra_library_type = NATIVE_SPARSE.";
}

void SetSystemOptions(const Solver::Options& options,
                      SchurSolverOptions* system) {
  system->dense_library = options.dense_linear_algebra_library_type;
  system->sparse.library = options.sparse_linear_algebra_library_type;
  system->sparse.ordering = options.linear_solver_ordering_type;
  system->sparse.single_precision = FactorsInSinglePrecision(options);
  system->sparse.num_refinement_iterations =
      options.max_num_refinement_iterations;
  system->mixed_precision = options.use_mixed_precision_solves;
  system->max_num_refinement_iterations = options.max_num_refinement_iterations;
  system->preconditioner = options.preconditioner_type;
  system->visibility_clustering = options.visibility_clustering_type;
  system->max_num_spse_iterations = options.max_num_spse_iterations;
  system->use_spse_initialization = options.use_spse_initialization;
  system->spse_tolerance = options.spse_tolerance;
  system->explicit_schur_complement = options.use_explicit_schur_complement;
  system->expected_q_tolerance = options.eta;
  system->min_iterations = options.min_linear_solver_iterations;
  system->max_iterations = options.max_linear_solver_iterations;
}

// Another type if a Schur solver would have nothing to eliminate.
void ChooseType(LinearSolverType given, bool has_eliminated,
                LinearMethod* method) {
  method->type = given;
  if (has_eliminated) return;
  if (given == SPARSE_SCHUR) method->type = SPARSE_NORMAL_CHOLESKY;
  if (given == DENSE_SCHUR) method->type = DENSE_QR;
  if (given != ITERATIVE_SCHUR) return;
  method->type = CGNR;
  if (method->system.preconditioner != IDENTITY) {
    method->system.preconditioner = JACOBI;
  }
}

}  // namespace

LinearMethod ChooseLinearMethod(const Solver::Options& options,
                                bool has_eliminated) {
  constexpr int kAnySize = std::numeric_limits<int>::max();
  LinearMethod method;
  SetSystemOptions(options, &method.system);
  ChooseType(options.linear_solver_type, has_eliminated, &method);
  switch (method.type) {
    case DENSE_QR:
      method.kind = Kind::kDenseQr;
      break;
    case CGNR:
      method.kind = Kind::kCgnr;
      break;
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
      method.kind =
          method.type == DENSE_SCHUR ? Kind::kSchur : Kind::kNormalEquations;
      method.system.method = Factorization::kDense;
      method.max_merged_size = kAnySize;
      break;
    case SPARSE_NORMAL_CHOLESKY:
      method.kind = options.dynamic_sparsity ? Kind::kDynamicSparsity
                                             : Kind::kNormalEquations;
      method.system.method = Factorization::kSparse;
      method.max_merged_size = options.dynamic_sparsity ? 0 : kAnySize;
      method.has_elimination_order = !options.dynamic_sparsity;
      break;
    case SPARSE_SCHUR:
      method.kind = Kind::kSchur;
      method.system.method = Factorization::kSparse;
      method.max_merged_size = kAnySize;
      method.has_elimination_order = true;
      break;
    case ITERATIVE_SCHUR:
      method.kind = Kind::kSchur;
      method.system.method = Factorization::kIterative;
      method.max_merged_size = kMaxPreconditionerBlock;
      break;
  }
  return method;
}

bool FactorsInSinglePrecision(const Solver::Options& options) {
  const bool is_sparse = options.linear_solver_type == SPARSE_SCHUR ||
                         options.linear_solver_type == SPARSE_NORMAL_CHOLESKY;
  return options.use_mixed_precision_solves &&
         !(is_sparse &&
           options.sparse_linear_algebra_library_type == SUITE_SPARSE);
}

std::unique_ptr<LinearSolver> CreateLinearSolver(
    const LinearMethod& method, const Execution& execution,
    const BlockJacobianStructure& structure, SolveWorkspace* workspace) {
  const SchurSolverOptions& system = method.system;
  if (method.kind == Kind::kDenseQr) {
    return CreateDenseQrSolver(system.dense_library, execution, structure);
  }
  if (method.kind == Kind::kCgnr) {
    return CreateCgnr(method, execution, structure);
  }
  if (system.mixed_precision && !system.sparse.single_precision) {
    WarnOfDoublePrecision();
  }
  if (method.kind == Kind::kSchur) {
    return CreateSchurSolver(system, execution, structure, workspace);
  }
  if (method.kind == Kind::kDynamicSparsity) {
    return CreateDynamicSparsitySolver(system, execution, structure);
  }
  return CreateNormalEquationsSolver(system, execution, structure, workspace);
}

}  // namespace ceres::internal
