// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_SOLVE_CALL_H_
#define CERES_INTERNAL_SOLVER_SOLVE_CALL_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/minimizer/coordinate_descent.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/kept_preparation.h"
#include "ceres/solver/preprocessor.h"
#include "ceres/solver/reporting/progress_table.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// One call of ceres::Solve, as a pipeline. Each stage is a function that
// returns what the next stage takes:
//
// clang-format off
//
//   stage                   returns              header
//   ----------------------  -------------------  ---------------------------
//   Options::IsValid        whether, or error    ceres/solver.h
//   ChooseThreads           ThreadChoice         thread_choice.h
//   TakeKeptPreparation     KeptParts            kept_preparation.h
//   CheckStart              whether, or error    reduced_problem.h
//   ReduceProblem           ReducedProblem       reduced_problem.h
//   EvaluateFixedCost       cost                 reduced_problem.h
//   Preprocess              Preparation          preprocessor.h
//     OrderColumns            ColumnOrder        column_order.h
//     BuildProgram            Program            preprocessor.h
//     Evaluator()             Evaluator          evaluation/evaluator.h
//     CreateLinearSolver      LinearSolver       linear_solver_factory.h
//   OrderInnerIterations    InnerIterationOrder  inner_iteration_order.h
//   MinimizeAndWriteBack    MinimizerResult,     minimizer/minimizer_result.h
//                             into the summary
//   KeepPreparation                              kept_preparation.h
//
// clang-format on
//
// A preparation that an earlier solve kept replaces ReduceProblem and
// Preprocess; an elimination order that an earlier solve kept is an argument of
// Preprocess. Each stage fills its fields of the summary (summary_filling.h).
//
// The user's parameters change during the solve only if the user asks for it
// (update_state_every_iteration) or if an evaluation callback reads them. After
// the solve they hold the solution. If there is no usable solution, they hold
// their values from before the solve; if user code throws, also, unless
// keep_progress_on_exception asks for the best point so far. After a solve that
// failed for lack of a step, they hold the last point during its diagnosis.
class SolveCall final {
 public:
  // All arguments must outlive the call.
  SolveCall(const Solver::Options& options, ProblemImpl* problem,
            Solver::Summary* summary);

  // Exceptions of user code reach the caller. To be called once.
  void Run();

 private:
  void RunStages();
  // The stages up to OrderInnerIterations. Returns null if there is nothing to
  // minimize, or after a failure; the summary then says why.
  std::unique_ptr<Preparation> Prepare(
      std::shared_ptr<SolveExecution> execution, KeptParts kept);
  std::unique_ptr<ConstraintRows> MakeConstraints(const Preparation* prepared);
  // Returns false after a failure; the summary then says why.
  bool CheckFixedConstraints(const ConstraintRows& constraints);
  bool PrepareInnerIterations(const Preparation& prepared);
  // Minimizes, fills the summary, and writes the user's parameters.
  void MinimizeAndWriteBack(Preparation* prepared);
  // Throws what user code throws; `state` and `result` then describe the
  // iterations before.
  void RunMinimizer(Preparation* prepared, double* state,
                    MinimizerResult* result);
  // Sentences about the direction that may be why no step was found, at the
  // last point of the solve.
  std::string DescribeLackOfStep(const Preparation& prepared,
                                 const std::vector<double>& state);
  void FillSetup(const Preparation& prepared, const MinimizerOptions& options,
                 MinimizerSetup* setup);
  // Whether the user's parameters receive a point.
  bool HasResult() const;
  void Fail(std::string message);
  double SecondsSinceStart() const;

  const std::chrono::steady_clock::time_point start_;
  const Solver::Options& options_;
  ProblemImpl& problem_;
  Solver::Summary& summary_;
  std::optional<CoordinateDescent> inner_iterations_;
  std::optional<ProgressTable> progress_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_SOLVE_CALL_H_
