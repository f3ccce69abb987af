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

#include "ceres/base/phase_timer.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/iteration_callback.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/acceptance_predictor.h"
#include "ceres/minimizer/active_set.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/checkpoints.h"
#include "ceres/minimizer/collective.h"
#include "ceres/minimizer/coordinate_descent.h"
#include "ceres/minimizer/failed_points.h"
#include "ceres/minimizer/linear_system_dump.h"
#include "ceres/minimizer/local_collective.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/minimizer/parallel_tangents.h"
#include "ceres/minimizer/stationarity.h"
#include "ceres/minimizer/step_evaluator.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/minimizer/trust_region_strategy.h"
#include "ceres/minimizer/vector_view.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// clang-format off
// Minimizes the cost of a Program by a trust region method.
//
//   minimize F(x)    subject to    lower <= x <= upper
//
// Symbols
//   x          current point, num_state() ambient coordinates
//   s          step, num_delta() tangent coordinates
//   x + s      Plus(x, s), on the manifolds of the parameter blocks
//   P          projection onto the bounds, coordinate by coordinate
//   F          cost, 1/2 sum_i rho_i(|f_i|^2), without the fixed cost
//   r, J       residuals and Jacobian at x, after loss functions and manifolds
//   g          gradient J'r
//   Delta, D   radius and scale of the trust region
//   c          candidate P(x + s)
//
// Model of F, and the decrease that it predicts for s. With bounds, the part of
// the slope g's that the projection leaves (trust_region_candidate.cc)
//   m(s) = 1/2 |r + J s|^2            p = (m(0) - m(s)) g'(c - x) / g's
//
// Step
//   LEVENBERG_MARQUARDT  s = argmin m(s) + |D s|^2 / (2 Delta)     levenberg_marquardt.h
//   DOGLEG               s = nearly argmin m(s), |D s| <= Delta    dogleg.h
//
// Ratio of actual to predicted decrease (step_evaluator.h for the ratio of
// nonmonotonic steps)
//   q = (F(x) - F(c)) / p
//
// Decision and radius
//   q > min_relative_decrease    accept: x = c
//   otherwise                    reject: x stays
//
//                        accept                            reject
//   LEVENBERG_MARQUARDT  Delta / max(1/3, 1 - (2q - 1)^3)  Delta / 2, 4, 8, ...
//   DOGLEG               q < 1/4: Delta / 2                Delta / 2
//                        q > 3/4: max(Delta, 3 |D s|)
//   Delta <= max_trust_region_radius
//
// Convergence. The tests of step and cost come before the decision. A step that
// ends the solve because it is small is taken if it decreases the cost; it is
// no iteration of its own. A step that changes the cost little is not taken.
//   gradient   max_i |x - P(x + (-g))|_i <= gradient_tolerance
//   step       |c - x|                   <= parameter_tolerance (|x| + parameter_tolerance)
//   cost       |F(x) - F(c)|             <= function_tolerance F(x)
//   radius     Delta                     <= min_trust_region_radius
//
// Gradient and step depend on the units of the parameters, the step on their
// origin, too; the radius can shorten a step or its change of the cost. Such a
// test ends a solve only if the decrease that is in sight is negligible, in
// units of the cost alone (trust_region_convergence.cc):
//   a          largest decrease along a coordinate   stationarity.h
//   b          largest change of the residuals by it; without bounds b = a
//   e          max(c1 |r|, c2 |r_0|, c3 T)           c of each test: minimizer_tuning.h
//   gradient   b <= e
//   step       a <= e and sqrt(2 p) <= e
//   cost       a <= e, if no step was accepted yet, if the region still grows,
//              or if the search within bounds shortens the step
// where |r|^2 = 2 F(x), |r_0| is |r| at the initial point, and T measures the
// terms whose rounding residuals have.
//
// If no step was accepted and a is not negligible, the solve ends with FAILURE
// where the radius, or a step of no length, would have ended it.
//
// An iteration
//   ComputeStep          s, p                               strategy, linear solver
//   SearchWithinBounds   shorter or longer s, with bounds   backtracking.h, parallel_tangents.h
//   EvaluateCandidate    c, F(c)                            one pass over the residuals
//   RunInnerIterations   better c                           coordinate_descent.h
//   EndsByStep           step
//   EndsByCost           cost
//   LinearizeCandidate   r, J, g at c                       one pass over the Jacobian
//   AcceptStep           x = c
//   or RejectStep
//   FinishIteration      callbacks, limits, gradient, radius
//
// If the step is predicted to be accepted (acceptance_predictor.h), the
// Jacobian at c is evaluated together with F(c), in one pass.
//
// A candidate whose Jacobian cannot be evaluated is rejected, like one whose
// cost cannot be evaluated, but it may be the best point and the result. If it
// has reached a bound, points near the bound are tried first
// (trust_region_candidate.cc).
//
// K. Levenberg, A Method for the Solution of Certain Non-Linear Problems in
// Least Squares, Quart. Appl. Math. 2, 1944. D. Marquardt, An Algorithm for
// Least-Squares Estimation of Nonlinear Parameters, J. SIAM 11, 1963. K. Madsen,
// H. Nielsen, O. Tingleff, Methods for Non-Linear Least Squares Problems, 2004.
// A. Conn, N. Gould, P. Toint, Trust-Region Methods, 2000.
// clang-format on
class TrustRegionMinimizer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Setup : MinimizerSetup {
    const Program* program = nullptr;
    Evaluator* evaluator = nullptr;
    LinearSolver* linear_solver = nullptr;
    SolveWorkspace* workspace = nullptr;            // or null
    CoordinateDescent* inner_iterations = nullptr;  // or null
    // Whether the Jacobian may be evaluated at a candidate that is not accepted
    // yet.
    bool may_evaluate_ahead = true;
    // The processes of a distributed problem. The program then has the columns
    // of this process, and the evaluator gives their structure alone. Null:
    // this process has the whole problem.
    Collective* collective = nullptr;
    // Where the state is saved, and from where it is continued. Not with inner
    // iterations. Null: nowhere.
    Checkpoints* checkpoints = nullptr;
  };

  explicit TrustRegionMinimizer(const Setup& setup);
  ~TrustRegionMinimizer();

  // state: num_state() values, the initial point; on return the best point
  // seen. Fills `result`. If setup.execution.stop is set, ends with
  // NO_CONVERGENCE. If user code throws, the exception passes through; `state`
  // and `result` then describe the iterations before. Not thread-safe.
  void Minimize(double* state, MinimizerResult* result);

 private:
  void Iterate();

  // The stages of an iteration. A stage that returns bool returns false when
  // the minimizer is finished; result_ then holds the reason.
  bool Start();
  bool Continue();
  bool EvaluateAtState(bool new_evaluation_point);
  bool MeasureGradient();
  double ProjectedGradient(int column) const;
  bool FinishIteration();
  bool CheckIteration(bool runs_callbacks);
  bool ComputeStep();
  bool HandleInvalidStep(const std::string& reason);
  void EvaluateCandidate();
  bool EvaluateCandidateAhead();
  void RunInnerIterations();
  void MeasureStep();
  bool StepIsGood();
  bool LinearizeCandidate();
  bool AcceptStep(double quality);
  void RejectStep();

  // The convergence tests.
  bool IsNegligible(double decrease, const Negligible& negligible) const;
  bool IsStationary(const Negligible& negligible) const;
  double MoveInSight(CoordinateMeasure measure) const;
  Negligible NegligibleForSteps() const;
  bool EndsByGradient();
  bool EndsByStep(bool is_accepted);
  bool EndsByCost(double quality);
  bool EndsByRadius();
  bool EndWhereNoStepHelps(std::string message);
  bool HasTakenNoStep() const;
  std::string DescribeRejectedSteps() const;
  void RecordFailure(const std::string& message);

  void StartResult();
  // Writes or reads what the next iterations depend on (state_archive.h).
  void TransferState(StateArchive* archive);

  // For problems with bounds.
  const double* UpdateScale();
  void ScaleColumns();
  void ReviewDeferral();
  void HoldActiveSet();
  // Returns whether the search found a point. The point then is the candidate.
  bool SearchWithinBounds();
  LineSearchResult SearchProjectedPath();
  double PartOfSlopeWithinBounds(double slope);
  void Extrapolate();
  void RecordStep();
  bool StartInsideBounds();
  bool RetreatFromBounds(const std::string& failure);

  // The reason to stop between two iterations.
  std::optional<Termination> CheckBetweenIterations(bool runs_callbacks);
  void KeepBest();
  void KeepBestApart();
  void KeepCandidateIfBest();
  bool EvaluateCost(VectorView x, double* cost);
  Evaluator::Result EvaluateJacobian(VectorView x, bool new_evaluation_point,
                                     double* cost);
  Evaluator::Result EvaluateJacobianOfCandidate(bool new_evaluation_point);
  static double Seconds(Clock::time_point start, Clock::time_point end) {
    return std::chrono::duration<double>(end - start).count();
  }
  bool Finish(TerminationType type, std::string message);
  // Finishes if there is a reason. Returns whether there was one.
  bool FinishIf(std::optional<Termination>&& termination) {
    return termination &&
           !Finish(termination->type, std::move(termination->message));
  }

  const Setup setup_;
  const MinimizerOptions& options_;
  const Program& program_;
  LocalCollective local_collective_;
  Collective& collective_;  // the setup's or, if it has none, local_collective_
  // Whether there are no manifolds and no bounds.
  const bool is_euclidean_;
  const bool has_bounds_;
  // Whether the best point has memory of its own. Otherwise every accepted step
  // decreases the cost, and the best point is x_. From AcceptStep to
  // FinishIteration it is the previous x_, to which no stage writes.
  bool keeps_best_apart_;

  VectorPool vectors_;  // the memory of all vectors below

  // The current point and what is known there.
  VectorView x_;
  double x_norm_ = 0.0;
  double x_cost_ = 0.0;
  BlockJacobian jacobian_;
  VectorView gradient_;
  VectorView squared_column_norms_;
  VectorView column_scale_;
  // Whether a column was zero whenever it was evaluated: it has no scale yet.
  bool has_unscaled_columns_ = false;
  // The point of the Jacobian, the gradient and the column norms. kCandidate
  // from its evaluation until the step is accepted or rejected.
  enum class Point { kState, kCandidate, kNowhere };
  Point jacobian_point_ = Point::kNowhere;

  // The step under trial. These vectors and x_ have memory for the larger of a
  // point and a step, so that stages use them for intermediate results.
  VectorView step_;
  VectorView candidate_;
  VectorView alternative_;  // a point that may replace the candidate
  double model_cost_change_ = 0.0;
  double candidate_cost_ = 0.0;
  // As evaluated with the Jacobian. May differ from candidate_cost_ by
  // rounding.
  double linearized_cost_ = 0.0;
  // Whether the candidate is the point that was evaluated last.
  bool was_evaluated_last_ = true;

  // For problems with bounds.
  bool has_searched_ = false;   // the candidate comes from the line search
  VectorView shortened_step_;   // from x to the candidate
  double step_decrease_ = 0.0;  // of the cost, before the extrapolation
  VectorView squared_scale_;    // of the trust region

  double initial_cost_ = 0.0;
  double best_cost_ = 0.0;
  VectorView best_;
  std::vector<double> memory_of_best_;  // used after KeepBestApart

  std::unique_ptr<TrustRegionStrategy> strategy_;
  std::optional<LinearSystemDump> dump_;  // if iterations are to be dumped
  StepEvaluator step_evaluator_;
  AcceptancePredictor acceptance_predictor_;
  ActiveSet active_set_;
  ParallelTangents parallel_tangents_;
  int num_consecutive_invalid_steps_ = 0;
  FailedPoints failed_candidates_;
  // False once inner iterations decrease the cost too little.
  bool inner_iterations_are_useful_;

  PhaseTimer timer_;
  Clock::time_point iteration_start_;
  IterationSummary iteration_;
  MinimizerResult* result_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TRUST_REGION_MINIMIZER_H_
