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

  // The options of a solve: a plain struct that can be copied, changed and
  // reused.
  //
  // Every field of Ceres exists and has its effect. IsValid rejects what this
  // build lacks, such as CUDA and Accelerate, and says why.
  struct CERES_EXPORT Options {
    // Returns whether the options are valid by themselves, without a problem.
    // If not, `error` (not null) receives the name of the first option that is
    // not, its value and the values that are allowed. Solve calls this function
    // first.
    bool IsValid(std::string* error) const;

    // --- Minimizer -----------------------------------------------------------

    // TRUST_REGION, or LINE_SEARCH, which takes no bounds. Choose LINE_SEARCH
    // for millions of parameters, if a rough result is enough.
    MinimizerType minimizer_type = TRUST_REGION;

    // A trust-region minimizer uses only the options about step sizes, and only
    // on problems with bounds: a step that leaves the box is shortened along
    // its projection.

    // The search direction of LINE_SEARCH.
    LineSearchDirectionType line_search_direction_type = LBFGS;
    // The condition under which a step is accepted. LBFGS and BFGS need WOLFE.
    // ARMIJO needs no gradient at the step sizes that it tries: choose it for
    // the other directions if gradients are much more expensive than costs.
    LineSearchType line_search_type = WOLFE;
    // The coefficient of NONLINEAR_CONJUGATE_GRADIENT. POLAK_RIBIERE recovers
    // from short steps, where FLETCHER_REEVES may continue with short ones
    // (Nocedal and Wright, Numerical Optimization, section 5.2). LBFGS usually
    // needs fewer iterations than either.
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    // The number of past steps that LBFGS stores; > 0. A larger number saves
    // iterations if the problem is badly scaled. It costs two vectors of all
    // parameters, and the time to read them in each iteration, per step.
    int max_lbfgs_rank = 20;
    // Scale the initial inverse Hessian of LBFGS and BFGS by Oren's estimate.
    // It is the inverse diagonal of J'J (see jacobi_scaling), or a multiple of
    // the identity; the estimate multiplies it, for LBFGS in every iteration.
    bool use_approximate_eigenvalue_bfgs_scaling = false;
    // The rule that finds the next step size from those that were tried. CUBIC
    // uses the slopes, too. Choose BISECTION only if costs are so noisy that a
    // polynomial through them means nothing.
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    // A smaller step size, in units of the first that a line search tries, ends
    // it without success; > 0.
    double min_line_search_step_size = 1e-9;
    // Armijo's c1: f(a) <= f(0) + c1 a f'(0); > 0.
    double line_search_sufficient_function_decrease = 1e-4;
    // A backtracking line search picks its next step size a' within
    // [max_contraction a, min_contraction a]; 0 < max < min <= 1.
    double max_line_search_step_contraction = 1e-3;
    double min_line_search_step_contraction = 0.6;
    // The number of step sizes tried in one line search; >= 1. With
    // TRUST_REGION 0 is allowed, too: on problems with bounds steps are then
    // projected without a line search.
    int max_num_line_search_step_size_iterations = 20;
    // The number of times that a direction may be replaced by the steepest
    // descent, after a line search without success. More than the default
    // seldom help: such a function usually has wrong gradients or jumps.
    int max_num_line_search_direction_restarts = 5;
    // Strong Wolfe's c2: |f'(a)| <= c2 |f'(0)|; c1 < c2 < 1. The default suits
    // LBFGS and BFGS. Choose about 0.1 for NONLINEAR_CONJUGATE_GRADIENT, which
    // needs more exact line searches; each then takes more evaluations.
    double line_search_sufficient_curvature_decrease = 0.9;
    // Bracketing grows a step size at most by this factor; > 1. A smaller one
    // keeps trials away from points where the cost overflows.
    double max_line_search_step_expansion = 10.0;

    // --- Trust region --------------------------------------------------------

    // LEVENBERG_MARQUARDT, or DOGLEG, which takes the linear solvers that are
    // exact (not ITERATIVE_SCHUR or CGNR). Choose DOGLEG if many steps are
    // rejected and factorizations are expensive: after a rejected step it
    // reuses the factorization.
    TrustRegionStrategyType trust_region_strategy_type = LEVENBERG_MARQUARDT;
    // The set of points that DOGLEG minimizes over: the path from the Cauchy
    // point to the Gauss-Newton point (Powell), or the plane of both. The plane
    // contains the path, and costs two more products with the Jacobian.
    DoglegType dogleg_type = TRADITIONAL_DOGLEG;

    // The radius of the trust region at the first step; > 0. The damping of
    // Levenberg-Marquardt is diag(J'J) / radius. Choose 1 or less if the first
    // steps are rejected or lead away from a good start: each rejected step
    // costs a linear solve and an evaluation of the residuals. Too small a
    // radius costs iterations: an accepted step at most triples it.
    double initial_trust_region_radius = 1e4;
    // The largest radius; >= initial_trust_region_radius. Lower it, to 1e6 for
    // example, to keep a damping in problems with undetermined directions,
    // whose parameters move far otherwise.
    double max_trust_region_radius = 1e16;
    // A radius at or below this limit ends the solve as converged; > 0 and
    // <= initial_trust_region_radius. There is no reason to change it.
    double min_trust_region_radius = 1e-32;

    // A step is rejected if its actual decrease divided by the predicted one is
    // at most this number; >= 0. There is seldom a reason to change it.
    double min_relative_decrease = 1e-3;

    // Lower and upper bound on the entries of diag(J'J), with J the scaled
    // Jacobian, before they become a damping; >= 0. See
    // jacobi_scaling. A larger lower bound damps coordinates on which the
    // residuals hardly depend.
    double min_lm_diagonal = 1e-6;
    double max_lm_diagonal = 1e32;

    // The number of steps in a row that cannot be computed or do not decrease
    // the model, before the solve ends as FAILURE; >= 0. The cause is mostly a
    // linear system that is nearly singular. Each such step makes the radius
    // smaller, so a higher limit helps if the first radius was much too large.
    int max_num_consecutive_invalid_steps = 5;

    // Accept some steps that increase the cost, to follow curved valleys (Conn,
    // Gould, Toint, Trust Region Methods, section 10.1). The result is still
    // the point of least cost. Try it if the cost falls slowly and steadily. It
    // may need more iterations where steps are good anyway.
    bool use_nonmonotonic_steps = false;
    // The number of accepted steps in a row without a new minimum; > 0. A
    // larger number follows longer valleys, and wastes more steps if there is
    // none.
    int max_consecutive_nonmonotonic_steps = 5;

    // --- Limits and convergence ----------------------------------------------

    // The limit on iterations, successful or not; >= 0. A solve that reaches it
    // ends as NO_CONVERGENCE with a usable result. Raise it for bundles and
    // graphs that start far away; lower it where each result is only a start
    // for the next solve.
    int max_num_iterations = 50;
    // Wall time of the whole of Solve; >= 0. Once the start is evaluated, it is
    // seen within iterations too; the result is then the best point of the
    // iterations before. See docs/solving/extensions.md.
    double max_solver_time_in_seconds = 1e9;

    // Convergence tests. Gradient and step have the units of the parameters.
    // Therefore a solve ends by them only if, besides, the decrease of the cost
    // that a single coordinate promises is negligible: the answer depends
    // neither on units nor on the origin (docs/solving/tolerances.md).
    //
    // Stop when |change of cost| <= function_tolerance * cost; >= 0. Choose
    // 1e-3 for a rough result in fewer steps, 1e-10 if outliers dominate the
    // cost. Values below 1e-12 mostly add steps that change no digit of
    // interest (docs/solving/tolerances.md).
    double function_tolerance = 1e-6;
    // Stop when max |x - Project(Plus(x, -gradient))| <= gradient_tolerance;
    // >= 0. LINE_SEARCH: max |gradient_j|. It seldom decides; 0 turns it off.
    double gradient_tolerance = 1e-10;
    // Stop when |step| <= parameter_tolerance * (|x| + parameter_tolerance);
    // >= 0. A step that decreases the cost is taken before. Raise it to the
    // digits of the parameters that you need, if you know them.
    double parameter_tolerance = 1e-8;
    // With constraints (Problem::AddEqualityConstraint), a solve converges, and
    // the result counts as feasible, only if for each coordinate c_i of each
    // constraint |violation of c_i| <= constraint_tolerance * scale_i; > 0.
    // scale_i is the norm of the numbers dc_i/dx_j s_j. The size s_j of
    // coordinate j is about the change of x_j that alters the residuals by
    // their norm, so that units do not matter; scale_i is no smaller than what
    // rounding needs. A violation that is much larger than rounding is then
    // removed by one more step. An extension: see docs/solving/constraints.md.
    double constraint_tolerance = 1e-8;

    // --- Threads -------------------------------------------------------------

    // The number of threads, with the caller and with BLAS; > 0. Capped, with a
    // warning, at the number of CPUs that the process may use. The result has
    // the same bits for every number of threads. On bundle
    // adjustment two threads are 1.6 to 1.9 times as fast as one, 16 threads
    // 4.5 to 4.9 times; on pose graphs 16 are 2.3 to 3.2 times as fast
    // (docs/performance.md). Too many cost next to nothing.
    int num_threads = 1;

    // --- Linear solver -------------------------------------------------------

    // The algorithm that solves for the step of a trust-region iteration.
    // Choose DENSE_QR for up to about 100 parameters, SPARSE_SCHUR for bundle
    // adjustment, ITERATIVE_SCHUR with SCHUR_JACOBI for bundle adjustment of
    // hundreds of cameras, else SPARSE_NORMAL_CHOLESKY. See
    // docs/solving/choosing_a_solver.md.
    LinearSolverType linear_solver_type = SPARSE_NORMAL_CHOLESKY;

    // CGNR takes IDENTITY, JACOBI and SUBSET. ITERATIVE_SCHUR takes all but
    // SUBSET. Choose SCHUR_JACOBI with ITERATIVE_SCHUR: for 400 cameras it
    // takes 0.8 times the time of JACOBI. CLUSTER_JACOBI and
    // CLUSTER_TRIDIAGONAL need fewer iterations, each of which costs more, for
    // photo collections with many linear iterations. SUBSET is for CGNR if few
    // residual blocks connect everything. See docs/theory/preconditioners.md.
    PreconditionerType preconditioner_type = JACOBI;
    // The clusters of CLUSTER_JACOBI and CLUSTER_TRIDIAGONAL. SINGLE_LINKAGE is
    // computed faster. Choose it if the set-up of the preconditioner takes
    // long.
    VisibilityClusteringType visibility_clustering_type = CANONICAL_VIEWS;
    // The rows of SUBSET. They must determine the parameters. Residual blocks
    // that are not in the problem are ignored. The more rows, the fewer
    // iterations, and the larger the factorization. Choose a spanning tree of
    // the blocks and their priors first.
    std::unordered_set<ResidualBlockId>
        residual_blocks_for_subset_preconditioner;

    // The library that factors dense matrices. LAPACK calls the one that is
    // installed. Measure both if dense systems have more than 1000 coordinates.
    DenseLinearAlgebraLibraryType dense_linear_algebra_library_type = EIGEN;

    // The library that factors sparse matrices. Ceres's default is SUITE_SPARSE
    // if the build has it. NATIVE_SPARSE takes half of the others' time, or
    // less, on pose graphs (docs/solving/choosing_a_solver.md). Choose another
    // one only to compare.
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        NATIVE_SPARSE;

    // The fill-reducing ordering of sparse factorizations. AMD is found faster.
    // NESDIS (nested dissection) leaves fewer entries on very large meshes and
    // grids, and more work in parallel; for 400 cameras it takes 1.2 times the
    // time of AMD. Measure both if factorizations dominate.
    LinearSolverOrderingType linear_solver_ordering_type = AMD;

    // Elimination order of the parameter blocks: lower groups first. If it is
    // null, or has all blocks in one group, the solver chooses. Schur-type
    // solvers eliminate the lowest group; no residual block may use two of its
    // blocks. Solve does not change it. Set it if you know the points of a
    // bundle: it saves the search for them.
    std::shared_ptr<ParameterBlockOrdering> linear_solver_ordering;

    // How the Jacobian is kept between its evaluation and the end of a step.
    // FLOAT and RECOMPUTE take less memory. They need LEVENBERG_MARQUARDT and
    // DENSE_SCHUR, SPARSE_SCHUR or ITERATIVE_SCHUR, and take no constraints;
    // RECOMPUTE takes no EvaluationCallback. With RECOMPUTE, an iteration
    // evaluates each residual block three times with derivatives. An extension:
    // see docs/troubleshooting/memory.md.
    JacobianStorage jacobian_storage = JacobianStorage::DOUBLE;

    // ITERATIVE_SCHUR with SCHUR_JACOBI: always form the Schur complement.
    // Otherwise the solver estimates the cost of both ways and takes the
    // cheaper one, so there is no reason to set it but a comparison.
    bool use_explicit_schur_complement = false;

    // SPARSE_NORMAL_CHOLESKY: drop the entries of the Jacobian that are zero,
    // and order the rest again in every step. Use it if most entries are zero
    // and their pattern differs from step to step.
    bool dynamic_sparsity = false;

    // Factor in single precision and refine the solution iteratively. For the
    // solvers that use Cholesky factorizations. Sparse factorizations of
    // SUITE_SPARSE stay in double precision, with a warning in the log;
    // Summary::mixed_precision_solves_used is false then. Choose it, with two
    // refinements, if factors are large. For 400 cameras the time is 0.91 times
    // that of double precision. Badly conditioned problems need more steps.
    bool use_mixed_precision_solves = false;
    // The number of steps of iterative refinement. 2 or 3 with mixed precision;
    // each costs a product with the matrix and a solve by triangles, no
    // factorization. 0 is enough in double precision.
    int max_num_refinement_iterations = 0;

    // Bounds on the iterations of ITERATIVE_SCHUR and CGNR per step; >= 0. If
    // steps reach the upper one, choose a better preconditioner or a direct
    // solver rather than a higher bound.
    int min_linear_solver_iterations = 0;
    int max_linear_solver_iterations = 500;

    // SCHUR_POWER_SERIES_EXPANSION: the number of terms of the power series of
    // S^-1; >= 1. Each costs a product with S per iteration, and no memory;
    // 3 to 10 are useful.
    int max_num_spse_iterations = 5;
    // ITERATIVE_SCHUR: start from the power series. The series ends early if
    // the norm of a term is less than spse_tolerance times the norm of the sum.
    // It pays off if steps need tens of iterations.
    bool use_spse_initialization = false;
    double spse_tolerance = 0.1;

    // Relative accuracy to which iterative solvers solve for a step (the
    // forcing term of inexact Newton methods); > 0. Choose 0.01 if many steps
    // make little progress: there are then fewer of them, each with more linear
    // iterations.
    double eta = 1e-1;

    // Scale the columns of the Jacobian by 1 / (1 + |column|), or to the norm
    // 1e-3 if |column| is smaller, at the first point at which the column is
    // not zero. LINE_SEARCH: the directions begin with the inverse diagonal of
    // J'J, so that the path does not depend on units. Turn it off only if the
    // parameters already have comparable effects.
    bool jacobi_scaling = true;

    // --- Inner iterations ----------------------------------------------------

    // After each step, minimize over one group of parameter blocks after the
    // other, with all other blocks constant (Ruhe and Wedin, Algorithms for
    // Separable Nonlinear Least Squares Problems, SIAM Review 22, 1980,
    // algorithm II). For TRUST_REGION; not together with an EvaluationCallback.
    // Try it if one kind of parameters, such as points, is easy to solve for
    // once the others are known, and the cost falls slowly: iterations become
    // fewer, and each takes several evaluations more.
    bool use_inner_iterations = false;
    // The groups, lowest first; no residual block may use two blocks of one
    // group. Blocks may be omitted. Null or empty: the solver finds groups.
    // Solve does not change it. Give it to restrict inner iterations to the
    // blocks that profit, such as the points.
    std::shared_ptr<ParameterBlockOrdering> inner_iteration_ordering;
    // Inner iterations end for good when they reduce the cost by less than this
    // fraction; >= 0. A larger one ends them earlier, when they no longer pay.
    double inner_iteration_tolerance = 1e-3;

    // --- Reports -------------------------------------------------------------

    // SILENT: no progress table, for programs that solve many problems.
    LoggingType logging_type = PER_MINIMIZER_ITERATION;
    // The progress table goes to stdout; otherwise to the log at
    // verbosity 1 (ceres/log_sink.h).
    bool minimizer_progress_to_stdout = false;

    // The iterations whose linear system x = argmin |A x - b|^2 + |D x|^2 is
    // dumped. A is the Jacobian with its columns in the order of elimination, x
    // is the step. TEXTFILE writes
    // directory/ceres_solver_iteration_003_{A,D,b,x}.txt, with "row column
    // value" (from 0) for each entry of A and one value per line for the
    // vectors, D's diagonal among them. A function for Octave and MATLAB that
    // loads them is written beside them. CONSOLE prints dense matrices to
    // stderr. A file that cannot be written ends the solve as a FAILURE whose
    // message names the file.
    std::vector<int> trust_region_minimizer_iterations_to_dump;
    // The directory of TEXTFILE.
    std::string trust_region_problem_dump_directory = "/tmp";
    // TEXTFILE or CONSOLE.
    DumpFormatType trust_region_problem_dump_format_type = TEXTFILE;

    // Compare the Jacobians of cost functions with finite differences at every
    // evaluation (see ceres/gradient_checker.h). If an entry differs by more
    // than the relative precision, or cannot be computed, the solve ends with
    // FAILURE and a message that names the residual block and the derivatives.
    // Slow; for debugging.
    bool check_gradients = false;
    // The relative precision of check_gradients; > 0. Raise it, to 1e-5 for
    // example, if correct derivatives are reported because the residuals have
    // few correct digits.
    double gradient_check_relative_precision = 1e-8;
    // NumericDiffOptions::relative_step_size of check_gradients; > 0. Ridders'
    // method, which is in use, replaces it by its own step size.
    double gradient_check_numeric_derivative_relative_step_size = 1e-6;

    // --- Callbacks -----------------------------------------------------------

    // True: the user's parameter memory holds the current point whenever a
    // callback runs. False: it changes only at the end. Set it if a callback
    // draws or stores the parameters; it costs a copy of them per iteration.
    bool update_state_every_iteration = false;
    // Called after each iteration, in order, until one does not return
    // SOLVER_CONTINUE. Not owned. Exceptions of a callback reach the caller of
    // Solve.
    std::vector<IterationCallback*> callbacks;

    // --- Extensions, see docs/solving/extensions.md --------------------------

    // The threads of the solve, in place of those of the problem's Context.
    // Solve caps num_threads, without a warning, at the executor's
    // MaxConcurrency(). Not owned; must outlive the solve. Null: the threads of
    // the context.
    parallel::Executor* executor = nullptr;

    // Cancelling the token ends the solve, within an iteration too, with
    // NO_CONVERGENCE and the best point so far.
    parallel::CancellationToken cancellation_token;

    // Exceptions of user code always reach the caller of Solve, with their
    // type. True: the user's parameters are then the best accepted point so
    // far. False: they have their starting values. Set it where an exception,
    // such as an interrupt from the keyboard, must not lose minutes of work.
    bool keep_progress_on_exception = false;

    // Store in the Problem what depends on its structure alone: the frozen
    // problem, orderings, symbolic factorizations, and the memory of the
    // Jacobian's sums. The next solve with this option uses it again if neither
    // the structure nor the options that matter have changed. The results have
    // the same bits. Problem::ReleasePreprocessing frees the memory. Set it for
    // solves of one structure with new measurements, and for structures that
    // change little; see docs/solving/solving_again.md.
    //
    // If blocks were added, removed, set constant or variable, the next solve
    // by SPARSE_NORMAL_CHOLESKY or SPARSE_SCHUR keeps the elimination order of
    // the sparse factorization: columns that have left are deleted from it, and
    // new columns are eliminated last. The results have the bits of a solve
    // without the option that has this order. A new order is computed when
    // the operations per column differ by more than a tenth from those of the
    // last computed order, and these differences, summed over the solves since
    // then, exceed the cost of an order.
    bool keep_preprocessing = false;
  };

  // The result of a solve. Times are wall times in seconds. -1 means "not
  // measured".
  //
  // "Reduced" is the problem without constant and unused parameter blocks;
  // "effective" counts tangent coordinates.
  struct CERES_EXPORT Summary {
    // One line: iterations, costs and termination type.
    std::string BriefReport() const;
    // All figures of the solve as text of about one page.
    std::string FullReport() const;
    // All fields and iterations, and the licences of the build, as one JSON
    // object (RFC 8259). Keys have the names of the fields, enumerators are
    // strings. Numbers that JSON lacks are the strings "NaN", "Infinity",
    // "-Infinity". An extension: see docs/solving/extensions.md.
    std::string ToJson() const;
    // True for CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS: the user's
    // parameters hold the result. Otherwise they have their starting values;
    // after INFEASIBLE, the point of least violation.
    bool IsSolutionUsable() const;

    // The option of this name.
    MinimizerType minimizer_type = TRUST_REGION;
    // The reason why the solver stopped, and a message that explains it.
    TerminationType termination_type = FAILURE;
    std::string message = "ceres::Solve was not called.";

    // Costs at the initial point and at the accepted point of least cost. Both
    // include fixed_cost: the cost of residual blocks whose parameter blocks
    // are all constant.
    double initial_cost = -1.0;
    double final_cost = -1.0;
    double fixed_cost = -1.0;

    // Problems with constraints, see docs/solving/constraints.md; else -1.
    // The numbers of constraints, and of their coordinates that are active.
    int num_constraints = -1;
    int num_active_constraints = -1;
    // At the result: the largest violation, in the units of
    // constraint_tolerance; the largest entry of the gradient of the
    // Lagrangian; and the sum of |multiplier * distance from its bound|.
    double constraint_violation = -1.0;
    double stationarity = -1.0;
    double complementarity = -1.0;
    // The names of the constraints that the result violates. A constraint
    // without a name is "constraint 3", by its index.
    std::vector<std::string> violated_constraints;

    // One element per iteration. Iteration 0 is the initial point.
    std::vector<IterationSummary> iterations;

    // Numbers of accepted and rejected steps. Their sum is the number of
    // iterations listed: as in Ceres, the initial point, iteration 0, is a
    // successful step.
    int num_successful_steps = -1;
    int num_unsuccessful_steps = -1;
    // Numbers of rounds of inner iterations and of step sizes tried by line
    // searches.
    int num_inner_iteration_steps = -1;
    int num_line_search_steps = -1;

    // Time before, during and after the minimization, and their sum.
    double preprocessor_time_in_seconds = -1.0;
    double minimizer_time_in_seconds = -1.0;
    double postprocessor_time_in_seconds = -1.0;
    double total_time_in_seconds = -1.0;

    // Time and number of linear solves for steps.
    double linear_solver_time_in_seconds = -1.0;
    int num_linear_solves = -1;
    // Time and number of evaluations of residuals alone.
    double residual_evaluation_time_in_seconds = -1.0;
    int num_residual_evaluations = -1;
    // Time and number of evaluations of Jacobians, with the residuals at the
    // same point.
    double jacobian_evaluation_time_in_seconds = -1.0;
    int num_jacobian_evaluations = -1;
    // Time of inner iterations.
    double inner_iteration_time_in_seconds = -1.0;

    // Parts of the time of line searches, and all of it.
    double line_search_cost_evaluation_time_in_seconds = -1.0;
    double line_search_gradient_evaluation_time_in_seconds = -1.0;
    double line_search_polynomial_minimization_time_in_seconds = -1.0;
    double line_search_total_time_in_seconds = -1.0;

    // Sizes of the problem.
    int num_parameter_blocks = -1;
    int num_parameters = -1;
    int num_effective_parameters = -1;
    int num_residual_blocks = -1;
    int num_residuals = -1;

    // Sizes of the reduced problem.
    int num_parameter_blocks_reduced = -1;
    int num_parameters_reduced = -1;
    int num_effective_parameters_reduced = -1;
    int num_residual_blocks_reduced = -1;
    int num_residuals_reduced = -1;

    // True if a varying parameter block has bounds.
    bool is_constrained = false;

    // The option num_threads, and the number after it was capped.
    int num_threads_given = -1;
    int num_threads_used = -1;

    // Sizes of the groups of the elimination ordering: of the option, and of
    // the ordering in use.
    std::vector<int> linear_solver_ordering_given;
    std::vector<int> linear_solver_ordering_used;

    // "row,e,f", for Schur-type solvers: the sizes of residual blocks, of
    // eliminated and of remaining parameter blocks, "d" if the sizes differ.
    std::string schur_structure_given;
    std::string schur_structure_used;

    // The option use_inner_iterations, and whether inner iterations were run.
    // Then the sizes of the groups: of the option, and of the groups in use.
    bool inner_iterations_given = false;
    bool inner_iterations_used = false;
    std::vector<int> inner_iteration_ordering_given;
    std::vector<int> inner_iteration_ordering_used;

    // The option linear_solver_type, and the solver in use. They differ if the
    // solver replaced the choice.
    LinearSolverType linear_solver_type_given = SPARSE_NORMAL_CHOLESKY;
    LinearSolverType linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
    // True if factorizations are in single precision.
    bool mixed_precision_solves_used = false;
    // The option of this name.
    LinearSolverOrderingType linear_solver_ordering_type = AMD;

    // The storage of the Jacobian; never AUTO. A Jacobian of less than 64 KiB
    // is stored in double precision whatever the option says.
    JacobianStorage jacobian_storage_used = JacobianStorage::DOUBLE;

    // The option preconditioner_type, and the preconditioner in use. Then the
    // option visibility_clustering_type.
    PreconditionerType preconditioner_type_given = IDENTITY;
    PreconditionerType preconditioner_type_used = IDENTITY;
    VisibilityClusteringType visibility_clustering_type = CANONICAL_VIEWS;

    // The options of these names.
    TrustRegionStrategyType trust_region_strategy_type = LEVENBERG_MARQUARDT;
    DoglegType dogleg_type = TRADITIONAL_DOGLEG;
    DenseLinearAlgebraLibraryType dense_linear_algebra_library_type = EIGEN;
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        NO_SPARSE;

    // The options of these names.
    LineSearchDirectionType line_search_direction_type = LBFGS;
    LineSearchType line_search_type = WOLFE;
    LineSearchInterpolationType line_search_interpolation_type = CUBIC;
    NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
        FLETCHER_REEVES;
    int max_lbfgs_rank = -1;

    // True if Options::keep_preprocessing reused the preprocessing of an
    // earlier solve.
    bool preprocessing_was_kept = false;
    // True if Options::keep_preprocessing reused the elimination order of an
    // earlier solve, although the problem has changed.
    bool preprocessing_was_extended = false;
    // True if Options::keep_preprocessing computed a new elimination order,
    // because the order of the earlier solve had become a bad one.
    bool elimination_order_was_renewed = false;
  };

  // Calls ceres::Solve.
  virtual void Solve(const Options& options, Problem* problem,
                     Solver::Summary* summary);
};

// Minimizes the problem from the values in the user's memory and, if the
// solution is usable (Summary::IsSolutionUsable), writes the result there.
//
// Errors in data end as FAILURE with a message: invalid options, a bound that
// cannot be met, a cost function that returns false or writes NaN (the message
// names the residual block). Exceptions of user code reach the caller. In all
// these cases the user's parameters have their starting values, unless
// Options::keep_progress_on_exception is set and an exception was thrown.
// Aborts on a null problem or summary.
//
// Several solves may run at the same time in different threads, on different
// problems, with or without a common Context. A cost function may run another
// solve.
CERES_EXPORT void Solve(const Solver::Options& options, Problem* problem,
                        Solver::Summary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SOLVER_H_
