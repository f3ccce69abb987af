// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_DIAGNOSIS_H_
#define CERES_PUBLIC_DIAGNOSIS_H_

// What the residuals of a problem leave undetermined, what they determine
// weakly, and what nothing checks. An extension: see
// docs/troubleshooting/rank_deficient.md.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/problem.h"
#include "ceres/report_scene.h"

namespace ceres {

// The options of Diagnose.
struct CERES_EXPORT DiagnosisOptions {
  // A direction is weak if its singular value is at most this multiple of the
  // largest one. Singular values are those of the Jacobian with columns scaled
  // to norm 1. In (0, 1). Raise it, to 1e-4 for example, to see what the data
  // determine badly.
  double weak_ratio = 1e-8;

  // True: the Jacobian is corrected for the loss functions, as in a solve.
  // Directions that would be determined without them have a kind of their own.
  // Set false to look for outliers by standardized residuals.
  bool apply_loss_function = true;

  // Computes Diagnosis::residual_blocks, which takes about as long as a
  // covariance. Set it to find measurements that no other one checks.
  bool compute_redundancy = false;

  // The variance of a residual, for standardized residuals and smallest
  // detectable errors. 1: residuals are divided by the standard deviations of
  // their measurements. 0: the variance is estimated at the present values,
  // sum of r^2 / degrees of freedom; this asks for values at a minimum, and for
  // few outliers. >= 0.
  double variance_factor = 1.0;

  // The number of threads; > 0. Results do not depend on it.
  int num_threads = 1;

  // When to stop: then the diagnosis has what is known. Set a limit in programs
  // that diagnose problems of unknown size.
  double max_time_in_seconds = std::numeric_limits<double>::infinity();
  parallel::CancellationToken cancellation_token;

  // The names of blocks in texts, as in HtmlReport::Options. Null, or an empty
  // name: the index of the block in the problem.
  std::function<std::string(const double*)> parameter_block_name;
  std::function<std::string(ResidualBlockId)> residual_block_tag;

  // Maps the current values of the parameters to positions in space, as
  // HtmlReport::Options::scene does. Gauge freedoms are then named whatever the
  // values mean. At least three positions and orientations must move.
  // Called by the calling thread while values in the user's memory are moved by
  // small steps along undetermined directions; they are restored, also if the
  // function throws. Null: gauge freedoms are found for the usual meanings of
  // values only.
  std::function<ReportScene()> scene;
};

// Why a direction is undetermined or weak. The first kind that fits counts.
enum class DirectionKind {
  // No residual block depends on the parameter block.
  kNoResiduals,
  // Loss functions have made the rows ineffective that would determine it.
  kLossFunction,
  // The residuals depend on the coordinate, or on the combination of
  // coordinates, but not to first order at these values: the values are at a
  // saddle or in a symmetric position. Values nearby determine it. To find this
  // out, an evaluation callback is called with values nearby, and at the end
  // with the present ones.
  kZeroDerivative,
  // The coordinate changes no residual.
  kNoInfluence,
  // A similarity of space, or of the plane, that moves the whole scene. It is
  // verified by J g = 0. A rotation is about any axis, a scale about any point.
  kGaugeTranslation,
  kGaugeRotation,
  kGaugeScale,
  // Moves all parameter blocks of some sizes together, and no residual block
  // depends on all of them: looks like a gauge freedom.
  kGauge,
  // A gauge freedom of a part that nothing connects to the largest part.
  kNotConnected,
  // The parameter blocks that move have fewer residuals than coordinates: a
  // point seen once, a pose with one range.
  kTooFewResiduals,
  // Some coordinates can move together: a sum or a product determines neither
  // factor.
  kCombination,
  // As kNoInfluence, kTooFewResiduals or kCombination, but bounds end the
  // motion in both senses.
  kHeldByBound,
  // In Diagnosis::held: only residual blocks of single parameter blocks
  // (priors) determine it, although others depend on its blocks.
  kHeldByPrior,
  // In Diagnosis::held: only active constraints determine it.
  kHeldByConstraint,
  // In Diagnosis::weak.
  kWeak,
};

// "kNoResiduals" and so on.
CERES_EXPORT const char* DirectionKindToString(DirectionKind kind);

// A direction in which the parameters can move.
struct CERES_EXPORT Direction {
  // A tangent coordinate, and its part of the direction. Without a manifold,
  // tangent coordinates are the values.
  struct CERES_EXPORT Entry {
    // The user's memory of the parameter block.
    double* parameter_block = nullptr;
    // The index of the parameter block in the problem.
    int parameter_block_index = 0;
    int coordinate = 0;
    double value = 0.0;
    // What `value` changes in the residuals by itself: value times the norm of
    // the column of the Jacobian. Tells which entries matter if coordinates
    // have different units. 0 if the column is zero.
    double effect = 0.0;
  };

  // Why the direction is undetermined or weak.
  DirectionKind kind = DirectionKind::kCombination;
  // The singular value divided by the largest one; 0 for undetermined
  // directions.
  double ratio = 0.0;
  // By parameter block in the problem's order, then by coordinate. The largest
  // |value| is 1.
  std::vector<Entry> entries;
  // If the kind is kHeldByConstraint: the names of the constraints. A
  // constraint without a name is "constraint 3", by its index.
  std::vector<std::string> constraints;
  // One sentence each.
  std::string cause;
  std::string remedy;
};

// A coordinate whose column of the Jacobian has another order of magnitude than
// those of most coordinates.
struct CERES_EXPORT BadlyScaledCoordinate {
  // The parameter block, its index in the problem, and the tangent coordinate.
  double* parameter_block = nullptr;
  int parameter_block_index = 0;
  int coordinate = 0;
  // The norm of the column.
  double column_norm = 0.0;
  // If the coordinate is value = scale * variable, the column of the variable
  // has a norm as most columns.
  double scale = 1.0;
};

// How well the other residual blocks check one residual block. The source is
// Baarda, A Testing Procedure for Use in Geodetic Networks, 1968.
struct CERES_EXPORT ResidualCheck {
  // The residual block.
  ResidualBlockId residual_block = nullptr;
  // The index of the residual block in the problem, and what
  // DiagnosisOptions::residual_block_tag returns.
  int residual_block_index = 0;
  std::string tag;
  // The trace of its block of R = I - J (J'J)^+ J'. Between 0 and the number of
  // residuals.
  double redundancy = 0.0;
  // The smallest eigenvalue of that block, in [0, 1]. Near 0: some error in the
  // residual block shows in no residual.
  double smallest_redundancy = 0.0;
  // The redundancy is near 0: no error in the residual block shows. It alone
  // determines as many directions as it has residuals.
  bool is_unchecked = false;
  // The largest |r_i| / sqrt(variance_factor R_ii): residuals in units of their
  // standard deviations. 0 if the variance factor is 0.
  double largest_standardized_residual = 0.0;
  // A larger error of any one residual is noticed with probability 0.8 by a
  // test with significance 0.001. In units of residuals. Infinite if nothing
  // checks some residual.
  double smallest_detectable_error = 0.0;
};

// The result of Diagnose.
struct CERES_EXPORT Diagnosis {
  // How a diagnosis ends.
  enum class Status {
    // All directions are there. If redundancy numbers were asked for and cannot
    // be computed, residual_blocks is empty, and `message` says why.
    kComplete,
    // A residual block cannot be evaluated: `message` names it. Structural
    // results are there.
    kNotEvaluated,
    // The deadline has passed, or the token is cancelled.
    kStopped,
    // An option is invalid, the problem is too large, or memory is lacking.
    kFailed,
  };
  // How this one has ended.
  Status status = Status::kComplete;
  // Empty if all that was asked for is there.
  std::string message;

  // How many variable parameter blocks the problem has, and how many residual
  // blocks depend on them. Constant blocks do not count.
  std::int64_t num_parameter_blocks = 0;
  std::int64_t num_coordinates = 0;
  std::int64_t num_residual_blocks = 0;
  std::int64_t num_residuals = 0;
  // The largest rank that any values of the derivatives could give.
  std::int64_t structural_rank = 0;
  // num_coordinates - undetermined.size().
  std::int64_t rank = 0;

  // A basis of the null space of the Jacobian, whose vectors have few entries.
  std::vector<Direction> undetermined;
  // Directions with small singular values, the weakest first.
  std::vector<Direction> weak;
  // Directions that only priors, or only active constraints, hold: undetermined
  // without them.
  std::vector<Direction> held;

  // Coordinates whose scale differs by more than 1e8 from that of others. Empty
  // if all scales are similar.
  std::vector<BadlyScaledCoordinate> badly_scaled;

  // Singular values of the scaled Jacobian, divided by the largest one: the
  // largest that counts as zero, and the smallest that does not (1 if nothing
  // is determined). Their quotient is the gap at the rank.
  double largest_null_ratio = 0.0;
  double smallest_ratio = 1.0;
  // False: singular values lie on both sides of the decision without a gap, or
  // columns differ too much in size, or the search was not complete.
  // rank_statement says so.
  bool is_rank_certain = true;
  std::string rank_statement;

  // If asked for: by residual block, in the problem's order.
  std::vector<ResidualCheck> residual_blocks;
  // The variance of residuals that they are standardized by:
  // DiagnosisOptions::variance_factor, or the estimate, which is 0 if there are
  // no degrees of freedom. 0 if `residual_blocks` is not there.
  double variance_factor = 0.0;

  // Whether every coordinate is determined.
  bool IsDetermined() const {
    return status == Status::kComplete && undetermined.empty();
  }

  // Some lines of text: the largest entries of each direction, with names.
  std::string ToString() const;
  // All data as JSON.
  std::string ToJson() const;

  // The name that DiagnosisOptions::parameter_block_name gave to a parameter
  // block that a direction moves, by the index of the block. Blocks without a
  // name are missing.
  std::map<int, std::string> parameter_block_names;
};

// Diagnoses the problem at the current values of its parameters. Changes
// nothing in the problem. Active constraints (Problem::AddEqualityConstraint)
// count as rows of infinite weight: with their derivatives A, v is undetermined
// if J v = 0 and A v = 0. Equalities are active, and inequalities whose
// multiplier is not zero or that are violated. Data never stop the program: see
// Diagnosis::status. Exceptions of user code reach the caller. Checks that
// `problem` is not null. The bits of the result do not depend on the number of
// threads.
//
// Method: null vectors of J by subspace iteration with the inverse of J'J + sI,
// each judged by |J v|; see docs/troubleshooting/rank_deficient.md.
CERES_EXPORT Diagnosis Diagnose(const DiagnosisOptions& options,
                                Problem* problem);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DIAGNOSIS_H_
