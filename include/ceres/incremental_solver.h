// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INCREMENTAL_SOLVER_H_
#define CERES_PUBLIC_INCREMENTAL_SOLVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"
#include "ceres/solver.h"

namespace ceres {

namespace internal {
class IncrementalSolverImpl;
}  // namespace internal

// Solves a problem that grows, again and again: a robot that maps, a tracker.
// An extension: see docs/solving/incremental.md.
//
//   ceres::IncrementalSolver solver({}, &problem);
//   while (...) {
//     problem.AddResidualBlock(...);  // a new pose, a new measurement
//     ceres::IncrementalSolver::Summary summary;
//     solver.Update(&summary);        // parameters are now the estimate
//   }
//
// The solver keeps a linearization of every residual block and a Cholesky
// factorization of J'J. Update factors anew what depends on blocks that were
// added, removed, fixed or freed, and on parameter blocks that are linearized
// again; its cost is proportional to that part, plus one comparison of all
// parameter values. Work that can wait is spread over updates: see the budgets
// in Options.
//
// The result is approximate. A parameter block keeps its linearization point
// until its update exceeds Options::relinearization_threshold (Kaess et al.,
// iSAM2: Incremental smoothing and mapping using the Bayes tree, International
// Journal of Robotics Research 31, 2012). Steps are Gauss-Newton steps.
// CompareWithBatch measures the error.
//
// A step that exceeds the threshold ten times is tried first: if the cost
// functions fail at the new estimate or decrease the cost much less than the
// linear model predicts, the step is taken back, damped and computed again. So
// the estimate remains bounded with poor initial values. Each part of the graph
// has its own damping, and an update has a bounded number of repetitions
// (Rosen, Kaess and Leonard, "RISE: An Incremental Trust-Region Method for
// Robust Online Sparse Least-Squares Estimation", IEEE Transactions on Robotics
// 30, 2014, use one trust region for the graph). Parameter blocks that the
// residual blocks do not determine keep the undetermined part of their value,
// and the summary lists them.
//
// Cost functions are evaluated when a residual block is new, and when one of
// its parameter blocks is linearized again. Their data must not change. Loss
// functions are linearized with them. A parameter value that the caller
// changes becomes the block's linearization point.
//
// Not supported, with an error of Update: bounds of varying parameter blocks,
// and problems with an EvaluationCallback.
//
// Bits depend on the sequence of calls, not on num_threads. Not thread-safe.
class CERES_EXPORT IncrementalSolver {
 public:
  // What an update may do.
  struct CERES_EXPORT Options {
    // Returns true if the options are valid. Otherwise `error`, which must not
    // be null, says which option has which wrong value.
    bool IsValid(std::string* error) const;

    // Threads that evaluate cost functions and factor wide fronts; >= 1.
    int num_threads = 1;

    // A parameter block is linearized again when a coordinate of its update, in
    // the tangent space at its linearization point, exceeds this; >= 0. In the
    // units of the parameters. 0: all blocks that move, as Gauss-Newton does.
    double relinearization_threshold = 0.1;

    // The back substitution leaves out the parameter blocks that depend on
    // others only through coordinates that moved by at most this; >= 0. In the
    // units of the parameters. 0: it leaves out none.
    double update_tolerance = 1e-3;

    // The most steps of one update; >= 1. An update ends earlier when no block
    // exceeds the threshold. Blocks that exceed it after the last step are
    // linearized again by the next updates.
    int max_num_steps = 1;

    // What one step spends at most on blocks that are linearized again, as a
    // fraction of the operations of a factorization of the entire problem; > 0.
    // Never less than 5e6 operations. Blocks that change much for few
    // operations come first; the others wait, and come earlier the longer they
    // wait. The first step of an update linearizes at least one of these
    // blocks. 1 or more: no bound.
    double relinearization_budget = 0.25;

    // An order of all blocks is searched beside the updates. While the factor
    // has more than this many times the entries that it would have in that
    // order, more blocks are ordered anew than necessary; >= 1, or 0: no order
    // is searched.
    double reorder_fill_factor = 1.2;

    // What fronts that are eliminated for a better order alone cost, per step,
    // as a fraction of the operations of a factorization of the entire problem;
    // > 0. Never less than 5e6 operations. 1 or more: no bound.
    double reorder_budget = 0.1;

    // The operations of one update at most; >= 0. What can be done later is
    // done later: linearizing blocks again, a better order, and substituting
    // back into distant parts. An update exceeds the bound if what cannot be
    // done later does, Summary::num_required_operations. 0: no bound.
    int64_t max_operations_per_update = 0;
  };

  // What an update did.
  struct CERES_EXPORT Summary {
    // CONVERGENCE: no update of a block exceeds the threshold, and no front
    // waits. NO_CONVERGENCE: the next update will continue. FAILURE: a cost
    // function fails where no smaller step helps, or the problem is not
    // supported; the parameters are unchanged, and the message says why.
    TerminationType termination_type = FAILURE;
    // The reason of the termination.
    std::string message = "IncrementalSolver::Update was not called.";

    // The steps that were taken.
    int num_steps = 0;
    // The parameter blocks that were linearized again, over all steps.
    int num_blocks_relinearized = 0;
    // The residual blocks that were evaluated, over all steps.
    int num_residual_blocks_evaluated = 0;
    // The parameter blocks and the fronts that were eliminated anew, over all
    // steps.
    int num_blocks_eliminated = 0;
    int num_fronts_eliminated = 0;
    // The fronts that the back substitutions entered, and all fronts.
    int num_fronts_solved = 0;
    int num_fronts = 0;

    // The work that is left to later updates: parameter blocks that exceed the
    // threshold, and fronts that wait for the back substitution.
    int num_blocks_waiting = 0;
    int num_fronts_waiting = 0;

    // Parameter blocks that the residual blocks do not determine, in the order
    // of the problem: their undetermined part keeps its value. The message has
    // the first. Rounding errors can hide a block that is nearly determined.
    std::vector<const double*> undetermined_blocks;
    // Parameter blocks with damped steps, and steps that were taken back and
    // repeated with more damping.
    int num_blocks_damped = 0;
    int num_steps_rejected = 0;

    // The operations of the update: an estimate of its time, which depends on
    // numbers and sizes alone. An operation is a multiplication with an
    // addition in a product of matrices.
    int64_t num_operations = 0;
    // The part of num_operations that could not be done later:
    // - evaluation of the residual blocks that are new, whose values the caller
    //   changed, or that depend on the one waiting block that each update
    //   linearizes again;
    // - elimination of the blocks of these residual blocks, and of their
    //   ancestors;
    // - back substitution into one front that waited;
    // - a part of the search for a better order;
    // - trials of long steps, and steps that are repeated.
    int64_t num_required_operations = 0;

    // Blocks that were ordered anew for a better order of all blocks.
    int num_blocks_reordered = 0;
    // The entries of the factor over those in the best order that is known; 0:
    // none is known.
    double fill_ratio = 0.0;

    // The cost at the estimate, by the linearized residual blocks. -1: failure.
    double predicted_cost = -1.0;
    // Wall time of the update in seconds.
    double total_time_in_seconds = -1.0;
  };

  // An estimate beside the solution of Solve.
  struct CERES_EXPORT Comparison {
    // The summary of the Solve that started at the estimate. initial_cost is
    // the cost of the estimate, final_cost is the cost of the solution.
    Solver::Summary batch;
    // The largest coordinate of solution boxminus estimate, in the tangent
    // spaces of the parameter blocks.
    double largest_difference = -1.0;
  };

  // The problem must outlive the solver. It may have residual blocks, and can
  // have one IncrementalSolver at a time: CHECK. A CHECK also refuses options
  // that are not valid.
  IncrementalSolver(const Options& options, Problem* problem);
  IncrementalSolver(const IncrementalSolver&) = delete;
  IncrementalSolver& operator=(const IncrementalSolver&) = delete;
  ~IncrementalSolver();

  // Accounts for all changes of the problem since the last update, and writes
  // the new estimate into the parameters. After a failure, and after an
  // exception of user code, which reaches the caller, the parameters are
  // unchanged. The next update then begins anew at the values of the
  // parameters.
  void Update(Summary* summary);

  // Solves the problem with the options from the current values, compares, and
  // restores the values. Takes the time of a Solve.
  void CompareWithBatch(const Solver::Options& options, Comparison* comparison);

 private:
  std::unique_ptr<internal::IncrementalSolverImpl> impl_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_INCREMENTAL_SOLVER_H_
