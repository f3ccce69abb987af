// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/kept_preparation.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ceres/problem/kept_preprocessing.h"

namespace ceres::internal {
namespace {

std::map<int, std::set<double*>> GroupsOf(const Solver::Options& options) {
  return options.linear_solver_ordering == nullptr
             ? std::map<int, std::set<double*>>()
             : options.linear_solver_ordering->group_to_elements();
}

// ITERATIVE_SCHUR derives the expected number of products from eta.
double RelevantEta(const Solver::Options& o) {
  return o.linear_solver_type == ITERATIVE_SCHUR ? o.eta : 0.0;
}

// The options that Preprocess reads, the ordering excepted.
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

// A preparation, and the solve that it fits.
class KeptPreparation final : public KeptPreprocessing {
 public:
  KeptPreparation(const Solver::Options& options, const ProblemImpl& problem,
                  std::unique_ptr<Preparation> preparation)
      : structure_revision_(problem.structure_revision()),
        options_(options),
        linear_solver_ordering_(GroupsOf(options)),
        preparation_(std::move(preparation)) {}

  bool Fits(const Solver::Options& options, const ThreadChoice& threads,
            const ProblemImpl& problem) const {
    return structure_revision_ == problem.structure_revision() &&
           preparation_->execution->choice() == threads &&
           RelevantOptions(options_) == RelevantOptions(options) &&
           linear_solver_ordering_ == GroupsOf(options);
  }

  std::unique_ptr<Preparation> Take() { return std::move(preparation_); }

 private:
  const std::int64_t structure_revision_;
  const Solver::Options options_;
  // The options share the user's ordering, which may change.
  const std::map<int, std::set<double*>> linear_solver_ordering_;
  std::unique_ptr<Preparation> preparation_;
};

}  // namespace

std::unique_ptr<Preparation> TakeKeptPreparation(const Solver::Options& options,
                                                 const ThreadChoice& threads,
                                                 ProblemImpl* problem) {
  if (!options.keep_preprocessing || options.check_gradients) return nullptr;
  // Destroyed on return: a new preparation needs the memory.
  const std::unique_ptr<KeptPreprocessing> kept =
      std::move(problem->kept_preprocessing());
  auto* preparation = dynamic_cast<KeptPreparation*>(kept.get());
  if (preparation == nullptr ||
      !preparation->Fits(options, threads, *problem)) {
    return nullptr;
  }
  return preparation->Take();
}

void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem) {
  if (!options.keep_preprocessing || options.check_gradients) return;
  problem->kept_preprocessing() = std::make_unique<KeptPreparation>(
      options, *problem, std::move(preparation));
}

}  // namespace ceres::internal
