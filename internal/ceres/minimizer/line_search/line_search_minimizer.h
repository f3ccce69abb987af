// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LINE_SEARCH_MINIMIZER_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LINE_SEARCH_MINIMIZER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/execution/execution.h"
#include "ceres/iteration_callback.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/failed_points.h"
#include "ceres/minimizer/line_search/column_scaling.h"
#include "ceres/minimizer/line_search/objective.h"
#include "ceres/minimizer/line_search/search_direction.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/minimizer/stopping_rules.h"

namespace ceres::internal {

// Minimizes an Objective by line searches.
//
//   f       cost(Plus(x, .)),  g  gradient at x,  d  direction,  a  step size,
//   D       diagonal of ColumnScaling, or the identity
//
//   evaluate f and g at x
//   until converged:
//     d = direction from g and the last step       search_direction.h
//         if g'd >= 0: restart with d = -D g
//     a = step size that satisfies ARMIJO          backtracking.h
//         or WOLFE                                 wolfe_search.h
//         if there is none: restart with d = -D g
//     x = Plus(x, a d), with f and g
//
// Convergence tests, after each iteration:
//
//   gradient   max_j |g_j| <= gradient_tolerance
//   step       |a d| <= parameter_tolerance (|x| + parameter_tolerance)
//   cost       |f_k - f_{k-1}| <= function_tolerance |f_{k-1}|
//
// The first two bounds have units. They end a solve only if the decrease that
// is in sight is negligible, in units of the cost alone, as in
// trust_region_minimizer.h:
//
//   b <= max(c1 R, c2 R_0, c3 T)       c of each test: minimizer_tuning.h
//
//         least squares                        other functions
//   b     largest decrease along a             |g| sqrt(h); h = s's / |s'y| of
//         coordinate (stationarity.h)          the last step s, and before it
//                                              FirstStepSize()
//   R     |r| = sqrt(2 f)                      sqrt(2 |f|)
//   R_0   |r| at the initial point             sqrt(2 (f_0 - f))
//   T     norm of SizesOfTerms                 |x| / sqrt(h), 0 before a step
//
// If no step size along the steepest descent satisfies the conditions, the
// result is
//
//   CONVERGENCE      if the decrease in sight is negligible for the test of the
//                    step with its default tolerance, and c3 for rejected
//                    steps; before the first step of other functions, whose
//                    scale is not known, if the gradient meets its bound
//   NO_CONVERGENCE   otherwise, if at least one step was taken
//   FAILURE          otherwise
//
// Least-squares problems have a D (column_scaling.h) unless jacobi_scaling is
// off: the path does not depend on the units of parameters and residuals. The
// path of another function does not depend on a common unit of its parameters,
// nor on its own unit.
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., chapters 3, 5 to 7.
class LineSearchMinimizer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Setup : MinimizerSetup {
    Objective* objective = nullptr;
  };

  explicit LineSearchMinimizer(const Setup& setup);

  // state: num_state() values, the initial point; on return the last point,
  // which has the lowest cost. Fills `result`: an evaluation of the cost alone
  // counts as an evaluation of residuals, an evaluation with the gradient as an
  // evaluation of the Jacobian. If setup.execution.stop is set, ends with
  // NO_CONVERGENCE. If user code throws, the exception passes through; `state`
  // and `result` then describe the iterations before. Not thread-safe.
  void Minimize(double* state, MinimizerResult* result);

 private:
  void Iterate();

  // The stages. A stage that returns bool returns false when the minimizer is
  // finished; result_ then holds the reason.
  bool Start();
  bool FinishIteration();
  bool ChooseDirection();
  bool SearchAlongDirection();
  bool Restart(const char* reason);
  bool TakeStep();
  bool FinishAtRounding();
  void FinishStuck();
  void RecordFailure();

  double InitialStepSize() const;
  double FirstStepSize() const;
  StepSizes ChooseStepSizes() const;
  LineSearchResult SearchArmijo();
  LineSearchResult SearchWolfeConditions();
  bool EvaluateGradientOfCandidate();
  void MeasureGradient();
  void MeasureCurvature();
  bool IsNegligible(const Negligible& negligible) const;
  bool IsNegligibleForSteps(double parameter_tolerance, double rounding) const;
  std::optional<Termination> CheckSmallGradient() const;
  std::optional<Termination> CheckSmallStep(double step_norm,
                                            double x_norm) const;

  // Sets the candidate to Plus(x, step_size d), and evaluates cost and, if not
  // null, gradient there.
  bool EvaluateAlong(double step_size, double* cost,
                     std::vector<double>* gradient);
  bool Evaluate(const std::vector<double>& x, bool is_new_point, double* cost,
                std::vector<double>* gradient);
  double DotDirection(const std::vector<double>& gradient) const;
  static double SecondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
        .count();
  }
  bool Finish(TerminationType type, std::string message);
  // Finishes if there is a reason. Returns whether there was one.
  bool FinishIf(std::optional<Termination>&& termination) {
    return termination &&
           !Finish(termination->type, std::move(termination->message));
  }

  const Setup setup_;
  const MinimizerOptions& options_;
  Objective& objective_;
  const int num_delta_;

  double* best_ = nullptr;

  // The current point.
  std::vector<double> x_;
  std::vector<double> gradient_;
  double cost_ = 0.0;
  double slope_ = 0.0;              // g'd
  double decrease_in_sight_ = 0.0;  // b
  double size_of_terms_ = 0.0;      // T
  double initial_cost_ = 0.0;

  // The last step. None before the first step and after a restart.
  SearchDirection::Previous previous_;
  bool has_previous_ = false;
  double previous_cost_ = 0.0;
  double previous_slope_ = 0.0;
  // s's / |s'y| of the last step that was taken; 0 before.
  double inverse_curvature_ = 0.0;

  ColumnScaling column_scaling_;
  std::unique_ptr<SearchDirection> search_direction_;
  std::vector<double> direction_;
  bool is_steepest_ = false;
  int num_restarts_ = 0;

  // The point under trial.
  std::vector<double> candidate_;
  std::vector<double> candidate_gradient_;
  std::vector<double> squared_column_norms_;  // of the last gradient
  double candidate_cost_ = 0.0;
  std::vector<double> delta_;
  std::string message_;         // why the last evaluation failed
  FailedPoints failed_trials_;  // counted in this iteration

  Clock::time_point iteration_start_;
  IterationSummary iteration_;
  MinimizerResult* result_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LINE_SEARCH_MINIMIZER_H_
