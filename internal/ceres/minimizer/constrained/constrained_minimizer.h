// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_MINIMIZER_H_
#define CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_MINIMIZER_H_

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ceres/base/phase_timer.h"
#include "ceres/evaluation/constraint_function.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/constrained/constraint_model.h"
#include "ceres/minimizer/failed_points.h"
#include "ceres/minimizer/levenberg_marquardt.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// clang-format off
// Minimizes the cost of a Program subject to constraints.
//
//   minimize F(x)    subject to    l <= c(x) <= u
//
// c has the coordinates of the constraints, and those coordinates of x that
// have bounds. The program has rows for both (constraint_function.h), so that
// its cost is the augmented Lagrangian
//
//   L(x) = F(x) + 1/2 sum_i rho_i t_i^2      t = z - clamp(z),  z = c + lambda / rho
//
// Step. s minimizes the model
//
//   1/2 |r + J s|^2 + 1/2 sum_i rho_i |z_i + A_i s - clamp(z_i + A_i s)|^2 + |D s|^2 / (2 Delta)
//
// by Newton's method: the model with a set of coordinates that are held to a
// bound is a linear least-squares problem. An exact line search goes toward its
// minimizer, and gives the next set. D^2 is the diagonal of J'J + A'WA with
// weights W that do not grow with the penalties.
//
// With lambda+ = rho (z + A s - clamp(z + A s)), (s, lambda+) is the step of
// Newton's method for the conditions of optimality of a quadratic program whose
// constraints are relaxed by (lambda+ - lambda) / rho: a stabilized SQP step.
//
// The curvature rows of negative sign (constraint_function.h) are no part of
// these problems; AddNegativeCurvature adds them by conjugate gradients.
//
// The step is accepted if L decreases as much as the model predicts, with
// lambda fixed. If it does not, and the constraints are little curved, the step
// is corrected for their curvature once, and tried again. A rejected step is
// shortened to where L is least along it, as its values tell. After an accepted
// step lambda = lambda+, if the defect |c - clamp(z)| or the predicted decrease
// of L is below that of the last such point, and lambda+ is not out of
// proportion to the cost. The penalties grow tenfold if the defect did not
// decrease tenfold and would not have done so for linear constraints, up to a
// limit; beyond the limit only if x is nearly stationary and the defect does not
// decrease. They also grow as far as the curvature of the constraints along the
// step stays negligible; a step that curvature spoils takes this back. Before a
// step is tried, they grow until it removes a part of the violation (steering),
// up to the first limit.
//
// The first lambda of equalities are least-squares estimates, if the problem
// gives none.
//
// Scale. rho_i = kappa w_i, where w_i |A_i|^2 is the curvature of the cost along
// the direction A_i at the initial point. So a change of the units of a
// constraint changes its multiplier and nothing else. w_i is chosen anew if
// |A_i| has changed much. If a violated constraint has a tiny gradient, x
// moves a little, once.
//
// End. CONVERGENCE: all constraints hold to constraint_tolerance, multipliers
// times distances from bounds and the predicted decrease of L are negligible.
// Rounding of the constraints and of L is negligible, too. The decrease is also
// predicted without the curvature of the constraints: where one has hardly a
// gradient, its multiplier makes this curvature hide any decrease.
// INFEASIBLE: the violation is not small, its gradient and the decrease that the
// last step predicted are negligible, and kappa is large: x is a stationary
// point of the violation.
//
// J. Nocedal, S. Wright, Numerical Optimization, 2006, chapter 17. A. Conn,
// N. Gould, P. Toint, A Globally Convergent Augmented Lagrangian Algorithm,
// SIAM J. Numer. Anal. 28, 1991. M. Friedlander, D. Orban, A Primal-Dual
// Regularized Interior-Point Method for Convex Quadratic Programs, Math. Prog.
// Comp. 4, 2012. P. Gill, D. Robinson, A Globally Convergent Stabilized SQP
// Method, SIAM J. Optim. 23, 2013. F. Curtis, H. Jiang, D. Robinson, An Adaptive
// Augmented Lagrangian Method for Large-Scale Constrained Optimization, Math.
// Prog. 152, 2015 (steering).
// clang-format on
class ConstrainedMinimizer {
 public:
  struct Setup : MinimizerSetup {
    const Program* program = nullptr;
    Evaluator* evaluator = nullptr;
    LinearSolver* linear_solver = nullptr;
    SolveWorkspace* workspace = nullptr;
    std::vector<ConstraintFunction*> constraints;
  };

  explicit ConstrainedMinimizer(const Setup& setup);
  ~ConstrainedMinimizer();

  // state: num_state() values, the initial point; on return the last accepted
  // point. Fills `result`, and the multipliers of the functions. Exceptions and
  // Stopped as in TrustRegionMinimizer. Not thread-safe.
  void Minimize(double* state, MinimizerResult* result);

 private:
  using Clock = std::chrono::steady_clock;
  using Side = ConstraintModel::Side;

  void Iterate();
  bool Start();
  bool EvaluateStart();
  bool LeaveTinyGradients(bool* moves, std::string* error);
  void WriteMove(const std::vector<bool>& is_tiny);
  bool MoveOnce();
  void ShortenFirstStep();
  std::vector<double> CostCurvatures() const;
  void ChooseWeights(const std::vector<bool>& is_chosen);
  bool RenewWeights();
  void DropLargeMultipliers(const std::vector<bool>& is_chosen,
                            double largest_shift);
  double FirstOrderDistance(int i) const;
  void EstimateMultipliers();
  bool FinishIteration();
  std::optional<Termination> CheckBetweenIterations();
  std::string DescribeFailedPoints() const;

  // The step (constrained_step.cc).
  bool ComputeStep();
  void ComputeDamping();
  bool StepKeepsViolation();
  bool ConstraintsOutlastCurvature();
  void RefineStep();
  std::vector<double> LinearValues();
  LinearSolverSummary MinimizeModel();
  LinearSolverSummary SolveModel();
  LinearSolverSummary SolveRows(LevenbergMarquardt* strategy);
  LinearSolverSummary AddNegativeCurvature(LinearSolverSummary linear);
  bool MultiplyInverse(const std::vector<double>& u,
                       std::vector<double>* product);
  bool CurvatureIsSmall();
  double SquaredCurvature();
  void CorrectStep();
  double RadiusOfShorterStep() const;
  std::vector<Side> SidesAt(const std::vector<double>& product) const;
  double MoveTowardStep();
  double CostSlope(const std::vector<double>& step,
                   const std::vector<double>& product) const;
  void MeasureBestStep();
  double CostCurvature(double linear_decrease);
  double DecreaseOfModel(const double* step);
  double BestLength(double slope, double curvature) const;
  bool HandleFailedStep(const LinearSolverSummary& linear);

  void EvaluateCandidate();
  bool StepIsGood();
  bool AcceptStep();
  void RejectStep();
  // Decide on multipliers and penalties at the candidate, which is accepted.
  void UpdateMultipliers();
  double WeightedViolation(const std::vector<double>& c) const;
  void NoteStall();
  void RaisePenalties();
  void RaisePenaltiesOfFlat();
  bool LowerPenalties();
  void SetKappa(double kappa);

  // Convergence (constrained_convergence.cc).
  double LargestViolation(const std::vector<double>& c) const;
  double CostAt(double lagrangian, const std::vector<double>& c) const;
  double Complementarity() const;
  double RoundingOfComplementarity() const;
  double DecreaseInSight() const;
  double PossibleDecrease() const;
  bool EndsAtState();
  void FinishAtSolution();
  bool CanLoseViolation() const;
  void RemoveViolation();
  bool ViolationIsStationary();
  void RemoveBlockedSlopes(std::vector<double>* slopes) const;
  void DescribeEnd();

  void MeasureState();
  void MeasureRows();
  bool EvaluateJacobian(std::string* error);
  void Reweigh();
  bool Finish(TerminationType type, std::string message);
  double Seconds(Clock::time_point from, Clock::time_point to) const {
    return std::chrono::duration<double>(to - from).count();
  }

  const Setup setup_;
  const MinimizerOptions& options_;
  const Program& program_;
  ConstraintModel constraints_;
  LevenbergMarquardt strategy_;

  BlockJacobian jacobian_;
  // Points and steps have memory for the larger of both.
  std::vector<double> x_;
  std::vector<double> candidate_;
  std::vector<double> step_;
  std::vector<double> best_step_;
  std::vector<double> gradient_;
  std::vector<double> squared_norms_;  // of the cost's columns
  std::vector<double> squared_scale_;  // of the trust region
  std::vector<double> column_scale_;
  std::vector<double> damping_;                 // D / sqrt(Delta)
  std::vector<double> largest_weighted_norms_;  // of A's columns, so far

  double lagrangian_ = 0.0;  // at x
  double cost_ = 0.0;
  double initial_cost_ = 0.0;
  double candidate_lagrangian_ = 0.0;
  double predicted_decrease_ = 0.0;  // of the model without the damping
  int num_good_steps_ = 0;           // in a row
  // A s and s'(H + D^2) s of the best step, with the Hessian H of the cost.
  std::vector<double> best_product_;
  double best_curvature_ = 0.0;
  // s'Hs of the best step with the Hessian H of the cost; of L if the step
  // mostly leads to the constraints. |D s|^2 / Delta.
  double step_curvature_ = 0.0;
  double step_damping_ = 0.0;
  double first_lagrangian_ = 0.0;  // at the candidate, before its correction
  // The curvature of the constraints along the last step that was evaluated,
  // sqrt(SquaredCurvature()) / |D s|^2.
  double relative_curvature_ = std::numeric_limits<double>::infinity();

  // 1/2 |r|^2 + 1/2 sum_i w_i violation_i^2 at the start.
  double initial_size_ = 0.0;

  // By coordinate of the constraints.
  std::vector<Side> sides_;
  std::vector<double> product_;           // A step_
  std::vector<double> trial_values_;      // c at the candidate
  std::vector<double> next_multipliers_;  // lambda+
  std::vector<double> estimates_;         // rho t: the multipliers in gradient_
  std::vector<double> weights_;
  std::vector<double> row_norms_;  // |A_i|^2
  std::vector<double> roundings_;  // of c_i
  // A constraint holds if it is violated by constraint_tolerance times this, at
  // most.
  std::vector<double> scales_;
  // At the point where the weight was chosen, or near it if A_i is zero there:
  // |A_i|^2, and the violation divided by |A_i|. How often it was chosen.
  std::vector<double> chosen_norms_;
  std::vector<double> chosen_distances_;
  std::vector<int> num_choices_;
  int num_renewals_ = 0;  // that lowered kappa
  bool has_moved_ = false;
  int num_tries_to_move_ = 0;
  double kappa_ = 0.0;
  double kappa_floor_ = 0.0;        // that the curvature does not lower
  double last_defect_ = 0.0;        // at the last change of the multipliers
  double last_predicted_ = 0.0;     // the predicted decrease there
  double stationary_defect_ = 0.0;  // at the last nearly stationary point
  // The violation at the last such point whose defect did not decrease, and
  // whether the violation did not decrease until then either.
  double stalled_violation_ = 0.0;
  double largest_violation_ = 0.0;  // so far
  bool violation_stalls_ = false;

  int num_invalid_steps_ = 0;
  FailedPoints failed_candidates_;
  PhaseTimer timer_;
  Clock::time_point iteration_start_;
  IterationSummary iteration_;
  MinimizerResult* result_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_MINIMIZER_H_
