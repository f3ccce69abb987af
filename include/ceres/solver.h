// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_SOLVER_H_
#define CERES_PUBLIC_SOLVER_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "ceres/crs_matrix.h"  // Programs count on it.
#include "ceres/internal/config.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/iteration_callback.h"
#include "ceres/ordered_groups.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/executor.h"
#include "ceres/problem.h"
#include "ceres/types.h"

namespace ceres {

// Minimizes the cost of a Problem,
//
//     1/2 sum_i rho_i(|f_i(x)|^2)    subject to   lower <= x <= upper,
//
// over its varying parameter blocks. See Solve() below.
class CERES_EXPORT Solver {
 public:
  virtual ~Solver();

  // What to do. A plain struct: copy it, change what you like, reuse it.
  //
  // Every field of Ceres exists and is honoured; what this build lacks (CUDA,
  // Accelerate, ...) IsValid refuses, and says why.
  struct CERES_EXPORT Options {
    // Whether the options make sense, by themselves. If not, `error` (not null)
    // says which option, its value and what it should be; the first violation
    // wins. Solve asks this first.
    bool IsValid(std::string* error) const;

    // --- Minimizer -----------------------------------------------------------

    // TRUST_REGION, or LINE_SEARCH, which takes no bounds.
    MinimizerType minimizer_type = TRUST_REGION;

    // --- Line search ---------------------------------------------------------
    // Of these, a trust region minimizer uses the ones about step sizes, and
    // only on problems with bounds: a step that leaves the box is shortened
    // along its projection.

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
    // Smaller step sizes end a line search without success; > 0. For
    // LINE_SEARCH measured in the coordinate that moves most.
    double min_line_search_step_size = 1e-9;
    // Armijo's c1: f(a) <= f(0) + c1 a f'(0); > 0.
    double line_search_sufficient_function_decrease = 1e-4;
    // A backtracking line search picks its next step size a' within
    // [max_contraction a, min_contraction a]; 0 < max < min <= 1.
    double max_line_search_step_contraction = 1e-3;
    double min_line_search_step_contraction = 0.6;
    // Step sizes tried in one line search. 0 is allowed for TRUST_REGION: no
    // line search on problems with bounds, steps are only projected.
    int max_num_line_search_step_size_iterations = 20;
    // How often a direction may be given up for the steepest descent.
    int max_num_line_search_direction_restarts = 5;
    // Strong Wolfe's c2: |f'(a)| <= c2 |f'(0)|; c1 < c2 < 1.
    double line_search_sufficient_curvature_decrease = 0.9;
    // Bracketing grows a step size at most by this factor; > 1.
    double max_line_search_step_expansion = 10.0;

    // --- Trust region --------------------------------------------------------

    // LEVENBERG_MARQUARDT, or DOGLEG, which needs an exact linear solver (not
    // ITERATIVE_SCHUR or CGNR) and no new factorization for a rejected step.
    TrustRegionStrategyType trust_region_strategy_type = LEVENBERG_MARQUARDT;
    // TRADITIONAL_DOGLEG: Powell's path from the Cauchy point to the
    // Gauss-Newton point. SUBSPACE_DOGLEG: the minimum in the plane of both.
    DoglegType dogleg_type = TRADITIONAL_DOGLEG;

    // Accept steps that increase the cost now and then, so as to follow curved
    // valleys (Conn, Gould, Toint, Trust Region Methods, section 10.1). The
    // result is still the best point seen.
    bool use_nonmonotonic_steps = false;
    // Accepted steps without a new minimum; > 0.
    int max_consecutive_nonmonotonic_steps = 5;

    // --- Limits --------------------------------------------------------------

    // Iterations, successful or not; >= 0.
    int max_num_iterations = 50;
    // Wall time of the whole of Solve; >= 0. Once the start is evaluated, it is
    // seen within iterations too; the result is then the best point of the
    // iterations before. See docs/solving/extensions.md.
    double max_solver_time_in_seconds = 1e9;

    // Threads at work, the caller and BLAS included; > 0. Capped, with a
    // warning, at the cpus that the process may use. The result has the same
    // bits for every number of threads.
    int num_threads = 1;

    // Levenberg-Marquardt's radius mu^-1: the damping is diag(J'J) / radius.
    double initial_trust_region_radius = 1e4;
    double max_trust_region_radius = 1e16;
    // Reaching it ends the solve as converged.
    double min_trust_region_radius = 1e-32;

    // Steps whose actual decrease is at most this part of the predicted one are
    // not taken.
    double min_relative_decrease = 1e-3;

    // diag(J'J), of the scaled Jacobian, is clamped to this range before it
    // becomes a damping.
    double min_lm_diagonal = 1e-6;
    double max_lm_diagonal = 1e32;

    // Steps in a row that cannot be computed or do not decrease the model,
    // before the solve ends as FAILURE; >= 0.
    int max_num_consecutive_invalid_steps = 5;

    // Stop when |change of cost| <= function_tolerance * cost.
    double function_tolerance = 1e-6;
    // Stop when max |x - Project(Plus(x, -gradient))| <= gradient_tolerance.
    double gradient_tolerance = 1e-10;
    // Stop when |step| <= parameter_tolerance * (|x| + parameter_tolerance).
    double parameter_tolerance = 1e-8;

    // --- Linear solver -------------------------------------------------------

    LinearSolverType linear_solver_type = SPARSE_NORMAL_CHOLESKY;

    // Of CGNR: IDENTITY, JACOBI, SUBSET; of ITERATIVE_SCHUR: all but SUBSET.
    // CLUSTER_JACOBI and CLUSTER_TRIDIAGONAL cluster by similar visibility.
    PreconditionerType preconditioner_type = JACOBI;
    VisibilityClusteringType visibility_clustering_type = CANONICAL_VIEWS;
    // Rows of SUBSET, to determine the parameters. Absent ones are ignored.
    std::unordered_set<ResidualBlockId>
        residual_blocks_for_subset_preconditioner;

    DenseLinearAlgebraLibraryType dense_linear_algebra_library_type = EIGEN;

    // Ceres's default is SUITE_SPARSE where the build has it.
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        NATIVE_SPARSE;

    // Fill-reducing ordering of sparse factorizations.
    LinearSolverOrderingType linear_solver_ordering_type = AMD;

    // Elimination order of the parameter blocks: lower groups first. Null, or
    // all blocks in one group: the solver chooses. For Schur-type solvers the
    // lowest group is what is eliminated; no residual block may use two of its
    // blocks. Solve reads it and does not change it.
    std::shared_ptr<ParameterBlockOrdering> linear_solver_ordering;

    // ITERATIVE_SCHUR with SCHUR_JACOBI: always form the Schur complement.
    // Otherwise the solver counts and takes what is cheaper.
    bool use_explicit_schur_complement = false;

    // SPARSE_NORMAL_CHOLESKY: most entries of the Jacobian are zero, which ones
    // differing from step to step. They are dropped, and the rest is ordered
    // anew, in every step.
    bool dynamic_sparsity = false;

    // Factor in single precision and refine. Cholesky-based solvers only.
    bool use_mixed_precision_solves = false;
    int max_num_refinement_iterations = 0;

    // Iterations of ITERATIVE_SCHUR and CGNR per step.
    int min_linear_solver_iterations = 0;
    int max_linear_solver_iterations = 500;

    // Terms of the power series of S^-1; start from it, cut off at a tolerance.
    int max_num_spse_iterations = 5;
    bool use_spse_initialization = false;
    double spse_tolerance = 0.1;

    // Relative accuracy to which iterative solvers solve for a step (the
    // forcing term of inexact Newton methods); > 0.
    double eta = 1e-1;

    // Scale the columns of the Jacobian by 1 / (1 + |column|), taken at the
    // first point.
    bool jacobi_scaling = true;

    // --- Inner iterations ----------------------------------------------------

    // After each step, minimize over one group of parameter blocks after the
    // other, the rest held (Ruhe and Wedin, Algorithms for Separable Nonlinear
    // Least Squares Problems, SIAM Review 22, 1980, algorithm II). For
    // TRUST_REGION; not together with an EvaluationCallback.
    bool use_inner_iterations = false;
    // The groups, lowest first; no residual block may use two blocks of one
    // group. Blocks may be left out. Null or empty: the solver finds groups.
    // Solve reads it and does not change it.
    std::shared_ptr<ParameterBlockOrdering> inner_iteration_ordering;
    // Once inner iterations gain less than this part of the cost, they are left
    // out; >= 0.
    double inner_iteration_tolerance = 1e-3;

    // --- Reports -------------------------------------------------------------

    LoggingType logging_type = PER_MINIMIZER_ITERATION;
    // The progress table goes to stdout; otherwise to glog's verbose level 1.
    bool minimizer_progress_to_stdout = false;

    // Iterations whose linear system x = argmin |A x - b|^2 + |D x|^2 is
    // dumped, A being the Jacobian with its columns in the order of
    // elimination, x the step. TEXTFILE:
    // directory/ceres_solver_iteration_003_{A,D,b,x}.txt, with "row column
    // value" (from 0) for each entry of A and a value a line for the vectors,
    // D's diagonal among them, and a function for Octave and MATLAB beside them
    // that loads them. CONSOLE: dense, to stderr. A file that cannot be written
    // ends the solve as a FAILURE that names it.
    std::vector<int> trust_region_minimizer_iterations_to_dump;
    std::string trust_region_problem_dump_directory = "/tmp";
    DumpFormatType trust_region_problem_dump_format_type = TEXTFILE;

    // Compare the Jacobians of cost functions with finite differences (see
    // ceres/gradient_checker.h) wherever they are evaluated. Where they differ,
    // relatively, by more than the precision, or cannot be computed, the solve
    // ends with FAILURE and a message that names the residual block and the
    // derivatives. Slow; for debugging. The step size is that of
    // NumericDiffOptions::relative_step_size, which Ridders' method, the one in
    // use, replaces by its own.
    bool check_gradients = false;
    double gradient_check_relative_precision = 1e-8;
    double gradient_check_numeric_derivative_relative_step_size = 1e-6;

    // --- Callbacks -----------------------------------------------------------

    // The user's parameter memory holds the current point whenever a callback
    // runs; otherwise it changes only at the end.
    bool update_state_every_iteration = false;
    // Called after each iteration, in order, until one does not return
    // SOLVER_CONTINUE. Not owned. What a callback throws reaches the caller of
    // Solve.
    std::vector<IterationCallback*> callbacks;

    // --- Extensions, see docs/solving/extensions.md --------------------------

    // Lends the solve its threads, in place of the problem's Context;
    // num_threads is capped, silently, at its MaxConcurrency(). Not owned;
    // outlives the solve. Null: the context's pool.
    parallel::Executor* executor = nullptr;

    // Ends the solve, within an iteration too: NO_CONVERGENCE, with the best
    // point so far.
    parallel::CancellationToken cancellation_token;

    // What user code throws always reaches the caller of Solve, with its type.
    // True: the user's parameters are then the best accepted point so far; else
    // they are what they were.
    bool keep_progress_on_exception = false;

    // Keep what depends on the problem's structure alone (the frozen problem,
    // orderings, symbolic factorizations, memory of the Jacobian's sums) in the
    // Problem, for the next solve with this option: as long as neither
    // structure nor relevant options change it is used again. The bits are the
    // same. Problem::ReleasePreprocessing gives the memory back.
    bool keep_preprocessing = false;
  };

  // What happened. Times are wall time in seconds; -1 means "not measured".
  //
  // "Reduced" is the problem without constant and unused parameter blocks;
  // "effective" counts tangent coordinates.
  struct CERES_EXPORT Summary {
    // One line: iterations, costs, how it ended.
    std::string BriefReport() const;
    // A page.
    std::string FullReport() const;
    // All fields and iterations as one JSON object (RFC 8259), keys named like
    // the fields, enumerations by their names. Numbers that JSON does not have
    // are the strings "NaN", "Infinity", "-Infinity". An extension: see
    // docs/solving/extensions.md.
    std::string ToJson() const;
    // CONVERGENCE, NO_CONVERGENCE or USER_SUCCESS: the user's parameters hold
    // the result. Otherwise they are what they were.
    bool IsSolutionUsable() const;

    MinimizerType minimizer_type = TRUST_REGION;
    TerminationType termination_type = FAILURE;
    // Why the solver stopped.
    std::string message = "ceres::Solve was not called.";

    // Costs include fixed_cost: that of residual blocks all of whose parameter
    // blocks are constant. final_cost is the smallest of the accepted points.
    double initial_cost = -1.0;
    double final_cost = -1.0;
    double fixed_cost = -1.0;

    // Iteration 0 is the initial point.
    std::vector<IterationSummary> iterations;

    // Together the number of iterations listed: as Ceres has it, the initial
    // point, iteration 0, counts as a successful step.
    int num_successful_steps = -1;
    int num_unsuccessful_steps = -1;
    int num_inner_iteration_steps = -1;
    int num_line_search_steps = -1;

    double preprocessor_time_in_seconds = -1.0;
    double minimizer_time_in_seconds = -1.0;
    double postprocessor_time_in_seconds = -1.0;
    double total_time_in_seconds = -1.0;

    double linear_solver_time_in_seconds = -1.0;
    int num_linear_solves = -1;
    double residual_evaluation_time_in_seconds = -1.0;
    int num_residual_evaluations = -1;
    double jacobian_evaluation_time_in_seconds = -1.0;
    int num_jacobian_evaluations = -1;
    double inner_iteration_time_in_seconds = -1.0;

    double line_search_cost_evaluation_time_in_seconds = -1.0;
    double line_search_gradient_evaluation_time_in_seconds = -1.0;
    double line_search_polynomial_minimization_time_in_seconds = -1.0;
    double line_search_total_time_in_seconds = -1.0;

    int num_parameter_blocks = -1;
    int num_parameters = -1;
    int num_effective_parameters = -1;
    int num_residual_blocks = -1;
    int num_residuals = -1;

    int num_parameter_blocks_reduced = -1;
    int num_parameters_reduced = -1;
    int num_effective_parameters_reduced = -1;
    int num_residual_blocks_reduced = -1;
    int num_residuals_reduced = -1;

    // Whether a varying parameter block has bounds.
    bool is_constrained = false;

    int num_threads_given = -1;
    int num_threads_used = -1;

    // Sizes of the groups of the elimination ordering.
    std::vector<int> linear_solver_ordering_given;
    std::vector<int> linear_solver_ordering_used;

    // "row,e,f": block sizes of residuals, eliminated and remaining blocks, "d"
    // where they differ, for Schur-type solvers.
    std::string schur_structure_given;
    std::string schur_structure_used;

    bool inner_iterations_given = false;
    bool inner_iterations_used = false;
    std::vector<int> inner_iteration_ordering_given;
    std::vector<int> inner_iteration_ordering_used;

    LinearSolverType linear_solver_type_given = SPARSE_NORMAL_CHOLESKY;
    LinearSolverType linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
    bool mixed_precision_solves_used = false;
    LinearSolverOrderingType linear_solver_ordering_type = AMD;

    PreconditionerType preconditioner_type_given = IDENTITY;
    PreconditionerType preconditioner_type_used = IDENTITY;
    VisibilityClusteringType visibility_clustering_type = CANONICAL_VIEWS;

    TrustRegionStrategyType trust_region_strategy_type = LEVENBERG_MARQUARDT;
    DoglegType dogleg_type = TRADITIONAL_DOGLEG;
    DenseLinearAlgebraLibraryType dense_linear_algebra_library_type = EIGEN;
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        NO_SPARSE;

    LineSearchDirectionType line_search_direction_type = LBFGS;
    LineSearchType line_search_type = WOLFE;
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    int max_lbfgs_rank = -1;

    // Whether Options::keep_preprocessing found that of an earlier solve.
    bool preprocessing_was_kept = false;
  };

  // As ceres::Solve.
  virtual void Solve(const Options& options, Problem* problem,
                     Solver::Summary* summary);
};

// Minimizes the problem from the values in the user's memory and, if the
// solution is usable (Summary::IsSolutionUsable), writes the result there.
//
// Mistakes in data end as FAILURE with a message: invalid options, a bound that
// cannot be met, a cost function that returns false or writes NaN (the message
// names the residual block). What user code throws reaches the caller; in every
// such case the user's parameters are what they were, unless
// Options::keep_progress_on_exception says otherwise. Aborts on a null problem
// or summary.
//
// Several solves may run at the same time in different threads, on different
// problems, sharing a Context or not; one may run inside a cost function of
// another.
CERES_EXPORT void Solve(const Solver::Options& options, Problem* problem,
                        Solver::Summary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SOLVER_H_
