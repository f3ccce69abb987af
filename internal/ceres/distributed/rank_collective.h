// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_RANK_COLLECTIVE_H_
#define CERES_INTERNAL_DISTRIBUTED_RANK_COLLECTIVE_H_

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ceres/distributed/agreement.h"
#include "ceres/distributed/leaf_system.h"
#include "ceres/distributed/rank_columns.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/minimizer/collective.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// The parts of a distributed solve on one rank. Owned by DistributedSolve; the
// minimizer's collective and the linear solver refer to them.
struct RankParts {
  Execution execution;
  RankGroup* ranks = nullptr;
  const SharedLayout* layout = nullptr;
  const RankColumns* columns = nullptr;
  std::vector<std::unique_ptr<LeafSystem>>* leaves = nullptr;
  Agreement* agreement = nullptr;
  SolveWorkspace* workspace = nullptr;
  EvaluationCallback* evaluation_callback = nullptr;  // of the problem, or null
};

// The minimizer's collective over the ranks of a RankGroup.
//
// Sums over columns: a leaf adds up its private columns and the columns of the
// reduced system that it is the home leaf of. Sums over rows: a leaf adds up
// its rows. The values of leaves are then added up in the order of the leaf
// tree.
class RankCollective final : public Collective {
 public:
  // stop: the signal of this rank. start: of the solve. All arguments must
  // outlive this. Collective.
  RankCollective(const RankParts& parts, const MinimizerOptions& options,
                 StopSignal* stop, std::chrono::steady_clock::time_point start);

  bool has_bounds() const override { return has_bounds_; }
  bool is_euclidean() const override { return is_euclidean_; }
  Evaluator::Result EvaluateCost(const double* state, double* cost) override;
  Evaluator::Result EvaluateJacobian(const double* state,
                                     bool new_evaluation_point, double* cost,
                                     double* gradient,
                                     double* squared_column_norms) override;
  double NormOfPoint(const double* x) override;
  double Distance(const double* x, const double* y,
                  double* difference) override;
  double NormOfStep(const double* x) override;
  double DotOfSteps(const double* x, const double* y) override;
  double NormOfProduct(const double* x) override;
  std::array<double, 3> DotsOfProducts(const double* x,
                                       const double* y) override;
  double ModelCostChange(const double* step) override;
  double Largest(double value) override;
  bool All(bool value) override { return Largest(value ? 0.0 : 1.0) == 0.0; }
  std::optional<Termination> Agree(
      const std::function<std::optional<Termination>()>& local) override;
  Termination DescribeStop(int iteration) override;

  double evaluation_seconds() const { return evaluation_seconds_; }

 private:
  // A value of each local leaf.
  using LeafValues = std::vector<double>;
  // Calls evaluate(leaf, cost) for the local leaves, and sums the costs.
  Evaluator::Result Evaluate(
      const double* state, bool with_jacobian,
      const std::function<Evaluator::Result(LeafSystem*, double*)>& evaluate,
      double* cost);
  // Shows the user's code the point of the next evaluation.
  void CallEvaluationCallback(const double* state, bool with_jacobian);
  double Dot(const std::vector<int>& offset, const double* x, const double* y);
  double DotOfProducts(const double* x, const double* y);
  double SumOverLeaves(const std::function<double(LeafSystem*)>& value_of);

  const RankParts parts_;
  const MinimizerOptions& options_;
  StopSignal* const stop_;
  const std::chrono::steady_clock::time_point start_;
  TreeSum column_sums_;  // gradient and column norms of the reduced system
  std::vector<double> sums_;
  bool has_bounds_ = false;
  bool is_euclidean_ = true;
  double evaluation_seconds_ = 0.0;
  std::vector<double> last_state_;  // that the evaluation callback has seen
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_RANK_COLLECTIVE_H_
