// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_OBJECTIVE_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_OBJECTIVE_H_

#include <memory>
#include <string>

#include "ceres/evaluation/evaluator.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// A function that a line search minimizer minimizes: its cost and its gradient.
// The state x is a point of a manifold, the gradient a vector of the tangent
// space at x. Not thread-safe.
class Objective {
 public:
  virtual ~Objective() = default;
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  virtual int num_state() const = 0;
  virtual int num_delta() const = 0;

  // Writes the point that `delta` leads to. False if there is none.
  virtual bool Plus(const double* x, const double* delta,
                    double* x_plus_delta) const = 0;

  // The program whose cost this is: half a sum of squares, of whose Jacobian
  // Evaluate can write the norms of the columns. Null: another function.
  virtual const Program* program() const { return nullptr; }

  // Writes the cost at x and, if not null, the gradient, num_delta() values.
  // All are finite. Returns false if the evaluation fails; `message` then holds
  // the reason. is_new_point: whether x differs from the x of the previous
  // call. squared_column_norms: num_delta() values, written with the gradient;
  // null without a program.
  virtual bool Evaluate(const double* x, bool is_new_point, double* cost,
                        double* gradient, double* squared_column_norms,
                        std::string* message) = 0;

  // Writes x to the user's parameters.
  virtual void SetUserState(const double* x) = 0;
};

// The cost of a program. Both arguments must outlive the objective.
std::unique_ptr<Objective> CreateProgramObjective(const Program& program,
                                                  Evaluator* evaluator);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_OBJECTIVE_H_
