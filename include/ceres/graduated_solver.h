// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_GRADUATED_SOLVER_H_
#define CERES_PUBLIC_GRADUATED_SOLVER_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/types.h"

namespace ceres {

// The loss that graduated non-convexity approaches. s is the squared norm of a
// residual block, and c^2 the largest s of an inlier.
enum class GraduatedLoss {
  // min(s, c^2). Weights end at 0 or 1.
  kTruncatedSquares,
  // c^2 s / (c^2 + s). Weights end between 0 and 1: c^4 / (c^2 + s)^2, which is
  // 1/4 for s = c^2.
  kGemanMcClure,
};

// The weights of the first round of SolveGraduated.
enum class GraduatedStart {
  // The weights follow from the residuals at the user's values. For a start
  // that is better than the solution in which all blocks count, such as the
  // odometry of a pose graph.
  kFromValues,
  // All weights are 1. The solution then gives the residuals of the next round.
  // For problems without a start, such as a registration.
  kAllInliers,
};

// The options of SolveGraduated. An extension: see docs/solving/extensions.md.
struct CERES_EXPORT GraduatedOptions {
  // Returns whether the options are valid. If not, `error` (not null) receives
  // the name of the first option that is not, its value and the values that are
  // allowed.
  bool IsValid(std::string* error) const;

  // The loss of the residual blocks that may be outliers.
  GraduatedLoss loss = GraduatedLoss::kTruncatedSquares;

  // The weights of the first round.
  GraduatedStart start = GraduatedStart::kFromValues;

  // The residual blocks that are never outliers, such as odometry and priors.
  // They keep weight 1 and their own loss functions. SolveGraduated checks that
  // they are in the problem.
  std::unordered_set<ResidualBlockId> certain_residual_blocks;

  // The probability that an inlier is recognized, if each residual has variance
  // 1: c^2 of a residual block of n residuals is the quantile of the
  // chi-square distribution with n degrees of freedom; > 0 and < 1. The default
  // is the level of Baarda's test for outliers ("A Testing Procedure for Use in
  // Geodetic Networks", 1968): one inlier in a thousand is rejected.
  double inlier_probability = 0.999;

  // kTruncatedSquares: whether c^2 is multiplied by the variance factor of the
  // inliers if it is less than 1/2, see SolveGraduated.
  bool estimate_variance_factor = true;

  // The largest cost 1/2 s of an inlier, for all residual blocks: c^2 is twice
  // this number, and the two options above are not used; >= 0. 0: c^2 follows
  // from them.
  double inlier_cost_bound = 0.0;

  // Each round multiplies or divides the control parameter by this factor; > 1.
  // A small factor takes more rounds and finds better solutions.
  double control_factor = 1.4;

  // The limit on rounds; >= 1.
  int max_num_rounds = 200;

  // The limit on iterations, >= 1, and the function tolerance, >= 0, of a solve
  // whose weights are not the last. Those of Solver::Options hold for the last
  // solve.
  int max_num_iterations_per_round = 10;
  double function_tolerance_per_round = 1e-3;

  // The limit on multiplications of a sparse Cholesky factorization above which
  // rounds leave out blocks whose weights are less than 1/2; >= 0. 0:
  // automatic, see SolveGraduated. Infinity: no blocks are left out.
  double max_operations_per_factorization = 0.0;

  // kTruncatedSquares: how often blocks may be checked at the end, see
  // SolveGraduated; >= 0. A check takes the time of a few iterations, and a few
  // rounds follow it. 0: the variance factor is not estimated.
  int max_num_checks = 10;

  // kGemanMcClure ends when the loss itself is in use and a round changes the
  // cost by less than this fraction; > 0.
  double cost_tolerance = 1e-4;
};

// The result of SolveGraduated.
struct CERES_EXPORT GraduatedSummary {
  // One round: weights, then a solve.
  struct CERES_EXPORT Round {
    // The control parameter mu. It ends at 1 for kGemanMcClure. It grows for
    // kTruncatedSquares. 0: all weights were given.
    double control = 0.0;
    // 1/2 sum_i w_i s_i after the solve, with the weights w of the round.
    double cost = 0.0;
    // The numbers of weights at 0 and at least 1/2, certain blocks excluded.
    int num_zero_weights = 0;
    int num_large_weights = 0;
    // The number of weights that are 0 to limit the fill of the factorization,
    // and the multiplications that were predicted for a factorization. 0: they
    // were not counted.
    int num_left_out = 0;
    double num_operations = 0.0;
    // True: blocks failed the check after the round before.
    bool follows_check = false;
    // Iterations of the solve, the initial point excluded.
    int num_iterations = 0;
    // Whether the solve used the preprocessing of the round before.
    bool preprocessing_was_kept = false;
    // Wall time of the round.
    double time_in_seconds = 0.0;
  };

  // One line: rounds, costs, numbers of inliers and outliers, termination type.
  std::string BriefReport() const;
  // True for CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS: the user's
  // parameters hold the result. Otherwise they have their starting values.
  bool IsSolutionUsable() const;

  // CONVERGENCE: the weights do not change any more, and the last solve
  // converged. NO_CONVERGENCE: a limit or a cancellation ended the rounds.
  TerminationType termination_type = FAILURE;
  std::string message = "ceres::SolveGraduated was not called.";

  // The weight of each residual block in the last solve, in the order of
  // Problem::GetResidualBlocks. 1: certain.
  std::vector<double> weights;
  // The residual blocks with s > c^2 at the result, in the same order.
  std::vector<ResidualBlockId> outliers;
  // The number of residual blocks that are not outliers, certain ones included.
  int num_inliers = -1;

  // The factor by which estimate_variance_factor has multiplied c^2.
  double variance_factor = 1.0;

  // The costs with the weights of the first and of the last solve: before the
  // first solve, and at the result.
  double initial_cost = -1.0;
  double final_cost = -1.0;

  // The rounds in order.
  std::vector<Round> rounds;
  // The summary of the last solve.
  Solver::Summary last_solve;
  // Wall time of SolveGraduated.
  double total_time_in_seconds = -1.0;
};

// Minimizes a problem with many outliers by graduated non-convexity: a sequence
// of weighted least-squares problems,
//
//     1/2 sum_certain rho_i(s_i) + 1/2 sum_i w_i s_i,    s_i = |f_i(x)|^2,
//
// whose weights w_i follow from the residuals of the problem before. The first
// weights are those of a loss that is nearly convex. A control parameter mu
// then changes the loss, round by round, into the one of the options:
//
//   kTruncatedSquares   mu grows. w = 1 for s <= c^2 mu / (mu + 1),
//                       0 for s >= c^2 (mu + 1) / mu,
//                       c sqrt(mu (mu + 1) / s) - mu else
//   kGemanMcClure       mu falls to 1. w = (mu c^2 / (mu c^2 + s))^2
//
// The source is Yang, Antonante, Tzoumas, Carlone, "Graduated Non-Convexity for
// Robust Spatial Perception: From Non-Minimal Solvers to Global Outlier
// Rejection", IEEE Robotics and Automation Letters, 2020, sections III and IV.
//
// An outlier that few other blocks contradict can bend the solution until it is
// an inlier, and a true block can be far from a solution that few blocks
// determine. Therefore blocks are checked when the weights of kTruncatedSquares
// have converged. Each is compared with the solution without it. With H = J C
// J', where J is its Jacobian and C the covariance,
//
//   an inlier satisfies    t = f' (I - H)^-1 f <= c^2,
//   an outlier satisfies   t = f' (I + H)^-1 f >= c^2.
//
// Both t have the chi-square distribution that c^2 was chosen from if the block
// is no outlier, however strongly it pulls the solution. Inliers that violate
// this lose their weights. If there is none, and outliers violate it, the one
// of the least t is added. Rounds then decide again about blocks near to the
// solution. The result is accepted if sum min(s, c^2) is less than before. The
// check needs a Jacobian of full rank: hold a pose constant. Otherwise blocks
// are not checked.
//
// Checks also estimate the variance factor v of the inliers: the square of the
// ratio between true and stated standard deviations. v is the smallest factor,
// at least 1e-4, for which v times the chi-square distribution bounds the t of
// inliers at the probabilities 1/2, 0.9 and 0.99. If v < 1/2, and 100 inliers
// or more have been checked, c^2 is multiplied by v. Stated standard deviations
// that are too large would otherwise hide outliers. Those that are too small
// are not recognized: inliers would be rejected.
//
// Fill. An outlier between far parts of a problem fills the Cholesky factor,
// and in the first rounds all outliers have weights. Rounds therefore leave out
// blocks of small weights: of the blocks whose weight is less than 1/2, a round
// has those of the largest weights, as many as a limit on the predicted number
// of operations of a factorization permits. The automatic limit is 1000 for
// each scalar of the lower triangle of J'J, or twice the operations of the
// blocks of larger weights. It is in force for SPARSE_NORMAL_CHOLESKY and
// SPARSE_SCHUR. The last rounds leave nothing out.
//
// Sources of the checks: Cook and Weisberg, "Residuals and Influence in
// Regression", 1982, section 2.2; Bar-Shalom, Li, Kirubarajan, "Estimation with
// Applications to Tracking and Navigation", 2001, section 5.4. Of the variance
// factor: DeCleene, "Defining Pseudorange Integrity - Overbounding", ION GPS
// 2000. Of the choice of blocks: own derivation.
//
// The residual blocks must be in units of their standard deviation, unless
// inlier_cost_bound is set. The weights take the place of the loss functions of
// residual blocks that are not certain. The problem is not changed: its loss
// functions are in use again afterwards.
//
// Solver options hold for each solve, except max_solver_time_in_seconds, which
// holds for all solves together. Callbacks see the iterations of all solves.
// keep_preprocessing is not read: solves keep the preprocessing of the round
// before. Residual blocks of weight 0 leave the linear systems when there are
// enough of them. Results have the same bits for every number of threads.
//
// Errors and exceptions are those of Solve: after FAILURE the user's parameters
// have their starting values. Aborts on a null problem or summary, and if a
// certain residual block is not in the problem.
CERES_EXPORT void SolveGraduated(const Solver::Options& options,
                                 const GraduatedOptions& graduated_options,
                                 Problem* problem, GraduatedSummary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_GRADUATED_SOLVER_H_
