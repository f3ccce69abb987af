// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_
#define CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/active_set.h"
#include "ceres/minimizer/collective.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/state_archive.h"

namespace ceres::internal {

// The linear model r + J step of the residuals at a point, and the inputs of
// its minimization. Arrays have a value for each column of J unless said
// otherwise. Owns nothing.
struct LinearModel {
  const BlockJacobian& jacobian;       // J and r
  const double* state;                 // the point, num_state values
  const double* gradient;              // J'r
  const double* squared_column_norms;  // diag(J'J), or more with bounds
  const double* column_scale;          // Jacobi scaling s
  Execution execution;
  LinearSolver* linear_solver;
  ActiveSet* active_set;  // null: no bounds
  Collective* collective;
};

struct TrustRegionStep {
  // How the computation of the step ended: kFailure unless it is set.
  // linear.model_cost_change is the decrease of the cost that the model
  // predicts for the step. A strategy that does not take both from the linear
  // solver sets them itself (ModelCostChange, linear/column_sums.h).
  LinearSolverSummary linear;
  int num_linear_solves = 0;
};

// Computes steps that (nearly) minimize the model 1/2 |r + J step|^2 in a trust
// region, and updates the radius of the region from the quality of the steps.
// Not thread-safe.
//
// Protocol: ComputeStep, then one of Accept, Reject, Invalidate, and so on.
class TrustRegionStrategy {
 public:
  virtual ~TrustRegionStrategy() = default;
  TrustRegionStrategy() = default;
  TrustRegionStrategy(const TrustRegionStrategy&) = delete;
  TrustRegionStrategy& operator=(const TrustRegionStrategy&) = delete;

  // Writes `step`: num_columns values, in the columns of J without Jacobi
  // scaling. limits: tolerances and deadline of the linear solver. With an
  // active set, the strategy calls ActiveSet::Hold before each linear solve,
  // and does not move the columns held() in other parts of the step. The model
  // must be the model of the previous call, unless Accept or ForgetModel was
  // called since: a strategy may reuse its results.
  virtual TrustRegionStep ComputeStep(const LinearModel& model,
                                      const LinearSolver::SolveOptions& limits,
                                      double* step) = 0;

  // Updates the radius after the last step.
  // Accept: the step was accepted. quality: see step_evaluator.h.
  // Reject: the step did not decrease the cost enough.
  // Invalidate: the step could not be computed, is not finite, or does not
  // decrease the model.
  virtual void Accept(double quality) = 0;
  virtual void Reject() = 0;
  virtual void Invalidate() = 0;

  // Tells that the next model differs although no step was accepted.
  virtual void ForgetModel() {}

  virtual double radius() const = 0;

  // The state after Accept (state_archive.h).
  virtual void TransferState(StateArchive* archive) = 0;
};

// Creates the strategy that options.trust_region_strategy_type names. options:
// must outlive the strategy. num_columns: the number of columns of the
// Jacobian.
std::unique_ptr<TrustRegionStrategy> CreateTrustRegionStrategy(
    const MinimizerOptions& options, int num_columns);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TRUST_REGION_STRATEGY_H_
