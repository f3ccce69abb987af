// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_DIRECTION_KINDS_H_
#define CERES_INTERNAL_DIAGNOSIS_DIRECTION_KINDS_H_

#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/null_space.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// A Jacobian with columns of norm 1, and these norms.
struct ScaledJacobian {
  // magnitudes: by column, to set columns of rounding errors to zero; empty:
  // columns are left as they are.
  ScaledJacobian(const Execution& execution, BlockJacobian unscaled,
                 const std::vector<double>& magnitudes);

  BlockJacobian jacobian;
  CellsByColumn cells;
  std::vector<double> norms;
};

// An undetermined direction in scaled coordinates, and what is known of it.
struct FoundDirection {
  SparseVector entries;
  DirectionKind kind = DirectionKind::kCombination;
  int part = -1;  // -1: of no part.
  // The length of one parameter block, whatever its values are.
  bool is_length = false;
};

// Returns which of the directions J maps to something else than zero, fewest
// entries first, so that they are independent modulo the null space of J. To
// the other directions, multiples of those are added so that J maps them to
// zero. from_norms: the scale of the directions.
std::vector<bool> SplitByNullSpace(const ScaledJacobian& jacobian,
                                   const std::vector<double>& from_norms,
                                   std::vector<FoundDirection>* directions);

DirectionKind KindOf(GaugeKind kind);

// The kind of a null vector that is no named motion of space: kGauge,
// kTooFewResiduals or kCombination.
DirectionKind KindOfNullVector(const DiagnosedProblem& problem,
                               const ScaledJacobian& scaled,
                               const JacobianPart& part,
                               const SparseVector& entries);

// Whether bounds end the motion along the direction in both senses.
bool IsHeldByBounds(const DiagnosedProblem& problem,
                    const SparseVector& entries);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_DIRECTION_KINDS_H_
