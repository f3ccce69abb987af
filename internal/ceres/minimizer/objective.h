// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_OBJECTIVE_H_
#define CERES_INTERNAL_MINIMIZER_OBJECTIVE_H_

#include <memory>
#include <string>

#include "ceres/evaluation/evaluator.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// A cost and its gradient, as a line search method sees them: the state x is a
// point of a manifold, the gradient a vector of its tangent space. Not
// thread-safe.
class Objective {
 public:
  virtual ~Objective() = default;
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  virtual int num_state() const = 0;
  virtual int num_delta() const = 0;

  // False when the point cannot be reached.
  virtual bool Plus(const double* x, const double* delta,
                    double* x_plus_delta) const = 0;

  // Cost at x and, where not null, its gradient (num_delta values), all finite.
  // False when they cannot be evaluated; `message` then says why.
  // is_new_point: whether the call before was at another x.
  virtual bool Evaluate(const double* x, bool is_new_point, double* cost,
                        double* gradient, std::string* message) = 0;

  // The user's memory <- x.
  virtual void SetUserState(const double* x) = 0;
};

// The cost of a program; both arguments must outlive it.
std::unique_ptr<Objective> CreateProgramObjective(const Program& program,
                                                  Evaluator* evaluator);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_OBJECTIVE_H_
