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

  // The options of a solve: a plain struct. A field has the meaning that the
  // field of the same name in Solver::Options has for the LINE_SEARCH
  // minimizer.
  struct CERES_EXPORT Options {
    // Returns whether the options are valid by themselves, without a problem.
    // If not, `error` (not null) receives the name of the first option that is
    // not, its value and the values that are allowed. Solve calls this function
    // first.
    bool IsValid(std::string* error) const;

    // The search direction.
    LineSearchDirectionType line_search_direction_type = LBFGS;
    // The condition under which a step is accepted. LBFGS and BFGS need WOLFE.
    LineSearchType line_search_type = WOLFE;
    // The coefficient of NONLINEAR_CONJUGATE_GRADIENT.
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    // The number of past steps that LBFGS stores; > 0.
    int max_lbfgs_rank = 20;
    // Scale the initial inverse Hessian of LBFGS and BFGS, the identity, by
    // Oren's estimate (LBFGS: in every iteration). Otherwise it is scaled by
    // the curvature along the first step.
    bool use_approximate_eigenvalue_bfgs_scaling = false;
    // The rule that finds the next step size from those that were tried.
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    // A smaller step size, in units of the first that a line search tries, ends
    // it without success; > 0.
    double min_line_search_step_size = 1e-9;
    // Armijo's c1: f(a) <= f(0) + c1 a f'(0); > 0.
    double line_search_sufficient_function_decrease = 1e-4;
    // ARMIJO picks its next step size a' within
    // [max_contraction a, min_contraction a]; 0 < max < min <= 1.
    double max_line_search_step_contraction = 1e-3;
    double min_line_search_step_contraction = 0.6;
    // The number of step sizes tried in one line search; >= 1.
    int max_num_line_search_step_size_iterations = 20;
    // The number of times that a direction may be replaced by the steepest
    // descent.
    int max_num_line_search_direction_restarts = 5;
    // Strong Wolfe's c2: |f'(a)| <= c2 |f'(0)|; c1 < c2 < 1.
    double line_search_sufficient_curvature_decrease = 0.9;
    // Bracketing grows a step size at most by this factor; > 1.
    double max_line_search_step_expansion = 10.0;

    // The limit on iterations, successful or not; >= 0.
    int max_num_iterations = 50;
    // The limit on the wall time of Solve, in seconds; >= 0. Checked between
    // iterations.
    double max_solver_time_in_seconds = 1e9;

    // Stop when |change of cost| <= function_tolerance * |cost|; >= 0.
    double function_tolerance = 1e-6;
    // Stop when max |gradient_j| <= gradient_tolerance; >= 0. Gradients and
    // steps have units: these tests stop a solve only if the curvature along
    // the last step (before it, the first step size) agrees that little can be
    // gained. See docs/solving/tolerances.md.
    double gradient_tolerance = 1e-10;
    // Stop when |step| <= parameter_tolerance * (|x| + parameter_tolerance);
    // >= 0.
    double parameter_tolerance = 1e-8;

    // SILENT: no progress table.
    LoggingType logging_type = PER_MINIMIZER_ITERATION;
    // The progress table goes to stdout; otherwise to the log at
    // verbosity 1 (ceres/log_sink.h).
    bool minimizer_progress_to_stdout = false;

    // True: `parameters` holds the current point whenever a callback runs.
    // False: it changes only at the end.
    bool update_state_every_iteration = false;
    // Called after each iteration, in order, until one does not return
    // SOLVER_CONTINUE. Not owned. Exceptions of a callback reach the caller of
    // Solve.
    std::vector<IterationCallback*> callbacks;
  };

  // The result of a solve. Times are wall times in seconds. -1 means "not
  // measured".
  struct CERES_EXPORT Summary {
    // One line: iterations, costs and termination type.
    std::string BriefReport() const;
    // All figures of the solve as text of about one page.
    std::string FullReport() const;
    // True for CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS: `parameters` holds
    // the result. Otherwise it has the starting values.
    bool IsSolutionUsable() const;

    // The reason why the solver stopped, and a message that explains it.
    TerminationType termination_type = FAILURE;
    std::string message = "ceres::GradientProblemSolve was not called.";

    // Costs at the initial point and at the final one.
    double initial_cost = -1.0;
    double final_cost = -1.0;

    // One element per iteration. Iteration 0 is the initial point.
    std::vector<IterationSummary> iterations;

    // The number of evaluations of the function, and the number of those that
    // include the gradient.
    int num_cost_evaluations = -1;
    int num_gradient_evaluations = -1;

    // Wall time of Solve.
    double total_time_in_seconds = -1.0;
    // Times of evaluations without gradient, of evaluations with gradient, and
    // of the choice of step sizes.
    double cost_evaluation_time_in_seconds = -1.0;
    double gradient_evaluation_time_in_seconds = -1.0;
    double line_search_polynomial_minimization_time_in_seconds = -1.0;

    // Sizes of the problem: coordinates of x and of its tangents.
    int num_parameters = -1;
    int num_tangent_parameters = -1;

    // The options of these names.
    LineSearchDirectionType line_search_direction_type = LBFGS;
    LineSearchType line_search_type = WOLFE;
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    int max_lbfgs_rank = -1;
  };

  // Calls ceres::Solve.
  virtual void Solve(const GradientProblemSolver::Options& options,
                     const GradientProblem& problem, double* parameters,
                     GradientProblemSolver::Summary* summary);
};

// Minimizes the problem from `parameters` (problem.NumParameters() values) and,
// if the solution is usable, writes the result there.
//
// Invalid options, a start that is not finite and a function that cannot be
// evaluated there end as FAILURE with a message. Exceptions of user code reach
// the caller. In all these cases `parameters` has the starting values. Aborts
// on a null summary or null parameters.
//
// Several solves may run at the same time in different threads, on different
// problems.
CERES_EXPORT void Solve(const GradientProblemSolver::Options& options,
                        const GradientProblem& problem, double* parameters,
                        GradientProblemSolver::Summary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_GRADIENT_PROBLEM_SOLVER_H_
