// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Problems of random structure: parameter blocks of sizes 1 to 6, on manifolds,
// constant, with bounds; residual blocks of any of them, with losses; orderings
// that eliminate any independent set. Every combination of solvers takes the
// same steps there as DENSE_QR, which knows nothing of structure.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

class RandomProblem {
 public:
  RandomProblem(int seed, const Problem::Options& options)
      : random_(seed), problem_(options), has_bounds_(Draw(3) == 0) {
    blocks_.resize(2 + Draw(15));
    for (std::vector<double>& block : blocks_) AddParameterBlock(&block);
    start_ = blocks_;
    neighbours_.resize(blocks_.size());
    // Enough to determine all parameters: where rounding decides, solvers
    // differ.
    const int num_residual_blocks = 60 + Draw(150);
    for (int i = 0; i < num_residual_blocks; ++i) AddResidualBlock();
    if (Draw(3) > 0) MakeOrdering();
  }

  Problem* problem() { return &problem_; }
  // Null: left to the solver.
  std::shared_ptr<ParameterBlockOrdering> ordering() { return ordering_; }

  void Reset() {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      std::copy(start_[i].begin(), start_[i].end(), blocks_[i].begin());
    }
  }

 private:
  int Draw(int n) { return static_cast<int>(random_() % n); }
  double DrawReal() { return random_() / 2147483648.0 - 1.0; }

  Manifold* DrawManifold(int size) {
    switch (Draw(6)) {
      case 0:
        return size > 1 ? new SubsetManifold(size, {Draw(size)}) : nullptr;
      case 1:
        return size == 4 ? new QuaternionManifold : nullptr;
      case 2:
        return size > 1 ? new SphereManifold<DYNAMIC>(size) : nullptr;
      case 3:  // Without any freedom.
        return size == 2 ? new SubsetManifold(2, {0, 1}) : nullptr;
      default:
        return nullptr;
    }
  }

  void AddParameterBlock(std::vector<double>* block) {
    const int size = 1 + Draw(6);
    double squared_norm = 0.0;
    for (int c = 0; c < size; ++c) {
      block->push_back(DrawReal());
      squared_norm += block->back() * block->back();
    }
    Manifold* manifold = DrawManifold(size);
    if (manifold != nullptr) {
      for (double& value : *block) value /= std::sqrt(squared_norm);
    }
    problem_.AddParameterBlock(block->data(), size, manifold);
    if (Draw(12) == 0) problem_.SetParameterBlockConstant(block->data());
    if (has_bounds_ && manifold == nullptr && Draw(3) == 0) {
      const int c = Draw(size);
      problem_.SetParameterUpperBound(block->data(), c, (*block)[c] + 0.05);
      problem_.SetParameterLowerBound(block->data(), c, (*block)[c] - 0.3);
    }
  }

  void AddResidualBlock() {
    std::vector<int> chosen;
    const int num_chosen = 1 + Draw(std::min<int>(blocks_.size(), 4));
    while (static_cast<int>(chosen.size()) < num_chosen) {
      const int block = Draw(static_cast<int>(blocks_.size()));
      if (std::count(chosen.begin(), chosen.end(), block) == 0) {
        chosen.push_back(block);
      }
    }
    std::vector<int> sizes;
    std::vector<double*> parameters;
    for (const int block : chosen) {
      sizes.push_back(static_cast<int>(blocks_[block].size()));
      parameters.push_back(blocks_[block].data());
      for (const int other : chosen) {
        if (other != block) neighbours_[block].insert(other);
      }
    }
    const int loss = Draw(4);
    problem_.AddResidualBlock(
        new SineCost(1 + Draw(5), sizes, Draw(1 << 30)),
        loss == 0   ? new HuberLoss(0.3)
        : loss == 1 ? static_cast<LossFunction*>(new CauchyLoss(0.5))
                    : nullptr,
        parameters);
  }

  // Some independent set first, the others in one to three groups.
  void MakeOrdering() {
    ordering_ = std::make_shared<ParameterBlockOrdering>();
    const int num_groups = 1 + Draw(3);
    std::set<int> lowest;
    for (int i = 0; i < static_cast<int>(blocks_.size()); ++i) {
      const bool is_free = std::none_of(
          neighbours_[i].begin(), neighbours_[i].end(),
          [&](int neighbour) { return lowest.count(neighbour) > 0; });
      if (is_free && Draw(3) > 0) {
        lowest.insert(i);
        ordering_->AddElementToGroup(blocks_[i].data(), 0);
      } else {
        ordering_->AddElementToGroup(blocks_[i].data(), 1 + Draw(num_groups));
      }
    }
  }

  std::mt19937 random_;
  std::vector<std::vector<double>> blocks_;
  std::vector<std::vector<double>> start_;
  std::vector<std::set<int>> neighbours_;
  Problem problem_;
  bool has_bounds_;
  std::shared_ptr<ParameterBlockOrdering> ordering_;
};

class RandomStructures : public testing::TestWithParam<int> {
 protected:
  RandomStructures() {
    base_.max_num_iterations = 4;
    // So that iterative solvers are as good as exact, and single precision is
    // refined to double.
    base_.eta = 1e-13;
    base_.max_linear_solver_iterations = 2000;
    base_.max_num_refinement_iterations = 5;
    NameSubset(*random_problem_.problem(), &base_);
  }

  std::vector<double> Costs(const Solver::Options& options) {
    random_problem_.Reset();
    const Solver::Summary summary =
        SolveWith(options, random_problem_.problem());
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
    std::vector<double> costs;
    for (const IterationSummary& iteration : summary.iterations) {
      costs.push_back(iteration.cost);
    }
    return costs;
  }

  // With the same strategy and without any ordering.
  const std::vector<double>& CostsOfDenseQr(const Solver::Options& options) {
    std::vector<double>& costs =
        reference_[{options.trust_region_strategy_type, options.dogleg_type,
                    options.use_nonmonotonic_steps}];
    if (costs.empty()) {
      Solver::Options reference = base_;
      reference.linear_solver_type = DENSE_QR;
      reference.trust_region_strategy_type = options.trust_region_strategy_type;
      reference.dogleg_type = options.dogleg_type;
      reference.use_nonmonotonic_steps = options.use_nonmonotonic_steps;
      costs = Costs(reference);
    }
    return costs;
  }

  SharingContext context_{4};
  RandomProblem random_problem_{GetParam(), context_.problem_options};
  Solver::Options base_ = OptionsToCompare();
  std::map<std::tuple<TrustRegionStrategyType, DoglegType, bool>,
           std::vector<double>>
      reference_;
};

TEST_P(RandomStructures, AllSolversTakeTheSameSteps) {
  const std::vector<Solver::Options> combinations =
      TrustRegionCombinations(base_);
  // A few of them here, others there.
  for (size_t k = GetParam() % 8; k < combinations.size(); k += 8) {
    Solver::Options options = combinations[k];
    options.linear_solver_ordering = random_problem_.ordering();
    options.num_threads = k % 16 < 8 ? 1 : 4;
    SCOPED_TRACE(Describe(options));
    const std::vector<double> expected = CostsOfDenseQr(options);
    const std::vector<double> costs = Costs(options);
    ASSERT_EQ(costs.size(), expected.size());
    for (size_t i = 0; i < costs.size(); ++i) {
      EXPECT_NEAR(costs[i], expected[i], 1e-6 * expected[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomStructures,
                         testing::Range(0,
                                        parallel::kThreadSanitizer ? 8 : 64));

}  // namespace
}  // namespace ceres::internal
