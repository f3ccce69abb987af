// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/linear_solver_factory.h"

#include <atomic>
#include <utility>

#include "ceres/linear/dense_qr_solver.h"
#include "ceres/logging/logging.h"
#include "ceres/normal/cgnr_solver.h"
#include "ceres/normal/dynamic_sparsity_solver.h"
#include "ceres/normal/normal_equations_solver.h"
#include "ceres/normal/subset_preconditioner.h"

namespace ceres::internal {
namespace {

SchurSolverOptions::Method MethodOf(LinearSolverType type) {
  switch (type) {
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
      return SchurSolverOptions::Method::kDense;
    case ITERATIVE_SCHUR:
      return SchurSolverOptions::Method::kIterative;
    default:
      return SchurSolverOptions::Method::kSparse;
  }
}

std::unique_ptr<LinearSolver> CreateCgnr(
    const Solver::Options& options, PreconditionerType preconditioner,
    const Execution& execution, const BlockJacobianStructure& structure,
    const std::vector<int>& subset_rows) {
  CgnrOptions cgnr;
  cgnr.preconditioner = preconditioner;
  cgnr.min_iterations = options.min_linear_solver_iterations;
  cgnr.max_iterations = options.max_linear_solver_iterations;
  if (preconditioner != SUBSET) {
    return CreateCgnrSolver(cgnr, execution, structure);
  }
  SparseCholesky::Options sparse;
  sparse.library = options.sparse_linear_algebra_library_type;
  sparse.ordering = options.linear_solver_ordering_type;
  return CreateCgnrSolver(
      cgnr, execution, structure,
      CreateSubsetPreconditioner(sparse, execution, structure, subset_rows));
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

}  // namespace

LinearSolverChoice WithoutElimination(LinearSolverChoice choice) {
  switch (choice.type) {
    case SPARSE_SCHUR:
      choice.type = SPARSE_NORMAL_CHOLESKY;
      break;
    case DENSE_SCHUR:
      choice.type = DENSE_QR;
      break;
    case ITERATIVE_SCHUR:
      choice.type = CGNR;
      if (choice.preconditioner != IDENTITY) choice.preconditioner = JACOBI;
      break;
    default:
      break;
  }
  return choice;
}

bool WantsMergedColumns(const Solver::Options& options, LinearSolverType type) {
  switch (type) {
    case SPARSE_NORMAL_CHOLESKY:
      return !options.dynamic_sparsity;
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
    case SPARSE_SCHUR:
      return true;
    default:
      return false;
  }
}

bool HasBlockOrder(const Solver::Options& options, LinearSolverType type) {
  return type == SPARSE_SCHUR ||
         (type == SPARSE_NORMAL_CHOLESKY && !options.dynamic_sparsity);
}

bool FactorsInSinglePrecision(const Solver::Options& options) {
  const bool is_sparse = options.linear_solver_type == SPARSE_SCHUR ||
                         options.linear_solver_type == SPARSE_NORMAL_CHOLESKY;
  return options.use_mixed_precision_solves &&
         !(is_sparse &&
           options.sparse_linear_algebra_library_type == SUITE_SPARSE);
}

SchurSolverOptions NormalEquationsOptions(const Solver::Options& options,
                                          LinearSolverChoice choice,
                                          std::vector<int> elimination_group) {
  SchurSolverOptions normal;
  normal.method = MethodOf(choice.type);
  normal.dense_library = options.dense_linear_algebra_library_type;
  normal.sparse.library = options.sparse_linear_algebra_library_type;
  normal.sparse.ordering = options.linear_solver_ordering_type;
  normal.sparse.single_precision = FactorsInSinglePrecision(options);
  normal.sparse.num_refinement_iterations =
      options.max_num_refinement_iterations;
  normal.elimination_group = std::move(elimination_group);
  normal.mixed_precision = options.use_mixed_precision_solves;
  normal.max_num_refinement_iterations = options.max_num_refinement_iterations;
  normal.preconditioner = choice.preconditioner;
  normal.visibility_clustering = options.visibility_clustering_type;
  normal.max_num_spse_iterations = options.max_num_spse_iterations;
  normal.use_spse_initialization = options.use_spse_initialization;
  normal.spse_tolerance = options.spse_tolerance;
  normal.explicit_schur_complement = options.use_explicit_schur_complement;
  normal.expected_q_tolerance = options.eta;
  normal.min_iterations = options.min_linear_solver_iterations;
  normal.max_iterations = options.max_linear_solver_iterations;
  return normal;
}

std::unique_ptr<LinearSolver> CreateLinearSolver(
    const Solver::Options& options, LinearSolverChoice choice,
    const Execution& execution, const BlockJacobianStructure& structure,
    std::vector<int> elimination_group, const std::vector<int>& subset_rows,
    SolveWorkspace* workspace, BlockOrder* block_order) {
  if (choice.type == DENSE_QR) {
    return CreateDenseQrSolver(options.dense_linear_algebra_library_type,
                               execution, structure);
  }
  if (choice.type == CGNR) {
    return CreateCgnr(options, choice.preconditioner, execution, structure,
                      subset_rows);
  }
  if (options.use_mixed_precision_solves &&
      !FactorsInSinglePrecision(options)) {
    WarnOfDoublePrecision();
  }
  SchurSolverOptions normal =
      NormalEquationsOptions(options, choice, std::move(elimination_group));
  normal.sparse.block_order = block_order;
  return options.dynamic_sparsity && choice.type == SPARSE_NORMAL_CHOLESKY
             ? CreateDynamicSparsitySolver(normal, execution, structure)
             : CreateNormalEquationsSolver(normal, execution, structure,
                                           workspace);
}

}  // namespace ceres::internal
