// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_BOUNDED_PROBLEM_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_BOUNDED_PROBLEM_H_

#include <cstdint>
#include <random>
#include <vector>

#include "ceres/ceres.h"

namespace ceres::internal {

// For tests: a small random problem with bounds that is not convex.
//
// The problem has 2 to 8 parameter blocks of 1 to 4 parameters; some have
// manifolds, some are constant. Residuals are linear, quadratic, sine and
// exponential functions of the parameters, or of a linear form in them; some
// have loss functions. Half of the varying parameter blocks without manifold,
// at least one, have bounds 0.3 below and 0.4 above the start, unless the
// problem is to have none.
//
// A seed gives the same problem on every platform. The class uses public
// headers only, so that it compiles against every library with this API.
class RandomBoundedProblem {
 public:
  enum class Bounds { kSome, kNone };
  explicit RandomBoundedProblem(int seed, Bounds bounds = Bounds::kSome);
  RandomBoundedProblem(const RandomBoundedProblem&) = delete;
  RandomBoundedProblem& operator=(const RandomBoundedProblem&) = delete;

  Problem* problem() { return &problem_; }

  // Returns whether all parameters are within their bounds.
  bool IsFeasible() const;

 private:
  // In [low, high].
  double DrawReal(double low, double high);
  int DrawInt(int low, int high);

  void AddParameterBlock(std::vector<double>* block);
  void AddBounds();
  // Adds a residual block on the given block and up to two others.
  void AddResidualBlock(int first_block);
  CostFunction* DrawCost(const std::vector<int>& sizes);
  LossFunction* DrawLoss();

  std::mt19937_64 random_;
  std::vector<std::vector<double>> blocks_;
  std::vector<std::vector<double>*> may_have_bounds_;
  Problem problem_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_BOUNDED_PROBLEM_H_
