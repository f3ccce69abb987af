// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_MINIMIZER_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_MINIMIZER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/iteration_callback.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/minimizer/objective.h"
#include "ceres/minimizer/search_direction.h"
#include "ceres/minimizer/stopping_rules.h"

namespace ceres::internal {

// Minimizes an Objective by line searches.
//
//   evaluate cost and gradient g at x
//   until finished:
//     d = direction from g and what was seen before   (SearchDirection)
//         not downhill: start over from d = -g
//     a = step size with cost(Plus(x, a d)) low enough (ARMIJO or WOLFE)
//         none: start over from d = -g
//     x = Plus(x, a d), with its cost and gradient
//
// Nocedal and Wright, Numerical Optimization, 2nd ed., chapters 3, 5 to 7.
//
// Where not even the steepest descent has a step size, x is a minimum as far as
// its cost can tell if the decrease that a step promised was rounding, which
// ends as CONVERGENCE; else as NO_CONVERGENCE, or as FAILURE if no step was
// ever taken.
class LineSearchMinimizer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Setup : MinimizerSetup {
    Objective* objective = nullptr;
  };

  explicit LineSearchMinimizer(const Setup& setup);

  // state: the point to start from, num_state() values; on return the last
  // point, which has the lowest cost. Fills `result`; every evaluation counts
  // there as one of residuals, those with gradient as one of the Jacobian
  // instead. Lets exceptions of user code through; `state` then holds the last
  // point, too. Ends when setup.execution.stop says so.
  void Minimize(double* state, MinimizerResult* result);

 private:
  void Iterate();

  // The stages. Those that return bool return false when the minimizer is
  // finished; they have then said why in result_.
  bool Start();
  bool FinishIteration();
  bool ChooseDirection();
  bool SearchAlongDirection();
  bool Restart(const char* reason);
  bool TakeStep();
  void FinishStuck();

  double InitialStepSize() const;
  double MinStepSize() const;
  bool SearchArmijo(double* step_size);
  bool SearchWolfeConditions(double* step_size);
  bool MeasureGradient();

  // Cost, and gradient where not null, at Plus(x, step_size d), which becomes
  // the candidate.
  bool EvaluateAlong(double step_size, double* cost,
                     std::vector<double>* gradient);
  bool Evaluate(const std::vector<double>& x, bool is_new_point, double* cost,
                std::vector<double>* gradient);
  double DotDirection(const std::vector<double>& gradient) const;
  bool Finish(TerminationType type, std::string message);
  bool FinishIf(std::optional<Termination> termination);

  const Setup setup_;
  const MinimizerOptions& options_;
  Objective& objective_;
  const int num_delta_;

  double* best_ = nullptr;

  // The current point.
  std::vector<double> x_;
  std::vector<double> gradient_;
  double cost_ = 0.0;
  double slope_ = 0.0;  // g'd

  // The last step; nothing at the start and after a restart.
  SearchDirection::Previous previous_;
  bool has_previous_ = false;
  double previous_cost_ = 0.0;
  double previous_slope_ = 0.0;

  std::unique_ptr<SearchDirection> search_direction_;
  std::vector<double> direction_;
  bool is_steepest_ = false;
  double shortest_trial_ = 0.0;  // of the last search
  int num_restarts_ = 0;

  // The point under trial.
  std::vector<double> candidate_;
  std::vector<double> candidate_gradient_;
  double candidate_cost_ = 0.0;
  std::vector<double> delta_;
  std::string message_;  // of the last evaluation that failed

  Clock::time_point iteration_start_;
  IterationSummary iteration_;
  MinimizerResult* result_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_MINIMIZER_H_
