// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_COLLECTIVE_H_
#define CERES_INTERNAL_MINIMIZER_COLLECTIVE_H_

#include <array>
#include <functional>
#include <optional>

#include "ceres/evaluation/evaluator.h"
#include "ceres/minimizer/stopping_rules.h"

namespace ceres::internal {

// What a minimizer asks of the other processes, if its problem is distributed
// over several. Each process runs the same minimizer on a part of the columns;
// columns that several processes have hold the same values on all of them.
//
// Every function is collective: all processes call it, in the same order, and
// all get the same answer. A sum counts each column and each row once, on
// whichever process it is. A process that cannot go on reports so in its next
// call, and all processes then throw the same exception from this call.
//
// LocalCollective (local_collective.h) is that of a problem on one process.
class Collective {
 public:
  virtual ~Collective() = default;
  Collective() = default;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  // Whether a parameter block of any process has bounds; whether none has
  // bounds or a manifold. Fixed.
  virtual bool has_bounds() const = 0;
  virtual bool is_euclidean() const = 0;

  // Evaluate the whole problem. The gradient and the norms are those of the
  // columns of this process. The Jacobian stays with the implementation.
  virtual Evaluator::Result EvaluateCost(const double* state, double* cost) = 0;
  virtual Evaluator::Result EvaluateJacobian(const double* state,
                                             bool new_evaluation_point,
                                             double* cost, double* gradient,
                                             double* squared_column_norms) = 0;

  // Of points (num_state values): |x|, and |x - y|. `difference` is memory for
  // x - y.
  virtual double NormOfPoint(const double* x) = 0;
  virtual double Distance(const double* x, const double* y,
                          double* difference) = 0;
  // Of steps (num_delta values): |x| and x'y.
  virtual double NormOfStep(const double* x) = 0;
  virtual double DotOfSteps(const double* x, const double* y) = 0;
  // With the Jacobian J that was evaluated last, for steps: |J x|; |J x|^2,
  // (J x)'(J y) and |J y|^2; and the decrease of the linear model.
  virtual double NormOfProduct(const double* x) = 0;
  virtual std::array<double, 3> DotsOfProducts(const double* x,
                                               const double* y) = 0;
  virtual double ModelCostChange(const double* step) = 0;
  // The largest of the values of all processes; whether all are true.
  virtual double Largest(double value) = 0;
  virtual bool All(bool value) = 0;

  // Calls `local`, which may throw what user code throws, or Stopped. Returns
  // the most severe result of all processes.
  virtual std::optional<Termination> Agree(
      const std::function<std::optional<Termination>()>& local) = 0;

  // Why all processes threw Stopped. iteration: the incomplete iteration.
  virtual Termination DescribeStop(int iteration) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_COLLECTIVE_H_
