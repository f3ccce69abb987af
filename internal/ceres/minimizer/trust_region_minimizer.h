// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_TRUST_REGION_MINIMIZER_H_
#define CERES_INTERNAL_MINIMIZER_TRUST_REGION_MINIMIZER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/lap_clock.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/iteration_callback.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/active_set.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/coordinate_descent.h"
#include "ceres/minimizer/linear_system_dump.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/minimizer/parallel_tangents.h"
#include "ceres/minimizer/step_evaluator.h"
#include "ceres/minimizer/step_forecast.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/minimizer/trust_region_strategy.h"
#include "ceres/minimizer/vector_view.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Minimizes the cost of a Program by a trust region method.
//
//   evaluate cost, J, r, J'r, diag(J'J) at x
//   until finished:
//     step      = argmin 1/2 |J step + r|^2 in the region      (strategy)
//                 with coordinates that a bound blocks held where they are
//                 (active_set.h, trust_region_step.cc)
//     candidate = Project(Plus(x, step)), with bounds after a line search and
//                 an extrapolation (parallel_tangents.h), and with inner
//                 iterations improved block by block
//     quality   = (cost(x) - cost(candidate)) / predicted decrease
//     good enough: x = candidate, evaluate there, widen the region
//     else:        shrink the region
//
// One iteration costs one pass over the Jacobian to write it, one or more in
// the linear solver, one over the residuals for the candidate. The last is
// spared where the step is expected to be taken (step_forecast.h): then the
// Jacobian is evaluated at the candidate at once.
class TrustRegionMinimizer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Setup : MinimizerSetup {
    const Program* program = nullptr;
    Evaluator* evaluator = nullptr;
    LinearSolver* linear_solver = nullptr;
    SolveWorkspace* workspace = nullptr;  // null: the minimizer has its own
    CoordinateDescent* inner_iterations = nullptr;  // null: none
    // Whether user code may be asked for Jacobians at candidates.
    bool may_evaluate_ahead = true;
  };

  explicit TrustRegionMinimizer(const Setup& setup);
  ~TrustRegionMinimizer();

  // state: the point to start from, num_state() values; on return the best
  // point seen. Fills `result`. Lets exceptions of user code through; `state`
  // then holds the best point seen, too. Ends when setup.execution.stop says
  // so.
  void Minimize(double* state, MinimizerResult* result);

 private:
  void Iterate();

  // The stages of an iteration. Those that return bool return false when the
  // minimizer is finished; they have then said why in result_.
  bool Start();
  bool EvaluateAtState(bool new_evaluation_point);
  bool MeasureGradient();
  bool FinishIteration();
  bool ComputeStep();
  bool HandleInvalidStep(const std::string& reason);
  void EvaluateCandidate();
  bool EvaluateCandidateAhead();
  void RunInnerIterations();
  void MeasureStep();
  bool IsConverged();
  bool AcceptStep(double quality);
  void RejectStep();

  // Problems with bounds.
  const double* UpdateScale();
  void ReviewDeferral();
  void HoldActiveSet();
  // Whether a point was found, which then is the candidate.
  bool SearchWithinBounds();
  BacktrackingResult SearchProjectedPath();
  void Extrapolate();
  void RecordStep();

  void KeepBest();
  bool EvaluateCost(VectorView x, double* cost);
  Evaluator::Result EvaluateJacobian(VectorView x, bool new_evaluation_point,
                                     double* cost);
  static double Seconds(Clock::time_point start, Clock::time_point end) {
    return std::chrono::duration<double>(end - start).count();
  }
  bool Finish(TerminationType type, std::string message);
  // Whether there is a reason to finish.
  bool FinishIf(std::optional<Termination>&& termination) {
    return termination &&
           !Finish(termination->type, std::move(termination->message));
  }

  const Setup setup_;
  const MinimizerOptions& options_;
  const Program& program_;
  // No manifolds, no bounds.
  const bool is_euclidean_;
  // Else the best point is x_ or, until an iteration that has taken a step is
  // complete, the x_ before, which nothing is written to.
  const bool keeps_best_apart_;

  SolveWorkspace own_workspace_;  // if the setup has none
  SolveWorkspace* const workspace_;
  VectorPool vectors_;  // all below

  // The current point and what is known there.
  VectorView x_;
  double x_norm_ = 0.0;
  double x_cost_ = 0.0;
  BlockJacobian jacobian_;
  VectorView gradient_;
  VectorView squared_column_norms_;
  VectorView column_scale_;
  // Where Jacobian, gradient and column norms were evaluated. At the candidate
  // from EvaluateCandidateAhead until the step is judged.
  enum class Point { kState, kCandidate, kNowhere };
  Point jacobian_point_ = Point::kNowhere;

  // The step under trial. Of large problems each vector counts: these and x_
  // have room for a point and for a step, and serve where one is needed for a
  // moment.
  VectorView step_;
  VectorView candidate_;
  VectorView alternative_;  // a point that may replace the candidate
  double model_cost_change_ = 0.0;
  double candidate_cost_ = 0.0;
  // Whether no other point was evaluated after the candidate.
  bool was_evaluated_last_ = true;

  // Problems with bounds.
  bool has_searched_ = false;   // the candidate comes from the line search
  VectorView shortened_step_;   // from x to that candidate
  double step_decrease_ = 0.0;  // of the cost, before the extrapolation
  VectorView squared_scale_;    // of the trust region

  double best_cost_ = 0.0;
  VectorView best_;

  std::unique_ptr<TrustRegionStrategy> strategy_;
  std::optional<LinearSystemDump> dump_;  // where iterations are to be dumped
  StepEvaluator step_evaluator_;
  StepForecast forecast_;
  ActiveSet active_set_;
  ParallelTangents parallel_tangents_;
  int num_consecutive_invalid_steps_ = 0;
  // Until inner iterations are no longer worth their time.
  bool inner_iterations_are_useful_;

  LapClock clock_;
  Clock::time_point iteration_start_;
  IterationSummary iteration_;
  MinimizerResult* result_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TRUST_REGION_MINIMIZER_H_
