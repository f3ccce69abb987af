// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/preparation.h"

#include <tuple>
#include <utility>

namespace ceres::internal {
namespace {

// How many products ITERATIVE_SCHUR expects depends on eta.
double RelevantEta(const Solver::Options& o) {
  return o.linear_solver_type == ITERATIVE_SCHUR ? o.eta : 0.0;
}

// The options that Solve and CreateLinearSolver read while they prepare. (Those
// that only the minimizer reads may differ.)
auto RelevantOptions(const Solver::Options& o) {
  return std::tuple_cat(
      std::make_tuple(RelevantEta(o)),
      std::tie(o.minimizer_type, o.linear_solver_type, o.preconditioner_type,
               o.visibility_clustering_type,
               o.residual_blocks_for_subset_preconditioner,
               o.dense_linear_algebra_library_type,
               o.sparse_linear_algebra_library_type,
               o.linear_solver_ordering_type, o.use_explicit_schur_complement,
               o.dynamic_sparsity, o.use_mixed_precision_solves,
               o.max_num_refinement_iterations, o.min_linear_solver_iterations,
               o.max_linear_solver_iterations, o.max_num_spse_iterations,
               o.use_spse_initialization, o.spse_tolerance, o.check_gradients));
}

std::map<int, std::set<double*>> GroupsOf(const Solver::Options& options) {
  return options.linear_solver_ordering == nullptr
             ? std::map<int, std::set<double*>>()
             : options.linear_solver_ordering->group_to_elements();
}

bool SameExecution(const Execution& a, const Execution& b) {
  return a.context == b.context && a.num_threads == b.num_threads &&
         a.executor == b.executor && MostThreads(a) == MostThreads(b);
}

}  // namespace

std::unique_ptr<Preparation> TakeKeptPreparation(const Solver::Options& options,
                                                 const Execution& execution,
                                                 ProblemImpl* problem) {
  // Gradient checks put objects of their own into the program.
  if (!options.keep_preprocessing || options.check_gradients) return nullptr;
  std::unique_ptr<KeptPreprocessing>& kept = problem->kept_preprocessing();
  auto* preparation = dynamic_cast<Preparation*>(kept.get());
  if (preparation == nullptr ||
      preparation->purpose->structure_revision !=
          problem->structure_revision() ||
      !SameExecution(preparation->execution, execution) ||
      RelevantOptions(preparation->purpose->options) !=
          RelevantOptions(options) ||
      preparation->purpose->linear_solver_ordering != GroupsOf(options)) {
    // Before the memory of another one is needed.
    kept.reset();
    return nullptr;
  }
  kept.release();
  return std::unique_ptr<Preparation>(preparation);
}

void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem) {
  if (!options.keep_preprocessing || options.check_gradients) return;
  preparation->purpose =
      std::make_unique<const Preparation::Purpose>(Preparation::Purpose{
          problem->structure_revision(), options, GroupsOf(options)});
  problem->kept_preprocessing() = std::move(preparation);
}

}  // namespace ceres::internal
