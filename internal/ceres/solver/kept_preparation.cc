// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/kept_preparation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <set>
#include <tuple>
#include <unordered_set>
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
               o.linear_solver_ordering_type, o.jacobian_storage,
               o.use_explicit_schur_complement, o.dynamic_sparsity,
               o.use_mixed_precision_solves, o.max_num_refinement_iterations,
               o.min_linear_solver_iterations, o.max_linear_solver_iterations,
               o.max_num_spse_iterations, o.use_spse_initialization,
               o.spse_tolerance, o.check_gradients));
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

  // Keeps an order alone.
  KeptPreparation(const Solver::Options& options, CarriedOrder order)
      : structure_revision_(kNoRevision),
        options_(options),
        preparation_(std::make_unique<Preparation>()) {
    preparation_->elimination_order = std::move(order);
  }

  bool Fits(const Solver::Options& options, const ThreadChoice& threads,
            const ProblemImpl& problem) const {
    return structure_revision_ == problem.structure_revision() &&
           preparation_->execution->choice() == threads && OrderFits(options) &&
           linear_solver_ordering_ == GroupsOf(options);
  }
  bool OrderFits(const Solver::Options& options) const {
    return RelevantOptions(options_) == RelevantOptions(options);
  }

  void NoteRemoved(const ParameterBlock* block) override {
    removed_.insert(block);
  }

  std::unique_ptr<Preparation> Take() { return std::move(preparation_); }

  // The order without the blocks that were removed. A block that has the
  // address of a removed block is a new one.
  CarriedOrder Order() const {
    CarriedOrder order = preparation_->elimination_order;
    if (removed_.empty()) return order;
    std::vector<ParameterBlock*>& blocks = order.blocks;
    blocks.erase(std::remove_if(blocks.begin(), blocks.end(),
                                [this](const ParameterBlock* block) {
                                  return removed_.count(block) > 0;
                                }),
                 blocks.end());
    return order;
  }

 private:
  static constexpr std::int64_t kNoRevision = -1;

  const std::int64_t structure_revision_;
  const Solver::Options options_;
  // The options share the user's ordering, which may change.
  const std::map<int, std::set<double*>> linear_solver_ordering_;
  std::unique_ptr<Preparation> preparation_;
  std::unordered_set<const ParameterBlock*> removed_;
};

}  // namespace

KeptParts TakeKeptPreparation(const Solver::Options& options,
                              const ThreadChoice& threads,
                              ProblemImpl* problem) {
  KeptParts parts;
  if (!options.keep_preprocessing || options.check_gradients) return parts;
  // Destroyed on return: a new preparation needs the memory.
  const std::unique_ptr<KeptPreprocessing> kept =
      std::move(problem->kept_preprocessing());
  auto* preparation = dynamic_cast<KeptPreparation*>(kept.get());
  if (preparation == nullptr) return parts;
  if (preparation->Fits(options, threads, *problem)) {
    parts.preparation = preparation->Take();
  } else if (preparation->OrderFits(options)) {
    parts.order = preparation->Order();
  }
  return parts;
}

void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem) {
  if (!options.keep_preprocessing || options.check_gradients) return;
  // The solution is in the parameters: Solve must not throw. Without memory,
  // the next solve prepares again.
  try {
    problem->kept_preprocessing() = std::make_unique<KeptPreparation>(
        options, *problem, std::move(preparation));
  } catch (const std::bad_alloc&) {
  }
}

std::vector<int> KeptEliminationOrder(ProblemImpl* problem) {
  std::vector<int> indices;
  const auto* kept =
      dynamic_cast<KeptPreparation*>(problem->kept_preprocessing().get());
  if (kept == nullptr) return indices;
  for (const ParameterBlock* block : kept->Order().blocks) {
    indices.push_back(block->index());
  }
  return indices;
}

void KeepEliminationOrder(const Solver::Options& options,
                          const std::vector<int>& order, ProblemImpl* problem) {
  CarriedOrder kept;
  kept.is_final = true;
  for (const int index : order) {
    kept.blocks.push_back(problem->parameter_blocks()[index]);
  }
  problem->kept_preprocessing() =
      std::make_unique<KeptPreparation>(options, std::move(kept));
}

}  // namespace ceres::internal
