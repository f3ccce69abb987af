// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_RELATIVE_NORMS_H_
#define CERES_INTERNAL_GRADUATED_RELATIVE_NORMS_H_

#include <string>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/graduated_solver.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// Evaluates z = s / c^2 of residual blocks at the user's values: s is the
// squared norm without loss function, and c^2 the largest s of an inlier.
class RelativeNorms {
 public:
  // blocks: of the problem, which must outlive this and must not change.
  RelativeNorms(const Solver::Options& options,
                const GraduatedOptions& graduated_options, ProblemImpl* problem,
                const std::vector<ResidualBlock*>& blocks);
  RelativeNorms(const RelativeNorms&) = delete;
  RelativeNorms& operator=(const RelativeNorms&) = delete;

  // 1 / c^2 of a block.
  double InverseBound(int i) const { return inverse_bounds_[i]; }

  // Multiplies c^2 of all blocks by a factor > 0.
  void ScaleBounds(double factor);

  // Writes one z per block. Blocks without residuals have z = 0. Returns false,
  // with an error, if a block cannot be evaluated or its norm overflows.
  // Exceptions of user code reach the caller.
  [[nodiscard]] bool Evaluate(std::vector<double>* z, std::string* error);

 private:
  const std::vector<ResidualBlock*>& blocks_;
  std::vector<double> inverse_bounds_;  // 1 / c^2, by block
  SolveExecution execution_;
  const Program program_;  // all parameter blocks are constant
  Evaluator evaluator_;
  std::vector<double> residuals_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_RELATIVE_NORMS_H_
