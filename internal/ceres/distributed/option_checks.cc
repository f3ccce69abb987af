// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/option_checks.h"

#include <algorithm>

#include "ceres/base/format.h"
#include "ceres/distributed/hashing.h"

namespace ceres::internal {
namespace {

using distributed::ReducedSolver;

bool IsPetsc(ReducedSolver solver) {
  return solver == ReducedSolver::PETSC_CG_BLOCK_JACOBI ||
         solver == ReducedSolver::PETSC_CG_GAMG ||
         solver == ReducedSolver::PETSC_CG_SHELL ||
         solver == ReducedSolver::PETSC_MUMPS;
}

// With ITERATIVE_SCHUR.
bool FormsMatrix(ReducedSolver solver) {
  return solver == ReducedSolver::PETSC_CG_BLOCK_JACOBI ||
         solver == ReducedSolver::PETSC_CG_GAMG;
}

bool FitsLinearSolver(ReducedSolver solver, LinearSolverType type) {
  switch (solver) {
    case ReducedSolver::AUTOMATIC:
      return true;
    case ReducedSolver::GATHERED:
      return type == DENSE_SCHUR || type == SPARSE_SCHUR;
    case ReducedSolver::REPLICATED_CG:
      return type == ITERATIVE_SCHUR;
    case ReducedSolver::PETSC_CG_BLOCK_JACOBI:
    case ReducedSolver::PETSC_CG_GAMG:
    case ReducedSolver::PETSC_CG_SHELL:
      return type == SPARSE_SCHUR || type == ITERATIVE_SCHUR;
    case ReducedSolver::PETSC_MUMPS:
      return type == SPARSE_SCHUR;
  }
  return false;
}

// What a distributed solve refuses: the condition, and what to do.
struct Refusal {
  bool is_set;
  const char* option;
  const char* advice;
};

std::vector<Refusal> Refusals(const distributed::Options& options) {
  const LinearSolverType type = options.linear_solver_type;
  const PreconditionerType preconditioner = options.preconditioner_type;
  return {
      {options.minimizer_type != TRUST_REGION, "minimizer_type = LINE_SEARCH",
       "Use TRUST_REGION"},
      {type != DENSE_SCHUR && type != SPARSE_SCHUR && type != ITERATIVE_SCHUR &&
           type != CGNR,
       "this linear_solver_type",
       "Use DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR or CGNR"},
      {type == CGNR && preconditioner != JACOBI && preconditioner != IDENTITY,
       "this preconditioner_type with CGNR", "Use JACOBI or IDENTITY"},
      {type == ITERATIVE_SCHUR && preconditioner != JACOBI &&
           preconditioner != SCHUR_JACOBI,
       "this preconditioner_type", "Use JACOBI or SCHUR_JACOBI"},
      {type == ITERATIVE_SCHUR && options.use_spse_initialization,
       "use_spse_initialization", "Set it to false"},
      {type == ITERATIVE_SCHUR && options.use_explicit_schur_complement &&
           !FormsMatrix(options.reduced_solver),
       "use_explicit_schur_complement for a reduced_solver that does not form "
       "the matrix",
       "Set reduced_solver to PETSC_CG_BLOCK_JACOBI"},
      {IsPetsc(options.reduced_solver) && type == ITERATIVE_SCHUR &&
           options.min_linear_solver_iterations > 0,
       "min_linear_solver_iterations for a reduced_solver of PETSc",
       "Set it to 0"},
      {IsPetsc(options.reduced_solver) && options.use_mixed_precision_solves,
       "use_mixed_precision_solves for a reduced_solver of PETSc",
       "Use GATHERED"},
      {IsPetsc(options.reduced_solver) && !distributed::HasPetsc(),
       "reduced_solver of PETSc: this library was built without it",
       "Use AUTOMATIC"},
      {!FitsLinearSolver(options.reduced_solver, type),
       "reduced_solver for this linear_solver_type", "Use AUTOMATIC"},
      {options.use_inner_iterations, "use_inner_iterations", "Set it to false"},
      {options.dynamic_sparsity, "dynamic_sparsity", "Set it to false"},
      {options.jacobian_storage == JacobianStorage::FLOAT ||
           options.jacobian_storage == JacobianStorage::RECOMPUTE,
       "jacobian_storage other than DOUBLE", "Use DOUBLE"},
      {options.check_gradients, "check_gradients",
       "Check them in a solve of one process"},
      {options.keep_progress_on_exception, "keep_progress_on_exception",
       "Set it to false"},
      {options.keep_preprocessing, "keep_preprocessing", "Set it to false"},
      {!options.trust_region_minimizer_iterations_to_dump.empty(),
       "trust_region_minimizer_iterations_to_dump", "Leave it empty"},
  };
}

}  // namespace

bool CheckOptions(const distributed::Options& options, std::string* error) {
  if (!options.IsValid(error)) return false;
  for (const Refusal& refusal : Refusals(options)) {
    if (!refusal.is_set) continue;
    *error = Format("distributed::Solve does not support Options::%s. %s.",
                    refusal.option, refusal.advice);
    return false;
  }
  if (!(options.communication_timeout_in_seconds >= 0.0)) {
    *error = Format(
        "distributed::Options::communication_timeout_in_seconds = %g must be a "
        "time, or 0 for none.",
        options.communication_timeout_in_seconds);
    return false;
  }
  if (!(options.max_reduced_matrix_gigabytes > 0.0)) {
    *error = Format(
        "distributed::Options::max_reduced_matrix_gigabytes = %g must be "
        "positive.",
        options.max_reduced_matrix_gigabytes);
    return false;
  }
  if (options.checkpoint_period < 1) {
    *error =
        Format("distributed::Options::checkpoint_period = %d must be positive.",
               options.checkpoint_period);
    return false;
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (options.num_threads > 1 && level < MPI_THREAD_FUNNELED) {
    *error =
        "distributed::Solve with Options::num_threads > 1 needs "
        "MPI_Init_thread with MPI_THREAD_FUNNELED or more.";
    return false;
  }
  return true;
}

std::vector<OptionHash> HashOptions(const distributed::Options& o) {
  std::vector<OptionHash> hashes;
#define VESTA_HASH(option) \
  hashes.push_back({#option, Hash().AddValue(o.option).value()})
  VESTA_HASH(max_num_line_search_step_size_iterations);
  VESTA_HASH(min_line_search_step_size);
  VESTA_HASH(line_search_interpolation_type);
  VESTA_HASH(line_search_sufficient_function_decrease);
  VESTA_HASH(max_line_search_step_contraction);
  VESTA_HASH(min_line_search_step_contraction);
  VESTA_HASH(trust_region_strategy_type);
  VESTA_HASH(dogleg_type);
  VESTA_HASH(use_nonmonotonic_steps);
  VESTA_HASH(max_consecutive_nonmonotonic_steps);
  VESTA_HASH(max_num_iterations);
  VESTA_HASH(max_solver_time_in_seconds);
  VESTA_HASH(initial_trust_region_radius);
  VESTA_HASH(max_trust_region_radius);
  VESTA_HASH(min_trust_region_radius);
  VESTA_HASH(min_relative_decrease);
  VESTA_HASH(min_lm_diagonal);
  VESTA_HASH(max_lm_diagonal);
  VESTA_HASH(max_num_consecutive_invalid_steps);
  VESTA_HASH(function_tolerance);
  VESTA_HASH(gradient_tolerance);
  VESTA_HASH(parameter_tolerance);
  VESTA_HASH(linear_solver_type);
  VESTA_HASH(preconditioner_type);
  VESTA_HASH(dense_linear_algebra_library_type);
  VESTA_HASH(sparse_linear_algebra_library_type);
  VESTA_HASH(linear_solver_ordering_type);
  VESTA_HASH(use_explicit_schur_complement);
  VESTA_HASH(use_mixed_precision_solves);
  VESTA_HASH(max_num_refinement_iterations);
  VESTA_HASH(min_linear_solver_iterations);
  VESTA_HASH(max_linear_solver_iterations);
  VESTA_HASH(eta);
  VESTA_HASH(jacobi_scaling);
  VESTA_HASH(update_state_every_iteration);
  VESTA_HASH(reduced_solver);
  VESTA_HASH(max_reduced_matrix_gigabytes);
  VESTA_HASH(communication_timeout_in_seconds);
  VESTA_HASH(checkpoint_period);
#undef VESTA_HASH
  hashes.push_back(
      {"linear_solver_ordering",
       Hash().AddValue(o.linear_solver_ordering == nullptr).value()});
  hashes.push_back(
      {"checkpoint_path", Hash().AddValue(o.checkpoint_path.empty()).value()});
  return hashes;
}

std::string CompareCalls(RankGroup* ranks, const char* operation,
                         const std::vector<OptionHash>& options,
                         const std::string& my_error) {
  const std::string error = FirstError(ranks, my_error);
  if (!error.empty()) return error;
  std::vector<std::uint64_t> hashes = {Hash().Add(operation).value()};
  for (const OptionHash& option : options) hashes.push_back(option.hash);
  std::vector<std::int64_t> first;
  const std::vector<std::uint64_t> all =
      ranks->GatherLists(Phase::kSetup, hashes, &first);
  for (int r = 1; r < ranks->size(); ++r) {
    const std::int64_t size = first[r + 1] - first[r];
    for (std::int64_t i = 0; i < std::max(size, first[1]); ++i) {
      if (i < size && i < first[1] && all[first[r] + i] == all[i]) continue;
      if (i == 0 || i > static_cast<std::int64_t>(options.size())) {
        return Format(
            "Ranks 0 and %d call different functions of ceres::distributed, or "
            "have different versions of the library.",
            r);
      }
      return Format(
          "Options::%s differs on ranks 0 and %d. Set it to the same "
          "value on all ranks.",
          options[i - 1].name, r);
    }
  }
  return "";
}

std::string FirstError(RankGroup* ranks, const std::string& my_error) {
  const std::vector<int> has_error =
      ranks->Gather(Phase::kSetup, my_error.empty() ? 0 : 1);
  const auto first = std::find(has_error.begin(), has_error.end(), 1);
  if (first == has_error.end()) return "";
  const int rank = static_cast<int>(first - has_error.begin());
  std::string message = my_error;
  ranks->Broadcast(Phase::kSetup, rank, &message);
  return Format("Rank %d: ", rank) + message;
}

}  // namespace ceres::internal
