// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_MARGINALIZATION_H_
#define CERES_PUBLIC_MARGINALIZATION_H_

// Removes parameter blocks from a problem and keeps what they say about the
// others. An extension: see docs/solving/extensions.md.

#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"

namespace ceres {

// How the prior is computed.
enum class MarginalizationMethod {
  // By orthogonal transformations of the rows of J. Accurate to about
  // eps cond(J).
  kBlockQr,
  // By Schur complements of J'J, block by block. Accurate to about
  // eps cond(J)^2; less arithmetic if a removed block has many rows.
  kSchurComplement,
};

// The options of Marginalize.
struct CERES_EXPORT MarginalizationOptions {
  // The method; see above. Choose kSchurComplement if removed blocks have many
  // residuals and few neighbours. With 550 neighbours it takes five times as
  // long as kBlockQr (docs/solving/sliding_windows.md).
  MarginalizationMethod method = MarginalizationMethod::kBlockQr;

  // True: the neighbours keep their linearization points for all residual
  // blocks (Problem::SetLinearizationPoint). Jacobians of the prior and of
  // later residual blocks are then those of one point, and directions without
  // information, such as the gauge, remain without information. Set it for
  // visual-inertial odometry and other filters whose heading would become too
  // certain. Results then depend on how good the kept points are.
  bool first_estimate_jacobians = false;

  // A direction counts as determined if its pivot exceeds this number. Pivots
  // are relative: each column of J is divided by its norm. kSchurComplement
  // compares squares of pivots with it. Negative: 20 (m + n) eps for m
  // residuals and n tangent coordinates of all blocks, eps = 2^-52. Raise it,
  // for example to 1e-8, if Jacobians are not exact to rounding.
  double rank_tolerance = -1.0;

  // The number of threads of the linearization and of kBlockQr; > 0. With 550
  // neighbours two threads take 0.75 times the time of one.
  int num_threads = 1;
};

// What Marginalize did.
struct CERES_EXPORT MarginalizationSummary {
  // Empty if Marginalize succeeded. Else why it did not, and what to do.
  std::string message;

  // The removed blocks, and the varying blocks that share a residual block with
  // them, in the problem's order.
  std::vector<double*> removed_parameter_blocks;
  std::vector<double*> neighbours;

  // The number of residual blocks that were removed, and of their residuals.
  int num_removed_residual_blocks = 0;
  int num_removed_residuals = 0;

  // The prior, or null if its rank is 0: then none was added. Its parameter
  // blocks are the neighbours, in their order.
  ResidualBlockId prior = nullptr;

  // Rank of the prior: its number of rows. num_columns - rank directions of the
  // neighbours have no information.
  int rank = 0;
  // Tangent coordinates of the neighbours.
  int num_columns = 0;

  // Rank and tangent coordinates of the removed blocks. A difference is the
  // number of directions that the removed residual blocks do not determine.
  int eliminated_rank = 0;
  int num_eliminated_columns = 0;

  // Pairs of neighbours, and how many of them no removed residual block has
  // coupled: the fill that the prior adds.
  int num_neighbour_pairs = 0;
  int num_fill_pairs = 0;

  // The ratio of the largest to the smallest pivot of the prior, whose columns
  // are divided by the norms of the columns of J. An estimate of the condition
  // number. 0 if the rank is 0.
  double condition_number = 0.0;

  // The cost of the removed residual blocks, and the least cost of their
  // linearization over all blocks. The cost of the prior at the point of
  // linearization is at most the difference of the two.
  double removed_cost = 0.0;
  double least_cost = 0.0;
};

// Removes the parameter blocks and every residual block that depends on one of
// them, and adds one residual block with a LinearizedPrior on the neighbours.
//
//   before   sum of 1/2 |r_i(x_M, x_N)|^2     M: removed blocks, N: neighbours
//   after    1/2 |A (x_N boxminus x0) + b|^2
//
// The prior is the minimum over x_M of the linearization of the removed
// residual blocks at the current values, up to a constant. For linear residuals
// it is exact: the distribution of x_N remains the same. x0 are the current
// values, or the linearization points of blocks that have one.
//
// - Loss functions. A robust residual block is linearized with the correction
//   that a solve makes (Triggs et al. 2000, section 4.3): its weight is that of
//   the current values and is kept in the prior, which has no loss function.
//   Solve first, so that outliers have small weights.
// - Constant blocks have no columns: their values are part of b. They may be
//   removed, and are never neighbours.
// - A removed block must not have bounds: the least cost within bounds is not a
//   quadratic function. Bounds of neighbours remain in the problem.
// - The rank of the linearization is kept: a direction without information,
//   such as the gauge, has none in the prior.
//
// Elimination is by block, in the order of fewest neighbours: all residual
// blocks of a block form one dense matrix, whose orthogonal factorization with
// column pivoting leaves rows without the block (Bjorck, "Numerical Methods for
// Least Squares Problems", SIAM 1996, section 6.3). Removed blocks that would
// be eliminated from the same rows, as those that share a prior, are eliminated
// together (mass elimination: George and Liu, "The Evolution of the Minimum
// Degree Ordering Algorithm", SIAM Review 31, 1989).
//
// Returns false, with summary->message, and leaves the problem as it is if a
// removed block has bounds, a residual block cannot be evaluated, a manifold of
// a neighbour has no Minus, or a value is not finite. Exceptions of cost
// functions reach the caller, and leave the problem as it is. Checks that
// blocks are in the problem and listed once, and that pointers are not null.
//
// The results have the same bits for every number of threads. A problem with
// Problem::Options::enable_fast_removal is not scanned for the residual blocks.
CERES_EXPORT bool Marginalize(const MarginalizationOptions& options,
                              const std::vector<double*>& parameter_blocks,
                              Problem* problem,
                              MarginalizationSummary* summary);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_MARGINALIZATION_H_
