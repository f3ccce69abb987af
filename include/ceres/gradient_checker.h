// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_GRADIENT_CHECKER_H_
#define CERES_PUBLIC_GRADIENT_CHECKER_H_

#include <string>
#include <vector>

// Programs count on these headers through this one.
#include "Eigen/Dense"
#include "Eigen/StdVector"
#include "ceres/cost_function.h"
#include "ceres/dynamic_cost_function.h"               // Programs count on it.
#include "ceres/dynamic_numeric_diff_cost_function.h"  // Programs count on it.
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"
#include "ceres/internal/export.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/manifold.h"
#include "ceres/numeric_diff_options.h"

namespace ceres {

// Compares the Jacobians that a cost function computes with finite differences
// of its residuals.
//
// The checker compares derivatives J_i P_i in tangent coordinates, with P_i the
// PlusJacobian of the manifold of parameter block i: only these have a meaning
// on a manifold. Finite differences J~ are computed by Ridders' method. The
// error of an entry is
//
//   |a - b| / max(|a|, |b|),   a = (J_i P_i)_rc,  b = (J~_i P_i)_rc,
//
// and |a - b| if a or b is zero. The error counts as zero if |a - b| is within
// 1e-12 of the largest derivative of the same residual, which is the resolution
// of finite differences.
//
//   GradientChecker checker(my_cost_function, nullptr, NumericDiffOptions());
//   GradientChecker::ProbeResults results;
//   if (!checker.Probe(parameters, 1e-9, &results)) {
//     LOG(ERROR) << results.error_log;
//   }
//
// Thread safety: Probe may be called concurrently if the cost function's
// Evaluate may.
class CERES_EXPORT GradientChecker {
 public:
  // Refers to the function and the manifolds and does not own them. manifolds
  // is null if there are none. Otherwise it has an element, which may be null,
  // for each parameter block; the vector is copied.
  //
  // Checks that function is not null and has residuals, that manifolds has the
  // right length, and that their ambient sizes are those of the blocks.
  GradientChecker(const CostFunction* function,
                  const std::vector<const Manifold*>* manifolds,
                  const NumericDiffOptions& options);
  GradientChecker(const GradientChecker&) = delete;
  GradientChecker& operator=(const GradientChecker&) = delete;

  // The results of Probe. All matrices are row-major and have a row per
  // residual; lists have an element per parameter block. This holds after
  // failures, too: what was not evaluated is zero. Local Jacobians are
  // evaluated last.
  struct CERES_EXPORT ProbeResults {
    // The result of Probe.
    bool return_value;

    // The residuals that the cost function computes together with the
    // Jacobians.
    Vector residuals;

    // The Jacobians of the cost function: J_i in ambient coordinates and J_i
    // P_i in tangent coordinates.
    std::vector<Matrix> jacobians;
    std::vector<Matrix> local_jacobians;

    // The Jacobians by finite differences: J~_i and J~_i P_i.
    std::vector<Matrix> numeric_jacobians;
    std::vector<Matrix> local_numeric_jacobians;

    // The largest error of an entry, in tangent coordinates; infinite if one
    // is not a number.
    double maximum_relative_error;

    // A description of what failed, or of the entries that differ. Empty if
    // Probe returned true.
    std::string error_log;
  };

  // Compares at `parameters`, one pointer per parameter block. Returns false if
  // something could not be evaluated there, if a residual r differs with and
  // without Jacobians by more than 1e-12 max(1, |r|), or if the error of an
  // entry exceeds relative_precision. results may be null; else it is
  // overwritten.
  bool Probe(double const* const* parameters, double relative_precision,
             ProbeResults* results) const;

 private:
  bool EvaluateResiduals(double const* const* parameters,
                         ProbeResults* results) const;
  bool EvaluateNumericJacobians(double const* const* parameters,
                                ProbeResults* results) const;
  bool ToTangent(double const* const* parameters,
                 const std::vector<Matrix>& ambient,
                 std::vector<Matrix>* tangent, std::string* error) const;
  bool Compare(double relative_precision, ProbeResults* results) const;

  const CostFunction* function_;
  // One per parameter block, null for a Euclidean space.
  std::vector<const Manifold*> manifolds_;
  NumericDiffOptions options_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_GRADIENT_CHECKER_H_
