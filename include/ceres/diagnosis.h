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
#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/problem.h"

namespace ceres {

// The options of Diagnose.
struct CERES_EXPORT DiagnosisOptions {
  // A direction is weak if its singular value is at most this multiple of the
  // largest one. Singular values are those of the Jacobian with columns scaled
  // to norm 1. In (0, 1).
  double weak_ratio = 1e-8;

  // True: the Jacobian is corrected for the loss functions, as in a solve.
  bool apply_loss_function = true;

  // Computes Diagnosis::residual_blocks, which takes about as long as a
  // covariance.
  bool compute_redundancy = false;

  // The number of threads; > 0. Results do not depend on it.
  int num_threads = 1;

  // When to stop: then the diagnosis has what is known.
  double max_time_in_seconds = std::numeric_limits<double>::infinity();
  parallel::CancellationToken cancellation_token;

  // The names of blocks in texts, as in HtmlReport::Options. Null, or an empty
  // name: the index of the block in the problem.
  std::function<std::string(const double*)> parameter_block_name;
  std::function<std::string(ResidualBlockId)> residual_block_tag;
};

// Why a direction is undetermined or weak.
enum class DirectionKind {
  // No residual block depends on the parameter block.
  kNoResiduals,
  // The residual blocks depend on the coordinate, but their derivatives are
  // zero here: the values are at a saddle or in a symmetric position.
  kZeroDerivative,
  // The coordinate changes no residual.
  kNoInfluence,
  // Loss functions have made the rows ineffective that would determine it.
  kLossFunction,
  // The parameter block has fewer residuals than coordinates, or residuals that
  // all tell the same: a point seen once, a pose with one range.
  kTooFewResiduals,
  // Some coordinates can move together: a sum or a product determines neither
  // factor.
  kCombination,
  // The whole scene, or a part that nothing connects to the rest, can be moved.
  kGaugeTranslation,
  kGaugeRotation,
  kGaugeScale,
  // Moves most parameter blocks together. Looks like a gauge freedom.
  kGauge,
  // Only bounds keep it from moving without end.
  kHeldByBound,
  // Only residual blocks of single parameter blocks (priors) determine it.
  kHeldByPrior,
  // Determined, but weakly.
  kWeak,
};

// A direction in which the parameters can move.
struct CERES_EXPORT Direction {
  // A tangent coordinate, and its part of the direction. Without a manifold,
  // tangent coordinates are the values.
  struct CERES_EXPORT Entry {
    double* parameter_block;
    int coordinate;
    double value;
  };

  DirectionKind kind = DirectionKind::kCombination;
  // The singular value divided by the largest one; 0 for undetermined
  // directions.
  double ratio = 0.0;
  // By parameter block in the problem's order, then by coordinate. The largest
  // |value| is 1.
  std::vector<Entry> entries;
  // One sentence each.
  std::string cause;
  std::string remedy;
};

// How well the other residual blocks check one residual block.
struct CERES_EXPORT ResidualCheck {
  ResidualBlockId residual_block;
  // The trace of its block of I - J (J'J)^-1 J' (Baarda 1968). Between 0, if
  // nothing checks it, and the number of residuals.
  double redundancy = 0.0;
  // The largest |r_i| / sqrt(q_i): residuals in units of their standard
  // deviations, if residuals have standard deviation 1.
  double largest_standardized_residual = 0.0;
  // The smallest error of a residual that is noticed with probability 0.8 by a
  // test with significance 0.001: 4.13 / sqrt(q_i). Infinite if nothing checks
  // it.
  double smallest_detectable_error = 0.0;
};

struct CERES_EXPORT Diagnosis {
  enum class Status {
    kComplete,
    // A residual block cannot be evaluated: `message` names it. Structural
    // results are there.
    kNotEvaluated,
    // The deadline has passed, or the token is cancelled.
    kStopped,
    // An option is invalid, or memory is lacking.
    kFailed,
  };
  Status status = Status::kComplete;
  // Empty if the diagnosis is complete.
  std::string message;

  // Of the variable parameter blocks, and of the residual blocks that depend on
  // them.
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
  // Directions that only bounds or priors hold.
  std::vector<Direction> held;

  // Singular values of the scaled Jacobian, divided by the largest one: the
  // largest that counts as zero, and the smallest that does not (1 if it is
  // above DiagnosisOptions::weak_ratio and was not computed).
  double largest_null_ratio = 0.0;
  double smallest_ratio = 1.0;
  // False: singular values lie on both sides of the decision without a gap, or
  // columns differ too much in size. rank_statement says so.
  bool is_rank_certain = true;
  std::string rank_statement;

  // If asked for, and if the rank is full: by residual block.
  std::vector<ResidualCheck> residual_blocks;

  // Whether every coordinate is determined.
  bool IsDetermined() const {
    return status == Status::kComplete && undetermined.empty();
  }

  // Some lines of text: the largest entries of each direction, with names.
  std::string ToString() const;
  // All data as JSON.
  std::string ToJson() const;

  // The names of the parameter blocks that entries and ToString use.
  std::function<std::string(const double*)> parameter_block_name;
};

// Diagnoses the problem at the current values of its parameters. Changes
// nothing in the problem. Data never stop the program: see Diagnosis::status.
// Exceptions of user code reach the caller. Checks that `problem` is not null.
// The bits of the result do not depend on the number of threads.
//
// Method: null vectors of J by subspace iteration with the inverse of J'J + sI,
// each judged by |J v|; see docs/troubleshooting/rank_deficient.md.
CERES_EXPORT Diagnosis Diagnose(const DiagnosisOptions& options,
                                Problem* problem);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DIAGNOSIS_H_
