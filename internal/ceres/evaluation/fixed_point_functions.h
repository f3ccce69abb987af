// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_FIXED_POINT_FUNCTIONS_H_
#define CERES_INTERNAL_EVALUATION_FIXED_POINT_FUNCTIONS_H_

#include <memory>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/cost_function.h"
#include "ceres/problem/program.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Cost functions for parameter blocks with a linearization point
// (Problem::SetLinearizationPoint).
//
// Let row block i depend on x and y, where x has the point x0. The wrapper of
// its cost function f writes
//
//   residuals   f(x, y)
//   Jacobians   df/dx (x0, y) P(x0) M(x),   df/dy (x0, y)
//
// with P the PlusJacobian and M the MinusJacobian of the manifold of x. The
// evaluator multiplies by P(x). Because M(x) P(x) = I, the Jacobian in tangent
// coordinates is that of x0. Without manifold P = M = I.
//
// A wrapper calls f twice if Jacobians are wanted and a point differs from the
// current values. It is as thread-safe as f.
class FixedPointFunctions {
 public:
  // residual_blocks: all residual blocks of the problem. program: built from
  // some of them. Arguments that the program holds constant ignore their
  // points. The cost functions of the program, the points and the manifolds
  // must outlive this.
  FixedPointFunctions(const std::vector<ResidualBlock*>& residual_blocks,
                      const Program& program);
  ~FixedPointFunctions();

  // By row: the wrapper, which belongs to this object, or the program's own
  // cost function if no argument has a point.
  const PagedVector<const CostFunction*>& cost_functions() const {
    return cost_functions_;
  }

 private:
  PagedVector<const CostFunction*> cost_functions_;
  std::vector<std::unique_ptr<CostFunction>> wrappers_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_FIXED_POINT_FUNCTIONS_H_
