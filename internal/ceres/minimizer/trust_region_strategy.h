// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_
#define CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/active_set.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// The linear model r + J step of the residuals at a point, and what helps to
// minimize it. Arrays have num_columns values, J's; nothing is owned.
struct LinearModel {
  const BlockJacobian& jacobian;       // J and r
  const double* state;                 // the point
  const double* gradient;              // J'r
  const double* squared_column_norms;  // diag(J'J); with bounds, perhaps more
  const double* column_scale;          // Jacobi scaling s
  SolveWorkspace* workspace;           // the damping lies in kDamping
  Execution execution;
  LinearSolver* linear_solver;
  ActiveSet* active_set;  // null: no bounds
};

struct TrustRegionStep {
  // How the step ended. It is judged as the result of a linear solver; its
  // model_cost_change is the decrease that the model promises for the step.
  LinearSolverSummary linear;
  int num_linear_solves = 0;
};

// Computes steps that (nearly) minimize 1/2 |r + J step|^2 in a trust region,
// and widens or shrinks the region as steps turn out good or bad. Not
// thread-safe.
class TrustRegionStrategy {
 public:
  virtual ~TrustRegionStrategy() = default;
  TrustRegionStrategy() = default;
  TrustRegionStrategy(const TrustRegionStrategy&) = delete;
  TrustRegionStrategy& operator=(const TrustRegionStrategy&) = delete;

  // limits: tolerances and deadline of the linear solver. Between calls of
  // Accept and ForgetModel the model must stay the same: a strategy may keep
  // what it computed.
  virtual TrustRegionStep ComputeStep(const LinearModel& model,
                                      const LinearSolver::SolveOptions& limits,
                                      double* step) = 0;

  // What became of the last step. Accept: it was taken; quality as in
  // StepEvaluator. Reject: it did not decrease the cost enough. Invalidate: it
  // could not be computed, or was not finite, or did not decrease the model.
  virtual void Accept(double quality) = 0;
  virtual void Reject() = 0;
  virtual void Invalidate() = 0;

  // The next model differs from the last one, although no step was taken.
  virtual void ForgetModel() {}

  virtual double radius() const = 0;
};

// The strategy that the options ask for, for a Jacobian of num_columns.
std::unique_ptr<TrustRegionStrategy> CreateTrustRegionStrategy(
    const MinimizerOptions& options, int num_columns);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_
