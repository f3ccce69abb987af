// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_BLOCK_EVALUATION_H_
#define CERES_INTERNAL_EVALUATION_BLOCK_EVALUATION_H_

#include <string>
#include <vector>

#include "ceres/manifold.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// An argument of a residual block, and the memory for its Jacobian.
struct BlockArgument {
  const double* values;  // ambient_size doubles
  int ambient_size;
  int tangent_size;
  double* jacobian;  // residuals x tangent, row-major; null: not wanted
  // The manifold or its PlusJacobian at `values` (ambient x tangent,
  // row-major). Both are null if the tangent space is the ambient space.
  const Manifold* manifold;
  const double* plus_jacobian;
};

// Evaluates one residual block after another with their loss functions, in the
// tangent spaces of their arguments. For single blocks at points of the
// caller's choice; RowEvaluator evaluates all blocks of a program. The object
// keeps its work space. Not thread-safe.
class BlockEvaluation {
 public:
  // residuals: block.num_residuals() doubles. cost: 1/2 rho(|r|^2); without the
  // loss function, 1/2 |r|^2. Returns false, with a message, if the cost
  // function, a manifold or the loss function fails or writes invalid values;
  // the outputs are unspecified then.
  [[nodiscard]] bool Evaluate(const ResidualBlock& block,
                              const std::vector<BlockArgument>& arguments,
                              bool apply_loss_function, double* residuals,
                              double* cost, std::string* error);

 private:
  // Sets parameters_ and jacobians_, and marks what the cost function must
  // write. Returns whether a Jacobian is wanted.
  bool Prepare(int num_residuals, const std::vector<BlockArgument>& arguments,
               double* residuals);

  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;  // what the cost function writes
  std::vector<double> ambient_;     // Jacobians before the plus Jacobian
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_BLOCK_EVALUATION_H_
