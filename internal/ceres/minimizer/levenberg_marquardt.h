// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LEVENBERG_MARQUARDT_H_
#define CERES_INTERNAL_MINIMIZER_LEVENBERG_MARQUARDT_H_

#include "ceres/minimizer/trust_region_strategy.h"

namespace ceres::internal {

// The Levenberg-Marquardt method. The step solves
//
//   (J'J + D^2) step = -J'r,
//   D_j^2 = clamp(s_j^2 diag(J'J)_j, min_diagonal, max_diagonal)
//           / (radius s_j^2),
//
// where s are the column scales (1 without Jacobi scaling). D is the damping of
// the scaled problem in the variables of the unscaled problem. Therefore no
// pass over the Jacobian scales it.
//
// With the quality q of a step, the radius changes by
//
//   accepted   radius = min(radius / max(1/3, 1 - (2 q - 1)^3), max_radius)
//   rejected   radius = radius / 2, then / 4, / 8, ... until a step is accepted
//
// K. Madsen, H. Nielsen, O. Tingleff, Methods for Non-Linear Least Squares
// Problems, 2004, (2.21) and (3.16).
class LevenbergMarquardt final : public TrustRegionStrategy {
 public:
  // options: must outlive this.
  explicit LevenbergMarquardt(const MinimizerOptions& options)
      : options_(options), radius_(options.initial_trust_region_radius) {}

  // Writes the damping D for the current radius. Every array has num_columns
  // values.
  void ComputeDamping(const Execution& execution, int num_columns,
                      const double* squared_column_norms,
                      const double* column_scale, double* damping) const;

  TrustRegionStep ComputeStep(const LinearModel& model,
                              const LinearSolver::SolveOptions& limits,
                              double* step) override;
  void Accept(double quality) override;
  void Reject() override;
  // A smaller radius increases the damping, as in Reject.
  void Invalidate() override { Reject(); }
  // As Reject, with a radius of at most `radius`.
  void RejectTo(double radius);

  double radius() const override { return radius_; }
  void TransferState(StateArchive* archive) override {
    archive->Value(&radius_);
    archive->Value(&next_divisor_);
  }

 private:
  static constexpr double kFirstDivisor = 2.0;

  const MinimizerOptions& options_;
  double radius_;
  double next_divisor_ = kFirstDivisor;  // by which Reject divides the radius
  AlignedBuffer damping_;                // D by column
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LEVENBERG_MARQUARDT_H_
