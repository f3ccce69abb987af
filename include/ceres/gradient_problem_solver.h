// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_GRADIENT_PROBLEM_SOLVER_H_
#define CERES_PUBLIC_GRADIENT_PROBLEM_SOLVER_H_

#include <string>
#include <vector>

#include "ceres/gradient_problem.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres {

// Minimizes a GradientProblem by line searches (Nocedal and Wright, Numerical
// Optimization, 2nd ed., chapters 3, 5, 6, 7). See Solve() below.
class CERES_EXPORT GradientProblemSolver {
 public:
  virtual ~GradientProblemSolver();

  // What to do. A plain struct. Fields mean what those of the same name in
  // Solver::Options mean for its LINE_SEARCH minimizer.
  struct CERES_EXPORT Options {
    // Whether the options make sense, by themselves. If not, `error` (not null)
    // says which option, its value and what it should be; the first violation
    // wins. Solve asks this first.
    bool IsValid(std::string* error) const;

    LineSearchDirectionType line_search_direction_type = LBFGS;
    // (L)BFGS needs WOLFE.
    LineSearchType line_search_type = WOLFE;
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    // Number of past steps that L-BFGS remembers; > 0.
    int max_lbfgs_rank = 20;
    // Scale the initial inverse Hessian of (L)BFGS by Oren's estimate.
    bool use_approximate_eigenvalue_bfgs_scaling = false;
    // How a line search interpolates between the points that it tried.
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    // Smaller step sizes end a line search without success; > 0.
    double min_line_search_step_size = 1e-9;
    // Armijo's c1: f(a) <= f(0) + c1 a f'(0); > 0.
    double line_search_sufficient_function_decrease = 1e-4;
    // ARMIJO picks its next step size a' within
    // [max_contraction a, min_contraction a]; 0 < max < min <= 1.
    double max_line_search_step_contraction = 1e-3;
    double min_line_search_step_contraction = 0.6;
    // Step sizes tried in one line search; >= 1.
    int max_num_line_search_step_size_iterations = 20;
    // How often a direction may be given up for the steepest descent.
    int max_num_line_search_direction_restarts = 5;
    // Strong Wolfe's c2: |f'(a)| <= c2 |f'(0)|; c1 < c2 < 1.
    double line_search_sufficient_curvature_decrease = 0.9;
    // Bracketing grows a step size at most by this factor; > 1.
    double max_line_search_step_expansion = 10.0;

    int max_num_iterations = 50;
    // Wall time of the whole of Solve; >= 0. Seen between iterations.
    double max_solver_time_in_seconds = 1e9;

    // Stop when |change of cost| <= function_tolerance * cost.
    double function_tolerance = 1e-6;
    // Stop when max |x - Plus(x, -gradient)| <= gradient_tolerance.
    double gradient_tolerance = 1e-10;
    // Stop when |step| <= parameter_tolerance * (|x| + parameter_tolerance).
    double parameter_tolerance = 1e-8;

    LoggingType logging_type = PER_MINIMIZER_ITERATION;
    // The progress table goes to stdout; otherwise to glog's verbose level 1.
    bool minimizer_progress_to_stdout = false;

    // `parameters` holds the current point whenever a callback runs; otherwise
    // it changes only at the end.
    bool update_state_every_iteration = false;
    // Called after each iteration, in order, until one does not return
    // SOLVER_CONTINUE. Not owned. What a callback throws reaches the caller of
    // Solve.
    std::vector<IterationCallback*> callbacks;
  };

  // What happened. Times are wall time in seconds; -1 means "not measured".
  struct CERES_EXPORT Summary {
    // One line: iterations, costs, how it ended.
    std::string BriefReport() const;
    // A page.
    std::string FullReport() const;
    // CONVERGENCE, NO_CONVERGENCE or USER_SUCCESS: `parameters` holds the
    // result. Otherwise they are what they were.
    bool IsSolutionUsable() const;

    TerminationType termination_type = FAILURE;
    // Why the solver stopped.
    std::string message = "ceres::GradientProblemSolve was not called.";

    double initial_cost = -1.0;
    double final_cost = -1.0;

    // Iteration 0 is the initial point.
    std::vector<IterationSummary> iterations;

    // Evaluations of the function, and those of them with gradient.
    int num_cost_evaluations = -1;
    int num_gradient_evaluations = -1;

    double total_time_in_seconds = -1.0;
    // Of the evaluations without and with gradient.
    double cost_evaluation_time_in_seconds = -1.0;
    double gradient_evaluation_time_in_seconds = -1.0;
    double line_search_polynomial_minimization_time_in_seconds = -1.0;

    int num_parameters = -1;
    int num_tangent_parameters = -1;

    LineSearchDirectionType line_search_direction_type = LBFGS;
    LineSearchType line_search_type = WOLFE;
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    int max_lbfgs_rank = -1;
  };

  // As ceres::Solve.
  virtual void Solve(const GradientProblemSolver::Options& options,
                     const GradientProblem& problem, double* parameters,
                     GradientProblemSolver::Summary* summary);
};

// Minimizes the problem from `parameters` (problem.NumParameters() values) and,
// if the solution is usable, writes the result there.
//
// Invalid options, a start that is not finite and a function that cannot be
// evaluated there end as FAILURE with a message. What user code throws reaches
// the caller; in every such case `parameters` are what they were. Aborts on a
// null summary or null parameters.
//
// Several solves may run at the same time in different threads, on different
// problems.
CERES_EXPORT void Solve(const GradientProblemSolver::Options& options,
                        const GradientProblem& problem, double* parameters,
                        GradientProblemSolver::Summary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_GRADIENT_PROBLEM_SOLVER_H_
